"""The data folders are there, and the same, however the package got onto the machine."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.packaging.builds import build, checkout, isolated, unpacked

FOLDERS = ("workspace_template", "hooks", "heartbeat")
PLAIN = {"OPENCLAW_MEMORY_PURE": "1"}  # data is the same either way, and a compiler takes its seconds
SHOW = """
import json, sys
from openclaw_memory import data
found = {}
for name in sys.argv[1:]:
    root = data.folder(name)
    files = (path for path in root.rglob("*") if path.is_file())
    found[name] = sorted(path.relative_to(root).as_posix() for path in files)
print(json.dumps(found))
"""


def seen(*path: Path) -> str:
    """What a program sees that imports the package from `path`, far from the checkout."""
    return isolated(SHOW, *FOLDERS, path=path).stdout


def unzipped(wheel: Path, into: Path) -> Path:
    zipfile.ZipFile(wheel).extractall(into)
    return into


def from_wheel(tmp: Path) -> Path:
    return unzipped(build(ROOT, "wheel", tmp, **PLAIN), tmp / "wheel")


def from_sdist(tmp: Path) -> Path:
    """A wheel that was built from the source archive alone."""
    return unzipped(build(unpacked(build(ROOT, "sdist", tmp)), "wheel", tmp, **PLAIN), tmp / "again")


def from_editable(tmp: Path) -> Path:
    return unzipped(build(checkout(tmp / "checkout"), "editable", tmp, **PLAIN), tmp / "editable")


@pytest.mark.parametrize("make", [from_wheel, from_sdist, from_editable])
def test_every_way_to_install_has_the_data_of_the_checkout(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    expected = seen(ROOT)
    assert all(f'"{name}": []' not in expected for name in FOLDERS), expected
    assert seen(make(tmp_path)) == expected


def test_the_wheel_holds_the_schema_and_the_marker_of_types(tmp_path: Path) -> None:
    names = set(zipfile.ZipFile(build(ROOT, "wheel", tmp_path, **PLAIN)).namelist())
    assert {"openclaw_memory/config/schema.json", "openclaw_memory/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests/", "workspace_template/"))]
    assert "openclaw_memory/_data/workspace_template/dot.gitignore" in names

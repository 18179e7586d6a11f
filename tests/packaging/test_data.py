"""The data folders are there, and the same, however the package got onto the machine."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT

FOLDERS = ("workspace_template", "hooks", "heartbeat")
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


def hatchling(source: Path, hook: str, into: Path) -> Path:
    """Build in a process of its own, as pip does: no network, nothing installed."""
    code = f"import hatchling.build as b, sys; print(b.{hook}(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(into)], cwd=source, check=True, capture_output=True, text=True
    )
    return into / done.stdout.split()[-1]


def seen(*path: Path) -> str:
    """What a program sees that imports the package from `path`, far from the checkout."""
    code = f"import site\nfor p in {[str(each) for each in path]!r}: site.addsitedir(p)\n{SHOW}"
    words = [sys.executable, "-I", "-c", code, *FOLDERS]
    return subprocess.run(words, cwd="/", check=True, capture_output=True, text=True).stdout


def unzipped(wheel: Path, into: Path) -> Path:
    zipfile.ZipFile(wheel).extractall(into)
    return into


def from_wheel(tmp: Path) -> Path:
    return unzipped(hatchling(ROOT, "build_wheel", tmp), tmp / "wheel")


def from_sdist(tmp: Path) -> Path:
    """A wheel that was built from the source archive alone."""
    archive = hatchling(ROOT, "build_sdist", tmp)
    with tarfile.open(archive) as tar:
        tar.extractall(tmp, filter="data")
    return unzipped(hatchling(tmp / archive.name.removesuffix(".tar.gz"), "build_wheel", tmp), tmp / "again")


def from_editable(tmp: Path) -> Path:
    return unzipped(hatchling(ROOT, "build_editable", tmp), tmp / "editable")


@pytest.mark.parametrize("make", [from_wheel, from_sdist, from_editable])
def test_every_way_to_install_has_the_data_of_the_checkout(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    checkout = seen(ROOT)
    assert all(f'"{name}": []' not in checkout for name in FOLDERS), checkout
    assert seen(make(tmp_path)) == checkout


def test_the_wheel_holds_the_schema_and_the_marker_of_types(tmp_path: Path) -> None:
    names = set(zipfile.ZipFile(hatchling(ROOT, "build_wheel", tmp_path)).namelist())
    assert {"openclaw_memory/config/schema.json", "openclaw_memory/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests/", "workspace_template/"))]
    assert "openclaw_memory/_data/workspace_template/dot.gitignore" in names

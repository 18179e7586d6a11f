"""Build what people install, and run programs that see nothing but what was built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from tests.conftest import ROOT

COMPILED = {"OPENCLAW_MEMORY_PURE": ""}  # whatever the suite itself runs with
# After the path's own places come those of the dependencies, which may name a checkout of ours: it must not win.
FIRST = """
import site, sys
places = {places!r}
rest = list(sys.path)
for place in places:
    site.addsitedir(place)
sys.path[:] = [each for each in sys.path if each not in rest] + rest
"""


def hatchling(source: Path, kind: str, into: Path, **env: str) -> tuple[Path, str]:
    """Build in a process of its own, as pip does, but with no network and nothing installed; and what it printed."""
    code = f"import hatchling.build as b, sys; print(b.build_{kind}(sys.argv[1]))"
    done = _run([sys.executable, "-c", code, str(into)], source, env)
    return into / done.stdout.split()[-1], done.stderr


def build(source: Path, kind: Literal["wheel", "sdist", "editable"], into: Path, **env: str) -> Path:
    """The archive, built from the tree `source` into the folder `into`, which exists."""
    return hatchling(source, kind, into, **env)[0]


def unpacked(sdist: Path) -> Path:
    """The tree in an archive of sources, beside it."""
    with tarfile.open(sdist) as tar:
        tar.extractall(sdist.parent, filter="data")
    return sdist.with_name(sdist.name.removesuffix(".tar.gz"))


def checkout(into: Path) -> Path:
    """A copy of the checkout without what was compiled in it: an editable build writes into its tree."""
    made = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    for name in (".ci", "openclaw_memory", "workspace_template", "hooks", "heartbeat"):
        shutil.copytree(ROOT / name, into / name, ignore=made)
    for name in ("pyproject.toml", "README.md", ".gitignore"):
        shutil.copy(ROOT / name, into / name)
    return into


def isolated(
    code: str, *words: str, path: Sequence[Path], cwd: Path = Path("/"), python: str = sys.executable, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run `code`, to which `path` is the only place with a package of ours; it must end with 0."""
    program = FIRST.format(places=[str(each) for each in path]) + code
    return _run([python, "-I", "-c", program, *words], cwd, env)


def _run(words: Sequence[str], cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(words, cwd=cwd, env={**os.environ, **COMPILED, **env}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done

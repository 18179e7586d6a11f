"""The build's hook: compiles `openclaw_memory/retrieval/native` where there is a C compiler, and never fails a build.

One wheel serves all Pythons from 3.11 on (the limited API). Without a compiler, on PyPy or a Python without the GIL,
and with OPENCLAW_MEMORY_PURE set, the wheel holds Python alone, which indexes the same, only slower. C sources stay out
of wheels; the archive of sources carries them. An editable build puts the extension into the checkout,
and so does `python .ci/native.py`, for who changes the C sources.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilder, WheelBuilderConfig

FOLDER = "openclaw_memory/retrieval/native"
MODULE = f"{FOLDER.replace('/', '.')}._speed"
LIMITED = "0x030b0000"  # CPython 3.11, what pyproject.toml requires; the wheel's tag says the same
UNKNOWN = "-Werror=implicit-function-declaration"  # a function that this Python does not have: no extension at all
OURS = "-fvisibility=hidden"  # short names, and no other library's business
# Some Pythons were made with -O0 or -O3. -g0: no folders of this machine, so that equal sources give equal files.
FLAGS = ["/std:c11"] if sysconfig.get_platform().startswith("win") else ["-std=c11", "-O2", "-g0", UNKNOWN, OURS]


class NativeHook(BuildHookInterface[WheelBuilderConfig]):
    """Adds the extension, and the tag of a wheel that has one, to what the wheel's builder is about to do."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the wheel is made. `version` is `standard` or `editable`."""
        self._made = tempfile.TemporaryDirectory(prefix="openclaw-memory-build-")
        if version == "editable":
            _clear(Path(self.root, FOLDER))
        reason = _obstacle()
        if not reason:
            try:
                built = _compile(Path(self.root), Path(self._made.name))
            except Exception as error:  # noqa: BLE001  # nothing that a compiler or a platform does may fail an install
                reason = f"{type(error).__name__}: {error}"
        if reason:
            self.app.display_warning(f"indexing will run in plain Python (same results, slower): {reason}")
        elif version == "editable":
            _put(built, Path(self.root, FOLDER))
        else:
            platform = WheelBuilder(self.root).get_best_matching_tag().rpartition("-")[2]
            build_data["tag"] = f"cp311-abi3-{platform}"
            build_data["pure_python"] = False
            build_data["force_include"][str(built)] = f"{FOLDER}/{built.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The wheel is there: take what was compiled for it away."""
        self._made.cleanup()


def _obstacle() -> str:
    """Why not even to try, or nothing."""
    if os.environ.get("OPENCLAW_MEMORY_PURE", "") not in ("", "0"):
        return "OPENCLAW_MEMORY_PURE is set"
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "this Python has no stable binary interface"
    return ""


def _compile(root: Path, into: Path) -> Path:
    """The extension's file, somewhere below `into`. Raises what setuptools, its compiler or the system raise."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    sources = sorted(path.relative_to(root).as_posix() for path in Path(root, FOLDER).glob("*.c"))
    made_of = runpy.run_path(str(root / FOLDER / "sources.py"))["checksum"](root / FOLDER)
    macros = [("Py_LIMITED_API", LIMITED), ("SOURCES", str(made_of))]
    extension = Extension(MODULE, sources, define_macros=macros, py_limited_api=True, extra_compile_args=FLAGS)
    command = build_ext(Distribution({"name": "native", "ext_modules": [extension]}))
    command.build_lib, command.build_temp = str(into / "lib"), str(into / "temp")
    command.ensure_finalized()
    here = Path.cwd()
    os.chdir(root)  # relative sources, so that no object file is named after this machine's folders
    try:
        command.run()
    finally:
        os.chdir(here)
    return Path(command.get_ext_fullpath(MODULE))


def _clear(place: Path) -> None:
    """What lies in the checkout after a build is what that build made, or nothing."""
    for old in (*place.glob("*.so"), *place.glob("*.pyd")):
        old.unlink()


def _put(built: Path, place: Path) -> None:
    """Into the checkout in one step: a process that has the old one loaded keeps it."""
    beside = place / f".{built.name}.{os.getpid()}"
    shutil.copyfile(built, beside)
    beside.replace(place / built.name)


if __name__ == "__main__":  # `python .ci/native.py` after a change of the C sources: compile them into this checkout
    ROOT = Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as made:
        _put(_compile(ROOT, Path(made)), ROOT / FOLDER)

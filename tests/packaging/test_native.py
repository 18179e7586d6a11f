"""The C extension: compiled where that is possible, left out where not, and the package works either way."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.packaging.builds import build, checkout, hatchling, isolated, unpacked

COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]
HEADER = Path(sysconfig.get_path("include"), "Python.h")
compiles = pytest.mark.skipif(
    not (shutil.which(COMPILER) and HEADER.exists()), reason=f"no C compiler here ({COMPILER} and {HEADER})"
)
MODULE = "openclaw_memory/retrieval/native/_speed.abi3.so"
WHERE = """
from openclaw_memory.retrieval import native
print(native.__file__, native.speed is not None, native.why_not, sep="|")
"""
MAIN = "from openclaw_memory.cli.main import main; sys.exit(main(sys.argv[1:]))"


def installed(wheel: Path, into: Path) -> Path:
    """The folder into which pip installed `wheel`; pip refuses one whose tag this Python does not take."""
    words = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", str(into), str(wheel)]
    subprocess.run(words, check=True, capture_output=True, text=True)
    return into


def loaded(place: Path, **given: str) -> tuple[bool, str]:
    """Whether the extension is used by the package at `place`, and if not, why."""
    file, used, why_not = isolated(WHERE, path=[place], **given).stdout.strip().split("|")
    assert Path(file).resolve().is_relative_to(place.resolve()), file
    return used == "True", why_not


def indexes(place: Path, tmp: Path) -> bool:
    """Make, index, search and diagnose a workspace with the package at `place`: whether it says it is compiled."""

    def run(*words: str) -> str:
        return isolated(MAIN, *words, path=[place], cwd=tmp).stdout

    run("init", "agent")
    tmp = tmp / "agent"
    (tmp / "memory/people/ana.md").write_text("# Ana\n\nPrefers the Lisbon office over São Paulo's.\n")
    run("index", "add", "memory/people/ana.md", "--trigger", "ana")
    run("update")
    assert [row["path"] for row in json.loads(run("search", "sao paulo", "--json"))] == ["people/ana.md"]
    return bool(json.loads(run("doctor", "--json"))["indexing"]["compiled"])


def names(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout that an editable build compiled, for tests that change nothing there."""
    folder = tmp_path_factory.mktemp("compiled")
    build(checkout(folder / "tree"), "editable", folder)
    return folder / "tree"


@pytest.fixture
def tree_of_its_own(tree: Path, tmp_path: Path) -> Path:
    """The same, for a test that changes it."""
    return shutil.copytree(tree, tmp_path / "tree")


@compiles
def test_one_wheel_serves_every_python(tmp_path: Path) -> None:
    wheel, said = hatchling(ROOT, "wheel", tmp_path)
    assert re.search(r"-cp311-abi3-\w+\.whl$", wheel.name), said
    assert MODULE in names(wheel)
    assert not [name for name in names(wheel) if name.endswith((".c", ".h")) or ".ci" in name]
    place = installed(wheel, tmp_path / "site")
    assert loaded(place) == (True, "")
    assert loaded(place, OPENCLAW_MEMORY_PURE="0") == (True, "")
    assert indexes(place, tmp_path)


@compiles
def test_it_can_be_left_out_of_a_process(tree: Path) -> None:
    assert loaded(tree) == (True, "")
    assert loaded(tree, OPENCLAW_MEMORY_PURE="1") == (False, "OPENCLAW_MEMORY_PURE is set")


@pytest.mark.parametrize(
    ("env", "reason"),
    [
        ({"CC": "/bin/false"}, "/bin/false"),
        ({"CC": "/no/such/cc"}, "/no/such/cc"),
        ({"OPENCLAW_MEMORY_PURE": "1"}, "OPENCLAW_MEMORY_PURE is set"),
    ],
)
def test_what_cannot_be_compiled_is_plain_python_and_says_why(tmp_path: Path, env: dict[str, str], reason: str) -> None:
    wheel, said = hatchling(ROOT, "wheel", tmp_path, **env)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert [reason in line for line in said.splitlines() if "plain Python" in line] == [True], said
    assert not [name for name in names(wheel) if name.endswith((".so", ".pyd", ".c", ".h"))]


def test_plain_python_works(tmp_path: Path) -> None:
    wheel, _ = hatchling(ROOT, "wheel", tmp_path, CC="/bin/false")
    place = installed(wheel, tmp_path / "site")
    assert loaded(place) == (False, "it was installed without compiling")
    assert not indexes(place, tmp_path)


@compiles
def test_the_archive_of_sources_gives_the_same_wheel(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    tree = unpacked(build(ROOT, "sdist", tmp_path))
    assert not list(tree.rglob("*.so"))
    first, second = (build(source, "wheel", into) for source, into in ((ROOT, tmp_path), (tree, tmp_path / "again")))
    assert first.name == second.name
    sums = [{info.filename: info.CRC for info in zipfile.ZipFile(wheel).infolist()} for wheel in (first, second)]
    assert sums[0] == sums[1]


@compiles
def test_an_editable_build_compiles_into_the_checkout_and_leaves_nothing_else_there(tmp_path: Path) -> None:
    tree = checkout(tmp_path / "tree")

    def files() -> set[str]:
        return {path.relative_to(tree).as_posix() for path in tree.rglob("*") if "__pycache__" not in path.parts}

    before = files()
    wheel = build(tree, "editable", tmp_path)
    assert files() - before == {MODULE}
    assert wheel.name.endswith("-py3-none-any.whl")
    assert subprocess.run(["git", "check-ignore", "-q", MODULE], cwd=ROOT).returncode in (0, 128)
    plain, _ = hatchling(tree, "wheel", tmp_path, OPENCLAW_MEMORY_PURE="1")
    assert MODULE not in names(plain)
    hatchling(tree, "editable", tmp_path, OPENCLAW_MEMORY_PURE="1")
    assert files() == before


@compiles
def test_what_was_compiled_from_other_sources_is_not_used(tree_of_its_own: Path) -> None:
    tree = tree_of_its_own
    (tree / MODULE).with_name("new.h").write_text("/* pulled */\n")
    assert loaded(tree) == (False, "the C sources have changed since they were compiled")
    subprocess.run([sys.executable, str(tree / ".ci/native.py")], check=True)
    assert loaded(tree) == (True, "")


@compiles
def test_what_cannot_be_loaded_is_not_used(tree_of_its_own: Path) -> None:
    tree = tree_of_its_own
    (tree / MODULE).write_bytes(b"not a library")
    used, why_not = loaded(tree)
    assert not used
    assert "cannot be loaded" in why_not


@compiles
def test_the_sources_compile_without_a_warning(tmp_path: Path) -> None:
    sources = sorted(str(path) for path in (ROOT / "openclaw_memory/retrieval/native").glob("*.c"))
    strict = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wshadow"]
    macros = ["-DPy_LIMITED_API=0x030b0000", "-DSOURCES=1"]
    words = [COMPILER, *strict, *macros, "-isystem", str(HEADER.parent), "-c", *sources]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@compiles
@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
def test_other_pythons_load_the_same_file(tree: Path, version: str) -> None:
    python = shutil.which(f"python{version}")
    if not python or subprocess.run([python, "-c", ""], capture_output=True).returncode:
        pytest.skip(f"no Python {version} here")
    assert isolated(WHERE, path=[tree], python=python).stdout.strip().endswith("|True|")

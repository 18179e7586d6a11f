"""A workspace in a git repository, and the command line in this process (fast) with its output."""

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from openclaw_memory.cli.main import main


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Space:
    """A workspace at `root`; `om("fact", "list")` runs a command on it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def __call__(self, *words: str, code: int | None = 0) -> Done:
        self._capsys.readouterr()
        got = main([*words, "--workspace", str(self.root)])
        out, err = self._capsys.readouterr()
        assert code is None or got == code, f"{words}: {got}\n{out}{err}"
        return Done(got, out, err)

    def git(self, *words: str) -> str:
        return subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def files(self) -> dict[str, bytes]:
        """Every file but git's and the state's, by path."""
        found = (path for path in self.root.rglob("*") if path.is_file())
        rel = {path.relative_to(self.root).as_posix(): path for path in found}
        return {name: path.read_bytes() for name, path in rel.items() if not name.startswith((".git/", ".openclaw"))}


@pytest.fixture
def om(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Space:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "openclaw-memory.yaml").write_text("version: 1\ntimezone: UTC\n")
    space = Space(tmp_path, capsys)
    space.git("init", "-q")
    return space

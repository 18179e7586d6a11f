"""Fixtures that every part shares: a clean git identity, no network, the command line, and data that lies outside."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("OPENCLAW_MEMORY_SHARED", ROOT.parent / "shared"))


GITCONFIG = """\
[user]
\tname = Test
\temail = test@example.com
[init]
\tdefaultBranch = main
[protocol "file"]
\tallow = always
"""


def shared(name: str) -> Path:
    """A file or folder of the data that lies outside the project; skips the test where it is absent."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not here: set OPENCLAW_MEMORY_SHARED to the folder that holds it")
    return path


@pytest.fixture(autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, a git identity, and none of the caller's git or product variables."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "OPENCLAW_WORKSPACE", "OPENCLAW_STATE", "XDG_", "CLAUDE_")):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(GITCONFIG)
    for name, value in {
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "PYTHONPATH": str(ROOT),
        "HF_HUB_OFFLINE": "1",
        "OPENCLAW_MEMORY_NO_SERVER": "1",
    }.items():
        monkeypatch.setenv(name, value)
    return home


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets reach this machine only: a test that would leave it fails at once."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and address[0] not in {"127.0.0.1", "::1", "localhost"}:
            raise AssertionError(f"a test tried to reach {address!r}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cli(tmp_path: Path) -> Run:
    """Run the command line in a process of its own: `cli("check", "--json", cwd=...)`; cwd defaults to `tmp_path`."""

    def run(
        *words: str, cwd: Path = tmp_path, input: str | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "openclaw_memory", *words],
            cwd=cwd,
            input=input,
            env={**os.environ, **env},
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
        )

    return run

"""The session hooks in the real Claude Code: what the model is sent in the first turn and in a resumed one.

`OPENCLAW_E2E_DIR` names a folder with `claude/` (`npm i @anthropic-ai/claude-code`); without it these are skipped.
No account is needed: the model is on this machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.fake_model import FakeModel

HOME = os.environ.get("OPENCLAW_E2E_DIR", "")
CLAUDE = Path(HOME) / "claude/node_modules/.bin/claude"

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (HOME and CLAUDE.exists()), reason="needs Claude Code: set OPENCLAW_E2E_DIR as this file says"
    ),
]

INDEX = """\
# Memory

## Active Context

- memory/projects/backstage.md

## People

- [Ana](memory/people/ana.md): my boss <!-- trigger: ana, boss -->
"""


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "a workspace"
    (root / "memory/people").mkdir(parents=True)
    (root / "memory/projects").mkdir()
    (root / "MEMORY.md").write_text(INDEX)
    (root / "memory/people/ana.md").write_text("# Ana\n\nMARK-ANA\n")
    (root / "memory/projects/backstage.md").write_text("# Backstage\n\nMARK-ACTIVE\n")
    return root


@pytest.fixture
def turn(ws: Path, tmp_path: Path) -> Callable[..., str]:
    """One turn with `turn(message, *options)`; returns all that the model was sent."""
    config = tmp_path / "config"

    def run(message: str, *options: str) -> str:
        with FakeModel() as model:
            env = {
                "PATH": "/usr/bin:/bin",
                "HOME": str(tmp_path),
                "CLAUDE_CONFIG_DIR": str(config),
                "ANTHROPIC_BASE_URL": model.url,
                "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
            }
            done = subprocess.run(
                [CLAUDE, "-p", message, "--model", "claude-sonnet-4-5", *options],
                cwd=ws,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=120,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return json.dumps([request["messages"] for request in model.requests], ensure_ascii=False)

    return run


def install(ws: Path, tmp_path: Path, *options: str) -> None:
    env = {**os.environ, "CLAUDE_CONFIG_DIR": str(tmp_path / "config"), "PATH": "/usr/bin:/bin"}
    words = [sys.executable, "-m", "openclaw_memory", "hooks", "install", "claude", *options]
    subprocess.run(words, cwd=ws, env=env, check=True, capture_output=True)


@pytest.mark.parametrize("options", [(), ("--user",)])
def test_a_session_gets_index_active_context_and_what_its_message_calls_for(
    ws: Path, tmp_path: Path, turn: Callable[..., str], options: tuple[str, ...]
) -> None:
    install(ws, tmp_path, *options)
    sent = turn("What does my boss drink?")
    for mark in ("SessionStart hook", "my boss <!-- trigger", "MARK-ACTIVE", "UserPromptSubmit hook", "MARK-ANA"):
        assert sent.count(mark) == 1, mark
    assert turn("Hello", "--continue").count("MARK-ANA") == 1, "from the history: it was not given again"


def test_a_long_memory_reaches_the_model_whole(ws: Path, tmp_path: Path, turn: Callable[..., str]) -> None:
    lines = "".join(f"- [P{n}](memory/people/p{n}.md): met in city {n} <!-- trigger: p{n}x -->\n" for n in range(200))
    (ws / "MEMORY.md").write_text(INDEX + lines)
    (ws / "memory/projects/backstage.md").write_text("# Backstage\n" + "x y\n" * 1800 + "MARK-ACTIVE\n")
    install(ws, tmp_path)
    sent = turn("Hello")
    assert all(f"[P{n}]" in sent for n in range(200))
    assert "MARK-ACTIVE" in sent
    assert "Output too large" not in sent


def test_without_a_workspace_nothing_is_added(ws: Path, tmp_path: Path, turn: Callable[..., str]) -> None:
    install(ws, tmp_path, "--user")
    (ws / "MEMORY.md").unlink()
    assert "hook additional context" not in turn("Hello")

"""The session hooks as a host calls them: its JSON on standard input, its form on standard output, exit code 0."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

INDEX = """\
# Memory

## Active Context

- memory/projects/backstage.md

## People

- [Ana](memory/people/ana.md): my boss <!-- trigger: ana, boss -->

## Projects

- [Backstage](memory/projects/backstage.md): service catalog <!-- trigger: backstage -->
"""


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "my workspace"
    (root / "memory/people").mkdir(parents=True)
    (root / "memory/projects").mkdir()
    (root / "MEMORY.md").write_text(INDEX)
    (root / "memory/people/ana.md").write_text("# Ana\n\nLikes tea.\n")
    (root / "memory/projects/backstage.md").write_text("# Backstage\n\nCut-over in March.\n")
    return root


def call(cli: Run, name: str, cwd: Path, payload: object, *words: str, **env: str) -> str:
    """What the hook adds to the context; asserts that it ends with 0."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    done = cli("hook", name, *words, cwd=cwd, input=text, **env)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    if not done.stdout.startswith("{"):
        return done.stdout
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit"}[name]
    return str(answer["additionalContext"])


def test_a_session_from_start_to_compaction(cli: Run, ws: Path, tmp_path: Path) -> None:
    start = {"session_id": "s1", "cwd": str(ws / "memory"), "hook_event_name": "SessionStart", "source": "startup"}
    said = call(cli, "session-start", tmp_path, start)
    assert "my boss" in said and "Cut-over in March." in said and "Likes tea." not in said
    prompt = {**start, "hook_event_name": "UserPromptSubmit", "prompt": "What does my boss drink?"}
    said = call(cli, "user-prompt", tmp_path, prompt)
    assert "Likes tea." in said and "Cut-over in March." not in said
    assert call(cli, "user-prompt", tmp_path, prompt) == ""
    assert call(cli, "pre-compact", tmp_path, {**start, "trigger": "auto"}) == ""
    said = call(cli, "session-start", tmp_path, {**start, "source": "compact"})
    assert "Cut-over in March." in said
    assert "Likes tea." in call(cli, "user-prompt", tmp_path, prompt)


def test_a_prompt_after_a_compaction_without_a_start_is_given_everything(cli: Run, ws: Path) -> None:
    prompt = {"session_id": "s1", "cwd": str(ws), "prompt": "hello"}
    assert "my boss" in call(cli, "user-prompt", ws, prompt)
    assert call(cli, "user-prompt", ws, prompt) == ""
    call(cli, "pre-compact", ws, prompt)
    assert "my boss" in call(cli, "user-prompt", ws, prompt)


def test_the_project_folder_counts_before_the_current_one(cli: Run, ws: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "MEMORY.md").write_text("# Other\n")
    said = call(cli, "session-start", tmp_path, {"cwd": str(other)}, CLAUDE_PROJECT_DIR=str(ws))
    assert "my boss" in said
    assert "my boss" in call(cli, "session-start", tmp_path, {"cwd": str(other)}, "--workspace", str(ws))


def test_a_long_session_start_comes_in_parts_that_the_host_takes_whole(cli: Run, ws: Path) -> None:
    people = "".join(f"- [P{n}](memory/people/p{n}.md): met in city {n} <!-- trigger: p{n} -->\n" for n in range(250))
    (ws / "MEMORY.md").write_text(INDEX.replace("## Projects", people + "\n## Projects"))
    (ws / "memory/projects/backstage.md").write_text("# Backstage\n\nCut-over in March.\n" + "x y\n" * 1000)
    start = {"session_id": "s", "cwd": str(ws)}
    said = [call(cli, "session-start", ws, start, *(["--part", str(n)] if n > 1 else [])) for n in range(1, 5)]
    assert all(len(part) <= 10_000 for part in said)
    assert "[P0]" in said[0] and "Cut-over in March." in "".join(said[1:])
    assert all(f"[P{n}]" in "".join(said) for n in range(250))
    assert said[3] == ""
    assert call(cli, "user-prompt", ws, {**start, "prompt": "backstage"}) == ""


def test_drill_downs_that_the_host_does_not_take_are_named_and_come_later(cli: Run, ws: Path) -> None:
    (ws / "memory/people/ana.md").write_text("# Ana\n" + "tea\n" * 2000)
    (ws / "memory/people/bob.md").write_text("# Bob\n" + "chess\n" * 1400)
    with (ws / "MEMORY.md").open("a") as file:
        file.write("- [Bob](memory/people/bob.md): plays <!-- trigger: bob -->\n")
    call(cli, "session-start", ws, {"session_id": "s", "cwd": str(ws)})
    prompt = {"session_id": "s", "cwd": str(ws), "prompt": "ana and bob"}
    said = call(cli, "user-prompt", ws, prompt)
    assert len(said) <= 10_000
    assert "# Ana" in said and "# Bob" not in said
    assert "memory/people/bob.md: over the 10,000 characters that the host takes" in said
    assert "# Bob" in call(cli, "user-prompt", ws, prompt)


@pytest.mark.parametrize("name", ["session-start", "user-prompt", "pre-compact"])
def test_no_workspace_is_no_output(cli: Run, tmp_path: Path, name: str) -> None:
    assert call(cli, name, tmp_path, {"session_id": "s", "cwd": str(tmp_path), "prompt": "x"}) == ""


@pytest.mark.parametrize("name", ["session-start", "user-prompt", "pre-compact"])
@pytest.mark.parametrize(
    "payload",
    [
        "",
        "garbage",
        "[1]",
        "null",
        '{"session_id": 7, "cwd": {}, "prompt": []}',
        '{"prompt": "\\ud800"}',
        "[" * 99_999,
        "\udcff",
    ],
)
@pytest.mark.parametrize("words", [(), ("--bogus",), ("--workspace",), ("--workspace", "/nowhere")])
def test_wrong_use_ends_with_0(cli: Run, ws: Path, name: str, payload: str, words: tuple[str, ...]) -> None:
    call(cli, name, ws, payload, *words)


def test_without_json_the_context_is_plain_text(cli: Run, ws: Path) -> None:
    assert "my boss" in call(cli, "session-start", ws, "")


@pytest.mark.parametrize("name", ["session-start", "user-prompt"])
def test_a_broken_workspace_is_one_line(cli: Run, ws: Path, name: str) -> None:
    (ws / "openclaw-memory.yaml").write_text("version: 1\nnonsense: 1\n")
    said = call(cli, name, ws, {"session_id": "s", "cwd": str(ws), "prompt": "x"})
    assert said.startswith("openclaw-memory: no context:")
    assert len(said.splitlines()) == 1
    assert call(cli, name, ws, {"session_id": "s", "cwd": str(ws)}, "--part", "2") == ""


def test_state_that_cannot_be_kept_costs_nothing(cli: Run, ws: Path) -> None:
    (ws / ".openclaw-memory").write_text("a file in the way")
    for name in ("session-start", "user-prompt", "pre-compact"):
        said = call(cli, name, ws, {"session_id": "s", "cwd": str(ws), "prompt": "boss"})
        assert name == "pre-compact" or "my boss" in said


def test_a_host_that_writes_nothing_and_closes_nothing_is_not_waited_for(ws: Path) -> None:
    read, write = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "openclaw_memory", "hook", "session-start"],
            cwd=ws, stdin=read, capture_output=True, text=True, check=True, timeout=30,
        )  # fmt: skip
    finally:
        os.close(read)
        os.close(write)
    assert "MEMORY.md" in done.stdout


def test_a_bug_ends_with_0(ws: Path) -> None:
    code = (
        "import sys; from openclaw_memory.hooks import session; session._read = lambda: 1 / 0\n"
        "from openclaw_memory.cli.main import entry; sys.argv[1:] = ['hook', 'session-start']; entry()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ws, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "a bug: ZeroDivisionError" in done.stderr


def test_nothing_heavy_is_imported(ws: Path) -> None:
    code = "import sys; from openclaw_memory.cli.main import main; main(['hook', 'session-start']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ws, capture_output=True, text=True, input="{}", check=True)
    loaded = set(done.stdout.split("\n")[-2].split())
    assert not loaded & {"llama_index", "numpy", "torch", "pydantic", "rich", "git", "jsonschema", "asyncio", "http"}
    assert not loaded & {"subprocess", "openclaw_memory.hooks.git", "openclaw_memory.hooks.claude"}

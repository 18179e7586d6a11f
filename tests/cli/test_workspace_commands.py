"""trust, undo and log, as a user types them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import Run

CONFIG = "version: 1\nllm:\n  endpoint: http://localhost:9\n"


@pytest.fixture
def root(tmp_path: Path, cli: Run) -> Path:
    assert cli("init").returncode == 0
    return tmp_path


def test_log_and_undo(root: Path, cli: Run) -> None:
    (root / "memory/people/ana.md").write_text("# Ana\n")
    before = (root / "MEMORY.md").read_bytes()
    assert cli("index", "add", "memory/people/ana.md").returncode == 0
    shown = cli("log").stdout.splitlines()
    assert shown[0].endswith("index add memory/people/ana.md")
    assert shown[0].split()[0] == "2"
    assert shown[1] == "      edit MEMORY.md"
    assert "init" in cli("log", "SOUL.md").stdout
    assert cli("log", "memory/people/ana.md").stdout == "nothing was written yet\n"
    told = json.loads(cli("log", "--json", "-n", "1").stdout)
    assert [operation["number"] for operation in told["operations"]] == [2]

    assert cli("undo", "--dry-run").stdout.startswith("--- MEMORY.md\n")
    done = cli("undo")
    assert (done.returncode, done.stdout) == (0, "1 file is as before; undo 3 does it again\n")
    assert (root / "MEMORY.md").read_bytes() == before
    again = cli("undo", "2")
    assert again.returncode == 2
    assert "already taken back" in again.stderr


def test_names_cannot_write_to_the_terminal(root: Path, cli: Run) -> None:
    name = "memory/people/a\n\x1b[31m.md"
    (root / name).write_text("# A\n")
    done = cli("index", "add", name)
    assert done.returncode == 0, done.stderr
    shown = cli("log", "-n", "1").stdout
    assert "\x1b" not in shown
    assert len(shown.splitlines()) == 2


def test_eight_writers_at_once_lose_nothing(root: Path, cli: Run) -> None:
    names = [f"memory/people/p{i}.md" for i in range(8)]
    for name in names:
        (root / name).write_text("# P\n")
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda name: cli("index", "add", name, "--commit"), names))
    assert [each.returncode for each in done] == [0] * 8, [each.stderr for each in done]
    index = (root / "MEMORY.md").read_text()
    assert [name for name in names if name not in index] == []
    assert cli("check").stdout == "no findings\n"


def test_undo_of_nothing_and_of_what_is_no_number(root: Path, cli: Run) -> None:
    assert "no operation 77" in cli("undo", "77").stderr
    assert cli("undo", "x").returncode == 2


def test_trust(root: Path, cli: Run) -> None:
    (root / "openclaw-memory.yaml").write_text(CONFIG)
    looked = cli("trust", "--dry-run").stdout
    assert "would be allowed\n  llm.endpoint: http://localhost:9\n" in looked
    assert "llm.endpoint" in cli("doctor").stdout
    listed = cli("index", "list", "--json")
    assert "`llm.endpoint` is ignored until you allow it: openclaw-memory trust" in listed.stderr
    assert json.loads(listed.stdout)
    assert "allowed" in cli("trust").stdout
    assert "llm.endpoint" not in cli("doctor").stdout
    assert cli("index", "list").stderr == ""
    assert json.loads(cli("trust", "--json").stdout)["trusted"] is True
    assert ": forgotten\n" in cli("trust", "--forget").stdout
    assert "was not allowed" in cli("trust", "--forget").stdout


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://ana:s3cret@db/notes", "postgresql://ana:***@db/notes"),
        ("postgresql://db/notes?user=ana&password=s3cret", "postgresql://db/notes?user=ana&password=***"),
        ("postgresql://ana:s3cret@[db/notes", "postgresql://***"),
    ],
)
def test_trust_shows_no_password(root: Path, cli: Run, url: str, told: str) -> None:
    (root / "openclaw-memory.yaml").write_text(f"version: 1\nretrieval:\n  store: {json.dumps(url)}\n")
    for how in ((), ("--json",)):
        looked = cli("trust", "--dry-run", *how).stdout
        assert told in looked and "s3cret" not in looked
    (root / "openclaw-memory.yaml").unlink()
    missing = cli("trust")
    assert missing.returncode == 2
    assert "openclaw-memory.yaml" in missing.stderr


def test_trust_does_not_live_in_the_workspace(root: Path, cli: Run) -> None:
    (root / "openclaw-memory.yaml").write_text(CONFIG)
    before = {path for path in root.rglob("*") if ".git" not in path.parts}
    cli("trust")
    assert {path for path in root.rglob("*") if ".git" not in path.parts} == before


@pytest.mark.parametrize("command", ["upgrade", "undo", "log", "trust", "migrate", "doctor", "sync"])
def test_without_a_workspace_each_says_so(tmp_path: Path, cli: Run, command: str) -> None:
    done = cli(command, cwd=tmp_path)
    assert done.returncode == 2
    assert "no workspace here" in done.stderr
    assert "openclaw-memory init" in done.stderr


@pytest.mark.parametrize("command", ["init", "upgrade", "undo", "log", "trust", "migrate", "doctor", "sync"])
def test_help_is_complete(cli: Run, command: str) -> None:
    shown = cli(command, "--help")
    assert shown.returncode == 0
    assert "--json" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 120


def test_a_broken_config_names_the_line_for_every_command(root: Path, cli: Run) -> None:
    (root / "openclaw-memory.yaml").write_text("version: 1\nindex:\n  max_token: 5\n")
    for command in (["check"], ["doctor"], ["index", "list"], ["log"]):
        done = cli(*command)
        assert done.returncode == 2, command
        assert "openclaw-memory.yaml:3: unknown key `max_token`" in done.stderr
        assert "did you mean `index.max_tokens`?" in done.stderr

"""`heartbeat` as people and hosts call it: real processes, real git."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.config import trust
from openclaw_memory.heartbeat import builtins

MONDAY = "2026-03-02T09:00"
SLOW = "---\nname: slow\nevery: each beat\nrun: sleep 60\nbudget: 1s\n---\nhangs\n"
HELLO = "---\nname: hello\nevery: each beat\nrun: echo hello from here\n---\nsays hello\n"


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace in git whose only tasks are those of its own file."""
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    (root / "openclaw-memory.yaml").write_text(
        "version: 1\ntimezone: UTC\nheartbeat:\n  builtins: {check: false, update: false}\n"
    )
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "add", "."], check=True)
    subprocess.run(
        ["git", "-C", str(root), "commit", "-qm", "start"],
        check=True,
        env={**os.environ, "GIT_COMMITTER_DATE": "2026-01-10T00:00:00Z", "GIT_AUTHOR_DATE": "2026-01-10T00:00:00Z"},
    )
    return root


@pytest.fixture
def heartbeat(cli: Callable[..., Any], ws: Path) -> Callable[..., Any]:
    """Run `heartbeat WORDS` in the workspace."""
    return lambda *words, **env: cli("heartbeat", *words, cwd=ws, **env)


def trusted(root: Path, name: str, text: str) -> None:
    path = root / "heartbeat" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    trust.allow(path, text.encode())


def test_due_prompts_are_printed_and_then_the_token_is(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text("## Weekly (Monday)\n- review notes: read them\n")
    first = heartbeat("run", "--now", MONDAY)
    assert first.returncode == 0 and "1. review notes (Mon, HEARTBEAT.md:2)" in first.stdout
    second = heartbeat("run", "--now", "2026-03-02T09:30")
    assert (second.returncode, second.stdout) == (0, "NO_REPLY\n")


@pytest.mark.parametrize(
    ("profile", "text", "said"),
    [
        ("openclaw", "", "NO_REPLY\n"),
        ("openclaw-2026.7", "", "HEARTBEAT_OK\n"),
        ("claude", "", ""),
        ("openclaw", "If nothing needs attention, reply HEARTBEAT_OK.\n", "HEARTBEAT_OK\n"),
        ("openclaw", "Never answer NO_REPLY.\n", "Nothing is due.\n"),
    ],
)
def test_the_answer_when_nothing_is_due_is_a_policy(
    ws: Path, heartbeat: Callable[..., Any], profile: str, text: str, said: str
) -> None:
    config = ws / "openclaw-memory.yaml"
    config.write_text(config.read_text() + f"profile: {profile}\n")
    (ws / "HEARTBEAT.md").write_text(text + "- rest (monthly on the 15th)\n")
    assert heartbeat("run", "--now", MONDAY).stdout == said


def test_a_beat_id_counts_once(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text("- a (every 2nd heartbeat)\n")
    beats = [json.loads(heartbeat("run", "--json", "--beat-id", id, "--now", MONDAY).stdout) for id in "xxyy"]
    assert [(beat["beat"], beat["status"]) for beat in beats] == [
        (1, "beat"),
        (1, "repeated"),
        (2, "beat"),
        (2, "repeated"),
    ]
    assert [len(beat["prompts"]) for beat in beats] == [0, 0, 1, 0]


def test_a_dry_run_counts_nothing(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text("- a\n- `openclaw-memory decay` (each beat)\n")
    said = heartbeat("run", "--dry-run", "--now", MONDAY).stdout
    assert "1. a" in said and said.startswith("would run: decay\n")
    assert not (ws / ".openclaw-memory" / "state.db").exists()
    assert json.loads(heartbeat("run", "--json", "--now", MONDAY).stdout)["beat"] == 1


def test_a_task_that_hangs_is_ended_at_its_budget_and_the_next_runs(ws: Path, heartbeat: Callable[..., Any]) -> None:
    trusted(ws, "a.md", SLOW)
    trusted(ws, "b.md", HELLO)
    began = time.monotonic()
    done = heartbeat("run", "--json", "--now", MONDAY)
    assert time.monotonic() - began < 20 and done.returncode == 1
    runs = {run["name"]: run for run in json.loads(done.stdout)["runs"]}
    assert runs["slow"]["status"] == "ended" and "budget of 1 s" in runs["slow"]["message"]
    assert runs["hello"]["status"] == "ok"
    assert "hello from here" in json.loads(done.stdout)["text"]


def test_a_task_that_keeps_failing_waits_for_its_next_turn_after_three_tries(
    ws: Path, heartbeat: Callable[..., Any]
) -> None:
    trusted(ws, "a.md", "---\nname: bad\nevery: daily\nrun: exit 3\n---\n")
    counts = [
        len(json.loads(heartbeat("run", "--json", "--now", f"2026-03-02T09:{minute:02d}").stdout)["runs"])
        for minute in range(0, 50, 10)
    ]
    assert counts == [1, 1, 1, 0, 0]


def test_what_the_budget_of_a_beat_leaves_over_comes_with_the_next(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "openclaw-memory.yaml").write_text(
        "version: 1\nheartbeat:\n  budget: 1s\n  builtins: {check: false, update: false}\n"
    )
    trusted(ws, "a.md", "---\nname: first\nevery: daily\nrun: sleep 1.2\n---\n")
    trusted(ws, "b.md", "---\nname: second\nevery: daily\nrun: echo second\n---\n")
    beats = [json.loads(heartbeat("run", "--json", "--now", f"2026-03-02T09:{m}0").stdout) for m in range(3)]
    assert [[run["name"] for run in beat["runs"]] for beat in beats] == [["first"], ["second"], []]
    assert [[task["name"] for task in beat["deferred"]] for beat in beats] == [["second"], [], []]


def test_a_clock_that_was_set_back_is_told_and_brings_no_storm(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text("- a (every 2 hours)\n- b (daily at 08:00)\n- c (hourly)\n")
    assert len(json.loads(heartbeat("run", "--json", "--now", MONDAY).stdout)["prompts"]) == 3
    back = json.loads(heartbeat("run", "--json", "--now", "2026-03-02T07:30").stdout)
    assert back["prompts"] == [] and "set back by 5400 s" in back["notices"][0]
    later = json.loads(heartbeat("run", "--json", "--now", "2026-03-02T08:30").stdout)
    assert [prompt["name"] for prompt in later["prompts"]] == ["c"] and later["notices"] == []


def test_a_command_runs_only_when_its_file_is_trusted(ws: Path, heartbeat: Callable[..., Any]) -> None:
    trusted(ws, "a.md", HELLO)
    (ws / "heartbeat" / "a.md").write_text(HELLO.replace("hello from here", "something else"))
    assert heartbeat("run", "--now", MONDAY).stdout == "NO_REPLY\n"
    assert "is not trusted, so it does not run" in heartbeat("explain").stdout


def test_a_command_that_lost_its_trust_is_told_at_each_beat(ws: Path, heartbeat: Callable[..., Any]) -> None:
    trusted(ws, "a.md", HELLO)
    assert "hello from here" in heartbeat("run", "--now", MONDAY).stdout
    trust.forget(ws / "heartbeat" / "a.md")
    line = "heartbeat/a.md: `run:` of “hello” is not trusted, so it does not run; fix: read it, then: "
    for minute in ("10", "20", "30"):
        beat = heartbeat("run", "--now", f"2026-03-02T09:{minute}")
        assert beat.stdout == "NO_REPLY\n"
        assert beat.stderr == f"openclaw-memory: {line}openclaw-memory trust heartbeat/a.md\n"
    assert "OM410" in heartbeat("status", "--now", MONDAY).stdout


def test_a_beat_killed_in_the_middle_leaves_nothing_stuck(ws: Path, heartbeat: Callable[..., Any]) -> None:
    trusted(ws, "a.md", SLOW.replace("1s", "50s"))
    (ws / "HEARTBEAT.md").write_text("- mail\n")
    words = [sys.executable, "-m", "openclaw_memory", "heartbeat", "run", "--now", MONDAY, "--beat-id", "x"]
    process = subprocess.Popen(words, cwd=ws, start_new_session=True, stdout=subprocess.DEVNULL)
    database = ws / ".openclaw-memory" / "state.db"
    deadline = time.monotonic() + 30
    while not (database.exists() and _children(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.02)
    children = _children(process.pid)
    assert "busy" in heartbeat("run", "--json", "--now", MONDAY).stdout  # one runner at a time
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    for child in children:
        os.killpg(child, signal.SIGKILL)
    (ws / "heartbeat" / "a.md").unlink()
    again = json.loads(heartbeat("run", "--json", "--now", MONDAY, "--beat-id", "x").stdout)
    assert again["status"] == "beat" and again["beat"] == 1 and [p["name"] for p in again["prompts"]] == ["mail"]


def _children(pid: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in listed.split()]


def test_what_a_beat_changed_is_one_commit(ws: Path, heartbeat: Callable[..., Any], cli: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text(
        "- `openclaw-memory decay` (each beat)\n- `openclaw-memory synthesize` (each beat)\n"
    )
    cli("entity", "new", "people/jane", cwd=ws)
    cli("fact", "add", "people/jane", "Jane likes tea", "--now", MONDAY, cwd=ws)
    subprocess.run(["git", "-C", str(ws), "add", "."], check=True)
    subprocess.run(["git", "-C", str(ws), "commit", "-qm", "jane"], check=True)
    cli("fact", "add", "people/jane", "Jane drinks coffee", "--now", MONDAY, cwd=ws)
    done = json.loads(heartbeat("run", "--json", "--now", "2026-06-02T09:00").stdout)
    assert {run["name"]: run["status"] for run in done["runs"]} == {"decay": "ok", "synthesize": "ok"}
    assert done["commit"], done
    assert subjects(ws) == ["Heartbeat: decay, synthesize", "jane", "start"]


def test_a_beat_commits_nothing_where_the_config_says_so(
    ws: Path, heartbeat: Callable[..., Any], cli: Callable[..., Any]
) -> None:
    (ws / "openclaw-memory.yaml").write_text("version: 1\nheartbeat:\n  commit: false\n")
    (ws / "HEARTBEAT.md").write_text("- `openclaw-memory synthesize` (each beat)\n")
    cli("entity", "new", "people/jane", cwd=ws)
    cli("fact", "add", "people/jane", "Jane likes tea", "--now", MONDAY, cwd=ws)
    assert json.loads(heartbeat("run", "--json", "--now", MONDAY).stdout)["commit"] is None
    assert subjects(ws) == ["start"]
    cli("fact", "add", "people/jane", "Jane likes coffee", "--now", MONDAY, cwd=ws)
    assert json.loads(heartbeat("run", "--json", "--commit", "--now", MONDAY).stdout)["commit"]


def subjects(ws: Path) -> list[str]:
    said = subprocess.run(["git", "-C", str(ws), "log", "--format=%s"], capture_output=True, text=True, check=True)
    return said.stdout.splitlines()


def test_extract_asks_the_agent_and_says_how_to_answer(
    ws: Path, heartbeat: Callable[..., Any], cli: Callable[..., Any]
) -> None:
    (ws / "HEARTBEAT.md").write_text("- `openclaw-memory extract` (each beat)\n")
    assert heartbeat("run", "--now", MONDAY).stdout == "NO_REPLY\n"
    cli("note", "Decided to use Postgres", "--at", "2026-03-01T10:00", "--now", MONDAY, cwd=ws)
    said = heartbeat("run", "--now", MONDAY).stdout
    assert "Decided to use Postgres" in said and "openclaw-memory extract --apply FILE" in said


def test_every_shipped_built_in_runs_in_a_fresh_workspace(cli: Callable[..., Any], tmp_path: Path) -> None:
    assert cli("init", "fresh").returncode == 0
    root = tmp_path / "fresh"
    runs = {}
    for number in range(4):
        said = cli("heartbeat", "run", "--json", "--now", f"2026-03-02T0{number + 3}:00", cwd=root).stdout
        runs |= {run["name"]: run["status"] for run in json.loads(said)["runs"]}
    assert set(runs) == {builtin.name for builtin in builtins.shipped()}
    assert {name: status for name, status in runs.items() if status not in ("ok", "unavailable")} == {}


def test_an_agents_state_file_is_a_hint_and_keeps_its_keys(ws: Path, heartbeat: Callable[..., Any]) -> None:
    state = (
        '{"lastChecks":{"email":1703275200,"cal":1742400000,"news":1770800000.5,"git":1770800000500,\n'
        ' "wx":null,"feishu":"OK","appeal":"pending since 3/13","cron":"2026-03-20T08:33"},\n'
        ' "lastHeartbeat":"2026-03-24T21:00:00+02:00","notes":["…"]}'
    )
    (ws / "memory" / "heartbeat-state.json").write_text(state)
    (ws / "HEARTBEAT.md").write_text(
        "".join(f"- {name} (every 60 days)\n" for name in ("email", "cal", "news", "git", "cron", "wx"))
    )
    due = json.loads(heartbeat("due", "--json", "--now", "2026-03-25T10:00").stdout)
    assert [task["name"] for task in due["due"]] == ["email", "cal", "wx"]
    said = [finding["message"] for finding in due["findings"]]
    assert any("email: 1703275200" in message and "sample" in message for message in said)
    assert any("cal: 1742400000" in message and "looks like 1 year off (2025-03-19)" in message for message in said)
    heartbeat("run", "--now", "2026-03-25T10:00")
    after = (ws / "memory" / "heartbeat-state.json").read_text()
    assert (
        after.startswith(state[:-1]) and json.loads(after)["openclaw-memory"]["lastBeat"] == "2026-03-25T10:00:00+00:00"
    )
    heartbeat("run", "--now", "2026-09-25T10:00")
    assert json.loads((ws / "memory" / "heartbeat-state.json").read_text())["notes"] == ["…"]


def test_what_is_wrong_is_told_with_the_way_out(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "heartbeat").mkdir()
    (ws / "heartbeat" / "mine.md").write_text("---\nname: mine\nrun: echo hi\n---\n")
    (ws / "HEARTBEAT.md").write_text("<!-- nothing -->\n")
    trust = "by hand: read it, then: openclaw-memory trust heartbeat/mine.md"
    for verb in ("explain", "status", "due"):
        assert trust in heartbeat(verb).stdout, verb
    assert trust.removeprefix("by hand: ") in heartbeat("run").stderr
    assert "\nHEARTBEAT.md: OM405 " in heartbeat("explain").stdout


def test_the_state_files_intervals_and_the_quiet_hours_reach_every_verb(
    ws: Path, heartbeat: Callable[..., Any]
) -> None:
    (ws / "HEARTBEAT.md").write_text("- Quiet hours: 23:00-08:00\n- Mail\n- api (every 5 minutes)\n")
    state = ws / "memory" / "heartbeat-state.json"
    state.write_text('{"checkIntervals": {"mail": 7200, "api": 420}}')
    assert "Mail: every 2 h, held back 23:00–08:00" in heartbeat("explain").stdout
    status = heartbeat("status", "--now", "2026-03-02T23:30").stdout
    assert "checkIntervals.api" in status and "420 s" in status and "every 5 min" in status
    held = heartbeat("run", "--now", "2026-03-02T23:30")
    assert "Mail" not in held.stdout and "checkIntervals.api" in held.stderr
    assert "1. Mail" in heartbeat("run", "--now", "2026-03-03T08:00").stdout
    assert "Mail" not in heartbeat("run", "--now", "2026-03-03T09:30").stdout
    assert "1. Mail" in heartbeat("run", "--now", "2026-03-03T10:00").stdout


def test_a_state_file_keeps_its_line_ends_and_one_that_is_none_is_told(ws: Path, heartbeat: Callable[..., Any]) -> None:
    file = ws / "memory" / "heartbeat-state.json"
    file.write_bytes(b'\xef\xbb\xbf{\r\n  "mine": 1\r\n}\r\n')
    (ws / "HEARTBEAT.md").write_text("- mail\n")
    heartbeat("run", "--now", MONDAY)
    assert file.read_bytes().startswith(b'\xef\xbb\xbf{\r\n  "mine": 1,\r\n  "openclaw-memory"')
    assert file.read_bytes().endswith(b"}\r\n}\r\n")
    file.write_bytes(b"[1, 2]")
    assert "no JSON object" in heartbeat("run", "--now", MONDAY).stderr and file.read_bytes() == b"[1, 2]"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_state_that_cannot_be_written_runs_nothing(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text("- mail\n")
    ws.chmod(0o555)
    try:
        done = heartbeat("run", "--now", MONDAY)
    finally:
        ws.chmod(0o755)
    assert done.returncode == 2 and done.stdout == "" and "must be writable" in done.stderr


def test_a_file_in_the_place_of_the_state_folder_is_named(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text("- mail\n")
    (ws / ".openclaw-memory").write_text("no folder")
    done = heartbeat("run", "--now", MONDAY)
    assert done.returncode == 2 and done.stdout == "" and ".openclaw-memory" in done.stderr
    assert "mail" in heartbeat("due", "--now", MONDAY).stdout


def test_a_damaged_state_is_named_with_the_way_out(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / ".openclaw-memory").mkdir()
    (ws / ".openclaw-memory" / "state.db").write_bytes(b"no database, whatever it looks like" * 100)
    done = heartbeat("run", "--now", MONDAY)
    assert done.returncode == 2 and "damaged" in done.stderr and "delete it" in done.stderr


def test_a_time_zone_that_does_not_exist_is_named(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "openclaw-memory.yaml").write_text("version: 1\ntimezone: Mars/Olympus\n")
    done = heartbeat("run")
    assert done.returncode == 2 and "Mars/Olympus" in done.stderr


def test_status_tells_next_times_runs_and_costs(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text("- mail (hourly)\n- review (Fridays 06:00)\n")
    heartbeat("run", "--now", MONDAY)
    status = json.loads(heartbeat("status", "--json", "--now", "2026-03-02T09:20").stdout)
    mail, review = status["tasks"]
    assert (mail["next"], mail["runs"], mail["lastRun"]) == (
        "2026-03-02T10:00:00+00:00",
        1,
        "2026-03-02T09:00:00+00:00",
    )
    assert review["next"] == "2026-03-06T06:00:00+00:00" and review["lastRun"] is None
    assert mail["tokensPerDay"] == pytest.approx(24 * mail["tokens"])
    assert status["cost"]["promptTokensPerDay"] == pytest.approx(mail["tokensPerDay"] + review["tokensPerDay"], abs=1)
    assert status["zoneSource"] == "config"
    assert mail["when"] == {"kind": "interval", "seconds": 3600}
    assert review["when"] == {"kind": "calendar", "times": ["06:00"], "weekdays": ["Fri"]}


@pytest.mark.parametrize(
    ("profile", "text", "free"),
    [
        ("openclaw", "# Heartbeat\n", False),
        ("openclaw-2026.7", "# Heartbeat\n", True),
        ("openclaw-2026.7", "- mail\n", False),
        ("claude", "- mail\n", True),
    ],
)
def test_status_tells_what_the_hosts_own_beats_cost(
    ws: Path, heartbeat: Callable[..., Any], profile: str, text: str, free: bool
) -> None:
    config = ws / "openclaw-memory.yaml"
    config.write_text(config.read_text() + f"profile: {profile}\n")
    (ws / "HEARTBEAT.md").write_text(text)
    cost = json.loads(heartbeat("status", "--json").stdout)["cost"]
    assert (cost["hostTokensPerDay"] == 0) == free and cost["hostSkips"] == free
    assert (
        "cost nothing" in heartbeat("status").stdout
        if free
        else "also when nothing is due" in heartbeat("status").stdout
    )


def test_explain_shows_every_line(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text(
        "## Daily\n- mail\n- [x] done\n- sometimes look around\n```\ncode\n```\n# Check logs hourly\n"
    )
    told = json.loads(heartbeat("explain", "--json").stdout)
    kinds = {(line["first"], line["kind"]) for line in told["lines"]}
    assert kinds == {(1, "heading"), (2, "task"), (3, "done"), (4, "task"), (5, "code"), (8, "task")}
    assert [finding["code"] for finding in told["findings"]] == ["OM401"]


def test_the_log_lists_beats_with_their_runs(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text("- mail (every 2nd heartbeat)\n")
    for minute in ("00", "30"):
        heartbeat("run", "--now", f"2026-03-02T09:{minute}")
    beats = json.loads(heartbeat("log", "--json").stdout)["beats"]
    assert [(beat["beat"], beat["due"], [run["task"] for run in beat["runs"]]) for beat in beats] == [
        (2, 1, ["mail"]),
        (1, 0, []),
    ]


def test_review_is_silent_unless_something_is_urgent(ws: Path, heartbeat: Callable[..., Any]) -> None:
    assert (heartbeat("review").returncode, heartbeat("review").stdout) == (0, "")
    (ws / "memory" / "bike.md").write_text("# Bike\n")
    done = heartbeat("review")
    assert done.returncode == 1 and "OM104" in done.stdout


def test_findings_are_told_once_until_they_change(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "openclaw-memory.yaml").write_text("version: 1\n")
    (ws / "HEARTBEAT.md").write_text("- `openclaw-memory check` (each beat)\n")
    for number in range(30):
        (ws / "memory" / f"note{number}.md").write_text("# Note\n")
    first = heartbeat("run", "--now", MONDAY).stdout
    assert first.startswith("check:\n") and "OM104" in first and "lines more" in first and len(first.splitlines()) < 30
    assert heartbeat("run", "--now", MONDAY).stdout == "NO_REPLY\n"
    (ws / "memory" / "another.md").write_text("# Another\n")
    assert "OM104" in heartbeat("run", "--now", MONDAY).stdout


def test_findings_of_a_beat_that_was_killed_are_told_by_the_next(
    ws: Path, heartbeat: Callable[..., Any], tmp_path: Path
) -> None:
    (ws / "openclaw-memory.yaml").write_text("version: 1\n")
    (ws / "HEARTBEAT.md").write_text("- `openclaw-memory check` (each beat)\n")
    (ws / "memory" / "orphan.md").write_text("# Orphan\n")
    host = tmp_path / "bin" / "openclaw"
    host.parent.mkdir()
    host.write_text("#!/bin/sh\nkill -9 $PPID\n")
    host.chmod(0o755)
    done = heartbeat("run", "--now", MONDAY, "--hand-to", "openclaw", PATH=f"{host.parent}:{os.environ['PATH']}")
    assert done.returncode == -signal.SIGKILL
    assert "OM104" in heartbeat("run", "--now", MONDAY).stdout
    assert heartbeat("run", "--now", MONDAY).stdout == "NO_REPLY\n"


def test_a_task_of_ones_own_may_have_the_name_of_a_built_in(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_text("- `openclaw-memory decay` (each beat)\n")
    for name in ("a.md", "b.md"):
        trusted(ws, name, "---\nname: decay\nevery: each beat\nrun: echo mine\n---\n")
    runs = json.loads(heartbeat("run", "--json", "--now", MONDAY).stdout)["runs"]
    assert {run["key"]: run["status"] for run in runs} == {"builtin/decay": "ok", "own/a": "ok", "own/b": "ok"}


def test_prompts_that_the_host_does_not_take_stay_due(ws: Path, heartbeat: Callable[..., Any], tmp_path: Path) -> None:
    (ws / "HEARTBEAT.md").write_text("- mail (daily)\n")
    host = tmp_path / "bin" / "openclaw"
    host.parent.mkdir()
    path = f"{host.parent}:{os.environ['PATH']}"
    for script, code, said in (("exit 1", 2, ""), (f'printf "%s" "$6" > {tmp_path}/told', 0, "NO_REPLY\n")):
        host.write_text(f"#!/bin/sh\n{script}\n")
        host.chmod(0o755)
        done = heartbeat("run", "--now", MONDAY, "--hand-to", "openclaw", PATH=path)
        assert (done.returncode, done.stdout) == (code, said), done.stderr
    assert "1. mail (daily" in (tmp_path / "told").read_text()


def test_a_long_prompt_is_handed_over_in_a_file(ws: Path, heartbeat: Callable[..., Any], tmp_path: Path) -> None:
    (ws / "HEARTBEAT.md").write_text("- mail: " + "read it carefully, " * 8000 + "\n")
    host = tmp_path / "bin" / "openclaw"
    host.parent.mkdir()
    host.write_text(f'#!/bin/sh\nprintf "%s" "$6" > {tmp_path}/told\n')
    host.chmod(0o755)
    done = heartbeat("run", "--hand-to", "openclaw", PATH=f"{host.parent}:{os.environ['PATH']}")
    assert done.stdout == "NO_REPLY\n", done.stderr
    told = (tmp_path / "told").read_text()
    assert told == f"Read {ws}/.openclaw-memory/beat.md and do what it says."
    assert "read it carefully" in (ws / ".openclaw-memory" / "beat.md").read_text()


def test_odd_bytes_are_no_bug(ws: Path, heartbeat: Callable[..., Any]) -> None:
    (ws / "HEARTBEAT.md").write_bytes(b"- caf\xe9 \xff\n")
    done = heartbeat("run", "--json", "--beat-id", os.fsdecode(b"id-\xff"))
    assert done.returncode == 0 and len(json.loads(done.stdout)["prompts"]) == 1

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from openclaw_memory.knowledge import access, decay
from openclaw_memory.workspace import Workspace, journal
from tests.knowledge.conftest import Space

ITEMS = "memory/people/jane/items.json"


@pytest.fixture
def jane(om: Space) -> Space:
    om("entity", "new", "people/jane")
    for text in ("Likes tea", "Likes cake"):
        om("fact", "add", "jane", text, "--now", "2026-01-01")
    return om


def fact(om: Space, at: int = 0) -> dict[str, object]:
    found: dict[str, object] = json.loads(om.read(ITEMS))[at]
    return found


def rows(om: Space) -> dict[str, dict[str, object]]:
    return {row["path"]: row for row in json.loads(om.read("memory/decay.json"))["files"]}


def test_accesses_are_folded_into_facts_and_files(jane: Space) -> None:
    for day in ("2026-01-02", "2026-01-05"):
        jane("fact", "show", "jane-001", "--now", day)
    out = jane("decay", "--now", "2026-01-06").out
    assert out == "2 accesses folded in; 3 hot, 0 warm, 0 cold, 0 unknown\n"
    assert (fact(jane)["accessCount"], fact(jane)["lastAccessed"]) == (2, "2026-01-05")
    assert (fact(jane, 1)["accessCount"], fact(jane, 1)["lastAccessed"]) == (0, None)
    row = rows(jane)["memory/people/jane/summary.md"]
    assert (row["last_accessed"], row["access_count"], row["temperature"]) == ("2026-01-05", 2, "hot")


def test_a_second_run_of_the_day_changes_no_byte(jane: Space) -> None:
    jane("fact", "show", "jane-001", "--now", "2026-01-02")
    jane("decay", "--now", "2026-01-06T03:00")
    before = jane.files()
    assert jane("decay", "--now", "2026-01-06T23:00").out == "nothing to change\n"
    assert jane.files() == before


def test_show_lists_what_changes_tier_and_why_and_writes_nothing(jane: Space) -> None:
    jane("decay", "--now", "2026-01-01")
    before = jane.files()
    out = jane("decay", "--show", "--now", "2026-01-09").out
    assert "hot -> warm    people/jane:jane-001 (known since 2026-01-01, 0 accesses)" in out
    assert "memory/people/jane/summary.md (never accessed, first seen 2026-01-01, 0 accesses)" in out
    out = jane("decay", "--show", "--now", "2026-02-01").out
    assert "hot -> cold    people/jane:jane-001" in out
    assert jane.files() == before


def test_a_cold_fact_that_is_read_is_hot_again(jane: Space) -> None:
    jane("decay", "--now", "2026-03-01")
    assert json.loads(jane("fact", "list", "--heat", "cold", "--now", "2026-03-01", "--json").out)["facts"]
    ws = Workspace(jane.root)
    access.record(ws, [(ITEMS, "jane-002")], "get", datetime(2026, 3, 2, tzinfo=UTC))
    hot = json.loads(jane("fact", "list", "--heat", "hot", "--now", "2026-03-02", "--json").out)["facts"]
    assert [row["id"] for row in hot] == ["jane-002"]
    out = jane("decay", "--now", "2026-03-02").out
    assert "cold -> hot     people/jane:jane-002 (last accessed 2026-03-02, 1 access)" in out


def test_a_search_that_reads_a_cold_fact_reheats_it(jane: Space) -> None:
    jane("decay", "--now", "2026-03-01")
    hit = json.loads(jane("search", "cake", "--json").out)[0]
    assert hit["path"].endswith("items.json")
    lines = f"{ITEMS}:{hit['startLine']}:{hit['endLine'] - hit['startLine'] + 1}"
    assert "Likes cake" in jane("get", lines).out
    jane("decay")
    assert (fact(jane, 0)["accessCount"], fact(jane, 1)["accessCount"]) == (0, 1)
    heats = {row["id"]: row["heat"] for row in json.loads(jane("fact", "list", "--json").out)["facts"]}
    assert heats == {"jane-001": "cold", "jane-002": "hot"}


def test_an_access_follows_a_fact_that_moved(jane: Space) -> None:
    jane("fact", "show", "jane-001", "--now", "2026-01-02")
    jane("entity", "archive", "people/jane", "--now", "2026-01-03")
    jane("decay", "--now", "2026-01-04")
    archived = json.loads(jane.read("memory/archive/2026/people/jane/items.json"))
    assert archived[0]["accessCount"] == 1


def test_an_access_to_nothing_is_told_not_counted(jane: Space) -> None:
    access.record(Workspace(jane.root), [("memory/people/bo/items.json", "bo-001")], "get")
    assert "an access to memory/people/bo/items.json:bo-001, which is gone" in jane("decay").out


def test_odd_dates(om: Space) -> None:
    om("entity", "new", "people/bo")
    facts = [
        {"id": "b-1", "fact": "a", "lastAccessed": "2026-03-01T10:00:00+08:00"},
        {"id": "b-2", "fact": "b", "lastAccessed": "", "timestamp": "2026-03-01"},
        {"id": "b-3", "fact": "c", "lastAccessed": "yesterday", "timestamp": "2026-03-01"},
        {"id": "b-4", "fact": "d", "lastAccessed": "2027-01-01"},
        {"id": "b-5", "fact": "e"},
        {"id": "b-6", "fact": "f", "lastAccessed": None, "timestamp": "2026-03-01", "accessCount": -1},
        {"id": "b-7", "fact": "g", "lastAccessed": "2026-02-01", "accessCount": "12"},
    ]
    om.write("memory/people/bo/items.json", json.dumps(facts))
    told = json.loads(om("fact", "list", "--json", "--now", "2026-03-25").out)["facts"]
    heats = {row["id"]: row["heat"] for row in told}
    assert heats == {
        "b-1": "warm", "b-2": "warm", "b-3": "unknown", "b-4": "hot", "b-5": "hot", "b-6": "warm", "b-7": "warm",
    }  # fmt: skip
    om("decay", "--now", "2026-03-25")
    assert json.loads(om.read("memory/decay.json"))["first_seen"] == {"people/bo:b-5": "2026-03-25"}
    later = json.loads(om("fact", "list", "--json", "--now", "2026-05-25").out)["facts"]
    assert {row["id"]: row["heat"] for row in later}["b-5"] == "cold"
    assert {row["id"]: row["heat"] for row in later}["b-3"] == "unknown"


def test_undoing_a_fold_counts_its_accesses_again(jane: Space) -> None:
    jane("fact", "show", "jane-001", "--now", "2026-01-02")
    jane("decay", "--now", "2026-01-03")
    jane("undo")
    assert fact(jane)["accessCount"] == 0
    jane("decay", "--now", "2026-01-04")
    assert fact(jane)["accessCount"] == 1
    jane("fact", "show", "jane-001", "--now", "2026-01-05")
    jane("decay", "--now", "2026-01-06")
    assert fact(jane)["accessCount"] == 2
    assert len(list((jane.root / ".openclaw-memory").glob("access.*.jsonl"))) == 1


def test_one_commit(jane: Space) -> None:
    jane.git("add", "-A")
    jane.git("commit", "-qm", "start")
    jane("fact", "show", "jane-001", "--now", "2026-01-02")
    jane("decay", "--commit", "--now", "2026-01-06")
    assert jane.git("show", "--name-only", "--format=", "HEAD").split() == ["memory/decay.json", ITEMS]
    assert jane.git("status", "--porcelain") == ""


def test_broken_decay_file_names_the_place_and_folds_nothing(jane: Space) -> None:
    jane("fact", "show", "jane-001", "--now", "2026-01-02")
    jane.write("memory/decay.json", '{\n "files": [}\n')
    assert "memory/decay.json:2:12" in jane("decay", code=2).err
    assert fact(jane)["accessCount"] == 0
    (jane.root / "memory/decay.json").unlink()
    jane("decay")
    assert fact(jane)["accessCount"] == 1


_KILLED = """
import os, sys
from pathlib import Path
from datetime import datetime, UTC
from openclaw_memory import fsio
from openclaw_memory.knowledge import decay
from openclaw_memory.workspace import Workspace
left = [int(sys.argv[2])]
def dying(kept):
    def call(*args, **kwargs):
        left[0] -= 1
        if left[0] < 0:
            os._exit(9)
        return kept(*args, **kwargs)
    return call
for name in ("write", "move", "remove"):
    setattr(fsio, name, dying(getattr(fsio, name)))
decay.decay(Workspace(Path(sys.argv[1])), datetime(2026, 1, 9, tzinfo=UTC))
"""


@pytest.mark.parametrize("step", range(14))
def test_killed_at_any_write_no_access_is_lost_or_counted_twice(jane: Space, step: int) -> None:
    for _ in range(3):
        jane("fact", "show", "jane-001", "--now", "2026-01-02")
    jane("decay", "--now", "2026-01-03")
    for _ in range(2):
        jane("fact", "show", "jane-002", "--now", "2026-01-04")
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(jane.root), str(step)], capture_output=True, text=True)
    assert killed.returncode in (0, 9), killed.stderr
    jane("fact", "show", "jane-002", "--now", "2026-01-05")
    jane("decay", "--now", "2026-01-09")
    jane("decay", "--now", "2026-01-09")
    assert (fact(jane)["accessCount"], fact(jane, 1)["accessCount"]) == (3, 3)
    assert rows(jane)["memory/people/jane/summary.md"]["access_count"] == 6


def test_many_processes_record_at_once_while_others_fold(jane: Space) -> None:
    code = (
        "import sys; from pathlib import Path; from openclaw_memory.workspace import Workspace, journal\n"
        f"ws = Workspace(Path({str(jane.root)!r}))\n"
        f"for i in range(100): journal.record(ws, [({ITEMS!r}, 'jane-001')], 'test')\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    ws = Workspace(jane.root)
    while any(process.poll() is None for process in running):
        decay.decay(ws, ws.now())
    decay.decay(ws, ws.now())
    assert all(process.returncode == 0 for process in running)
    assert fact(jane)["accessCount"] == 400


def test_recording_is_an_append(tmp_path: Path) -> None:
    ws = Workspace(tmp_path)
    journal.record(ws, [("a.md", None)], "get")
    first = (tmp_path / ".openclaw-memory" / journal.ACTIVE).read_bytes()
    journal.record(ws, [("b.md", "b-001")], "get")
    assert (tmp_path / ".openclaw-memory" / journal.ACTIVE).read_bytes().startswith(first)

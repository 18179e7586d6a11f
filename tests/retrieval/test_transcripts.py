import json
import sqlite3
from pathlib import Path

import pytest

from openclaw_memory.retrieval import transcripts


def event(role: str, text: str, when: str = "2026-03-02T09:30:00Z") -> str:
    content = [{"type": "text", "text": text}, {"type": "tool_use", "id": "x"}]
    return json.dumps({"type": "message", "timestamp": when, "message": {"role": role, "content": content}})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    (tmp_path / "ws" / "MEMORY.md").write_text("# Memory\n\n- nothing about birds\n")
    sessions = tmp_path / "state" / "sessions"
    sessions.mkdir(parents=True)
    head = json.dumps({"type": "session", "id": "s1", "version": 3})
    rows = [head, event("user", "I saw a wryneck today"), event("tool", "wryneck noise"), "{broken"]
    (sessions / "s1.jsonl").write_text("\n".join([*rows, event("assistant", "Where was the wryneck?")]) + "\n")
    for double in ("s1.trajectory.jsonl", "s1.checkpoint.1.jsonl", "s1.jsonl.reset.1", "s1.jsonl.deleted.2"):
        (sessions / double).write_text(event("user", "wryneck again") + "\n")
    return tmp_path


def rows(cli, root: Path, *words: str) -> list[dict[str, object]]:
    return json.loads(cli("search", *words, "--json", cwd=root / "ws").stdout)


def added(cli, root: Path) -> None:
    done = cli("collection", "add", str(root / "state"), "--name", "sessions", "--transcripts", cwd=root / "ws")
    assert done.returncode == 0, done.stderr


def test_json_lines_keep_their_numbers_and_show_what_was_said(cli, root: Path):
    added(cli, root)
    found = rows(cli, root, "wryneck", "-c", "sessions", "-n", "9")
    assert sorted((one["path"], one["startLine"]) for one in found) == [
        ("sessions/s1.jsonl", 2),
        ("sessions/s1.jsonl", 5),
    ]
    assert {one["snippet"] for one in found} == {
        "- user: I saw a wryneck today (2026-03-02T09:30)",
        "- assistant: Where was the wryneck? (2026-03-02T09:30)",
    }
    shown = cli("get", f"{found[0]['file']}:2:1", cwd=root / "ws").stdout
    assert shown == "- user: I saw a wryneck today (2026-03-02T09:30)\n"


def test_they_are_never_in_results_that_did_not_ask_for_them(cli, root: Path):
    added(cli, root)
    assert rows(cli, root, "wryneck") == []
    assert rows(cli, root, "birds")[0]["path"] == "MEMORY.md"


def database(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    db.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS session_transcript_fts"
        " USING fts5(text, session_id, message_id, role, timestamp)"
    )
    return db


def say(db: sqlite3.Connection, text: str, role: str = "user", when: str = "2026-03-02T10:00:00Z") -> None:
    db.execute("INSERT INTO session_transcript_fts VALUES (?, 's', 'm', ?, ?)", (text, role, when))
    db.commit()


def test_the_hosts_database_is_read_while_it_is_open_and_not_written(cli, root: Path):
    path = root / "state" / "openclaw-agent.sqlite"
    db = database(path)
    say(db, "a dotterel on the heath")
    say(db, "tool output dotterel", role="tool")
    added(cli, root)
    found = rows(cli, root, "dotterel", "-c", "sessions")
    assert [(one["path"], one["snippet"]) for one in found] == [
        ("openclaw-agent.sqlite", "- user: a dotterel on the heath (2026-03-02T10:00)")
    ]
    before = path.read_bytes()
    say(db, "a ruff near the pond", when="2026-03-03T10:00:00Z")
    assert path.read_bytes() == before  # the news stand in the write-ahead log only
    assert "ruff near the pond" in str(rows(cli, root, "ruff", "-c", "sessions")[0]["snippet"])
    assert path.read_bytes() == before
    say(db, "a whimbrel by milliseconds", when="1772535600000")
    assert rows(cli, root, "whimbrel", "-c", "sessions")[0]["snippet"] == (
        "- user: a whimbrel by milliseconds (2026-03-03T11:00)"
    )
    db.close()


def test_a_database_of_another_form_is_named_and_the_rest_is_indexed(cli, root: Path):
    sqlite3.connect(root / "state" / "openclaw-agent.sqlite").execute("CREATE TABLE other (x)").connection.close()
    done = cli("collection", "add", str(root / "state"), "--name", "sessions", "--transcripts", cwd=root / "ws")
    assert "session_transcript_fts" in done.stdout
    assert len(rows(cli, root, "wryneck", "-c", "sessions", "-n", "9")) == 2


def test_lines_of_anything():
    for data in (b"", b"\xff\n", b"[]\n", b"null\n3\n", b'{"message": 3}\n', b'{"role": "user", "content": [null]}\n'):
        assert transcripts.lines_of_json(data).strip() == b""
    flat = json.dumps({"role": "user", "content": "hi\nthere"}).encode()
    assert transcripts.lines_of_json(flat) == b"- user: hi there\n"

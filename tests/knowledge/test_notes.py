"""Daily notes only ever grow."""

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from openclaw_memory.knowledge.notes import append

Run = Callable[..., subprocess.CompletedProcess[str]]
AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "openclaw-memory.yaml").write_text("version: 1\ntimezone: America/Sao_Paulo\n")
    return tmp_path


def test_the_first_line_makes_the_note_and_the_second_is_appended(ws: Path, cli: Run) -> None:
    assert cli("note", "met Ana", "--at", "2026-03-02T09:30").stdout == "noted in memory/2026-03-02.md, line 3\n"
    cli("note", "she likes", "tea", "--at", "2026-03-02T21:05")
    text = (ws / "memory/2026-03-02.md").read_text()
    assert text == "# 2026-03-02\n\n- 09:30 met Ana\n- 21:05 she likes tea\n"


def test_the_day_is_the_workspace_s(ws: Path, cli: Run) -> None:
    cli("note", "late", "--now", "2026-03-03T01:30:00+00:00")
    assert "- 22:30 late" in (ws / "memory/2026-03-02.md").read_text()


def test_a_block_from_standard_input_is_kept_as_it_is(ws: Path, cli: Run) -> None:
    block = "Two things:\n\n- decision: use Postgres   \n- #lesson test it\n"
    for _ in range(2):
        cli("note", "-", "--at", "2026-03-02T09:30", input=block)
    text = (ws / "memory/2026-03-02.md").read_text()
    assert text == "# 2026-03-02\n\n## 09:30\n\nTwo things:\n\n- decision: use Postgres\n- #lesson test it\n"


def test_the_same_line_again_is_told_apart_by_a_given_time_only(ws: Path, cli: Run) -> None:
    cli("note", "took it", "--at", "2026-03-02T09:00")
    assert cli("note", "took it", "--at", "2026-03-02T09:00").stdout.startswith(
        "already in memory/2026-03-02.md, line 3"
    )
    assert json.loads(cli("note", "took it", "--at", "2026-03-02T21:00", "--json").stdout)["new"] is True
    cli("note", "now")
    again = cli("note", "now")
    assert again.stdout.startswith("already in ")
    assert again.returncode == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"# 2026-03-02\n\n- 09:30 x\n"),
        (b"# d\r\n\r\n- a\r\n", b"# d\r\n\r\n- a\r\n- 09:30 x\r\n"),
        (b"no end", b"no end\n- 09:30 x\n"),
        (b"\xef\xbb\xbf# d\n\xff\xfe\n", b"\xef\xbb\xbf# d\n\xff\xfe\n- 09:30 x\n"),
        (b"```sh\nls\n", b"```sh\nls\n```\n- 09:30 x\n"),
        (b"- x y\n- 10:00 x\nz x\n", None),
        (b"x\n", None),
        (b"- not x\n", b"- not x\n- 09:30 x\n"),
    ],
)
def test_append_keeps_every_byte(before: bytes, after: bytes | None) -> None:
    written, place = append(before, [b"x"], AT, False)
    assert written == (before if after is None else after)
    assert written.startswith(before)
    assert written.splitlines()[place.line - 1].endswith(b"x")


def test_concurrent_writers_lose_nothing(ws: Path) -> None:
    def one(number: int) -> int:
        words = [sys.executable, "-m", "openclaw_memory", "note", f"line {number}"]
        return subprocess.run(words, cwd=ws, capture_output=True).returncode

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(one, range(12))) == {0}
    text = "".join(path.read_text() for path in (ws / "memory").glob("*.md"))
    assert sorted(line.split("line ")[1] for line in text.splitlines() if "line " in line) == sorted(
        map(str, range(12))
    )


def test_ten_megabytes(ws: Path, cli: Run) -> None:
    note = ws / "memory/2026-03-02.md"
    note.parent.mkdir()
    note.write_bytes(b"- 08:00 some line of the day\n" * 350_000)
    size = note.stat().st_size
    assert cli("note", "x", "--at", "2026-03-02T09:30").returncode == 0
    assert note.stat().st_size == size + len("- 09:30 x\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("note", "  "), "nothing to note"),
        (("note", "x", "--at", "someday"), "no date or time"),
        (("note", "x", "--at", "2199-01-01"), "in the future"),
        (("note", "x", "--workspace", "/nowhere"), "no folder"),
    ],
)
def test_bad_input(ws: Path, cli: Run, words: tuple[str, ...], said: str) -> None:
    done = cli(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (ws / "memory").exists()


def test_a_dry_run_writes_nothing(ws: Path, cli: Run) -> None:
    assert "+- 09:30 x" in cli("note", "x", "--at", "2026-03-02T09:30", "--dry-run").stdout
    assert not (ws / "memory").exists()

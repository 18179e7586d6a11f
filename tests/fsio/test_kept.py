"""What is made of a file is made again once the file changed, and not before."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from openclaw_memory import fsio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def made(path: Path, kind: str = "text") -> str:
    """What the file says, with how often it was read so far."""

    def make() -> str:
        READ.append(path)
        return f"{path.read_text()} {len(READ)}"

    return fsio.unchanged(str(path), kind, make, "missing")


READ: list[Path] = []


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    READ.clear()
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 3_000_000_000)  # what is written now is three seconds old


def test_a_file_that_is_the_same_is_made_once(path: Path) -> None:
    path.write_text("one")
    assert [made(path), made(path), made(path, "other")] == ["one 1", "one 1", "one 2"]


def test_a_change_is_seen_even_with_the_same_size_and_time(path: Path) -> None:
    path.write_text("one")
    stat = path.stat()
    assert made(path) == "one 1"
    time.sleep(0.05)
    path.write_text("two")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert made(path) == "two 2"
    path.unlink()
    assert made(path) == "missing"


def test_another_file_in_its_place_is_seen(path: Path) -> None:
    path.write_text("one")
    assert made(path) == "one 1"
    path.with_name("other").write_text("two")
    path.with_name("other").replace(path)
    assert made(path) == "two 2"


def test_a_file_that_was_just_written_is_made_each_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("one")
    monkeypatch.undo()
    assert [made(path), made(path)] == ["one 1", "one 2"]


def test_what_cannot_be_read_is_an_error_each_time(path: Path) -> None:
    path.mkdir()
    for _ in range(2):
        with pytest.raises(IsADirectoryError):
            made(path)
    assert made(path.with_name("none")) == "missing"


def test_a_link_to_nothing_is_not_missing(path: Path) -> None:
    path.symlink_to("nowhere")
    with pytest.raises(FileNotFoundError):
        made(path)


@pytest.mark.parametrize(
    ("before_ms", "racy"),
    [(-5000, True), (0, True), (10, True), (1999, True), (2000, True), (2001, False), (10**9, False)],
)
def test_a_time_is_believed_once_it_is_clearly_past(before_ms: int, racy: bool) -> None:
    read_at = fsio.clock()
    assert fsio.is_racy(read_at - before_ms * 1_000_000, read_at) is racy

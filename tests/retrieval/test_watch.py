"""`watch` on real folders: what it is told of, what it goes on over, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memory.errors import WorkspaceError
from openclaw_memory.retrieval import collections
from openclaw_memory.retrieval.embedders.choose import installed
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import search
from openclaw_memory.retrieval.watch import watch
from openclaw_memory.workspace import Workspace
from tests.waiting import LONG, soon

pytest.importorskip("watchfiles", reason="the extra [retrieval] is not installed")


@pytest.fixture
def told(ws: Workspace) -> Iterator[list[str]]:
    """What a watch of `ws` in a thread says; it has indexed everything when the test begins."""
    said: list[str] = []
    stop, ready = threading.Event(), threading.Event()

    def work() -> None:
        try:
            for _ in watch(ws, stop, 50, said.append):
                ready.set()
        except WorkspaceError as error:
            said.append(error.message)

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(LONG)
    time.sleep(1.0)  # until the folders are watched
    yield said
    stop.set()
    thread.join(LONG)
    assert not thread.is_alive()


def indexed(ws: Workspace, word: str) -> bool:
    """Whether the index as it is, without a look at the disk, holds the word."""
    return bool(search(ws, word, Options(budget=0)).hits)


def test_what_changes_is_indexed(ws: Workspace, told: list[str]) -> None:
    note = ws.root / "memory/new.md"
    note.write_text("the fresh seriema\n")
    assert soon(lambda: indexed(ws, "seriema"))
    note.rename(ws.root / "memory/people/moved.md")
    assert soon(lambda: [hit.path for hit in search(ws, "seriema", Options(budget=0)).hits] == ["people/moved.md"])
    (ws.root / "memory/people/moved.md").unlink()
    assert soon(lambda: not indexed(ws, "seriema"))
    assert told == []


def test_a_folder_that_is_replaced_or_comes_back_is_watched_on(ws: Workspace, told: list[str], tmp_path: Path) -> None:
    shutil.copytree(ws.root / "memory", tmp_path / "copy")
    (tmp_path / "copy/other.md").write_text("the fresh seriema\n")
    shutil.rmtree(ws.root / "memory")
    (tmp_path / "copy").rename(ws.root / "memory")
    assert soon(lambda: indexed(ws, "seriema"))
    (ws.root / "memory/later.md").write_text("the late hoatzin\n")
    assert soon(lambda: indexed(ws, "hoatzin"))
    assert told == []


def test_a_collection_that_is_added_is_watched_and_so_is_what_took_its_place(
    ws: Workspace, told: list[str], tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    collections.add(ws, notes)
    time.sleep(1.0)
    (notes / "a.md").write_text("the fresh seriema\n")
    assert soon(lambda: indexed(ws, "seriema"))
    notes.rename(tmp_path / "away")
    notes.mkdir()
    (notes / "b.md").write_text("the late hoatzin\n")
    assert soon(lambda: indexed(ws, "hoatzin"))
    (notes / "c.md").write_text("the last jacana\n")
    assert soon(lambda: indexed(ws, "jacana"))
    assert told == []


@pytest.fixture
def busy(ws: Workspace) -> Iterator[None]:
    """Our own files change all the time, as they do while somebody searches."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(0.01):
            (ws.state_dir / "noise").write_text(str(time.monotonic()))

    thread = threading.Thread(target=work)
    thread.start()
    yield
    over.set()
    thread.join()


@pytest.mark.usefixtures("busy")
def test_searches_do_not_hide_what_changed_before_folders_were_watched(ws: Workspace) -> None:
    stop = threading.Event()
    reports = watch(ws, stop, 50)
    next(reports)
    (ws.root / "memory/new.md").write_text("the fresh seriema\n")
    too_late = threading.Timer(LONG, stop.set)
    too_late.start()
    report = next(reports, None)
    too_late.cancel()
    stop.set()
    assert report is not None and report.added == 1
    assert next(reports, None) is None


def test_what_is_being_edited_is_said_once_and_waited_for(ws: Workspace, told: list[str]) -> None:
    config = ws.root / "openclaw-memory.yaml"
    config.write_text("version: 1\nmemori: {}\n")
    for number in range(3):
        (ws.root / f"memory/new{number}.md").write_text("the fresh seriema\n")
        time.sleep(0.2)
    assert soon(lambda: len(told) == 1)
    assert "unknown key `memori`" in told[0]
    kept = ws.state_dir / collections.FILE
    kept.write_text("{")
    config.unlink()
    assert soon(lambda: len(told) == 2)
    assert "is broken" in told[1]
    kept.unlink()
    assert soon(lambda: indexed(ws, "seriema"))


def test_it_ends_with_its_workspace(ws: Workspace, told: list[str]) -> None:
    ws.root.rename(ws.root.with_name("away"))
    assert soon(lambda: bool(told))
    assert told == [f"the workspace {ws.root} is gone"]


def started(ws: Workspace, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "openclaw_memory", "watch", "-w", str(ws.root), "--debounce", "50", *words]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_who_reads_a_pipe_is_told_at_once_one_line_each(ws: Workspace) -> None:
    process = started(ws, "--json")
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["added"] == 3
    time.sleep(1.0)
    (ws.root / "memory/new.md").write_text("the fresh seriema\n")
    assert json.loads(process.stdout.readline())["added"] == 1
    process.send_signal(signal.SIGTERM)
    assert process.wait(LONG) == 0


@pytest.mark.skipif(not installed("local"), reason="the extra [local] is not installed")
@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_it_ends_cleanly_while_vectors_are_computed(ws: Workspace, seconds: float) -> None:
    for number in range(40):
        (ws.root / f"memory/n{number}.md").write_text(f"# N {number}\n\n" + f"- a line about {number}\n\n" * 40)
    process = started(ws)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Indexed: 43 new")
    time.sleep(seconds)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=LONG)
    assert (process.returncode, said) == (0, "")

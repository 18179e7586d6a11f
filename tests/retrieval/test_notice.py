"""A process that stays asks the kernel whether anything happened: what changes is found, what does not is not read."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory.retrieval import collections, fresh, notice, store
from openclaw_memory.retrieval.notice import Notice
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import search
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace
from tests.retrieval.conftest import paths

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's own")
WARM = Options(max_age=1e-9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "below").mkdir()
    return tmp_path


def write(path: Path) -> None:
    path.write_text("new")


@pytest.mark.parametrize(
    "happens",
    [
        lambda root: write(root / "a.md"),
        lambda root: write(root / "b.md"),
        lambda root: write(root / "below/c.md"),
        lambda root: (root / "a.md").unlink(),
        lambda root: (root / "a.md").rename(root / "z.md"),
        lambda root: (root / "below").rmdir(),
        lambda root: (root / "more").mkdir(),
        lambda root: os.utime(root / "a.md"),
        lambda root: os.truncate(root / "a.md", 0),
    ],
)
def test_whatever_happens_is_heard_at_once(folder: Path, happens: Callable[[Path], object]) -> None:
    notice = Notice([str(folder), str(folder / "below")])
    before = notice.heard()
    assert notice.heard() == before
    happens(folder)
    assert notice.heard() > before
    again = notice.heard()
    assert notice.heard() == again


def test_reading_is_nothing_that_happens(folder: Path) -> None:
    notice = Notice([str(folder)])
    before = notice.heard()
    (folder / "a.md").read_bytes()
    list(folder.iterdir())
    assert notice.heard() == before


def test_what_cannot_be_watched_is_an_error_and_a_closed_one_knows_nothing(folder: Path) -> None:
    with pytest.raises(OSError):
        Notice([str(folder / "absent")])
    notice = Notice([str(folder)])
    before = notice.heard()
    notice.close()
    assert notice.heard() > before


@pytest.fixture
def looks(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The collections that were looked at, in order; the workspace is indexed and its notice in place."""
    for _ in range(3):
        search(ws, "green tea", WARM)
    seen: list[str] = []
    scan = fresh.scan

    def counted(db: sqlite3.Connection | None, one: collections.Collection) -> object:
        seen.append(one.name)
        return scan(db, one)

    monkeypatch.setattr(fresh, "scan", counted)
    return seen


def test_a_quiet_workspace_is_not_looked_at_again(ws: Workspace, looks: list[str]) -> None:
    for _ in range(5):
        answer = search(ws, "green tea", WARM)
        assert (paths(list(answer.hits)), answer.fresh.state) == (["people/jane.md"], "fresh")
    assert looks == []


def test_what_changes_is_found_by_the_next_search(ws: Workspace, looks: list[str]) -> None:
    for number in range(3):
        (ws.root / f"memory/deep{number}").mkdir()
        (ws.root / f"memory/deep{number}/new.md").write_text(f"the seriema{number}\n")
        assert paths(list(search(ws, f"seriema{number}", WARM).hits))[0] == f"deep{number}/new.md"
        (ws.root / f"memory/deep{number}/new.md").write_text(f"the hornbill{number}\n")
        assert paths(list(search(ws, f"hornbill{number}", WARM).hits))[0] == f"deep{number}/new.md"
    assert looks


def test_the_kernel_is_not_believed_for_ever(ws: Workspace, looks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "_LONGEST_TRUST", 0.0)
    search(ws, "green tea", WARM)
    assert looks


def test_another_folder_is_looked_at(ws: Workspace, looks: list[str], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/x.md").write_text("the jacana\n")
    collections.add(ws, tmp_path / "other", "other")
    assert paths(list(search(ws, "jacana", WARM).hits)) == ["x.md"]


def test_without_a_notice_each_search_looks(ws: Workspace, looks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notice, "Notice", lambda folders: (_ for _ in ()).throw(OSError()))
    fresh._looks.clear()
    for number in range(2):
        search(ws, "green tea", WARM)
        assert len(looks) > number


def test_readers_that_are_kept_see_each_state_and_each_file(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store.path_in(ws.state_path)
    monkeypatch.setattr(store, "_kept", {})
    store.stay(path)
    update(ws)
    for number in range(3):
        (ws.root / f"memory/new{number}.md").write_text(f"the seriema{number}\n")
        update(ws)
        assert paths(list(search(ws, f"seriema{number}").hits))[0] == f"new{number}.md"
    assert store._kept[path]
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    with store.reading(path) as db:
        assert db is None
    assert paths(list(search(ws, "green tea").hits)) == ["people/jane.md"]


def test_closes_while_the_process_ends_and_its_modules_are_gone(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Notice([str(ws.root)])
    descriptor = one._descriptor
    monkeypatch.setattr(notice, "os", None)
    del one
    with pytest.raises(OSError):
        os.fstat(descriptor)

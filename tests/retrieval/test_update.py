from __future__ import annotations

import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from openclaw_memory import fsio
from openclaw_memory.errors import LockError, OpenClawMemoryError, RetrievalError
from openclaw_memory.fsio import kept
from openclaw_memory.retrieval import collections, hybrid, store, vectors
from openclaw_memory.retrieval.identity import fitting
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.report import cleanup, ls, status
from openclaw_memory.retrieval.search import search
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace
from tests.retrieval.conftest import Finder, paths


def dump(ws: Workspace) -> list[object]:
    """Everything that a search can see, without the numbers that files and terms happen to have."""
    with store.reading(store.path_in(ws.state_dir)) as db:
        assert db is not None
        names = {number: (name, path) for number, name, path in db.execute("SELECT id, collection, path FROM files")}
        term = dict(db.execute("SELECT id, term FROM terms"))
        rows: list[object] = []
        for key, body, head in db.execute("SELECT key, body, head FROM postings"):
            for kind, blob in (("body", body), ("head", head)):
                numbers = memoryview(blob).cast("I")
                assert list(numbers) == sorted(set(numbers))
                rows += [(term[key >> 12], kind, names[chunk >> 12], chunk & 4095) for chunk in numbers]
        for number, heading, spans in db.execute("SELECT id, heading, spans FROM chunks"):
            rows.append((names[number >> 12], number & 4095, heading, bytes(spans)))
        rows += db.execute("SELECT collection, path, hash, title, date, kind, tags, chunks FROM files").fetchall()
    return sorted(map(repr, rows))


def rebuilt(ws: Workspace) -> list[object]:
    store.path_in(ws.state_dir).unlink()
    for suffix in ("-wal", "-shm"):
        Path(f"{store.path_in(ws.state_dir)}{suffix}").unlink(missing_ok=True)
    update(ws)
    return dump(ws)


def test_what_changed_is_found_without_an_update_and_what_is_gone_is_not(ws: Workspace, find: Finder) -> None:
    assert paths(find("green tea")) == ["people/jane.md"]
    (ws.root / "memory/people/jane.md").write_text("# Jane Doe\n\n- Drinks black coffee.\n")
    assert find("green tea") == []
    assert paths(find("black coffee")) == ["people/jane.md"]
    (ws.root / "memory/people/jane.md").unlink()
    assert find("black coffee") == []


def test_a_write_of_the_same_size_in_the_same_moment_is_seen(ws: Workspace, find: Finder) -> None:
    path = ws.root / "memory/same.md"
    path.write_text("# S\n\nthe aaaaaa smelt\n")
    status = path.stat()
    assert paths(find("aaaaaa")) == ["same.md"]
    path.write_text("# S\n\nthe zzzzzz smelt\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert paths(find("zzzzzz")) == ["same.md"]


def test_a_search_settles_many_files_that_were_in_doubt(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def racy() -> int:
        with store.reading(store.path_in(ws.state_dir)) as db:
            assert db is not None
            return int(db.execute("SELECT SUM(racy) FROM files").fetchone()[0])

    for number in range(20):
        (ws.root / f"memory/n{number}.md").write_text(f"# N {number}\n\nheron {number}\n")
    update(ws)
    assert search(ws, "heron").fresh.state == "fresh"
    assert racy() == 23, "they might still be written in the same moment"
    monkeypatch.setattr(kept, "clock", lambda: time.time_ns() + 10**10)
    with fsio.locked(store.path_in(ws.state_dir).with_suffix(".lock")):
        assert search(ws, "heron").fresh.state == "fresh"
    assert racy() == 23, "another process writes"
    assert search(ws, "heron").fresh.state == "fresh"
    assert racy() == 0
    (ws.root / "memory/n3.md").write_text("# N 3\n\nseriema\n")
    assert paths(list(search(ws, "seriema").hits)) == ["n3.md"]


def test_a_move_keeps_the_row_and_finds_the_new_name(ws: Workspace, find: Finder) -> None:
    update(ws)
    with store.reading(store.path_in(ws.state_dir)) as db:
        assert db is not None
        (before,) = db.execute("SELECT id FROM files WHERE path = 'people/jane.md'").fetchone()
    (ws.root / "memory/people/jane.md").rename(ws.root / "memory/people/heron runner.md")
    report = update(ws)
    assert (report.moved, report.added, report.removed) == (1, 0, 0)
    with store.reading(store.path_in(ws.state_dir)) as db:
        assert db is not None
        assert db.execute("SELECT id FROM files WHERE path = 'people/heron runner.md'").fetchone() == (before,)
    assert paths(find("heron runner"))[0] == "people/heron runner.md"
    assert dump(ws) == rebuilt(ws)


def test_many_changes_leave_what_a_rebuild_gives(ws: Workspace) -> None:
    update(ws)
    for number in range(40):
        (ws.root / f"memory/n{number}.md").write_text(f"# N {number}\n\n- heron {number}\n- dock {number % 7}\n")
    update(ws)
    for number in range(0, 40, 3):
        (ws.root / f"memory/n{number}.md").unlink()
    for number in range(1, 40, 3):
        (ws.root / f"memory/n{number}.md").write_text(f"# N {number}\n\n- mill {number}\n")
    (ws.root / "memory/n2.md").rename(ws.root / "memory/people/n2.md")
    update(ws)
    assert dump(ws) == rebuilt(ws)


def test_force_reads_everything_again_and_changes_nothing(ws: Workspace) -> None:
    update(ws)
    before = dump(ws)
    assert update(ws, force=True).changed == 3
    assert dump(ws) == before


def test_a_missing_root_keeps_its_rows(ws: Workspace, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.md").write_text("the outsider jacana\n")
    collections.add(ws, other, "other")
    update(ws)
    other.rename(tmp_path / "away")
    report = update(ws)
    assert report.removed == 0
    assert "No such file" in report.missing[0]
    assert search(ws, "outsider jacana").fresh.notes
    (tmp_path / "away").rename(other)
    assert paths(list(search(ws, "outsider jacana").hits)) == ["x.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_an_unreadable_file_is_named_and_its_row_stays(ws: Workspace, find: Finder) -> None:
    update(ws)
    path = ws.root / "memory/people/jane.md"
    path.write_text("# Jane\n\nnew words\n")
    path.chmod(0)
    assert "jane.md" in update(ws).unreadable[0]
    path.chmod(0o644)
    assert paths(find("new words")) == ["people/jane.md"]


def test_a_binary_file_is_named_and_the_rest_is_indexed(ws: Workspace, find: Finder) -> None:
    (ws.root / "memory/bad.md").write_bytes(b"\x00" * 4000 + b"x")
    report = update(ws)
    assert "bad.md" in report.unreadable[0]
    assert report.added == 3
    assert paths(find("green tea")) == ["people/jane.md"]


def test_odd_names(ws: Workspace, find: Finder) -> None:
    names = ["100% sure 'n [x] #1.md", "🐧.md", "UPPER.MD", "a\nb.md", "café/ü.md"]
    for number, name in enumerate(names):
        path = ws.root / "memory" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"the odd name whydah{number}\n")
    raw = os.fsencode(ws.root / "memory") + b"/b\xffd.md"
    with open(raw, "wb") as file:
        file.write(b"the odd name whydahraw\n")
    for number, name in enumerate(names):
        assert paths(find(f"whydah{number}"))[0] == name
    assert os.fsencode(find("whydahraw")[0].path) == b"b\xffd.md"
    assert dump(ws) == rebuilt(ws)


def test_symlinks_are_counted_and_not_followed(ws: Workspace, tmp_path: Path, find: Finder) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("the outsider hornbill\n")
    (ws.root / "memory/link.md").symlink_to(outside / "secret.md")
    (ws.root / "memory/linked").symlink_to(outside)
    assert update(ws).links == 2
    assert find("outsider hornbill") == []


def test_follow_takes_links_that_stay_inside(ws: Workspace, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    (root / "real").mkdir(parents=True)
    (root / "real/x.md").write_text("the inner jacana\n")
    (root / "loop").symlink_to(root)
    (root / "out").symlink_to(tmp_path)
    (tmp_path / "y.md").write_text("the outer jacana\n")
    collections.add(ws, root, "tree", follow=True)
    hits = search(ws, "jacana", Options(collections=("tree",))).hits
    assert paths(list(hits)) == ["real/x.md"]


def test_indexing_touches_no_file(ws: Workspace) -> None:
    files = [path for path in ws.root.rglob("*.md") if ".openclaw" not in str(path)]
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
    update(ws)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files} == before


def test_an_index_of_another_version_is_made_anew(ws: Workspace, find: Finder) -> None:
    update(ws)
    with sqlite3.connect(store.path_in(ws.state_dir)) as db:
        db.execute("PRAGMA user_version = 999")
        db.execute("DROP TABLE chunks")
    assert paths(find("green tea")) == ["people/jane.md"]


@pytest.mark.parametrize("content", [b"this is no database " * 100, b"SQLite format 3\x00" + b"\x07" * 4080])
def test_a_broken_index_is_made_anew(ws: Workspace, find: Finder, content: bytes) -> None:
    update(ws)
    for suffix in ("-wal", "-shm"):
        Path(f"{store.path_in(ws.state_dir)}{suffix}").unlink(missing_ok=True)
    store.path_in(ws.state_dir).write_bytes(content)
    assert paths(find("green tea")) == ["people/jane.md"]


def test_a_time_beyond_the_databases_numbers_is_a_time(ws: Workspace, find: Finder) -> None:
    note = ws.root / "memory/people/jane.md"
    os.utime(note, (15_000_000_000, 15_000_000_000))
    if note.stat().st_mtime_ns < 1 << 63:
        pytest.skip("this file system holds no such time")
    assert paths(find("green tea")) == ["people/jane.md"]
    assert [one.same for one in (update(ws), update(ws))] == [3, 3]
    note.write_text("# Jane\n\n- Drinks coffee.\n")
    os.utime(note, (15_000_000_001, 15_000_000_001))
    assert paths(find("coffee")) == ["people/jane.md"]


def test_numbers_of_a_stat_fit_the_database_and_stay_different() -> None:
    numbers = [0, 1, -1, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, -(1 << 63), -(1 << 63) - 5]
    kept = [fitting(number) for number in numbers]
    assert kept[:4] == numbers[:4]
    assert all(-(1 << 63) <= number < 1 << 63 for number in kept)
    assert fitting(1 << 63) != fitting((1 << 63) + 1)


def broken_inside(ws: Workspace) -> None:
    """An index whose first page is whole and whose others are not."""
    update(ws)
    path = store.path_in(ws.state_dir)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\x07" * (path.stat().st_size - 4096))


def listed(ws: Workspace, _: str) -> list[str]:
    return [one.path for one in ls(ws, "memory/people").files]


def searched(ws: Workspace, text: str) -> list[str]:
    return paths(list(search(ws, text, Options(limit=1)).hits))


def queried(ws: Workspace, text: str) -> list[str]:
    return paths(list(hybrid.query(ws, text, Options(limit=1)).hits))


@pytest.mark.parametrize("find", [searched, queried, listed])
def test_an_index_that_is_broken_inside_is_made_anew_whoever_comes_upon_it(
    ws: Workspace, find: Callable[[Workspace, str], list[str]]
) -> None:
    broken_inside(ws)
    assert find(ws, "green tea") == ["people/jane.md"]
    assert status(ws).files == 3
    broken_inside(ws)
    update(ws)
    assert dump(ws) == rebuilt(ws)


@pytest.mark.parametrize("number", [3, 1 << 30, 1 << 40])
def test_terms_with_numbers_that_nobody_gave_are_a_broken_index(ws: Workspace, number: int) -> None:
    update(ws)
    with sqlite3.connect(store.path_in(ws.state_dir)) as db:
        db.execute("UPDATE terms SET id = ? WHERE term = 'oslo'", (number,))
    (ws.root / "memory/new.md").write_text("the fresh seriema in Oslo\n")
    update(ws)
    assert dump(ws) == rebuilt(ws)
    assert sorted(searched(ws, "Oslo") + searched(ws, "VRN-0417")) == ["2031-05-08.md", "2031-05-08.md"]


def test_a_broken_index_that_cannot_be_removed_is_said_to_be_broken(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_inside(ws)

    def locked(*_: object) -> None:
        raise LockError("another process holds it")

    monkeypatch.setattr(fsio, "locked", locked)
    with pytest.raises(store.BrokenIndexError, match="is broken") as error:
        search(ws, "green tea")
    assert f"rm '{store.path_in(ws.state_dir)}'" in error.value.hint


def test_another_writer_is_named_and_readers_go_on(ws: Workspace) -> None:
    update(ws)
    (ws.root / "memory/new.md").write_text("the fresh seriema\n")
    with fsio.locked(store.path_in(ws.state_dir).with_suffix(".lock")):
        with pytest.raises(LockError, match=str(os.getpid())):
            update(ws, wait=0.05)
        answer = search(ws, "green tea", Options(budget=0.05))
    assert paths(list(answer.hits)) == ["people/jane.md"]
    assert (answer.fresh.state, answer.fresh.pending) == ("stale", 1)


def test_the_time_budget_is_kept_and_said(ws: Workspace) -> None:
    for number in range(200):
        (ws.root / f"memory/n{number}.md").write_text(f"# N\n\nheron {number}\n" * 200)
    assert search(ws, "heron", Options(budget=1e-6)).fresh.state == "partial"
    for _ in range(50):  # the config's timeout bounds each search; every one gets further
        if search(ws, "heron", Options(budget=60)).fresh.state == "fresh":
            break
    assert search(ws, "heron", Options(budget=60)).fresh.state == "fresh"


def test_a_full_disk_loses_nothing(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    update(ws)
    prepared = store._prepared

    def small(db: sqlite3.Connection) -> sqlite3.Connection:
        db = prepared(db)
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 2}")
        return db

    monkeypatch.setattr(store, "_prepared", small)
    for number in range(60):
        (ws.root / f"memory/n{number}.md").write_text(f"# N{number}\n\n" + f"word{number} other{number}\n\n" * 300)
    with pytest.raises(RetrievalError, match="full"):
        update(ws)
    answer = search(ws, "green tea")
    assert answer.fresh.state == "stale"
    assert paths(list(answer.hits)) == ["people/jane.md"]
    monkeypatch.undo()
    update(ws)
    assert search(ws, "word7").fresh.state == "fresh"
    assert dump(ws) == rebuilt(ws)


def test_a_workspace_that_is_gone_is_not_made_again(ws: Workspace) -> None:
    pytest.importorskip("numpy")
    from tests.retrieval.test_hybrid import Senses

    update(ws)
    model = Senses()
    vectors.embed(ws, model)
    ws.root.rename(ws.root.with_name("away"))
    for work in (partial(update, ws), partial(vectors.embed, ws, model, force=True), partial(cleanup, ws)):
        with pytest.raises(OpenClawMemoryError):
            work()
    assert searched(ws, "green tea") == []
    assert not ws.root.exists()


def test_a_removed_collection_is_forgotten(ws: Workspace, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.md").write_text("the outsider jacana\n")
    collections.add(ws, other, "other")
    assert search(ws, "jacana").hits
    collections.remove(ws, "other")
    assert not search(ws, "jacana").hits
    assert dump(ws) == rebuilt(ws)


def test_a_default_folder_that_vanishes_is_an_error_and_keeps_its_rows(ws: Workspace) -> None:
    update(ws)
    (ws.root / "memory").rename(ws.root / "elsewhere")
    report = update(ws)
    assert report.removed == 0
    assert "memory" in report.missing[0]
    answer = search(ws, "green tea")
    assert answer.hits == (), "what is not on disk is not shown"
    assert any("memory" in note for note in answer.fresh.notes)
    (ws.root / "elsewhere").rename(ws.root / "memory")
    assert update(ws).writes == 0
    assert search(ws, "green tea").hits[0].path == "people/jane.md"


def test_cleanup_forgets_a_default_folder_that_is_gone(ws: Workspace) -> None:
    update(ws)
    shutil.rmtree(ws.root / "memory")
    cleanup(ws)
    assert update(ws).missing == ()


def test_a_default_folder_that_never_was_is_no_error(ws: Workspace) -> None:
    shutil.rmtree(ws.root / "memory")
    assert update(ws).missing == ()


def test_what_cannot_be_read_is_named_once_and_does_not_keep_searches_busy(ws: Workspace, find: Finder) -> None:
    (ws.root / "memory/bad.md").write_bytes(b"\x00" * 4000 + b"x")
    os.mkfifo(ws.root / "memory/pipe.md")
    assert len(update(ws).unreadable) == 2
    with fsio.locked(store.path_in(ws.state_dir).with_suffix(".lock")):
        answer = search(ws, "green tea", Options(budget=0.05))
    assert answer.fresh.state == "fresh"
    assert len(status(ws).unreadable) == 2
    (ws.root / "memory/bad.md").write_text("now the text seriema\n")
    assert paths(find("seriema")) == ["bad.md"]
    assert [line.partition(":")[0] for line in status(ws).unreadable] == ["memory/pipe.md"]
    assert dump(ws) == rebuilt(ws)


def test_bytes_at_random_are_no_text_even_with_few_nul_bytes(ws: Workspace) -> None:
    (ws.root / "memory/noise.md").write_bytes(bytes(random.Random(7).choices(range(256), k=20_000)))
    (ws.root / "memory/latin.md").write_bytes("O café já está à venda, não há açúcar.\n".encode("latin-1") * 9)
    report = update(ws)
    assert [line.partition(":")[0] for line in report.unreadable] == ["memory/noise.md"]
    assert report.added == 4


def test_what_a_copy_of_the_workspace_indexed_is_found_where_nothing_can_be_written(ws: Workspace) -> None:
    update(ws)
    for path in ws.root.rglob("*.md"):  # as a copy has them: the same bytes, other stats
        os.utime(path, (1, 1))
    unwritten = Options(budget=0.0)
    assert paths(list(search(ws, "green tea", unwritten).hits)) == ["people/jane.md"]
    (ws.root / "memory/people/jane.md").write_text("# Jane Doe\n\n- Green tea no more: coffee.\n")
    answer = search(ws, "green tea", unwritten)
    assert answer.hits == ()
    assert answer.fresh.notes == ("memory/people/jane.md: changed meanwhile",)


def test_a_folder_that_cannot_be_listed_is_named_and_keeps_its_rows(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(ws)
    listed = os.scandir

    def guarded(path: str) -> Iterator[os.DirEntry[str]]:
        if str(path).endswith("people/"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", guarded)
    for force in (False, True):
        report = update(ws, force=force)
        assert (report.removed, report.missing) == (0, ("memory/people/: Permission denied",))
    assert status(ws).collections[1].problem == "memory/people/: Permission denied"
    assert "memory/people/: Permission denied" in search(ws, "green tea").fresh.notes
    monkeypatch.undo()
    assert paths(list(search(ws, "green tea").hits)) == ["people/jane.md"]


def test_a_full_disk_leaves_what_was_indexed_and_says_that_it_is_stale(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(ws)
    (ws.root / "memory/new.md").write_text("")
    connect = store._connect

    def full(path: Path, how: str) -> sqlite3.Connection:
        if "immutable" not in how:  # neither a log nor its shared memory can be made
            raise sqlite3.OperationalError("disk I/O error")
        return connect(path, how)

    monkeypatch.setattr(store, "_connect", full)
    answer = search(ws, "green tea")
    assert paths(list(answer.hits)) == ["people/jane.md"]
    assert (answer.fresh.state, answer.fresh.pending) == ("stale", 1)
    assert "disk I/O error" in answer.fresh.notes[0]


def test_what_is_no_utf8_is_indexed_wherever_it_stands(ws: Workspace, find: Finder) -> None:
    head = b"---\ntitle: caf\xe9\ntags: [\xe9t\xe9]\n---\n"
    (ws.root / "memory/latin.md").write_bytes(
        head + b"# Caf\xe9 \x00 bar\n\n## \xc9t\xe9\n\n- a smew\n\n| \xe9 | b |\n|-|-|\n| smew | \xff |\n"
    )
    folder = os.fsencode(ws.root / "memory/people") + b"/jos\xe9"
    Path(os.fsdecode(folder)).mkdir()
    with open(folder + b"/items.json", "wb") as file:
        file.write(rb'[{"fact": "saw a \ud800 smew", "category": "\udfff", "status": "\ud83d"}]')
    assert update(ws).unreadable == ()
    hits = find("smew", limit=9)
    assert {os.fsencode(hit.path) for hit in hits} == {b"latin.md", b"people/jos\xe9/items.json"}
    assert all(hit.title.encode() and hit.heading.encode() for hit in hits)
    assert dump(ws) == rebuilt(ws)

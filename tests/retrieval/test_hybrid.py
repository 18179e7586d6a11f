from __future__ import annotations

import subprocess
import sys
import zlib
from collections.abc import Sequence
from typing import Any

import pytest

from openclaw_memory.errors import OpenClawMemoryError, RetrievalError
from openclaw_memory.retrieval import store, vectors
from openclaw_memory.retrieval.fuse import fuse
from openclaw_memory.retrieval.hits import Candidate
from openclaw_memory.retrieval.hybrid import query, vsearch
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import search
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace, find_workspace
from tests.retrieval.conftest import paths

np = pytest.importorskip("numpy")
from openclaw_memory.retrieval.dense import unread  # noqa: E402 (needs numpy)

SENSES = (("tea", "beverage", "coffee", "drink"), ("ticket", "issue", "task"), ("heron", "bird"), ("memory",))


class Senses:
    """Made-up meanings: a text points along the senses whose words it has."""

    identity = "senses/64/plain"
    dimension = 64
    calls = 0
    broken = False

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.calls += len(texts)
        return np.array([self.embed_query(text) for text in texts], np.float32)

    def embed_query(self, text: str) -> Any:
        if self.broken:
            raise RetrievalError("the model cannot be loaded", "")
        row = np.zeros(self.dimension, np.float32)
        row[: len(SENSES)] = [any(word in text.lower() for word in sense) for sense in SENSES]
        row[len(SENSES) + zlib.crc32(text.encode()) % 60] = 0.3
        return row / np.linalg.norm(row)


@pytest.fixture
def model() -> Senses:
    return Senses()


@pytest.fixture
def embedded(ws: Workspace, model: Senses) -> Workspace:
    update(ws)
    vectors.embed(ws, model)
    return ws


def test_what_has_no_vector_yet_counts_by_its_words(embedded: Workspace, model: Senses) -> None:
    (embedded.root / "memory/new.md").write_text("# New\n\n- The green tea of the ferry.\n")
    (embedded.root / "memory/old.md").write_text("# Old\n\n- A drink of coffee, or another beverage.\n")
    by_words = {hit.path: hit for hit in search(embedded, "green tea ferry", Options(limit=20)).hits}
    before = query(embedded, "green tea ferry", Options(limit=20, explain=True), model).hits
    assert before[0].path == "new.md"
    assert before[0].score == by_words["new.md"].score
    assert "vector" not in before[0].explain
    vectors.embed(embedded, model)
    after = query(embedded, "green tea ferry", Options(limit=20, explain=True), model).hits
    assert after[0].path == "new.md"
    assert float(str(after[0].explain["vector"])) > 0


def test_a_vector_that_is_far_counts_as_far(embedded: Workspace, model: Senses) -> None:
    """Only what is unknown counts by its words alone."""
    with store.reading(store.path_in(embedded.state_dir)) as db:
        assert db is not None
        held = [row[0] for row in db.execute("SELECT passage FROM embedded ORDER BY passage")]
        assert unread(db, [*held, held[0] - 1, held[-1] + 1]) == {held[0] - 1, held[-1] + 1}
    words = [Candidate(1, 0.8), Candidate(2, 0.8)]
    merged = fuse(words, [Candidate(3, 0.5)], unread={1})
    assert [(one.passage, round(one.score, 3)) for one in merged] == [(1, 0.8), (2, 0.44), (3, 0.225)]


def test_meaning_finds_what_words_do_not(embedded: Workspace, model: Senses) -> None:
    assert search(embedded, "beverage").hits == ()
    answer = query(embedded, "beverage", embedder=model)
    assert answer.hits[0].path == "people/jane.md"
    assert answer.hits[0].start_line == 3
    assert answer.legs == ("lexical", "vector")
    assert paths(list(vsearch(embedded, "issue", embedder=model).hits))[0] == "2031-05-08.md"


def test_an_exact_hit_stays_first(embedded: Workspace, model: Senses) -> None:
    hit = query(embedded, "ticket VRN-0417", Options(explain=True), embedder=model).hits[0]
    assert hit.path == "2031-05-08.md"
    assert {"lexical", "lexical.rank"} <= set(hit.explain)


def test_filters_hold_in_both_legs(embedded: Workspace, model: Senses) -> None:
    hits = query(embedded, "beverage kind:daily", embedder=model).hits
    assert {hit.kind for hit in hits} <= {"daily"}


def test_without_vectors_words_answer_and_it_is_said(ws: Workspace, model: Senses) -> None:
    answer = query(ws, "green tea", embedder=model)
    assert paths(list(answer.hits))[0] == "people/jane.md"
    assert answer.legs == ("lexical",)
    assert "embed" in answer.notes[0]


def test_another_models_vectors_pause_the_leg_until_embed_f(embedded: Workspace, model: Senses) -> None:
    model.identity = "others/64/plain"
    answer = query(embedded, "green tea", embedder=model)
    assert answer.hits
    assert "embed -f" in answer.notes[0]
    with pytest.raises(RetrievalError, match="senses"):
        vectors.embed(embedded, model)
    vectors.embed(embedded, model, force=True)
    assert query(embedded, "beverage", embedder=model).notes == ()


def test_a_model_that_fails_leaves_words(embedded: Workspace, model: Senses) -> None:
    model.broken = True
    answer = query(embedded, "green tea", embedder=model)
    assert paths(list(answer.hits))[0] == "people/jane.md"
    assert "cannot be loaded" in answer.notes[0]
    with pytest.raises(OpenClawMemoryError):
        vsearch(embedded, "green tea", embedder=model)


def test_a_move_or_a_copy_embeds_nothing_again(embedded: Workspace, model: Senses) -> None:
    before = model.calls
    (embedded.root / "memory/people/jane.md").rename(embedded.root / "memory/people/moved.md")
    update(embedded)
    vectors.embed(embedded, model)
    (embedded.root / "memory/people/copy.md").write_bytes((embedded.root / "memory/people/moved.md").read_bytes())
    update(embedded)
    assert vectors.embed(embedded, model).pending == 0
    assert model.calls == before
    assert set(paths(list(query(embedded, "beverage", embedder=model).hits))) >= {"people/moved.md", "people/copy.md"}


def test_an_edit_embeds_what_changed_and_drops_what_is_gone(embedded: Workspace, model: Senses) -> None:
    before = model.calls
    path = embedded.root / "memory/people/jane.md"
    path.write_text("# Jane Doe\n\n- Sees a bird.\n")
    update(embedded)
    vectors.embed(embedded, model)
    assert model.calls == before + 1
    assert "people/jane.md" not in paths(
        list(vsearch(embedded, "beverage", Options(min_score=0.5), embedder=model).hits)
    )


def test_codes_keep_the_order_of_cosines() -> None:
    from openclaw_memory.retrieval.mapped import matrix_of

    rng = np.random.default_rng(3)
    rows = rng.normal(size=(500, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    stored = vectors.quantised([bytes([0])] * 500, rows)
    codes = np.frombuffer(b"".join(code for _, _, code in stored), np.int8).reshape(500, 64)
    scales = np.array([scale for _, scale, _ in stored], np.float32)
    held = matrix_of(np.arange(500), codes, scales, 0.0)
    wanted = rows @ rows[7]
    assert np.abs(held.cosines(rows[7]) - wanted).max() < 0.02
    assert int(held.cosines(rows[7]).argmax()) == 7


def test_what_is_left_is_counted(ws: Workspace, model: Senses) -> None:
    update(ws)
    assert vectors.embed(ws, model, seconds=0).pending == 1  # two files are done however short the time
    assert vectors.embed(ws, model).pending == 0
    with store.reading(store.path_in(ws.state_dir)) as db:
        assert db is not None
        spans = db.execute("SELECT TOTAL(LENGTH(spans)) / 8 FROM chunks").fetchone()
        assert db.execute("SELECT COUNT(*) FROM embedded").fetchone() == spans


def test_embed_can_be_killed(ws: Workspace, model: Senses) -> None:
    update(ws)
    script = (
        "import sys; from pathlib import Path; from openclaw_memory.workspace import Workspace;"
        "from openclaw_memory.retrieval import vectors; from tests.retrieval.test_hybrid import Senses; import os\n"
        "class Dying(Senses):\n"
        "    def embed_documents(self, texts):\n"
        "        os._exit(9)\n"
        "vectors.embed(Workspace(Path(sys.argv[1])), Dying())"
    )
    done = subprocess.run([sys.executable, "-c", script, str(ws.root)], check=False, capture_output=True)
    assert done.returncode == 9
    assert vectors.embed(ws, model).pending == 0


def test_a_hit_by_meaning_alone_is_explained_too(embedded: Workspace, model: Senses) -> None:
    hit = query(embedded, "beverage", Options(explain=True), embedder=model).hits[0]
    assert any(step.endswith("closeness") for step in hit.explain)


def test_who_wants_words_only_is_not_told_so_by_each_query(embedded: Workspace) -> None:
    (embedded.root / "openclaw-memory.yaml").write_text("version: 1\nretrieval:\n  embedder: none\n")
    plain = find_workspace(embedded.root)
    answer = query(plain, "green tea")
    assert (paths(list(answer.hits)), answer.legs, answer.notes) == (["people/jane.md"], ("lexical",), ())
    with pytest.raises(OpenClawMemoryError, match=r"^retrieval.embedder is none\n"):
        vsearch(plain, "green tea")


def test_operators_are_no_part_of_what_the_model_reads(embedded: Workspace, model: Senses) -> None:
    asked: list[str] = []
    reads = model.embed_query
    model.embed_query = lambda text: asked.append(text) or reads(text)  # type: ignore[method-assign, func-returns-value]
    vsearch(embedded, 'beverage "to drink" -coffee kind:people', embedder=model)
    query(embedded, "vec: beverage path:people\nlex: tea", embedder=model)
    assert asked == ["beverage to drink", "beverage"]
    assert query(embedded, "kind:people", embedder=model).legs == ("lexical",)


def test_an_intent_weighs_and_brings_nothing_in(ws: Workspace) -> None:
    for name, text in {"a": "Mercury is the planet next to the sun.", "b": "Mercury is a metal in old lamps."}.items():
        (ws.root / f"memory/{name}.md").write_text(f"# Note\n\n- {text}\n")
    (ws.root / "memory/c.md").write_text("# Note\n\n- The planet that is farthest from the sun.\n")
    plain = query(ws, "lex: mercury").hits
    meant = query(ws, "lex: mercury\nintent: planets and the sun", Options(explain=True)).hits
    assert paths(list(plain)) == ["b.md", "a.md"]
    assert paths(list(meant)) == ["a.md", "b.md"]
    assert isinstance(meant[0].explain["intent"], float)
    assert meant[0].score <= 1


@pytest.mark.parametrize("limit", [1, 7, 40, 399, 400])
def test_the_least_of_the_best_is_that_of_all(limit: int) -> None:
    from openclaw_memory.retrieval.dense import _least

    scores = np.random.default_rng(limit).random(400, np.float32).round(2)
    assert _least(scores, limit) == np.sort(scores)[-limit]


def test_texts_keep_their_vectors_when_the_index_is_of_another_version(ws: Workspace, model: Senses) -> None:
    update(ws)
    computed = vectors.embed(ws, model).computed
    with store.writing(store.path_in(ws.state_dir)) as db:
        db.execute("PRAGMA user_version = 999")
    update(ws)
    again = vectors.embed(ws, model)
    assert (again.computed, again.reused, again.pending) == (0, computed, 0)


def test_vectors_that_are_kept_in_another_way_are_not_handed_on(ws: Workspace, model: Senses) -> None:
    update(ws)
    computed = vectors.embed(ws, model).computed
    with store.writing(store.path_in(ws.state_dir)) as db:
        db.execute("ALTER TABLE vectors ADD COLUMN more INTEGER")
        db.execute("PRAGMA user_version = 999")
    update(ws)
    assert vectors.embed(ws, model).computed == computed

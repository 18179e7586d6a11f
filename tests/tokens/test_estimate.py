"""The counts beside the samples are those of tiktoken's cl100k_base; `tests/bench/test_tokens.py` checks them."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.tokens import count

SAMPLES = Path(__file__).parent / "samples"
TRUE = {
    "chinese": 603,
    "code": 367,
    "english": 304,
    "identifiers": 559,
    "index": 360,
    "japanese": 552,
    "korean": 522,
    "portuguese": 387,
    "russian": 529,
}


@pytest.mark.parametrize("name", sorted(TRUE))
def test_within_ten_percent(name):
    text = (SAMPLES / f"{name}.md").read_text(encoding="utf-8")
    assert count(text) == pytest.approx(TRUE[name], rel=0.10)


def test_a_mixed_file_is_as_good_as_its_parts():
    text = "\n".join((SAMPLES / f"{name}.md").read_text(encoding="utf-8") for name in sorted(TRUE))
    assert count(text) == pytest.approx(sum(TRUE.values()), rel=0.10)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("the cat", 2), ("\n\n\n", 1), ("12345678", 3), ("don't", 2), ("的", 1), ("--------", 1)],
)
def test_small_texts(text, tokens):
    assert count(text) == tokens


@given(st.text(max_size=300))
def test_any_text_has_a_count_between_one_and_four_per_character(text):
    assert bool(text) <= count(text) <= 4 * len(text) + 1


@given(st.text(max_size=100), st.text(max_size=100))
def test_more_text_never_costs_much_less(one, two):
    assert count(one + "\n\n" + two) >= 0.5 * max(count(one), count(two))


@pytest.mark.parametrize(
    "unit", ["a", " ", "\n", "|", "-", "中", "1", "Ab", " \t", "\n ", "😀", "\udcff", "é", "a\u0301"]
)
def test_a_megabyte_of_anything_takes_no_more_than_seconds(unit):
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    assert count(text) > 0
    assert time.process_time() - started < 5

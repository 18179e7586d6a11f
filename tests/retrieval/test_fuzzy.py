"""Edits between words, held to the definition."""

from __future__ import annotations

from functools import cache

from hypothesis import example, given
from hypothesis import strategies as st

from openclaw_memory.retrieval.fuzzy import edits

WORDS = st.text("abc", max_size=9)


def distance(a: str, b: str) -> int:
    """Insertions, deletions, changes and swaps of neighbours, no letter twice (optimal string alignment)."""

    @cache
    def of(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        least = min(of(i - 1, j) + 1, of(i, j - 1) + 1, of(i - 1, j - 1) + (a[i - 1] != b[j - 1]))
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            least = min(least, of(i - 2, j - 2) + 1)
        return least

    return of(len(a), len(b))


@given(WORDS, WORDS, st.integers(1, 2))
@example("heron", "hreon", 1)
@example("abc", "cab", 2)
@example("", "ab", 2)
def test_edits_up_to_a_limit(a: str, b: str, most: int) -> None:
    assert edits(a, b, most) == min(distance(a, b), most + 1)

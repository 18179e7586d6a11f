"""Two lists of candidates to one, on an absolute scale. Pure functions; no LlamaIndex, no numpy.

A passage's score is the weighted mean of its two scores, each 0 to 1 and absolute: a leg that matches nothing adds
nothing, but cannot drown the other (rank fusion lets it: a question in another language has no lexical hits worth
the name, and their ranks count as much as good ones). A passage that has no vector yet is not far from the question,
it is unknown: it counts by its words alone, or the newest notes would come last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from openclaw_memory.record import Record
from openclaw_memory.retrieval.hits import Candidate


class Shares(Record):
    """How much each leg counts."""

    lexical: float = 0.55
    vector: float = 0.45


SHARES = Shares()


def fuse(
    lexical: Sequence[Candidate],
    vector: Sequence[Candidate],
    shares: Shares = SHARES,
    unread: Collection[int] = frozenset(),
) -> list[Candidate]:
    """Both lists as one, best first, equals in the order of the lists. With one list empty, the other one as it is.

    `unread` are the passages that have no vector.
    """
    if not vector or not lexical:
        return list(lexical or vector)
    by_words = {one.passage: one for one in lexical}
    by_sense = {one.passage: one for one in vector}
    ranks = [{one.passage: rank for rank, one in enumerate(leg, 1)} for leg in (lexical, vector)]
    both = [_both(p, by_words.get(p), by_sense.get(p), ranks, shares) for p in {**by_words, **by_sense}]
    if unread:
        both = [one._replace(score=by_words[one.passage].score) if one.passage in unread else one for one in both]
    return sorted(both, key=lambda one: -one.score)


def _both(
    passage: int,
    words: Candidate | None,
    sense: Candidate | None,
    ranks: Sequence[Mapping[int, int]],
    shares: Shares,
) -> Candidate:
    steps: dict[str, float] = {}
    score = 0.0
    for name, one, rank, share in zip(("lexical", "vector"), (words, sense), ranks, shares, strict=True):
        if one is None:
            continue
        score += share * one.score
        steps |= {f"{name}.{step}": value for step, value in one.steps.items()}
        steps |= {name: one.score, f"{name}.rank": rank[passage]}
    return Candidate(passage, score / sum(shares), steps, bool(words and words.exact))

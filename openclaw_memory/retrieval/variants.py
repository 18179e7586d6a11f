"""A query asked again with the other names of what it names (see `aliases`), and what that adds to its own words.

What is found by another name counts `WEIGHT` of what its words would, and stands behind every passage that holds all
words as they were typed. Imports no numpy and no LlamaIndex.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice, product

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import aliases
from openclaw_memory.retrieval.aliases import Name, Names, Span
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexical import Statistics, is_common, lexical
from openclaw_memory.retrieval.order import ordered
from openclaw_memory.retrieval.query import Query, Term, parse
from openclaw_memory.retrieval.scope import Scope

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders.base import Vectors

WEIGHT = 0.85
_BEHIND = 0.94
"""What such a passage has at most of the worst one with all words as typed: small priors do not turn them round."""
_MOST_SHARING = 3
"""A name that more files have tells none of them from the others."""
_MOST = 6
"""Queries that are asked beside the one that was typed."""

_NOTHING = Candidate(0, 0.0)


class Variant(Record):
    """A query with other names in it: what was typed for them, and what stands there now."""

    query: Query
    typed: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def step(self) -> str:
        """What the steps of a passage call it that was found by these names."""
        return f"alias.{' & '.join(self.names)}"

    @property
    def held(self) -> Query:
        """The words of the names that were typed."""
        return Query("", tuple(Term(text, 1.0) for terms in self.typed for text in terms.split()))


def variants(query: Query, groups: Iterable[Names]) -> tuple[Variant, ...]:
    """`query` with other names for those that it holds; first with another one for each."""
    if query.lists:
        return ()
    things = sorted(set(groups))  # by name, never by the numbers of files
    read = aliases.read(query)
    held = {name.terms for names in things for name in names} & read.runs.keys()
    spans: dict[Span, list[tuple[str, Name | None]]] = {}
    for terms in sorted(held, key=lambda terms: (-len(terms.split()), read.runs[terms])):
        span, others = read.runs[terms], _others(terms, things)
        if others and all(span.end <= other.first or other.end <= span.first for other in spans):
            spans[span] = [*((terms, name) for name in others), (terms, None)]
    order = sorted(spans)
    found = []
    for chosen in islice(product(*(spans[span] for span in order)), _MOST):
        changed = {span: (terms, name) for span, (terms, name) in zip(order, chosen, strict=True) if name}
        if changed:
            found.append(_variant(query, read.spellings, changed))
    return tuple(found)


def _others(terms: str, things: Sequence[Names]) -> list[Name]:
    """The other names of what is called `terms`, without those that it is a part of: its words find them."""
    sharing = [names for names in things if any(name.terms == terms for name in names)]
    if len(sharing) > _MOST_SHARING:
        return []
    said = set(terms.split())
    others = (name for names in sharing for name in names if not said <= set(name.terms.split()))
    return list(dict.fromkeys(others))


def _variant(query: Query, spellings: Sequence[str], changed: Mapping[Span, tuple[str, Name]]) -> Variant:
    words: list[str] = []
    at = 0
    for span, (_, name) in sorted(changed.items()):
        words += (*spellings[at : span.first], name.name)
        at = span.end
    asked = parse(" ".join((*words, *spellings[at:])))
    asked = asked._replace(
        phrases=query.phrases,
        excluded=query.excluded,
        filters=query.filters,
        moment=query.moment,
        asks_when=query.asks_when,
    )
    return Variant(
        asked,
        tuple(terms for terms, _ in changed.values()),
        tuple(name.name for _, name in changed.values()),
    )


def found_by_names(
    db: sqlite3.Connection,
    query: Query,
    renamed: Sequence[Variant],
    scope: Scope,
    limit: int,
    size: Statistics | None = None,
    said: Collection[int] = (),
) -> list[Candidate]:
    """The best `limit` passages by the words of `query`, or by those of a variant of it where that says more.

    What has a name is found by it, and is no more about itself by another one: its file is left out of variants, and so
    are the files `said`, which are found by what the index calls them.
    """
    found = lexical(db, query, scope, limit, size=size)
    best = {one.passage: one for one in found}
    least = min((one.score for one in found if one.exact), default=1.0)
    for variant in renamed:
        if any(is_common(db, terms.split(), size) for terms in variant.typed):
            continue
        owners = aliases.owners(db, variant.typed).union(said)
        others = lexical(db, variant.query, scope, limit, size=size)
        others = [one for one in others if one.passage >> ATOM_BITS + CHUNK_BITS not in owners]
        share = min(WEIGHT, _BEHIND * least / others[0].score) if others else 0.0
        for one in others:
            known = best.get(one.passage)
            if known is None or known.score < one.score * share:
                steps = {**one.steps, variant.step: share}
                best[one.passage] = Candidate(one.passage, one.score * share, steps, bool(known and known.exact))
    return ordered(db, best.values())[:limit] if renamed else found


def meant_by_names(
    db: sqlite3.Connection,
    found: Iterable[Candidate],
    words: Iterable[Candidate],
    renamed: Iterable[tuple[Variant, Vectors]],
    scope: Scope,
    alone: bool = False,
) -> list[Candidate]:
    """`found` by meaning; a passage that `words` found by another name is as near as the query with that name is.

    Where the meaning counts `alone`, it stands behind every passage that holds all words as they were typed.
    """
    from openclaw_memory.retrieval.dense import dense

    words = list(words)
    best = {one.passage: one for one in found}
    steps = {one.passage: one.steps for one in words}
    typed = [best[one.passage].score for one in words if alone and one.exact and one.passage in best]
    most = _BEHIND * min(typed, default=1 / _BEHIND)
    for variant, vector in renamed:
        also = [passage for passage, some in steps.items() if variant.step in some]
        for one in dense(db, vector, scope, 1, also) if also else ():
            score = min(WEIGHT * one.score, most)
            if variant.step in steps.get(one.passage, ()) and score > best.get(one.passage, _NOTHING).score:
                best[one.passage] = one._replace(score=score, steps={**one.steps, variant.step: WEIGHT})
    return sorted(best.values(), key=lambda one: -one.score)

"""What a question finds by words, by meaning and by both: the legs and their fusion, the same for every store.

The model reads the question in a thread, while the words are looked up.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.aliases import Names
from openclaw_memory.retrieval.document_query import QueryDocument
from openclaw_memory.retrieval.fuse import fuse
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexical import Statistics, lexical
from openclaw_memory.retrieval.query import Query, parse
from openclaw_memory.retrieval.required import required
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.variants import Variant, found_by_names, meant_by_names, variants

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.embedders.base import Vectors

LEAST_DEPTH = 40
SPARE = 3
"""Passages a leg gives: at least, and for each result."""
_SENSE_DEPTH = 200
_LATER = 0.85
"""What a further line of a query document counts beside the first, which is the question itself."""
_INTENT = 0.25
"""What the `intent:` of a query document counts beside the question."""


class Question(Record):
    """A query document, analysed: its lines for words, and the first of all, whose operators count for all."""

    document: QueryDocument
    main: Query
    lines: tuple[Query, ...]
    named: tuple[Query, ...]
    """In these names are looked for: in the lines for words, else in what is asked by its meaning alone."""
    variants: tuple[tuple[Variant, ...], ...]
    """Of each of `named`, with other names in it."""

    @property
    def renamed(self) -> list[Variant]:
        """All variants."""
        return [one for some in self.variants for one in some]

    @property
    def looked_up(self) -> list[Query]:
        """What is looked up by words: nothing for a question of meaning alone, unless it names something."""
        return [*(self.named if self.lines or self.renamed else ()), *(one.query for one in self.renamed)]

    @property
    def texts(self) -> list[str]:
        """What a model reads: what was typed, then with other names in it."""
        typed = asks(self.document)
        return [*typed, *(one.query.text for one in self.renamed)] if typed else []

    def with_names(self, groups: Sequence[Names]) -> Question:
        """With variants by these names."""
        return self._replace(variants=tuple(variants(one, groups) for one in self.named))


def question(document: QueryDocument) -> Question:
    """What `document`, which has a line at least, asks."""
    lines = tuple(map(parse, document.lex))
    named = lines or tuple(map(parse, document.vec))
    return Question(document, named[0], lines, named, ((),) * len(named))


def asks(document: QueryDocument) -> list[str]:
    """The texts that are looked for by their meaning."""
    return [text for text in (parse(typed).text for typed in document.vec) if text]


class Ranked(Record):
    """Passages, best first, which legs gave them, and why the one of meaning gave none."""

    candidates: list[Candidate]
    legs: tuple[str, ...]
    failed: str = ""


def rank(
    db: sqlite3.Connection,
    asked: Question,
    within: Scope,
    deep: int,
    read: Callable[[], list[Vectors]],
    lift: Callable[[list[Candidate]], list[Candidate]] = list,
    size: Statistics | None = None,
    said: Collection[int] = (),
) -> Ranked:
    """Passages by words (`deep` a line), by meaning (`read` gives one a line, once words were found), and both.

    `lift` is what the index has to say of both, and `said` the files that it says it of; `size` that of the store,
    where `db` holds but a part of it.
    """
    words = _best(
        found_by_names(db, one, renamed, within, deep, size, said)
        for one, renamed in zip(asked.named, asked.variants, strict=True)
        if asked.lines or renamed
    )
    sense, failed = _sense(db, asked, within, words, read)
    words = words if asked.lines else []  # of meaning alone: they told where the names stand
    merged = lift(fuse(words, required(db, asked.main, sense), unread=_unread(db, words) if sense else frozenset()))
    if asked.document.intent:
        aim = parse(asked.document.intent)
        merged = _meant(merged, lexical(db, aim, _files_of(merged), _SENSE_DEPTH, size=size))
    return Ranked(merged, (*(("lexical",) if asked.lines else ()), *(("vector",) if sense else ())), failed)


@contextmanager
def reading(model: Embedder | None, texts: Sequence[str]) -> Iterator[Callable[[], list[Vectors]]]:
    """What gives the vectors of a query, which a thread computes meanwhile; none without a model."""
    if model is None:
        yield list
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(lambda: [model.embed_query(text) for text in texts]).result


def _sense(
    db: sqlite3.Connection,
    asked: Question,
    within: Scope,
    words: Sequence[Candidate],
    read: Callable[[], list[Vectors]],
) -> tuple[list[Candidate], str]:
    """The passages by meaning, those by words among them, or why there are none."""
    try:
        vectors_read = read()
        if not vectors_read:
            return [], ""
        from openclaw_memory.retrieval.dense import dense

        also = [one.passage for one in words]
        typed = len(vectors_read) - len(asked.renamed)
        found = _best(dense(db, vector, within, _SENSE_DEPTH, also) for vector in vectors_read[:typed])
        renamed = zip(asked.renamed, vectors_read[typed:], strict=True)
        return meant_by_names(db, found, words, renamed, within, alone=not asked.lines), ""
    except OpenClawMemoryError as error:
        return [], error.message


def _unread(db: sqlite3.Connection, words: Sequence[Candidate]) -> frozenset[int]:
    """The passages that were found by words and have no vector yet."""
    from openclaw_memory.retrieval.dense import unread

    return unread(db, (one.passage for one in words))


def _files_of(candidates: Sequence[Candidate]) -> Scope:
    return Scope(frozenset(one.passage >> (ATOM_BITS + CHUNK_BITS) for one in candidates))


def _meant(candidates: Sequence[Candidate], wanted: Iterable[Candidate]) -> list[Candidate]:
    """`candidates`, those first that also say what the question is for (`wanted`); that brings none in."""
    said = {one.passage: one.score for one in wanted}
    weighed = [
        one._replace(score=(one.score + _INTENT * more) / (1 + _INTENT), steps={**one.steps, "intent": more})
        for one in candidates
        for more in [said.get(one.passage, 0.0)]
    ]
    return sorted(weighed, key=lambda one: -one.score)


def _best(lists: Iterable[list[Candidate]]) -> list[Candidate]:
    """Several lists of one leg as one: each passage with its best score; those after the first count less."""
    best: dict[int, Candidate] = {}
    for place, found in enumerate(lists):
        for candidate in found:
            one = candidate._replace(score=candidate.score * _LATER) if place else candidate
            if one.passage not in best or best[one.passage].score < one.score:
                best[one.passage] = one
    return sorted(best.values(), key=lambda one: -one.score)

"""The leg of words in the database: which chunks hold which terms, from PGVectorStore's text index.

What `ts_rank` says of a passage grows with its length and knows no rare words. So the text index only answers which
chunks hold a term, among all that this agent may see; what a term weighs and which chunks come first is reckoned by
the embedded store's own functions, over numbers that are given to documents for one query.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval import fuzzy
from openclaw_memory.retrieval.asked import Found
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.lexical import WEIGHTS, Counted, Statistics, weighed
from openclaw_memory.retrieval.lexicon import NUMBER
from openclaw_memory.retrieval.named import files_named
from openclaw_memory.retrieval.postgres import nodes
from openclaw_memory.retrieval.postgres.narrow import INSIDE, SEEN, Sight
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.query import Query, Term
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.shortlist import first_chunks, narrowed

if TYPE_CHECKING:
    from openclaw_memory.retrieval.postgres.database import Database

_FILES = 100
"""Files that a query's words bring in, at least; and up to as many again that say as much as the last of them."""
_SIZE = f"""
SELECT CAST(COALESCE(SUM(chunks), 0) AS bigint), COUNT(*), COALESCE(SUM(passages) FILTER (WHERE embedded), 0)
FROM openclaw_memory_files f WHERE {SEEN}
"""
_HELD = f"""
SELECT asked.n, f.doc, array_agg(DISTINCT CAST(split_part(d.node_id, '-', 3) AS integer)), {INSIDE}
FROM unnest(CAST(%(asked)s AS text[])) WITH ORDINALITY AS asked(query, n)
JOIN {{table}} d ON d.text_search_tsv @@ CAST(asked.query AS tsquery)
JOIN openclaw_memory_files f ON f.doc = d.doc
WHERE {SEEN} GROUP BY 1, 2, 4
"""
_BEGINNING = f"""
SELECT DISTINCT lexeme FROM {{table}} d JOIN openclaw_memory_files f ON f.doc = d.doc, unnest(d.text_search_tsv) AS held
WHERE d.text_search_tsv @@ CAST(%(asked)s AS tsquery) AND {SEEN} AND starts_with(substr(lexeme, 2), %(beginning)s)
"""
_SIGNS = (nodes.BODY, nodes.HEADING, nodes.FILE)
_NONE: tuple[array[int], array[int]] = (array(NUMBER), array(NUMBER))


class Words(Record):
    """What the database knows of the words of some queries."""

    size: Statistics
    postings: dict[Term, tuple[array[int], array[int]]]
    """By term: the chunks with it in their text, and those with it above it."""
    docs: list[str]
    inside: frozenset[int]
    """The numbers, places in `docs`, of those that may be found."""


class Size(Record):
    """What this agent may see: chunks, files, and passages that have a vector."""

    chunks: int
    files: int
    vectors: int


def size(database: Database) -> Size:
    """How much this agent may see; what words weigh is reckoned from it."""
    return Size(*map(int, database.run(_SIZE, database.mine)[0]))


def look_up(database: Database, seen: Sight, size: Size, queries: Sequence[Query]) -> Words:
    """The postings of all words of `queries`; for a word that nobody uses, those of what it may be a typo of."""
    terms = list(dict.fromkeys(term for query in queries for term in (*query.terms, *_required(query))))
    words = Words(Statistics(size.chunks, size.files), {}, [], frozenset())
    words = _with(database, seen, words, {term: [(term.text, term.prefix)] for term in terms})
    near = {term: _near(database, term.text) for term in terms if term.weight == 1.0 and term not in words.postings}
    near = {term: found for term, found in near.items() if found}
    words = _with(database, seen, words, {term: [(text, False) for text in found] for term, found in near.items()})
    counted = {}
    for term in terms:
        body, head = words.postings.get(term, _NONE)
        counted[term] = Counted(len(body) or len(head), tuple(near.get(term, ())))
    return words._replace(size=words.size._replace(counted=counted))


def candidates(words: Words, query: Query, limit: int) -> list[str]:
    """The documents with the chunks that hold most of what the query's words weigh, and those that it names."""
    chunks = first_chunks([_found(words, term) for term in query.terms], Scope(words.inside), WEIGHTS)
    if query.phrases or query.excluded:
        chunks = narrowed(query, chunks, lambda text: words.postings.get(_term(text), _NONE))
    best: dict[int, float] = {}
    for chunk, score in chunks.items():
        best[chunk >> CHUNK_BITS] = max(score, best.get(chunk >> CHUNK_BITS, 0.0))
    most = max(_FILES, limit)
    order = sorted(best, key=lambda number: -best[number])
    least = best[order[most - 1]] if len(order) >= most else 0.0
    heads = [words.postings.get(term, _NONE)[1] for term in query.terms if term.weight == 1.0]
    named = [number for number in files_named(heads) if number in words.inside]
    chosen = (*named[:most], *(number for number in order[: 2 * most] if best[number] >= least))
    return [words.docs[number] for number in dict.fromkeys(chosen)]


def _found(words: Words, term: Term) -> Found:
    body, head = words.postings.get(term, _NONE)
    counted = words.size.counted[term]
    return weighed(term, (), body, head, counted.held, words.size.chunks, bool(counted.near))


def _required(query: Query) -> Iterable[Term]:
    texts = {text for run in (*query.excluded, *query.phrases) for text in run}
    return map(_term, sorted(texts))


def _term(text: str) -> Term:
    """A word that is required or excluded: it weighs nothing, and a typo in it finds nothing."""
    return Term(text, 0.0)


def _with(database: Database, seen: Sight, words: Words, asked: dict[Term, list[tuple[str, bool]]]) -> Words:
    """`words` with the postings of terms, each asked for by one or more texts, whole or as beginnings."""
    if not asked:
        return words
    terms = list(asked)
    values = {**seen.values(database), "asked": [_asked(sign, asked[term]) for term in terms for sign in _SIGNS]}
    sql = _HELD.format(table=database.table)
    numbers = {doc: number for number, doc in enumerate(words.docs)}
    inside = set(words.inside)
    held: dict[Term, tuple[list[int], list[int]]] = {}
    for n, doc, chunks, is_inside in database.run(sql, values):
        term, sign = divmod(n - 1, len(_SIGNS))
        number = numbers.setdefault(doc, len(numbers))
        if is_inside:
            inside.add(number)
        body, head = held.setdefault(terms[term], ([], []))
        first = number << CHUNK_BITS
        if _SIGNS[sign] == nodes.FILE:
            head.append(first | WHOLE)
        else:
            (head if sign else body).extend([first | chunk for chunk in chunks])
    postings = {term: (_sorted(body), _sorted(head)) for term, (body, head) in held.items()}
    return Words(words.size, {**words.postings, **postings}, list(numbers), frozenset(inside))


def _sorted(chunks: Iterable[int]) -> array[int]:
    return array(NUMBER, sorted(set(chunks)))


def _asked(sign: str, texts: Iterable[tuple[str, bool]]) -> str:
    return " | ".join(nodes.word(sign, text) + (":*" if prefix else "") for text, prefix in texts)


def _near(database: Database, text: str) -> list[str]:
    """What a word may be a typo of, among those that begin as it does."""
    if not fuzzy.may_be_a_typo(text):
        return []
    head = text[:2]
    asked = " | ".join(nodes.word(sign, head) + ":*" for sign in _SIGNS)
    sql = _BEGINNING.format(table=database.table)
    beginning = nodes.word("", head)
    found = database.run(sql, {**database.mine, "asked": asked, "beginning": beginning})
    return fuzzy.close(text, {nodes.term(word) for (word,) in found})[: fuzzy.MOST]

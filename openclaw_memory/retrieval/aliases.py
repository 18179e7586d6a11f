"""Other names of one thing: who asks for `JD` finds what is written of `Jane Doe`, and the other way round.

A file says what else its subject is called by `aliases` in its front matter; of people and companies a title that is
not the file's name is another name, too. `variants` makes queries of them. Imports no numpy and no LlamaIndex.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from openclaw_memory.record import Record
from openclaw_memory.retrieval.analyse import analyse, fold
from openclaw_memory.retrieval.lexicon import split
from openclaw_memory.retrieval.query import MOST_TERMS, Query
from openclaw_memory.retrieval.stopwords import STOPWORDS

KINDS = ("people", "companies")
"""What is called by a name, so that a title and a file's name are two of it."""
_KEYS = ("aliases", "alias")
_FOLDERS = ("summary", "index", "readme")
"""Files that stand for their folder."""
LONGEST = 5
"""Terms of a name; what is longer is a sentence."""
_MOST_NAMES = 8


class Name(Record):
    """A name as it is written, and its terms with a blank between them: what it is found by."""

    terms: str
    name: str


Names = tuple[Name, ...]
"""Those of one thing, the one that it is mostly called by first."""


def names_of(front: Mapping[str, object], title: str, path: str, kind: str) -> Names:
    """The names of what a file is about, its title first; none where it has but one."""
    given = [text for key in _KEYS for text in _texts(front.get(key))]
    if not given and (kind not in KINDS or " " not in title):  # `# Profile` is no name
        return ()
    folder, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0] or file
    if fold(stem) in _FOLDERS:
        stem = folder.rpartition("/")[2]
    return names((title, "" if stem in KINDS else stem, *given))


def names(texts: Iterable[str]) -> Names:
    """What one thing is called, each name once; none where it has but one."""
    found: dict[str, Name] = {}
    for text in texts:
        if one := _name(text):
            found.setdefault(one.terms, one)
    return tuple(islice(found.values(), _MOST_NAMES)) if len(found) > 1 else ()


def _texts(value: object) -> Iterator[str]:
    """A list of names, or one text with commas between them."""
    if isinstance(value, str):
        yield from value.split(",")
    elif isinstance(value, list | tuple):
        yield from (part for part in value if isinstance(part, str))


def _name(text: str) -> Name | None:
    """A name without emoji; None for what cannot be one: a letter, a number, a sentence, words without a topic."""
    spellings = [raw.decode("utf-8", "replace") for raw in split(text)]
    terms = [[term for term in analyse(spelling).main if term[0].isalnum()] for spelling in spellings]
    kept = [spelling for spelling, some in zip(spellings, terms, strict=True) if some]
    found = [term for some in terms for term in some]
    if len("".join(found)) < 2 or len(found) > LONGEST or all(map(str.isdecimal, found)):
        return None
    plain = [fold(spelling).strip(".,:;'-") for spelling in kept]
    if any(stops.issuperset(plain) for stops in STOPWORDS):
        return None
    return Name(" ".join(found), " ".join(kept))


class Span(Record):
    """A run of the spellings that were typed, `first` up to `end`."""

    first: int
    end: int


class Typed(Record):
    """What was typed: its spellings, and the runs of them that may be names, by their terms."""

    spellings: list[str]
    runs: dict[str, Span]


def read(query: Query) -> Typed:
    """The words of a query, where names may stand."""
    spellings = [raw.decode("utf-8", "replace") for raw in split(query.text)][:MOST_TERMS]
    terms = [analyse(spelling).main for spelling in spellings]
    runs: dict[str, Span] = {}
    for first in range(len(terms)):
        run: list[str] = []
        for end, more in enumerate(terms[first:], first + 1):
            run += more
            if len(run) > LONGEST:
                break
            if terms[first] and more:
                runs.setdefault(" ".join(run), Span(first, end))
    return Typed(spellings, runs)


def typed(queries: Iterable[Query]) -> list[str]:
    """The runs of words in some queries that may be names, by their terms."""
    return list(dict.fromkeys(run for query in queries for run in read(query).runs))


def known(db: sqlite3.Connection, collections: Iterable[str], queries: Iterable[Query]) -> list[Names]:
    """The names of all things that `queries` name, as the files of these collections have them."""
    if db.execute("SELECT 1 FROM names LIMIT 1").fetchone() is None:
        return []
    keys, inside = typed(queries), list(collections)
    rows = db.execute(
        f"SELECT file, terms, name FROM names WHERE file IN (SELECT file FROM names WHERE terms IN ({_marks(keys)}))"
        f" AND (SELECT collection FROM files WHERE id = file) IN ({_marks(inside)}) ORDER BY file, place",
        (*keys, *inside),
    )
    groups: dict[int, list[Name]] = {}
    for file, terms, name in rows:
        groups.setdefault(file, []).append(Name(terms, name))
    return list(map(tuple, groups.values()))


def owners(db: sqlite3.Connection, terms: Sequence[str]) -> frozenset[int]:
    """The files whose subject has one of these names: all that it is called stands above their text."""
    return frozenset(row[0] for row in db.execute(f"SELECT file FROM names WHERE terms IN ({_marks(terms)})", terms))


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))

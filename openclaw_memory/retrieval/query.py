"""What a person or an agent types, to a Query. No input is a syntax error: what is no operator is text.

Operators: `"a phrase"`, `-term` (beside other words), `start*`, `path:`, `tag:`, `kind:`, `heat:`, `after:`,
`before:`, `collection:`; `after:2031-03 before:2031-04` is March. A hyphen inside a word, `--flag`, a lone quote and
anything else, a month 13 among it, are text. Operators alone list the files that fit.
"""

from __future__ import annotations

from functools import lru_cache

from openclaw_memory.patterns import pattern
from openclaw_memory.record import Record
from openclaw_memory.retrieval import dates
from openclaw_memory.retrieval.analyse import Terms, analyse, fold
from openclaw_memory.retrieval.lexicon import split
from openclaw_memory.retrieval.plain import plain
from openclaw_memory.retrieval.stopwords import topicless

MOST_TERMS = 64
"""Different terms that are looked up; a pasted page says no more than its first words and its rarest."""
EXTRA_WEIGHT = 0.3
_REMEMBERED = 8
"""Queries: a search by words and meaning asks for the same one more than once."""
_FIELDS = ("path", "tag", "kind", "heat", "after", "before", "collection")
_TOKEN = pattern(
    rf"(?P<no>-)?(?:(?P<field>{'|'.join(_FIELDS)}):(?:\"(?P<quoted>[^\"]+)\"|(?P<value>[^\s\"]+))"
    rf"|[\"“](?P<phrase>[^\"“”]+)[\"”](?=\s|\Z))"
    rf"|(?P<word>\S+)",
)
_DAY = pattern(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?\Z")
_PREFIX = pattern(r"[\w-]{2,}\*\Z")
_NEGATED = pattern(r"-[^\W\d_]")
_WHEN = frozenset(("when", "quando", "cuando"))


class Term(Record):
    """A term of a query. `weight` is 1, less for extra forms. Stop words are no terms, unless there is nothing else."""

    text: str
    weight: float
    prefix: bool = False


class Filters(Record):
    """What narrows the files and passages; all must hold, inside one field any may."""

    path: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    heat: tuple[str, ...] = ()
    collection: tuple[str, ...] = ()
    after: str = ""
    """From the first day of this year, month or day on."""
    before: str = ""
    """Up to the last day before it."""


class Query(Record):
    """A query, analysed."""

    text: str
    """What was typed, without operators: what a model is asked."""
    terms: tuple[Term, ...] = ()
    sequence: tuple[str, ...] = ()
    """The main terms in the order they were typed."""
    compounds: tuple[tuple[str, ...], ...] = ()
    """Runs of terms that were typed as one word (`VRN-0417`)."""
    phrases: tuple[tuple[str, ...], ...] = ()
    """Required, as runs of main terms."""
    excluded: tuple[tuple[str, ...], ...] = ()
    """What no passage may hold, as runs of main terms: `-word` is a run of one, `-VRN-0417` of two."""
    filters: Filters = Filters()
    moment: dates.Moment = dates.Moment()
    asks_when: bool = False
    names: tuple[str, ...] = ()
    """Terms of words that were typed with a capital: names of people and things."""

    @property
    def lists(self) -> bool:
        """Whether there is nothing to look for, only what files must be like."""
        return not self.terms and self.filters != Filters()


@lru_cache(_REMEMBERED)
def parse(text: str) -> Query:
    """The query that `text` is."""
    tokens = [match.groupdict() for match in _TOKEN.finditer(_whole(text).strip())]
    words: list[str] = []
    phrases: list[str] = []
    refused: list[str] = []
    fields: dict[str, list[str]] = {}
    positive = any(_is_text(token) for token in tokens)
    for token in tokens:
        _take(token, words, phrases, refused, fields, positive)
    return _build(words, phrases, refused, fields)


def _whole(text: str) -> str:
    """`text` without halves of characters, which JSON can hold (an emoji that was cut); bytes of names stay."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return plain(text)
    return text


def _is_text(token: dict[str, str | None]) -> bool:
    word = token["word"]
    if word is not None:
        return not _NEGATED.match(word) and bool(analyse(word).main)
    return token["phrase"] is not None and not token["no"]


def _take(
    token: dict[str, str | None],
    words: list[str],
    phrases: list[str],
    refused: list[str],
    fields: dict[str, list[str]],
    positive: bool,
) -> None:
    word, phrase, field = token["word"], token["phrase"], token["field"]
    if word is not None:
        if positive and _NEGATED.match(word) and not word.startswith("--"):
            refused.append(word[1:])
        else:
            words.append(word)
    elif phrase is not None:
        if token["no"] and positive:
            refused.append(phrase)
        else:
            phrases.append(phrase)
            words.append(phrase)
    elif field is not None:
        value = token["quoted"] or token["value"] or ""
        if not token["no"] and _means(field, value):
            fields.setdefault(field, []).append(value)
        else:
            words.append(f"{field}:{value}")


def _means(field: str, value: str) -> bool:
    """Whether the value is one the field can have; else it was text."""
    if field in ("after", "before"):
        return bool(_DAY.match(value))
    return value in ("hot", "warm", "cold", "unknown") if field == "heat" else not value.startswith("//")


def _build(words: list[str], phrases: list[str], refused: list[str], fields: dict[str, list[str]]) -> Query:
    spellings = [raw.decode("utf-8", "replace") for raw in split(" ".join(words))]
    prefixes = {word.rstrip("*") for word in words if _PREFIX.match(word)}
    folded = [fold(spelling).strip(".,:;'-") for spelling in spellings]
    light = topicless(folded)
    found: dict[str, Term] = {}
    sequence: list[str] = []
    compounds: list[tuple[str, ...]] = []
    names: list[str] = []
    for spelling, bare in zip(spellings, folded, strict=True):
        terms = analyse(spelling)
        if bare in light:
            continue
        _collect(found, terms, spelling in prefixes)
        sequence += terms.main
        names += terms.main if spelling[0].isupper() else ()
        if len(terms.main) > 1:
            compounds.append(terms.main)
    runs = tuple(filter(None, (_run(phrase) for phrase in phrases)))
    return Query(
        text=" ".join(words),
        terms=tuple(found.values())[:MOST_TERMS],
        sequence=tuple(sequence[:MOST_TERMS]),
        compounds=tuple(compounds[:MOST_TERMS]),
        phrases=runs,
        excluded=tuple(dict.fromkeys(filter(None, map(_run, refused)))),
        filters=_filters(fields),
        moment=dates.moment(folded),
        asks_when=bool(folded) and (folded[0] in _WHEN or " ".join(folded[:2]) in ("what date", "what day")),
        names=tuple(dict.fromkeys(names)),
    )


def _collect(found: dict[str, Term], terms: Terms, prefix: bool) -> None:
    for text in terms.main:
        if text not in found or found[text].weight < 1:
            found[text] = Term(text, 1.0, prefix)
    for text in terms.extra:
        found.setdefault(text, Term(text, EXTRA_WEIGHT))


def _run(phrase: str) -> tuple[str, ...]:
    return tuple(term for raw in split(phrase) for term in analyse(raw.decode("utf-8", "replace")).main)


def _filters(fields: dict[str, list[str]]) -> Filters:
    lists = {name: tuple(fields.get(name, ())) for name in ("path", "tag", "kind", "heat", "collection")}
    after = max(fields.get("after", ("",)))
    before = min(fields.get("before", ("",)))
    return Filters(**lists, after=after, before=before)

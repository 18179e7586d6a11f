"""What a detail file says of itself: H1, front matter, and the triggers that follow from them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from openclaw_memory.index import details, triggers
from openclaw_memory.markdown import scan
from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Any

_REFUSED = pattern(r"-->|<!--|[\r\n]")
_DATE = pattern(r"\d{4}-\d{2}(?:-\d{2})?")
_GENERIC = pattern(
    r"the|an?|and|or|of|for|to|in|on|at|with|my|our|about|notes?|memory|files?|logs?|lists?|index|summary|readme|todo|misc"
    r"|other|general|d[eao]|das|dos|der|die|und|l[eao]|les|el|los|las|et|[yeo]|um|uma"
)


class Described(Record):
    """A detail file in its own words. `triggers` and `about` are what its front matter states, exactly."""

    title: str = ""
    triggers: tuple[str, ...] = ()
    about: str = ""
    archived: bool = False


def describe(text: str) -> Described:
    """What the detail file `text` says of itself."""
    document = scan(text)
    matter = document.front_matter
    title = next((b.text for b in document.blocks if b.kind == "heading" and b.level == 1 and not b.quote), "")
    about = matter.get("about")
    return Described(
        title=_one_line(details.clean(title)) or _one_line(matter.get("title")) or _one_line(matter.get("name")),
        triggers=_listed(matter),
        about=_one_line(about),
        archived=str(matter.get("status", "")).strip().casefold() == "archived",
    )


def _listed(matter: dict[str, Any]) -> tuple[str, ...]:
    """The triggers of front matter: a YAML list, or a text with commas."""
    stated = matter.get("triggers", matter.get("trigger"))
    if stated is None:
        return ()
    words = stated if isinstance(stated, list) else [stated]
    return triggers.unique(part for word in words for part in triggers.split(_one_line(word)))


def _one_line(value: object) -> str:
    if value is None or isinstance(value, (list, dict)):
        return ""
    return " ".join(_REFUSED.sub(" ", str(value)).split())


def offered_triggers(path: str, described: Described) -> tuple[str, ...]:
    """Triggers for a file that no entry names: its own, else its title and the words of its slug."""
    if described.triggers:
        return described.triggers
    slug = details.stem(path)
    words = _one_line(re.sub(r"[-_.]+", " ", _DATE.sub("", slug)))
    title = described.title.casefold() if described.title.isascii() else described.title
    return triggers.unique(word for word in _fit((title, words)) if word)[:3]


def _fit(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        plain = " ".join(triggers.split(word)[:1])
        short = plain if len(plain.split()) <= 4 else ""
        if short and not _GENERIC.fullmatch(short.casefold()) and len(short) > 1:
            yield short


def readable(path: str, described: Described) -> str:
    """The name of a new entry: the file's title, else its slug in words."""
    if described.title:
        return described.title
    return _one_line(re.sub(r"[-_]+", " ", details.stem(path))).capitalize()

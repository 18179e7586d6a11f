"""Reading notes without a model: what is tagged or plainly said is taken, what is unsure stays a candidate.

Deterministic: the same notes and entities always give the same proposal.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from openclaw_memory.knowledge.extract import phrases, tags
from openclaw_memory.knowledge.extract.lines import Line
from openclaw_memory.knowledge.extract.names import Known
from openclaw_memory.knowledge.extract.proposal import (
    Candidate,
    FoundEntity,
    FoundFact,
    FoundStatus,
    Place,
    Proposal,
    Statement,
)
from openclaw_memory.knowledge.extract.tags import Tag
from openclaw_memory.knowledge.normal import normal
from openclaw_memory.knowledge.related import slug_of

_SPLIT = re.compile(r"\s*(?:[:：]|\s[-–—]\s?|[—–]|，|,)\s*")
_LEAD = re.compile(r"^[\s*_`]*[:：–—,，-]?\s*")
_BRACKETED = re.compile(r"^(.{1,60}?)\s*[(（]([^()（）]+)[)）]\s*$")
_STARTS = (
    "new project|started project|kick(?:ed)?[- ]?off(?: of)?|novo projeto|projeto novo|nuevo proyecto|neues projekt|"
    "nouveau projet"
)
_NEW_PROJECT = re.compile(
    rf"(?i:\b(?:{_STARTS})|新项目|新專案|启动项目)\s*[:：]?\s*[\"“«]?([^\W\d_][\w .-]{{1,30}}?[\w])"
    r"(?=[\"”»]?(?:[.,;:(，。]|\s[-–—]|$))"
)


def read(
    lines: Iterable[Line], known: Known, mentions: Mapping[str, int], needed: int, open_questions: Sequence[str] = ()
) -> Proposal:
    """What `lines` say. `mentions` counts in how many statements of all notes a name without entity stands; at
    `needed` of them it becomes a person. `open_questions` are those that a ticked box may settle."""
    reader = _Reader(known, mentions, needed, open_questions)
    for line in lines:
        reader.line(line)
    return reader.proposal


def count_mentions(lines: Iterable[Line], known: Known) -> dict[str, int]:
    """In how many statements each name that no entity has stands, over all of `lines`."""
    counts: dict[str, int] = defaultdict(int)
    for line in lines:
        for name in set(known.unknown(tags.tagged(line.text).text)):
            counts[name] += 1
    return dict(counts)


class _Reader:
    def __init__(self, known: Known, mentions: Mapping[str, int], needed: int, open_questions: Sequence[str]) -> None:
        self.known = known
        self.mentions = mentions
        self.needed = needed
        self.open = {normal(text): text for text in open_questions}
        self.proposal = Proposal()
        self.made: dict[str, str] = {}

    def line(self, line: Line) -> None:
        """Put what one statement says into the proposal."""
        place = Place(line.path, line.number)
        tag, text = tags.tagged(line.text)
        if line.checked is not None:
            self._box(line.checked, text, place)
        elif tag in ("decision", "lesson", "preference", "question"):
            self._statement(tag, text, place)
        elif tag in ("people", "companies", "projects"):
            self._about_entity(tag, text, place)
        elif tag == "status":
            self._status(text, place)
        else:
            self._plain(text, place)

    def _box(self, checked: bool, text: str, place: Place) -> None:
        if not checked:
            self.proposal.questions.append(Statement(text, place))
        elif normal(text) in self.open:
            self.proposal.answered.append(Statement(self.open[normal(text)], place))

    def _statement(self, tag: Tag, text: str, place: Place) -> None:
        lists = {
            "decision": self.proposal.decisions,
            "lesson": self.proposal.lessons,
            "preference": self.proposal.preferences,
            "question": self.proposal.questions,
        }
        lists[tag].append(Statement(text, place))

    def _about_entity(self, kind: str, text: str, place: Place) -> None:
        """`person: Ana Souza - runs the shop`: the entity, new or known, and what is said of it."""
        bracketed = _BRACKETED.match(text)
        name, _, said = (bracketed[1], "", bracketed[2]) if bracketed else _parted(text)
        entity = self._entity(kind, name, place, "named as one")
        if entity and said:
            self._fact(entity, said, place, text)

    def _entity(self, kind: str, name: str, place: Place, reason: str) -> str:
        """The entity called `name`; a new one of `kind` where there is none."""
        name = name.strip(" .\"'“”«»*_`[]")
        found = self.known.entity(name) or self.made.get(normal(name), "")
        if found:
            return found
        slug = slug_of(name)
        if not slug or len(name.split()) > 6:
            self.proposal.candidates.append(Candidate(name, place, "no name that could be an entity's"))
            return ""
        entity = f"{kind}/{slug}"
        self.made[normal(name)] = entity
        self.known.learn(name, entity)
        self.proposal.entities.append(FoundEntity(entity, place, name, triggers=(name.casefold(),), reason=reason))
        return entity

    def _fact(self, entity: str, text: str, place: Place, whole: str = "") -> None:
        related = dict.fromkeys(mention.entity for mention in self.known.mentions(whole or text))
        others = tuple(name for name in related if name != entity)
        self.proposal.facts.append(FoundFact(entity, text, place, phrases.category(text), related=others))

    def _status(self, text: str, place: Place) -> None:
        """`status: Loja - in production`: of the entity named first; of none it is a candidate."""
        first = next(iter(self.known.mentions(text)), None)
        if first is not None and not text[: first.start].strip(" *_`"):
            said = _LEAD.sub("", text[first.end :]).strip()
            if said:
                self.proposal.statuses.append(FoundStatus(first.entity, said, place))
                return
        self.proposal.candidates.append(Candidate(text, place, "a status of nothing that is known"))

    def _plain(self, text: str, place: Place) -> None:
        name, said = self.known.label(text)
        if name and self._labelled(name, said, place):
            return
        relative = phrases.relation(text)
        if relative:
            entity = self._entity("people", relative, place, "a direct relationship")
            if entity:
                self._fact(entity, text, place)
            return
        project = _NEW_PROJECT.search(text)
        if project:
            self._entity("projects", project[1], place, "a project that starts")
            return
        self._sentence(text, place)
        self._unknown(text, place)

    def _labelled(self, name: str, said: str, place: Place) -> bool:
        """`Ana: moved to Lisbon`: a fact of a known name; of an unknown one once it is mentioned often enough."""
        entity = self.known.entity(name) or self.made.get(normal(name), "")
        if not entity and self.mentions.get(name, 0) >= self.needed:
            kind = "companies" if phrases.COMPANY.search(name) else "people"
            entity = self._entity(kind, name, place, f"{self.mentions[name]} mentions")
        if not entity:
            count = self.mentions.get(name, 1)
            self.proposal.candidates.append(
                Candidate(f"{name}: {said}", place, f"{name} is mentioned {count} of {self.needed} times")
            )
            return True
        self._fact(entity, said, place, f"{name}: {said}")
        return True

    def _sentence(self, text: str, place: Place) -> None:
        """A sentence that starts with a known name and tells a change; with the name elsewhere it is unsure."""
        found = list(self.known.mentions(text))
        if not found or not (phrases.STATUS.search(text) or phrases.PREFERENCE.search(text)):
            return
        first = found[0]
        if text[: first.start].strip(' *_`["“'):
            self.proposal.candidates.append(Candidate(text, place, f"it may be about {first.entity}"))
            return
        self._fact(first.entity, text, place)

    def _unknown(self, text: str, place: Place) -> None:
        """Names without an entity: often enough mentioned they become one, else the mention stays in the note."""
        for name in self.known.unknown(text):
            count = self.mentions.get(name, 1)
            if normal(name) in self.made:
                continue
            if count < self.needed:
                self.proposal.candidates.append(Candidate(name, place, f"mentioned {count} of {self.needed} times"))
            elif phrases.COMPANY.search(name):
                self._entity("companies", name, place, f"{count} mentions")
            else:
                self._entity("people", name, place, f"{count} mentions")


def _parted(text: str) -> tuple[str, str, str]:
    """(name, separator, rest) of `Ana Souza - runs the shop`."""
    found = _SPLIT.search(text)
    return (text[: found.start()], found[0], text[found.end() :].strip()) if found else (text, "", "")

"""What an entity is called: canonical names (`people/jane`) out of the forms met in `relatedEntities`. Pure."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

ARCHIVES = "archives/"


@dataclass
class Names:
    """The entities of a workspace, for look-ups by canonical name, path suffix, slug and archive."""

    entities: frozenset[str]
    _by_slug: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, entities: Iterable[str]) -> Names:
        """Names of `entities`, given in canonical form."""
        names = cls(frozenset(entities))
        for entity in sorted(names.entities):
            names._by_slug[_key(entity.rpartition("/")[2])].append(entity)
        return names

    def resolve(self, written: str) -> str | None:
        """The entity that `written` means, or None where none does or several could.

        Tried in turn: the name itself (`people/jane`), its end (`areas/people/jane`, a path to its summary or facts),
        the same in the archive, and the slug alone where only one entity has it (a live one before archived ones).
        """
        tail = _tail(written)
        if tail in self.entities:
            return tail
        kind_and_slug = "/".join(tail.split("/")[-2:])
        for candidate in (kind_and_slug, ARCHIVES + kind_and_slug):
            if candidate in self.entities:
                return candidate
        candidates = self._by_slug.get(_key(tail.rpartition("/")[2]), [])
        kind = tail.split("/")[-2] if "/" in tail else ""
        same_kind = [name for name in candidates if not kind or name.split("/")[-2] == kind]
        return _only(same_kind or ([] if kind else candidates))


def _tail(written: str) -> str:
    name = written.strip().strip("/").removeprefix("[[").removesuffix("]]").partition("|")[0]
    for ending in ("/summary.md", "/items.json", ".md"):
        name = name.removesuffix(ending)
    return name


def _only(candidates: list[str]) -> str | None:
    live = [name for name in candidates if not name.startswith(ARCHIVES)]
    pool = live or candidates
    return pool[0] if len(pool) == 1 else None


def _key(slug: str) -> str:
    plain = unicodedata.normalize("NFKC", slug).casefold()
    return plain.replace("_", "-").replace(" ", "-")


def slug_of(name: str) -> str:
    """A file name for `name`: lower case, words joined by `-`, accents folded, other scripts kept. May be empty."""
    folded = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    bare = "".join(char for char in folded if not _is_latin_accent(char))
    plain = unicodedata.normalize("NFKC", bare).casefold()
    dashed = "".join(char if char.isalnum() or unicodedata.category(char).startswith("M") else "-" for char in plain)
    return "-".join(part for part in dashed.split("-") if part)


def _is_latin_accent(char: str) -> bool:
    return "\u0300" <= char <= "\u036f"

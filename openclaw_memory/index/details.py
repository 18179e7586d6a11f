"""What one mention of a file says: name, aliases, triggers, about, importance, rev, and where each stands."""

from __future__ import annotations

import posixpath
import re
import unicodedata

from openclaw_memory.index import triggers as words
from openclaw_memory.index.notes import notes
from openclaw_memory.index.words import says_nothing
from openclaw_memory.markdown import Document, cells, without_comments
from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from openclaw_memory.index.model import Mention

INLINE = pattern(
    r"(?:\A|(?<=[\s(（|.。;—–-]))[*_]*(?:triggers?|keywords?|gatilhos?|palavras-chave|palabras clave|Schlüsselwörter"
    r"|Auslöser|mots-clés|触发词?|关键词|キーワード)[*_]*\s*[:：][*_]*\s*(?P<words>[^)）<]*)",
    re.I,
)
_LINK = pattern(r"!?\[([^\[\]]*)\]\([^()]*\)")
_ITEM = pattern(r"[ \t>]*(?:[*+-]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|[ \t]*")
_ALIAS = pattern(r"[(（]([^()（）]{1,30})[)）]\Z")
_LABEL_END = pattern(r"(?:[:：=]|\s[-—–→|>]|→|—|–)\s*[(（\"'“]?\s*\Z")
_LEAD = pattern(r"\A\s*(?:[\"'”)）]\s*)?(?:[:：,，;；.]\s*|[-—–→=|>]+\s+|[—–→]\s*)?")
_ESCAPED = pattern(r"\\([\[\]\\`*_])")
_REV = pattern(r"[0-9a-f]{6,64}\Z")


class Parts(Record):
    """What a mention says; empty where it says nothing."""

    name: str = ""
    aliases: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    about: str = ""
    importance: int | None = None
    rev: str | None = None


def stem(path: str) -> str:
    """The short name of a path: `memory/people/jane/summary.md` is `jane`, `memory/archive/2025/` is `2025`."""
    parts = path.rstrip("/").split("/")
    if parts[-1] in ("summary.md", "README.md", "index.md") and len(parts) > 1:
        return parts[-2]
    return posixpath.splitext(parts[-1])[0] if not path.endswith("/") else parts[-1]


def read(document: Document, mention: Mention) -> Parts:
    """What the lines of `mention` say."""
    text, more, nested = _lines(document, mention)
    base = _row(text, mention) if mention.form == "row" else _line(text, mention)
    values = _values(text, more, nested)
    about = [base.about, *(_inline(without_comments(line).strip())[0] for line in more)]
    return base._replace(
        triggers=_triggers(() if mention.active else base.triggers, more, nested, values),
        about=" ".join(part for part in about if part) or values.get("about", ""),
        importance=_importance(values.get("importance", "")) or base.importance,
        rev=_rev(values.get("rev", "")) or base.rev,
    )


def read_triggers(document: Document, mention: Mention) -> tuple[str, ...]:
    """The triggers of `read` alone, for half its cost: every session start asks all entries for them."""
    text, more, nested = _lines(document, mention)
    if mention.active:
        own: tuple[str, ...] = ()
    elif mention.form == "row":
        own = _row(text, mention).triggers
    else:
        own = _inline(without_comments(text[mention.group[1] or mention.end :]))[1]
    return _triggers(own, more, nested, _values(text, more, nested))


def _lines(document: Document, mention: Mention) -> tuple[str, list[str], list[str]]:
    """The line with the path, the other lines of the item or row, and those nested below it."""
    text = document.lines[mention.line - 1].text
    more = [document.lines[n - 1].text for n in range(mention.first, mention.last + 1) if n != mention.line]
    return text, more, [document.lines[n - 1].text for n in mention.also]


def _values(text: str, more: list[str], nested: list[str]) -> dict[str, str]:
    return _comments("\n".join([text, *more, *nested]) if more or nested else text)


def _triggers(own: tuple[str, ...], more: list[str], nested: list[str], values: dict[str, str]) -> tuple[str, ...]:
    told = [*own]
    for line in more:
        told += _inline(without_comments(line).strip())[1]
    for line in nested:
        told += _inline(_ITEM.sub("", without_comments(line), count=1))[1]
    said = words.split(values.get("trigger", ""), cell=False)
    return words.unique([*told, *said]) if told else said


def rev(document: Document, mention: Mention) -> str | None:
    """The rev that the lines of `mention` carry: what `read` gives, without reading the rest."""
    text = document.lines[mention.line - 1].text
    at = text.rfind("<!-- rev: ") + 10
    if at > 9 and text[at + 6 : at + 10] == " -->" and _REV.match(text, at, at + 6):
        return str(text[at : at + 6])  # as `sync` writes it
    if "rev" in mention.roles:
        return read(document, mention).rev
    for number in (*range(mention.first, mention.last + 1), *mention.also):
        for note in notes(document.lines[number - 1].text):
            if note.key == "rev":
                return _rev(note.value)
    return None


def prefix_end(text: str) -> int:
    """Where the text of an item or line starts, behind marker and task box."""
    found = _ITEM.match(text)
    return found.end() if found else 0


def clean(text: str) -> str:
    """A name without emoji, bold marks, links and the colon or dash behind it."""
    text = _LINK.sub(r"\1", without_comments(text))
    text = "".join(char for char in text if not _is_decoration(char)).strip()
    return text.rstrip(":：—–→-=|>(（\"'“ ").strip("*_`~\"'“”[]— \t").strip()


def _is_decoration(char: str) -> bool:
    return not char.isascii() and (unicodedata.category(char) in ("So", "Cf", "Sk") or char in "\ufe0f\u20e3")


def is_label(before: str) -> bool:
    """Whether the text before a path names it: it ends in a colon, dash or arrow."""
    return bool(_LABEL_END.search(before, max(len(before) - 40, 0)))


def _named(text: str) -> tuple[str, tuple[str, ...]]:
    """(name, aliases) of a label: `ケン先輩 (Ken)`."""
    name = clean(text)
    found = _ALIAS.search(name, max(len(name) - 32, 0))
    if not found or len(found[1].split()) > 3 or not name[: found.start()].strip("*_` "):
        return name, ()
    return clean(name[: found.start()]), words.split(found[1])


def _line(text: str, mention: Mention) -> Parts:
    start = prefix_end(text)
    first, last = mention.group if mention.group[1] else (mention.start, mention.end)
    before, link, after = text[start:first], text[mention.start : mention.end], text[last:]
    before = before.removeprefix("\ufeff")
    after, inline = _inline(without_comments(after))
    about = _LEAD.sub("", after).strip(" \t*_—–|")
    shown = _shown(link)
    if is_label(before) or (before.strip() and not shown and len(before.split()) <= 4):
        name, aliases = _named(before)
    elif not clean(before):
        name, aliases = _named(shown) if shown else ("", ())
    else:
        name, aliases = _named(shown) if shown else ("", ())
        about = (clean(before) + " " + about).strip()
    if not name and shown:
        name, aliases = _named(shown)
    return Parts(name, aliases, tuple(inline), about)


def _shown(link: str) -> str:
    """The text a reader sees of a link, "" for code spans and bare paths."""
    if link.startswith("[["):
        return link[2:-2].partition("|")[2].strip()
    shown = link[1 : link.rindex("](")] if link.startswith("[") and "](" in link else ""
    return _ESCAPED.sub(r"\1", shown) if "\\" in shown else shown


def _inline(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` without its `Triggers: a, b`, and these."""
    found = INLINE.search(text)
    if not found:
        return text, ()
    return text[: found.start()].rstrip(" (（*_—–-"), words.split(found["words"].strip(" .*_"))


def _row(text: str, mention: Mention) -> Parts:
    values = {"name": "", "triggers": "", "about": "", "importance": "", "rev": ""}
    shown = _shown(text[mention.start : mention.end])
    for role, cell in zip(mention.roles, cells(text), strict=False):
        content = without_comments(cell.text).replace("\\|", "|").strip()
        role = "triggers" if role == "task" else role
        if role in values and not values[role]:
            values[role] = content
    name, aliases = _named(values["name"] or shown)
    about = "" if says_nothing(values["about"]) else values["about"]
    if cells_path_is_name(mention):
        name, aliases = _named(shown)
    rev = _rev(values["rev"])
    return Parts(name, aliases, words.split(values["triggers"]), about, _importance(values["importance"]), rev)


def cells_path_is_name(mention: Mention) -> bool:
    """Whether the row has no name column, so that the link's text is the name."""
    return "name" not in mention.roles


def _comments(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for note in notes(text):
        more = note.key == "trigger" and "trigger" in found
        found[note.key] = f"{found['trigger']},{note.value}" if more else found.get(note.key, note.value)
    return found


def _importance(text: str) -> int | None:
    digits = text.strip()
    return (
        int(digits)
        if digits.isascii() and digits.isdigit() and 1 <= len(digits) <= 2 and 1 <= int(digits) <= 10
        else None
    )


def _rev(text: str) -> str | None:
    rev = text.strip().lower()
    return rev[:6] if _REV.match(rev) else (rev or None)

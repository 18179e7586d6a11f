"""How a new line looks: in the form, bullet, column order and link style of the lines it joins.

Pure text building; where it goes is `place`'s matter.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from urllib.parse import quote

from openclaw_memory.errors import UsageError
from openclaw_memory.index import details
from openclaw_memory.index.model import Mention
from openclaw_memory.markdown import cells
from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Style: TypeAlias = "Literal['link', 'code', 'path', 'angle', 'wikilink']"

_NEEDS_ANGLES = pattern(r"[\s()\[\]]")
_NOT_BARE = pattern(r"[\s`|<>()\[\]{}\"'*,;:!?，、；：。（）「」“”→=#%\x00-\x1f\x7f\ud800-\udfff]")
_NOT_CODE = pattern(r"[`#|\x00-\x1f\x7f\ud800-\udfff]|<!--|\$\(")
_NOT_WIKI = pattern(r"[\[\]|#\x00-\x1f\x7f\ud800-\udfff]|<!--")
_NOT_ANGLE = pattern(r"[<>#%`\x00-\x1f\x7f\ud800-\udfff]|\A[A-Za-z][A-Za-z0-9-]*\s")  # or it is an HTML tag
_ENCODED = pattern(r"[#<>`\\\x00-\x1f\x7f\ud800-\udfff]|%(?=[0-9A-Fa-f]{2})")
_ABOUT_LEAD = pattern(r"\s*(?:[:：]|[-—–→=]+)\s+|：|\s")
_STARTS_A_BLOCK = pattern(r"\s*(?:[>#*+<=`~|:_-]|[0-9]{1,9}[.)]|\Z)")
_PAIRS = {"[": "]", "“": "”", **{mark: mark for mark in "\"'`*_~"}}
_NUMBER = pattern(r"(\d+)([.)])")


class Words(Record):
    """What an entry is to say; empty parts are left out."""

    name: str = ""
    triggers: tuple[str, ...] = ()
    about: str = ""
    importance: int | None = None
    rev: str | None = None


class LinkStyle(Record):
    """How a path is written: as `kind`, relative to `base`; `dot`: with `./`; `bare_stem`: without `.md`."""

    kind: Style = "link"
    base: str = ""
    dot: bool = False
    bare_stem: bool = False
    shows: Literal["name", "file", "path"] = "name"


def style_of(text: str, mention: Mention) -> LinkStyle:
    """The style of the link that `mention` is."""
    raw = text[mention.start : mention.end]
    target = text[mention.target_start : mention.target_end].partition("#")[0]
    kind: Style = "path"
    if raw.startswith("[["):
        kind = "wikilink"
    elif raw.startswith("`"):
        kind = "code"
    elif raw.startswith("["):
        kind = "link"
    elif raw.startswith("<"):
        kind = "angle"
    shown = raw[1 : raw.index("]")].strip("`") if kind == "link" and "]" in raw else ""
    shows: Literal["name", "file", "path"] = "name"
    if shown and shown in (target, mention.path):
        shows = "path"
    elif shown == posixpath.basename(mention.path):
        shows = "file"
    stem = kind == "wikilink" and not target.endswith(".md")
    return LinkStyle(kind, mention.base, target.startswith("./"), stem, shows)


def write_link(path: str, name: str, style: LinkStyle) -> str:
    """`path` as a link of `style`; where the style cannot hold it, as a Markdown link."""
    target = _relative(path, style)
    kind = style.kind
    if kind == "code" and not _NOT_CODE.search(target):
        return f"`{target}`"
    if kind == "path" and not _NOT_BARE.search(target):
        return target
    if kind == "wikilink" and not _NOT_WIKI.search(target + name):
        target = target.removesuffix(".md") if style.bare_stem else target
        return f"[[{target}|{name}]]" if name and name != details.stem(path) else f"[[{target}]]"
    if kind in ("path", "angle") and not _NOT_ANGLE.search(target):
        return f"<{target}>"
    text = {"name": name or slug(path), "file": posixpath.basename(path), "path": path}[style.shows]
    return f"[{_escaped(text)}]({destination(target)})"


def destination(target: str) -> str:
    """`target` as the destination of a Markdown link: in `<...>` where it holds spaces or brackets."""
    encoded = _ENCODED.sub(lambda found: quote(found[0], safe="", errors="surrogateescape"), target)
    return f"<{encoded}>" if _NEEDS_ANGLES.search(encoded) else encoded


def _relative(path: str, style: LinkStyle) -> str:
    if style.base.endswith("/"):  # an absolute or home folder stood before the path
        return style.base + path
    if style.base and not path.startswith(f"{style.base}/"):
        return path
    inner = path[len(style.base) + 1 :] if style.base else path
    return f"./{inner}" if style.dot else inner


def called(path: str, words: Words) -> str:
    """The name to write: the one given, else the path's; no backtick, which could pair with one of the link's."""
    return one_line(words.name).replace("`", "'") or slug(path)


def slug(path: str) -> str:
    """The short name of a path, fit to stand in a line."""
    return " ".join(re.sub(r"<!--|-->|[\x00-\x1f\x7f\ud800-\udfff]", " ", details.stem(path)).split())


def _escaped(text: str) -> str:
    return re.sub(r"([\[\]])", r"\\\1", one_line(text).replace("`", "'"))


def one_line(text: str) -> str:
    """`text` on one line, single-spaced. Raises UsageError where it holds comment marks."""
    if "<!--" in text or "-->" in text:
        raise UsageError(f"the text {text!r} holds an HTML comment mark", "leave `<!--` and `-->` out")
    return " ".join(text.split())


def comments(words: Words) -> str:
    """The comments that carry triggers, importance and rev, in the host's own syntax and order."""
    parts = [f"<!-- about: {one_line(words.about)} -->"] if words.about else []
    if words.triggers:
        parts.append(f"<!-- trigger: {', '.join(words.triggers)} -->")
    if words.importance is not None:
        parts.append(f"<!-- importance: {words.importance} -->")
    if words.rev:
        parts.append(f"<!-- rev: {words.rev} -->")
    return " ".join(parts)


def default_line(path: str, words: Words, bullet: str = "- ") -> str:
    """The line of design: `- [Name](path): about <!-- trigger: a, b --> <!-- rev: 3f9a1c -->`."""
    link = write_link(path, words.name, LinkStyle())
    about = one_line(words.about)
    said = f"{bullet}{link}: {about}" if about else f"{bullet}{link}"
    return " ".join(part for part in (said, comments(words._replace(about=""))) if part)


def like_item(text: str, mention: Mention, path: str, words: Words, *, number: int | None = None) -> str:
    """A new item (or line) that looks like the one `mention` stands in; `number` for an ordered one."""
    start = details.prefix_end(text) if mention.form == "item" else 0
    prefix = re.sub(r"\[[xX]\]", "[ ]", text[:start].replace("\ufeff", ""))
    if number is not None:
        prefix = _NUMBER.sub(lambda found: f"{number}{found[2]}", prefix, count=1)
    before = text[start : mention.start].replace("\ufeff", "")
    style = style_of(text, mention)
    mark, between = _label(before)
    about = one_line(words.about)
    if between and not mention.group[1] and not _STARTS_A_BLOCK.match(called(path, words)):
        said = f"{mark}{called(path, words)}{between}{write_link(path, words.name, style)}"
        separator = " — "
    elif details.clean(before) or mention.group[1]:
        said, separator = write_link(path, words.name, LinkStyle(base=style.base)), ": "
    else:
        said = write_link(path, words.name, style)
        separator = _separator(text[mention.end :]) or (": " if style.kind == "link" else " — ")
        if style.kind not in ("link", "wikilink") and not about and words.name not in ("", details.stem(path)):
            about = called(path, words)
    said = f"{said}{separator}{about}" if about else said
    return prefix + " ".join(part for part in (said, comments(words._replace(about=""))) if part)


def _label(before: str) -> tuple[str, str]:
    """(mark before the label, what stands between it and the path) of a `Label: path` line; ("", "") for others."""
    name = details.clean(before)
    at = before.find(name) if name else -1
    if at < 0 or not details.is_label(before):
        return "", ""
    between = before[at + len(name) :]
    if between[:2] in ("**", "__"):
        return between[:2], between
    if between[:3] in (":**", "：**"):
        return "**", "**: "
    mark = before[at - 1 : at]
    if mark and between.startswith(_PAIRS.get(mark, "\n")):
        return mark, between
    alias = re.match(r"\s*[(（][^()（）]*[)）]", between)
    return "", between[alias.end() :] if alias else between


def _separator(after: str) -> str:
    found = _ABOUT_LEAD.match(after)
    rest = after[found.end() :] if found else ""
    return found[0] if found and rest and not rest.startswith("<!--") else ""


def like_row(text: str, roles: Sequence[str], path: str, words: Words, style: LinkStyle) -> str:
    """A new table row with the columns of `roles`, spaced as the row `text` is."""
    name = called(path, words)
    named = "name" in roles
    shown = style._replace(shows="name") if not named and style.kind == "link" and style.shows == "name" else style
    fields = {
        "path": write_link(path, name, shown),
        "name": name,
        "triggers": ", ".join(words.triggers),
        "task": ", ".join(words.triggers),
        "about": one_line(words.about),
        "importance": str(words.importance or ""),
        "rev": words.rev or "",
    }
    spoken: set[str] = set()
    values = []
    for role in roles:
        values.append("" if role in spoken else fields.get(role, ""))
        spoken.add(role)
    rest = Words(
        triggers=() if spoken & {"triggers", "task"} else words.triggers,
        about="" if "about" in spoken else words.about,
        importance=None if "importance" in spoken else words.importance,
        rev=None if "rev" in spoken else words.rev,
    )
    values[-1] = " ".join(part for part in (values[-1], comments(rest)) if part)
    return _join_row(text, [value.replace("|", "\\|") for value in values])


def _join_row(text: str, values: Sequence[str]) -> str:
    """`values` between pipes as `text` has them: outer pipes, and cells padded to the width of its columns."""
    body = text.strip(" \t\ufeff")
    indent = text.replace("\ufeff", "")[: len(text) - len(text.lstrip(" \t\ufeff"))]
    found = cells(text)
    widths = [0] * len(values)
    inner = body.removeprefix("|").split("|") if "\\" not in body else []
    if len(inner) >= len(values) and any(cell.endswith("  ") for cell in inner[: len(values)]):
        widths = [max(len(cell) - 2, 0) for cell in inner[: len(values)]]
    tight = bool(found) and body.startswith("|") and not body[1:2].isspace() and bool(found[0].text)
    gap = "" if tight else " "
    padded = [value.ljust(width) for value, width in zip(values, widths, strict=True)]
    row = f"{gap}|{gap}".join(padded)
    head = f"|{gap}" if body.startswith("|") or _STARTS_A_BLOCK.match(row) else ""
    tail = f"{gap}|" if body.endswith("|") and len(body) > 1 else ""
    return indent + head + (row if tail else row.rstrip()) + tail

"""Every way a line of Markdown names a file: links, definitions, wikilinks, code spans, bare paths.

Works on text outside fences and HTML comments (`document_links` leaves those out). Finds, does not resolve.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from openclaw_memory.markdown.comments import comments
from openclaw_memory.markdown.document import Document
from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Kind: TypeAlias = "Literal['link', 'image', 'definition', 'wikilink', 'embed', 'code', 'angle', 'path']"

_TICKS = pattern(r"(?<!\\)`+")
_WIKI = pattern(r"(!?)\[\[([^\[\]|]+)(?:\|([^\[\]]*))?\]\]")
_LINK = pattern(
    r"(!?)\[((?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+)\]\("
    r"[ \t]*+(?:<([^<>]*+)>|([^\s()<]*+(?:\([^\s()]*+\)[^\s()]*+)*+))"
    r"(?:[ \t]++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?[ \t]*+\)"
)
_SPACED = pattern(  # as people write it
    r"(!?)\[((?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+)\]\([ \t]*+((?:[^()<>]|\([^()<>]*+\))*+)\)"
)
_TITLE = pattern(r"[ \t](?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\))[ \t]*\Z")
_DEFINITION = pattern(r" {0,3}\[([^\[\]]+)\]:[ \t]*(?:<([^<>]*)>|(\S+))")
_ANGLE = pattern(r"<([^<>]+)>")
_URL = pattern(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PATH = pattern(r"(?:~/|\.{1,2}/|/)?[^\s`|<>()\[\]{}\"'*,;:!?，、；：。（）「」“”→=]+")
_LOOKS = pattern(r"[^/]\.(?:md|markdown|json|yaml|yml|txt)(?:#\S*)?\Z|/\Z", re.I)


class Link(Record):
    """One mention of a file: `target` as written without anchor and unquoted, from `start` to `end` in the text.

    `target_start` to `target_end` is where path and anchor stand; `text` is what a reader sees; `anchor` has its `#`.
    """

    kind: Kind
    target: str
    text: str
    start: int
    end: int
    target_start: int
    target_end: int
    anchor: str = ""


def looks_like_path(text: str) -> bool:
    """Whether a code span or a bare word names a file or folder: `x.md`, `memory/x/`, not `send()` or a URL."""
    return (
        len(text) <= 4096 and bool(_LOOKS.search(text)) and not _URL.match(text) and text != "/" and "://" not in text
    )


def links(text: str) -> list[Link]:
    """The links of `text` (a line, or any part of a file without fences), in order, none inside another."""
    taken = [(span.start, span.end) for span in comments(text)] if "<!--" in text else []
    found: list[Link] = []
    for link in _candidates(text):
        at = bisect_left(taken, (link.start, link.end))
        after_the_one_before = at == 0 or taken[at - 1][1] <= link.start
        if after_the_one_before and (at == len(taken) or link.end <= taken[at][0]):
            taken.insert(at, (link.start, link.end))
            if link.target:
                found.append(link)
    return sorted(found, key=lambda link: link.start)


def document_links(document: Document) -> Iterator[tuple[int, Link]]:
    """(line number, link) of the links outside front matter, code blocks, HTML blocks and comments."""
    for block in document.blocks:
        if block.kind in ("heading", "table", "item", "paragraph", "quote"):
            for line in document.lines[block.first - 1 : block.last]:
                yield from ((line.number, link) for link in links(line.text))


def _candidates(text: str) -> Iterator[Link]:
    """All matches, those that win over others first."""
    if "`" in text:
        yield from (_code(text, *span) for span in _code_spans(text))
    if "[" in text:
        yield from (_wiki(match) for match in _WIKI.finditer(text))
        links = [*_LINK.finditer(text)]
        yield from (_link(match) for match in links)
        if text.count("](") > len(links):
            spaced = (_spaced(match) for match in _SPACED.finditer(text))
            yield from (link for link in spaced if looks_like_path(link.target + link.anchor))
        if definition := _DEFINITION.match(text):
            yield _made("definition", definition, 2 if definition[2] is not None else 3, definition[1], decode=True)
    if "<" in text:
        yield from (_angle(match) for match in _ANGLE.finditer(text))
    yield from _bare(text)


def _unquoted(path: str) -> str:
    from urllib.parse import unquote  # costs a hook 2 ms, and few links need it

    return unquote(path, errors="surrogateescape")


def _made(
    kind: Kind, match: re.Match[str], group: int, text: str, *, decode: bool = False, end: int | None = None
) -> Link:
    """The link whose target is `group`, up to `end` in it."""
    start = match.start(group)
    raw = match[group][:end].rstrip()
    path, hash_, anchor = raw.partition("#")
    target = _unquoted(path) if decode and "%" in path else path
    return Link(kind, target, text, match.start(), match.end(), start, start + len(raw), hash_ + anchor)


def _code_spans(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, ticks) of the code spans: a run of backticks up to the next run of the same length."""
    runs = [match.span() for match in _TICKS.finditer(text)]
    following: dict[int, list[int]] = {}
    for at in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[at][1] - runs[at][0], []).append(at)
    at = 0
    while at < len(runs):
        same = following[runs[at][1] - runs[at][0]]
        while same and same[-1] <= at:
            same.pop()
        if same:
            yield runs[at][0], runs[same[-1]][1], runs[at][1] - runs[at][0]
            at = same[-1]
        at += 1


def _code(text: str, start: int, end: int, ticks: int) -> Link:
    inside = text[start + ticks : end - ticks]
    inner = inside.strip()
    at = start + ticks + len(inside) - len(inside.lstrip())
    if not looks_like_path(inner):
        return Link("code", "", inner, start, end, at, at)
    path, hash_, anchor = inner.partition("#")
    return Link("code", path, inner, start, end, at, at + len(inner), hash_ + anchor)


def _wiki(match: re.Match[str]) -> Link:
    kind: Kind = "embed" if match[1] else "wikilink"
    return _made(kind, match, 2, (match[3] or match[2]).strip())


def _link(match: re.Match[str]) -> Link:
    group = 3 if match[3] is not None else 4
    made = _made("image" if match[1] else "link", match, group, match[2], decode=True)
    return made._replace(target="") if _URL.match(made.target) else made


def _spaced(match: re.Match[str]) -> Link:
    """A link whose path holds spaces, and no `<...>` around it: none for CommonMark, but it is clear what is meant."""
    title = _TITLE.search(match[3])
    return _made("image" if match[1] else "link", match, 3, match[2], decode=True, end=title and title.start())


def _angle(match: re.Match[str]) -> Link:
    made = _made("angle", match, 1, match[1])
    return made if looks_like_path(made.target) else made._replace(target="")


def _bare(text: str) -> Iterator[Link]:
    if "." not in text and "/" not in text:
        return
    for match in _PATH.finditer(text):
        word = match[0].rstrip(".…")
        if looks_like_path(word) and not _is_pattern(text, match):
            path, hash_, anchor = word.partition("#")
            start, end = match.start(), match.start() + len(word)
            yield Link("path", path, word, start, end, start, end, hash_ + anchor)


def _is_pattern(text: str, match: re.Match[str]) -> bool:
    """Whether a bare word is a part of something longer: `memory/[name].md`, `https://x/y.md`, `**/*.md`."""
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    return (
        before in (":", "@", "*", "}") or after in ("[", "{", "<", "*") or (before in ("]", ">") and match[0][0] == ".")
    )

"""Rewrites links when files move: in the index and in any other Markdown text. Pure; anchors and style are kept."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Mapping

from openclaw_memory.index import details
from openclaw_memory.index.forms import LinkStyle, Style, destination, write_link
from openclaw_memory.index.model import Index
from openclaw_memory.index.parse import parse
from openclaw_memory.index.resolve import Resolved, Resolver
from openclaw_memory.markdown import Link, document_links, replace_lines, scan

Moved = Callable[[str], str]


def moved_by(moves: Mapping[str, str]) -> Moved:
    """A function from old to new path. `moves` names files and, with a trailing slash, folders with all in them."""
    folders = {old: new for old, new in moves.items() if old.endswith("/")}

    def moved(path: str) -> str:
        if path in moves:
            return moves[path]
        cut = path.rfind("/") if folders else -1
        while cut > 0:
            if path[: cut + 1] in folders:
                return folders[path[: cut + 1]] + path[cut + 1 :]
            cut = path.rfind("/", 0, cut)
        return path

    return moved


class Relinker:
    """Rewrites the links of any file of a workspace for a set of moves, so that each still means the same file."""

    def __init__(
        self,
        files: Collection[str],
        moves: Mapping[str, str],
        exists: Callable[[str], bool] | None = None,
        *,
        index_path: str = "",
        link_base: str = "auto",
    ):
        """`files` are the workspace's files before the moves; `link_base` is that of the paths in `index_path`."""
        self.moved = moved_by(moves)
        self._index_path, self._link_base = index_path, link_base
        self._old = Resolver(files, exists)
        after = frozenset(self.moved(path) for path in self._old.files)
        gone = (
            self._old.files - after if isinstance(self._old.files, (set, frozenset)) else set(self._old.files) - after
        )
        there = None if exists is None else lambda path: path not in gone and exists(path)
        self._new = Resolver(after, there)
        self._names = {details.stem(old).casefold() for old in moves} | {
            posixpath.basename(old.rstrip("/")).casefold() for old in moves
        }

    def index(self, text: str, path: str) -> Index:
        """`text` read as the index at `path`, after the moves."""
        base = self._base(path)
        return parse(text, self._new.files, index_path=path, exists=self._new.exists, link_base=base)

    def _base(self, path: str) -> str:
        return self._link_base if path == self._index_path else "auto"

    def concerns(self, text: str, path: str) -> bool:
        """Whether `relink` could change the text of `path`: it moves itself, or names something that does."""
        if self.moved(path) != path:
            return True
        folded = text.casefold().replace("%20", " ")
        return any(name in folded for name in self._names)

    def relink(self, text: str, path: str) -> str:
        """`text`, which stood in `path` before the moves, with every link that leads somewhere still leading there."""
        self._old.base = self._new.base = self._base(path)
        document = scan(text)
        new_lines: dict[int, str] = {}
        found: dict[int, list[Link]] = {}
        for number, link in document_links(document):
            found.setdefault(number, []).append(link)
        for number, links in found.items():
            line = document.lines[number - 1].text
            for link in reversed(links):
                line = self._rewritten(line, link, path)
            new_lines[number] = line
        return replace_lines(text, new_lines)

    def _rewritten(self, line: str, link: Link, path: str) -> str:
        wiki = link.kind in ("wikilink", "embed")
        target = link.target.replace("\\|", "|")
        was = self._old.resolve(target, posixpath.dirname(path), wiki=wiki)
        if was.status not in ("ok", "wrong-case") or not was.path:
            return line
        now, home = self.moved(was.path), posixpath.dirname(self.moved(path))
        if self._means(target, home, now, wiki=wiki):
            return line
        return _with(line, link, self._target(link, was, now, path), was.path, now)

    def _means(self, target: str, home: str, path: str, *, wiki: bool) -> bool:
        resolved = self._new.resolve(target, home, wiki=wiki)
        return resolved.status == "ok" and resolved.path == path

    def _target(self, link: Link, was: Resolved, now: str, path: str) -> str:
        """How `now` is written from the file at `path`: relative to what the old target was, if that works."""
        home = posixpath.dirname(self.moved(path))
        wiki = link.kind in ("wikilink", "embed")
        stem = wiki and not link.target.endswith(".md")
        ending = now.removesuffix(".md") if stem else now
        for written in self._ways(link, was, ending, home, from_folder=was.base == posixpath.dirname(path) != ""):
            if self._means(written, home, now, wiki=wiki):
                return written
        return ending

    @staticmethod
    def _ways(link: Link, was: Resolved, now: str, home: str, *, from_folder: bool) -> list[str]:
        relative = posixpath.relpath(now.rstrip("/"), home or ".") + ("/" if now.endswith("/") else "")
        if link.target.startswith("./") and not relative.startswith("."):
            relative = f"./{relative}"
        if was.base.endswith("/"):
            return [was.base + now]
        if link.kind in ("wikilink", "embed") and "/" not in link.target:
            return [posixpath.basename(now), now]
        if from_folder or link.target.startswith("."):
            return [relative, now]
        if was.base and now.startswith(f"{was.base}/"):
            return [now[len(was.base) + 1 :], now]
        return [now, relative]


def pointed(text: str, target: str, path: str, home: str, resolver: Resolver) -> str:
    """The index `text`, which stands in the folder `home`, with each link that says `target` meaning `path` alone."""
    document = scan(text)
    new_lines: dict[int, str] = {}
    for number, link in reversed([*document_links(document)]):
        if link.target.replace("\\|", "|") == target:
            line = new_lines.get(number, document.lines[number - 1].text)
            wiki = link.kind in ("wikilink", "embed")
            new_lines[number] = _with(line, link, _unmistakable(path, home, resolver, wiki=wiki), target, path)
    return replace_lines(text, new_lines)


def _unmistakable(path: str, home: str, resolver: Resolver, *, wiki: bool) -> str:
    """`path` as it is written in the folder `home` so that it fits no other file: from the root where that will do."""
    relative = posixpath.relpath(path, home or ".")
    ways = [path, relative if relative.startswith(".") else f"./{relative}"]
    ways = [way.removesuffix(".md") for way in ways] if wiki else ways
    for way in ways:
        found = resolver.resolve(way, home, wiki=wiki)
        if found.path == path and len(found.candidates) <= 1:
            return way
    return ways[-1]


def _with(line: str, link: Link, new: str, old: str, now: str) -> str:
    """`line` with `new` as the target of `link`, which led to `old` and leads to `now`."""
    if link.kind in ("code", "path", "angle", "wikilink", "embed"):
        return line[: link.start] + _whole(line, link, new, now) + line[link.end :]
    written = destination(new)
    start, end = link.target_start, link.target_end - len(link.anchor)
    if line[start - 1 : start] == "<" and written.startswith("<"):
        written = written[1:-1]
    elif written.startswith("<"):
        written = written[:-1] + link.anchor + ">"
        end = link.target_end
    shown = {line[start:end]: now, posixpath.basename(old): posixpath.basename(now)}.get(link.text)
    head = line[: link.start]
    middle = line[link.start : start]
    if shown and link.kind == "link":
        middle = middle.replace(f"[{link.text}]", f"[{shown}]", 1)
    return head + middle + written + line[end:]


def _whole(line: str, link: Link, new: str, now: str) -> str:
    """A link that is not a Markdown one, whole: it may have to change its kind for the new path."""
    raw = line[link.start : link.end]
    if link.kind in ("wikilink", "embed"):
        inside = line[link.target_start : link.target_end]
        return raw.replace(inside, new + link.anchor, 1)
    kinds: dict[str, Style] = {"code": "code", "path": "path", "angle": "angle"}
    written = write_link(new, details.stem(now), LinkStyle(kinds[link.kind]))
    if not link.anchor:
        return written
    return written[:-1] + link.anchor + written[-1] if written[-1] in "`>)" else written + link.anchor

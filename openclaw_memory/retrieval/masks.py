"""Masks of collections: a comma list of globs below the folder. Pure functions over posix paths.

`*` stays inside a name, `**` crosses folders, `?`, `[...]` and `{a,b}` are as in a shell; the ending of a name is
matched in any case (`NOTE.MD`). A glob without a slash fits a name at the top only, as in QMD.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from openclaw_memory.patterns import pattern

_PART = pattern(r"\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|\{|\}|,|[^*?\[{},]+|.")

_SIGNS = frozenset("*?[{")


@lru_cache(64)
def matcher(mask: str) -> Callable[[str], object]:
    """A test for paths below the folder."""
    globs = split(mask)
    endings = tuple(ending for glob in globs for ending in _endings(glob))
    plain = frozenset(glob for glob in globs if _SIGNS.isdisjoint(glob))

    def fits(path: str) -> object:
        # `**/*.md` and `MEMORY.md` need no regular expression, and are what nearly all fit
        return path.endswith(endings) or path in plain or path.lower().endswith(endings) or _whole(mask)(path)

    return fits


def _endings(glob: str) -> tuple[str, ...]:
    """The endings (`.md`) of a glob that says nothing else, as `**/*.{md,markdown}`; none of any other glob."""
    ending = glob.removeprefix("**/*.")
    several = ending[:1] == "{" and ending[-1:] == "}"
    endings = ending[1:-1].split(",") if several else [ending]
    plain = ending != glob and all(one.isalnum() for one in endings)
    return tuple(f".{one.lower()}" for one in endings) if plain else ()


@lru_cache(64)
def _whole(mask: str) -> Callable[[str], object]:
    return re.compile("|".join(f"(?:{_regex(glob)})" for glob in split(mask)), re.DOTALL).fullmatch


def split(mask: str) -> list[str]:
    """The globs of a comma list; commas inside braces stay."""
    globs, depth, start = [], 0, 0
    for at, char in enumerate(mask):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            globs.append(mask[start:at])
            start = at + 1
    return [glob for glob in (part.strip() for part in (*globs, mask[start:])) if glob]


def wrong(mask: str) -> str:
    """What keeps a mask, or a glob of it, from ever fitting a path below the folder; "" where nothing does."""
    globs = split(mask)
    if not globs:
        return "holds no glob"
    out = next((glob for glob in globs if glob.startswith("/") or ".." in glob.split("/")), "")
    return f"leads out of the folder with {out!r}" if out else ""


def hidden_roots(mask: str) -> frozenset[str]:
    """The dot folders that the mask names, which are walked only because of that."""
    return frozenset(part for glob in split(mask) for part in glob.split("/")[:-1] if part.startswith("."))


def depth(mask: str) -> int | None:
    """How many folders deep the mask reaches; None for any depth."""
    globs = split(mask)
    return None if any("**" in glob for glob in globs) else max((glob.count("/") for glob in globs), default=0)


def _regex(glob: str) -> str:
    glob = glob.removeprefix("./")
    stem, dot, ending = glob.rpartition(".")
    if dot and "/" not in ending and "[" not in ending and "*" not in ending:
        return _translate(stem) + r"\.(?i:" + _translate(ending) + ")"
    return _translate(glob)


def _translate(glob: str) -> str:
    out, depth = "", 0
    for part in _PART.findall(glob):
        if part == "**/":
            out += "(?:[^/]+/)*"
        elif part == "**":
            out += ".*"
        elif part == "*":
            out += "[^/]*"
        elif part == "?":
            out += "[^/]"
        elif part[0] == "[" and len(part) > 2:
            out += _set(part)
        elif part == "{":
            depth += 1
            out += "(?:"
        elif part == "}" and depth:
            depth -= 1
            out += ")"
        elif part == "," and depth:
            out += "|"
        else:
            out += re.escape(part)
    return out + ")" * depth


def _set(part: str) -> str:
    """`[a-z]` or `[!a-z]` as a regular expression; one that is none (`[z-a]`) means its own characters."""
    negated = part[1] in "!^"
    body = re.sub(r"[\\\[\]&~|^]|--", lambda found: re.escape(found[0]), part[1 + negated : -1])
    found = f"[{'^' * negated}{body}]"
    try:
        re.compile(found)
    except re.error:
        return re.escape(part)
    return found

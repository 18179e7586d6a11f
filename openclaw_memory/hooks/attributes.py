"""The lines of `.gitattributes` that give the index and the facts to our merge driver. Pure: text in, text out."""

from __future__ import annotations

from collections.abc import Sequence

FILE = ".gitattributes"
DRIVER = "openclaw-memory"
_FACTS = ("items.json*", "items.y*ml", "facts.json*", "facts.y*ml")
_STATE = ("memory/decay.json", "memory/quarantine.json")


def patterns(index: str = "MEMORY.md", roots: Sequence[str] = ("memory",)) -> list[str]:
    """The files that the driver merges, relative to the workspace: its index, and what lies below its `roots`."""
    return [index, *(f"{root}/**/{name}" for root in roots for name in _FACTS), *_STATE]


def sample(pattern: str) -> str:
    """The path of a file that `pattern` fits."""
    return pattern.replace("/**/", "/people/jane/").replace("y*ml", "yaml").replace("json*", "json")


def line(pattern: str) -> str:
    """The line for `pattern`, relative to the folder of `.gitattributes`, quoted where git wants it."""
    if any(char.isspace() or char == '"' for char in pattern):
        pattern = '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{pattern} merge={DRIVER}"


def added(text: str, wanted: Sequence[str]) -> str:
    """`text` with the lines it lacks at its end, in its own line ends; a missing final line end stays missing."""
    there = text.splitlines()
    missing = [line(pattern) for pattern in wanted if line(pattern) not in there]
    if not missing:
        return text
    eol = "\r\n" if "\r\n" in text else "\n"
    if not text or text.endswith("\n"):
        return text + "".join(row + eol for row in missing)
    return text + "".join(eol + row for row in missing)


def removed(text: str, wanted: Sequence[str]) -> str:
    """`text` without the lines; the inverse of `added`."""
    ours = {line(pattern) for pattern in wanted}
    lines = text.splitlines(keepends=True)
    kept = [each for each in lines if each.rstrip("\r\n") not in ours]
    if kept and kept[-1] is not lines[-1] and not lines[-1].endswith("\n"):
        kept[-1] = kept[-1].rstrip("\r\n")
    return "".join(kept)

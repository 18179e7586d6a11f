"""The line of `.gitattributes` that gives the index to our merge driver. Pure: text of the file in, text out."""

from __future__ import annotations

FILE = ".gitattributes"
DRIVER = "openclaw-memory"


def line(index: str) -> str:
    """The line for the file `index`, relative to the folder of `.gitattributes`, quoted where git wants it."""
    if any(char.isspace() or char == '"' for char in index):
        index = '"' + index.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{index} merge={DRIVER}"


def added(text: str, index: str) -> str:
    """`text` with the line at its end, in its own line ends; a missing final line end stays missing."""
    eol = "\r\n" if "\r\n" in text else "\n"
    if line(index) in text.splitlines():
        return text
    if not text or text.endswith("\n"):
        return text + line(index) + eol
    return text + eol + line(index)


def removed(text: str, index: str) -> str:
    """`text` without the line; the inverse of `added`."""
    lines = text.splitlines(keepends=True)
    kept = [each for each in lines if each.rstrip("\r\n") != line(index)]
    if kept and kept[-1] is not lines[-1] and not lines[-1].endswith("\n"):
        kept[-1] = kept[-1].rstrip("\r\n")
    return "".join(kept)

"""Edit a JSON text a person keeps by hand: add or remove one value and leave every other byte as it is.

Knows JSON and white space only; what the values mean it must not know.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # the standard library's own reader of one string

from openclaw_memory.errors import FormatError

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")


@dataclass
class Node:
    """One value of the text: it spans `start` to `end`; `items` are its parts, with `keys` where it is an object.

    `begins` holds where each part begins: at its key in an object, at its value in an array.
    """

    start: int
    end: int = 0
    kind: str = "scalar"
    keys: list[str] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """The value of `key` in an object; the last one counts, as JSON readers have it."""
        found = [item for name, item in zip(self.keys, self.items, strict=True) if name == key]
        return found[-1] if found else None


def parse(text: str, where: str) -> Node:
    """The tree of `text`. Raises FormatError, naming `where` and the line, for what is not JSON (comments included)."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: {_reason(text, error)}", "make it plain JSON, or add the hooks by hand") from error
    return _value(text, _SPACE.match(text, 1 if text.startswith("\ufeff") else 0).end())  # type: ignore[union-attr]


def _reason(text: str, error: Exception) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return "it is nested too deeply"
    rest = error.doc[error.pos :].lstrip()
    if rest.startswith(("//", "/*")):
        return f"line {error.lineno} holds a comment, which plain JSON has not and which an edit could lose"
    if rest.startswith(("}", "]")) or "trailing comma" in error.msg:
        return f"line {error.lineno} follows a trailing comma, which plain JSON has not"
    return f"line {error.lineno} is not JSON: {error.msg}"


def _value(text: str, at: int) -> Node:
    if text[at] in "{[":
        return _container(text, at)
    if text[at] == '"':
        return Node(at, scanstring(text, at + 1)[1])
    found = _SCALAR.match(text, at)
    return Node(at, found.end() if found else at + 1)


def _container(text: str, at: int) -> Node:
    node = Node(at, kind="object" if text[at] == "{" else "array")
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        node.begins.append(at)
        if node.kind == "object":
            key, at = scanstring(text, at + 1)
            node.keys.append(key)
            at = _skip(text, _skip(text, at) + 1)
        node.items.append(_value(text, at))
        at = _skip(text, node.items[-1].end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    node.end = at + 1
    return node


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def append(text: str, node: Node, value: object, key: str | None = None) -> str:
    """`text` with `value` as the last part of the container `node`, in the text's own indentation and line ends."""
    inline = bool(node.items) and "\n" not in text[node.start : node.end]
    unit, eol = _unit(text), "\r\n" if "\r\n" in text else "\n"
    outer = _indent(text, node.start)
    inner = outer + unit
    body = json.dumps(value, ensure_ascii=False, indent=None if inline else unit).replace("\n", eol + inner)
    part = body if key is None else f"{json.dumps(key, ensure_ascii=False)}: {body}"
    if inline:
        return _insert(text, node.items[-1].end, f", {part}")
    if node.items:
        return _insert(text, node.items[-1].end, f",{eol}{inner}{part}")
    return text[: node.start + 1] + f"{eol}{inner}{part}{eol}{outer}" + text[node.end - 1 :]


def remove(text: str, node: Node, position: int) -> str:
    """`text` without the part at `position` of the container `node`, its comma and its white space."""
    begin, end = node.begins[position], node.items[position].end
    if len(node.items) == 1:
        return text[: node.start + 1] + text[node.end - 1 :]
    if position:
        return text[: node.items[position - 1].end] + text[end:]
    return text[:begin] + text[node.begins[1] :]


def replace(text: str, node: Node, value: object) -> str:
    """`text` with `value` in the place of `node`."""
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


def _insert(text: str, at: int, more: str) -> str:
    return text[:at] + more + text[at:]


def _indent(text: str, at: int) -> str:
    """The white space at the start of the line that holds `at`."""
    line = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, line)
    return found[0] if found else ""


def _unit(text: str) -> str:
    """One step of indentation: the first one in the text, else two spaces."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "

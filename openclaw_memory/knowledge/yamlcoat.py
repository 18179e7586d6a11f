"""Facts in YAML (a list, or a list under a key): spans of each fact, and edits that touch nothing else.

yaml is imported inside functions: most workspaces have none of these files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from openclaw_memory.errors import FormatError
from openclaw_memory.knowledge.jsoncoat import LIST_KEYS
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_PLAIN = re.compile(r"[^\W\d_](?:[^:#\n\"'\\{}\[\],&*!|>%@`]|:(?=\S)|(?<=\S)#)*(?<!\s)$")
_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_COMMENT = re.compile(r"(?:[ \t]+#[^\r\n]*)?")  # behind a value, on its line
_ISO = re.compile(r"\d{4}-\d\d-\d\d$")


@dataclass(frozen=True, slots=True)
class Parsed:
    """`records[i]` stands at `spans[i]` (from its first key to the end of its last value)."""

    text: str
    records: list[object]
    spans: list[tuple[int, int]]
    nodes: list[Any]
    sequence: Any


def parse(text: str, path: str) -> Parsed:
    """The records of a YAML list of facts. Raises FormatError naming line and column."""
    import yaml

    body = text[1:] if text.startswith("\ufeff") else text
    shift = len(text) - len(body)
    try:
        loader = _loader()(body)
        root = loader.get_single_node()
        sequence = _sequence(root, path)
        nodes = list(sequence.value) if sequence else []
        records = [loader.construct_document(node) for node in nodes]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else path
        raise FormatError(
            f"{where}: {error.problem or error.context or 'not YAML'}", "put that place right; nothing was changed"
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FormatError(f"{path}:1:1: {error}", "put that place right; nothing was changed") from None
    spans = [(node.start_mark.index + shift, _end(node, body) + shift) for node in nodes]
    return Parsed(text, records, spans, nodes, sequence)


@cache
def _loader() -> Any:
    """PyYAML's safe loader without its own reading of dates: one day that does not exist would lose the whole file."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        pass

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in Loader.yaml_implicit_resolvers.items()
    }
    return Loader


def _sequence(root: Any, path: str) -> Any:
    if root is None:
        return None
    if root.id == "sequence":
        return root
    if root.id == "mapping":
        for wanted in LIST_KEYS:
            for key, value in root.value:
                if key.value == wanted and (value.id == "sequence" or value.value == ""):
                    return value if value.id == "sequence" else None
    raise FormatError(
        f"{path}:1:1: no list of facts here (looked for a list, or one under {', '.join(LIST_KEYS)})",
        "put the facts in a list; nothing was changed",
    )


def _end(node: Any, body: str) -> int:
    """Where the content of `node` ends: PyYAML's end mark of a block collection is where the next token starts."""
    if node.id == "scalar":
        end = int(node.end_mark.index)
        if node.style in ("|", ">"):
            return int(node.start_mark.index) + len(body[node.start_mark.index : end].rstrip())
        return end
    if node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last, body)


def edits(parsed: Parsed, index: int, values: Mapping[str, object]) -> list[tuple[int, int, str]]:
    """What to replace so that record `index` carries `values` (keys as written in it), as (from, to, new text)."""
    node = parsed.nodes[index]
    body, shift = _body(parsed)
    present = {key.value: (key, value) for key, value in node.value}
    changes: list[tuple[int, int, str]] = []
    fresh: list[str] = []
    for key, value in values.items():
        written = _scalar(value, _dates(parsed, key))
        if key in present:
            changes.append(_replace(*present[key], written, body, shift))
        else:
            fresh.append(f"{_scalar(key)}: {written}")
    if fresh:
        at = parsed.spans[index][1]
        if node.flow_style:
            changes.append((at - 1, at - 1, (", " if node.value else "") + ", ".join(fresh)))
        else:
            margin = _eol(parsed.text) + " " * node.start_mark.column
            at = _COMMENT.match(parsed.text, at).end()  # type: ignore[union-attr]
            changes.append((at, at, "".join(margin + row for row in fresh)))
    return changes


def _body(parsed: Parsed) -> tuple[str, int]:
    shift = 1 if parsed.text.startswith("\ufeff") else 0
    return parsed.text[shift:], shift


def _replace(key: Any, value: Any, written: str, body: str, shift: int) -> tuple[int, int, str]:
    start, end = value.start_mark.index, _end(value, body)
    if start == end:  # `key:` with nothing behind it
        colon = body.index(":", key.end_mark.index) + 1
        return colon + shift, colon + shift, f" {written}"
    return start + shift, end + shift, written


def _dates(parsed: Parsed, key: str) -> bool:
    """Whether the file writes days under `key` without quotes, which YAML takes for dates."""
    return any(
        name.value == key and value.id == "scalar" and not value.style and _ISO.match(value.value)
        for node in parsed.nodes[:20]
        if node.id == "mapping"
        for name, value in node.value
    )


def _scalar(value: object, bare_dates: bool = False) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        if bare_dates and _ISO.match(value):
            return value
        return value if _is_plain(value) else _json(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_scalar(item) for item in value) + "]"
    return _json(value)


def _json(value: object) -> str:
    """JSON, which YAML reads too once the characters that it does not allow as they are are escaped."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _is_plain(text: str) -> bool:
    """Whether YAML reads `text` back as the same text without quotes."""
    if not _PLAIN.match(text):
        return False
    import yaml

    try:
        return bool(yaml.safe_load(text) == text)
    except yaml.YAMLError:
        return False


def _eol(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def additions(parsed: Parsed, records: Sequence[Mapping[str, object]]) -> list[tuple[int, int, str]]:
    """What to insert so that `records` stand after the last one, with its indentation."""
    if not records:
        return []
    text, eol = parsed.text, _eol(parsed.text)
    if parsed.sequence is not None and parsed.sequence.flow_style:
        return [_into_flow(parsed, records)]
    if not parsed.nodes:
        lead = "" if not text or text.endswith("\n") else eol
        return [(len(text), len(text), lead + "".join(_item(row, "", "- ", eol, parsed) for row in records))]
    last = parsed.nodes[-1]
    column = parsed.sequence.start_mark.column
    dash = "-" + " " * max(1, last.start_mark.column - column - 1)
    end = parsed.spans[-1][1]
    comment = text.find("\n", end)
    at = len(text) if comment < 0 else comment + 1
    lead = eol if comment < 0 else ""
    return [(at, at, lead + "".join(_item(row, " " * column, dash, eol, parsed) for row in records))]


def _item(record: Mapping[str, object], margin: str, dash: str, eol: str, parsed: Parsed) -> str:
    rows = [f"{_scalar(key)}: {_scalar(value, _dates(parsed, key))}" for key, value in record.items()]
    inner = margin + " " * len(dash)
    return margin + dash + f"{eol}{inner}".join(rows) + eol


def _into_flow(parsed: Parsed, records: Sequence[Mapping[str, object]]) -> tuple[int, int, str]:
    _, shift = _body(parsed)
    at = int(parsed.sequence.end_mark.index) - 1 + shift
    rows = ", ".join(_json(record) for record in records)
    return at, at, (", " if parsed.nodes else "") + rows

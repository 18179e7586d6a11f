"""Sets keys in the text of `openclaw-memory.yaml` as a person would: the commented line loses its `#`, the rest stays.

Works on the file that `init` writes, where each key stands commented out with its default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_VALUE_END = re.compile(r"\s\s#\s")


def set_keys(text: str, values: Mapping[str, object]) -> str:
    """`text` with each dotted key of `values` (`index.active_cap`) set. Raises KeyError for a key it does not hold."""
    lines = text.splitlines(keepends=True)
    for name, value in values.items():
        at = -1
        for depth, part in enumerate(name.split(".")):
            at = _find(lines, part, depth, at + 1)
            lines[at] = lines[at].removeprefix("# ")
        lines[at] = _with_value(lines[at], yaml_literal(value))
    return "".join(lines)


def yaml_literal(value: object) -> str:
    """A value in YAML's flow style; JSON's, but for words that need no quotes."""
    import json

    if isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w./-]*", value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _find(lines: list[str], key: str, depth: int, start: int) -> int:
    form = re.compile(rf"(?:# )?{'  ' * depth}{re.escape(key)}:(?:\s|$)")
    for i in range(start, len(lines)):
        if form.match(lines[i]):
            return i
    raise KeyError(key)


def _with_value(line: str, literal: str) -> str:
    key, _, rest = line.partition(":")
    comment = _VALUE_END.search(rest)
    return f"{key}: {literal}{rest[comment.start() :] if comment else chr(10)}"

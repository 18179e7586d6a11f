"""Reads the YAML that our own commands write without importing yaml, which costs a hook 20 ms.

Keys at the margin or two spaces in, with a plain word, a number, or JSON behind them. Whatever else a file holds,
`read` answers None, and the real reader (`yaml_values`) is asked. A test proves that both agree.
"""

from __future__ import annotations

import re

from openclaw_memory.config.lines import Lines
from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_LINE = pattern(r"(?P<indent>  )?(?P<key>[A-Za-z_]\w*):(?: +(?P<rest>\S.*)| *(?P<none>)\Z)", re.ASCII)
_WORD = pattern(r"[A-Za-z0-9][\w./-]*", re.ASCII)
_MOST_NESTED = 20
_INT = pattern(r"[-+]?[0-9]{1,300}\Z")
_FLOAT = pattern(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}


def scalar(text: str) -> Any:
    """A plain word of YAML 1.2: null, true, a number, else text (`off`, `22:00` and dates are text)."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text


def read(text: str) -> tuple[dict[str, Any], Lines] | None:
    """The value and the lines of its keys; None for a file that is not written as simply as that."""
    text = text.replace("\r\n", "\n")
    if not text.replace("\n", "").isprintable():
        return None
    found: dict[str, Any] = {}
    lines, block = Lines({(): 1}), ""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        matched = _LINE.fullmatch(line)
        path = _path(matched, block) if matched else ()
        if not matched or not path or path in lines:
            return None
        try:
            value = _value(matched["rest"])
        except ValueError:
            return None
        lines[path] = number
        target = found if len(path) == 1 else found.setdefault(block, {})
        if value is not None:
            target[path[-1]] = value
        if len(path) == 1:
            block = path[0] if _is_open(matched["rest"]) else ""
    return found, lines


def _path(matched: re.Match[str], block: str) -> tuple[str, ...]:
    """Where the key of this line stands; nothing for one that is indented below no block."""
    if not matched["indent"]:
        return (matched["key"],)
    return (block, matched["key"]) if block else ()


def _is_open(rest: str | None) -> bool:
    """Whether nothing but a comment stands behind a key, so that a block may follow."""
    return not rest or rest.startswith("#")


def _value(rest: str | None) -> Any:
    """What stands behind a key, without the comment. Raises ValueError for what is not that simple."""
    if rest is None or _is_open(rest):
        return None
    if rest[0] not in '[{"':
        word, _, comment = rest.partition(" ")
        if not _WORD.fullmatch(word) or (comment.strip() and not comment.lstrip().startswith("#")):
            raise ValueError(rest)
        return scalar(word)
    if rest.count("[") + rest.count("{") > _MOST_NESTED:
        raise ValueError(rest)
    import json

    value, end = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse).raw_decode(rest)
    after = rest[end:]
    if "\\" in rest[:end] or (after.strip() and not re.match(" +#", after)):
        raise ValueError(rest)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object none of whose keys stands there twice, or with null (which the real reader leaves out)."""
    if len({key for key, _ in pairs}) < len(pairs) or any(value is None for _, value in pairs):
        raise ValueError(pairs)
    return dict(pairs)


def _refuse(constant: str) -> Any:
    """NaN and the like, which JSON does not have and YAML reads as words."""
    raise ValueError(constant)

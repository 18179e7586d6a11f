"""YAML text to plain values that remember their lines, read the way YAML 1.2 does.

`off`, `on` and `yes` stay words, `22:00` stays text and a date stays text: PyYAML's own YAML 1.1 reading turns
them into false, 1320 and a date object. Imports yaml, so nothing imports this before there is something to parse.
"""

from __future__ import annotations

from typing import Any

import yaml

from openclaw_memory.config.lines import Lines, Path
from openclaw_memory.config.simple import scalar
from openclaw_memory.errors import ConfigError

_QUOTED = ("'", '"', "|", ">")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_DEPTH = 20


def load(text: str, where: str) -> tuple[Any, Lines]:
    """The value of a YAML document and the lines of its parts; null values are left out of mappings.

    Raises ConfigError naming `where` and the line for broken YAML, a key given twice, or an alias
    (a config has no use for one, and aliases can be nested into a bomb).
    """
    try:
        node = yaml.compose(text, Loader=_Loader)
        lines = Lines()
        return (None if node is None else _value(node, (), lines, where, set())), lines
    except yaml.YAMLError as error:
        raise _broken(error, text, where) from error
    except RecursionError:
        raise ConfigError(f"{where}: nested too deeply", "no key of a config is nested more than four deep") from None


def _broken(error: yaml.YAMLError, text: str, where: str) -> ConfigError:
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if isinstance(error, yaml.reader.ReaderError):
        line, problem = text.encode("utf-8", "surrogatepass").count(b"\n", 0, error.position) + 1, error.reason
    else:
        line = mark.line + 1 if mark else 1
    return ConfigError(
        f"{where}:{line}: not valid YAML: {problem}", "look for tabs, a missing space after `:`, open quotes"
    )


def _value(node: yaml.Node, path: Path, lines: Lines, where: str, seen: set[int]) -> Any:
    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if len(path) > MAX_DEPTH:
        raise ConfigError(f"{where}:{line}: nested too deeply", "no key of the config stands this deep")
    if id(node) in seen:
        raise ConfigError(f"{where}:{line}: aliases are not supported", "write the value out where it is used")
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, i), lines, where, seen) for i, item in enumerate(node.value)]
    return _mapping(node, path, lines, where, seen)


def _mapping(node: yaml.Node, path: Path, lines: Lines, where: str, seen: set[int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line, key = key_node.start_mark.line + 1, str(key_node.value)
        if not isinstance(key_node, yaml.ScalarNode):
            raise ConfigError(f"{where}:{line}: a key must be a word", "write `key: value`")
        if (*path, key) in lines:
            raise ConfigError(f"{where}:{line}: `{key}` is given twice", f"it stands in line {lines[(*path, key)]} too")
        lines[(*path, key)] = line
        found[key] = _value(value_node, (*path, key), lines, where, seen)
    return {key: value for key, value in found.items() if value is not None}


def _scalar(node: yaml.ScalarNode) -> Any:
    text = str(node.value)
    return text if node.style in _QUOTED else scalar(text)

"""From the bytes of `openclaw-memory.yaml` to a `Config`: checked by hand, built, and stripped of what needs trust.

yaml is imported only for a file that a person wrote in more of YAML than our commands do.
Must not import jsonschema: hooks come through here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from types import MappingProxyType

from openclaw_memory.config.model import Config, SearchPath
from openclaw_memory.errors import ConfigError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from openclaw_memory.config.lines import Lines

FILE = "openclaw-memory.yaml"
MAX_BYTES = 1 << 20


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of the config file, as shipped."""
    import json

    with open(os.path.join(os.path.dirname(__file__), "schema.json"), "rb") as file:
        loaded: dict[str, Any] = json.load(file)
    return loaded


def load(root: str | Path) -> Config:
    """The config of the workspace at `root`; all defaults where it has none.

    Raises ConfigError for a file that cannot be read, is not YAML, or holds an unknown key or a wrong value.
    """
    path = os.path.join(root, FILE)
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Config()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}", "it must be a readable file") from error
    return parse(data, FILE, path)


def parse(data: bytes, where: str, path: str | Path | None = None) -> Config:
    """The config that `data` says; `where` names it in messages.

    `path` is the file it was read from: with it, keys that need trust count where that file is trusted.
    """
    text = _text(data, where)
    if _says_nothing(text):
        return Config()
    from openclaw_memory.config import trust

    value, lines = _value(text, where)
    _lift_qmd(value)
    trusted = path is not None and trust.is_trusted(path, data)
    notes = list(_unused(value, schema()["properties"], ""))
    warnings = [] if trusted else list(_strip_untrusted(value, where, lines))
    built: Config = _build(Config(), {**value, "warnings": warnings, "notes": notes, "trusted": trusted})
    return built


def _text(data: bytes, where: str) -> str:
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{where}: larger than 1 MB", "this is no config file")
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{where}:{line}: not UTF-8", "save the file as UTF-8") from error


def _says_nothing(text: str) -> bool:
    lines = (line.strip() for line in text.splitlines())
    return all(line in ("", "---", "version: 1") or line.startswith("#") for line in lines)


def _value(text: str, where: str) -> tuple[dict[str, Any], Lines]:
    from openclaw_memory.config import simple, validate

    value, lines = simple.read(text) or _by_yaml(text, where)
    found = list(validate.problems({} if value is None else value, schema()))
    if found:
        from openclaw_memory.config.refusal import refusal

        raise refusal(found, lines.near, schema(), where)
    return value or {}, lines


def _by_yaml(text: str, where: str) -> tuple[Any, Lines]:
    from openclaw_memory.config import yaml_values

    return yaml_values.load(text, where)


def _lift_qmd(value: dict[str, Any]) -> None:
    """Keys below `memory.qmd` count as if they stood in `memory`, unless they stand there too."""
    memory = value.get("memory", {})
    while "qmd" in memory:
        memory = _merged(memory["qmd"], {key: item for key, item in memory.items() if key != "qmd"})
        value["memory"] = memory


def _merged(low: dict[str, Any], high: dict[str, Any]) -> dict[str, Any]:
    both = low.keys() & high.keys()
    deep = {key: _merged(low[key], high[key]) for key in both if isinstance(low[key], dict)}
    return {**low, **high, **deep}


def _unused(value: dict[str, Any], keys: dict[str, Any], prefix: str) -> Iterator[str]:
    for key, item in value.items():
        node = keys.get(key, {})
        if "x-unused" in node:
            yield f"`{prefix}{key}` has no effect: {node['x-unused']}"
        elif isinstance(item, dict):
            yield from _unused(item, node.get("properties", {}), f"{prefix}{key}.")


def wants(data: bytes, where: str) -> list[tuple[str, str]]:
    """(dotted key, value) of everything in a config that counts only once it is trusted. Raises ConfigError."""
    value, _ = _value(_text(data, where), where)
    return [(f"{block}.{key}", str(value[block][key])) for block, key in _unsafe_keys(value)]


def _unsafe_keys(value: dict[str, Any]) -> list[tuple[str, str]]:
    """(block, key) of what a config may only set once it is trusted: commands, endpoints, models."""
    return [
        (block, key)
        for block, node in schema()["properties"].items()
        for key, rule in node.get("properties", {}).items()
        if rule.get("x-trust") and key in value.get(block, {})
        and value[block][key] not in (rule["default"], *rule.get("x-safe", ()))
    ]  # fmt: skip


def _strip_untrusted(value: dict[str, Any], where: str, lines: Lines) -> Iterator[str]:
    for block, key in _unsafe_keys(value):
        del value[block][key]
        line = lines.near((block, key))
        yield f"{where}:{line}: `{block}.{key}` is ignored until you allow it: openclaw-memory trust"


def _build(default: Any, value: Any) -> Any:
    """`value` in the type of `default`: blocks recursively, lists as tuples, objects as read-only maps."""
    if isinstance(default, Config) or hasattr(default, "_fields"):
        named = {_snake(key): item for key, item in value.items() if key != "version"}
        return type(default)(**{key: _build(getattr(default, key), item) for key, item in named.items()})
    if isinstance(value, list):
        return tuple(SearchPath(**item) if isinstance(item, dict) else item for item in value)
    if isinstance(value, dict):
        return MappingProxyType({key: _build(None, item) for key, item in value.items()})
    return value


def _snake(key: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in key)

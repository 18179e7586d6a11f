"""Checks a value against our schema by hand: the part of JSON Schema that `schema.json` uses.

jsonschema costs more to import than a whole hook may take; a test proves that both agree. Imports nothing heavy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openclaw_memory.config.lines import Path
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
}
_NAMES = {dict: "a block of keys", list: "a list", str: "text", int: "a number", bool: "true or false"}


class Problem(Record):
    """What is wrong at `path`; for an unknown key `known` holds the keys that are allowed there."""

    path: Path
    message: str
    known: tuple[str, ...] = ()


def problems(value: Any, schema: dict[str, Any]) -> Iterator[Problem]:
    """Each place where `value` breaks `schema`, parents before children."""
    return _Check(schema).any(value, schema, ())


class _Check(Record):
    root: dict[str, Any]

    def any(self, value: Any, schema: dict[str, Any], path: Path) -> Iterator[Problem]:
        schema = self._resolved(schema)
        if "const" in schema and not _same(value, schema["const"]):
            yield Problem(path, f"must be {schema['const']}, not {_show(value)}")
        if "type" in schema and not _is(value, schema["type"]):
            yield Problem(path, f"must be {_NAMES[_TYPES[schema['type']][0]]}, not {_show(value)}")
        elif isinstance(value, dict):
            yield from self._object(value, schema, path)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                yield from self.any(item, schema.get("items", {}), (*path, i))
        else:
            yield from _scalar(value, schema, path)

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        if "$ref" not in schema:
            return schema
        found: Any = self.root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return dict(found)

    def _object(self, value: dict[str, Any], schema: dict[str, Any], path: Path) -> Iterator[Problem]:
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        for key in schema.get("required", ()):
            if key not in value:
                yield Problem(path, f"`{key}` is missing")
        for key, item in value.items():
            yield from self.any(key, schema.get("propertyNames", {}), (*path, key))
            if key in properties:
                yield from self.any(item, properties[key], (*path, key))
            elif more is False:
                yield Problem((*path, key), f"unknown key `{key}`", tuple(properties))
            elif isinstance(more, dict):
                yield from self.any(item, more, (*path, key))


def _scalar(value: Any, schema: dict[str, Any], path: Path) -> Iterator[Problem]:
    if "enum" in schema and value not in schema["enum"]:
        yield Problem(path, f"must be one of {', '.join(schema['enum'])}, not {_show(value)}")
    if "minimum" in schema and value < schema["minimum"]:
        yield Problem(path, f"must be at least {schema['minimum']}, not {value}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield Problem(path, f"must be {schema.get('x-form', schema['pattern'])}, not {_show(value)}")


def _is(value: Any, kind: str) -> bool:
    """JSON Schema's types: a bool is no number, and 3.0 is an integer."""
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind]) or (kind == "integer" and isinstance(value, float) and value.is_integer())


def _same(value: Any, constant: Any) -> bool:
    return not isinstance(value, bool) and bool(value == constant)


def _show(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."

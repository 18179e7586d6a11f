"""A key that nothing reads would be a promise that nobody keeps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import openclaw_memory
from openclaw_memory.config import schema
from openclaw_memory.config.refusal import key_names

PACKAGE = Path(openclaw_memory.__file__).parent


def leaves() -> list[str]:
    """The dotted names of the keys that hold a value and are not marked as another tool's."""
    found = []
    for name in key_names(schema()):
        node: dict[str, object] = schema()
        for part in name.split("."):
            node = node["properties"][part]  # type: ignore[index]
        if not {"properties", "$ref", "x-unused"} & set(node) and name != "version":
            found.append(name)
    return found


@pytest.fixture(scope="module")
def attributes() -> set[str]:
    """Every `.name` in the package but for the config itself."""
    files = (path for path in PACKAGE.rglob("*.py") if path.parent.name != "config" and "_data" not in path.parts)
    return {name for path in files for name in re.findall(r"\.([a-z_]+)\b", path.read_text("utf-8"))}


@pytest.mark.parametrize("name", leaves())
def test_every_key_is_read_by_somebody(name: str, attributes: set[str]) -> None:
    attribute = "".join(f"_{char.lower()}" if char.isupper() else char for char in name.rpartition(".")[2])
    assert attribute in attributes

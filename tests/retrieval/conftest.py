"""A workspace with a few notes, and helpers that search it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import search
from openclaw_memory.workspace import Workspace

Finder = Callable[..., list[Hit]]


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    root = tmp_path / "ws"
    (root / "memory/people").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n\n- [Jane](memory/people/jane.md): <!-- trigger: jane -->\n")
    (root / "memory/people/jane.md").write_text("# Jane Doe\n\n- Drinks green tea.\n- Works on the heron project.\n")
    (root / "memory/2031-05-08.md").write_text("# 2031-05-08\n\n- Moved ticket VRN-0417 to Oslo.\n")
    return Workspace(root)


@pytest.fixture
def find(ws: Workspace) -> Finder:
    def run(text: str, **options: object) -> list[Hit]:
        return list(search(ws, text, Options(**options)).hits)  # type: ignore[arg-type]

    return run


def paths(hits: list[Hit]) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in hits))

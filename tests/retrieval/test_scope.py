"""Which files a search may return, in a command and in a process that stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_memory.retrieval import collections, memory, store
from openclaw_memory.retrieval.options import DEFAULTS
from openclaw_memory.retrieval.paths import below
from openclaw_memory.retrieval.search import search
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace


@pytest.mark.parametrize(
    ("folder", "path", "there"),
    [
        ("/home/me/ws", "memory/a.md", "memory/a.md"),
        ("/home/me/ws/memory", "people/jane.md", "memory/people/jane.md"),
        ("/home/me/life", "a.md", "/home/me/life/a.md"),
        ("/home/me", "ws/memory/a.md", "memory/a.md"),
        ("/home/me", "ws2/a.md", "/home/me/ws2/a.md"),
        ("/", "home/me/ws/a.md", "a.md"),
        ("/", "srv/a.md", "/srv/a.md"),
    ],
)
def test_where_in_the_workspace_a_file_is(folder: str, path: str, there: str) -> None:
    assert below(Path("/home/me/ws"), Path(folder))(path) == there


@pytest.fixture
def filled(ws: Workspace) -> Workspace:
    for name, text in {
        "memory/2031-05-08.md": "- heron by the mill\n",
        "memory/2031-06-01.md": "- heron at the dock\n",
        "memory/projects/Água.md": "---\ntags: [Náutica, dock]\n---\n\nA heron.\n",
        "memory/people/jane.md": "Jane saw a heron.\n",
    }.items():
        path = ws.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    update(ws)
    return ws


@pytest.mark.parametrize("stays", [False, True])
@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("heron path:agua", {"Água.md"}),
        ("heron path:jane path:06-01", {"jane.md", "2031-06-01.md"}),
        ("heron tag:nautica", {"Água.md"}),
        ("heron tag:naut", set()),
        ("heron kind:person kind:project", {"jane.md", "Água.md"}),
        ("heron after:2031-05 before:2031-06", {"2031-05-08.md"}),
        ("heron before:2031-06", {"2031-05-08.md"}),
        ("heron kind:daily path:06", {"2031-06-01.md"}),
        ("after:2031", {"2031-05-08.md", "2031-06-01.md"}),
        ("kind:heron", set()),
    ],
)
def test_filters(filled: Workspace, monkeypatch: pytest.MonkeyPatch, stays: bool, asked: str, names: set[str]) -> None:
    monkeypatch.setattr(store, "_kept", {})
    monkeypatch.setattr(memory, "_held", {})
    if stays:
        store.stay(store.path_in(filled.state_path))
    for _ in range(2):
        assert {Path(hit.path).name for hit in search(filled, asked).hits} == names


def test_a_process_that_stays_sees_new_files_and_collections(
    filled: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_kept", {})
    monkeypatch.setattr(memory, "_held", {})
    store.stay(store.path_in(filled.state_path))

    def found(text: str, *names: str) -> set[str]:
        return {hit.path for hit in search(filled, text, DEFAULTS._replace(collections=names)).hits}

    assert found("heron path:jane") == {"people/jane.md"}
    assert found("path:jane") == {"people/jane.md"}
    (filled.root / "memory/people/jane-2.md").write_text("A heron again.\n")
    assert found("heron path:jane") == {"people/jane.md", "people/jane-2.md"}
    assert found("path:jane") == {"people/jane.md", "people/jane-2.md"}
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "jane-3.md").write_text("And a heron.\n")
    collections.add(filled, other, "other")
    assert found("heron path:jane") == {"people/jane.md", "people/jane-2.md", "jane-3.md"}
    assert found("heron", "other") == {"jane-3.md"}
    (other / "jane-4.md").write_text("One more heron.\n")
    assert found("heron", "other") == {"jane-3.md", "jane-4.md"}

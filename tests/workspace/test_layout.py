from __future__ import annotations

from datetime import date

import pytest

from openclaw_memory.config import Config, parse
from openclaw_memory.workspace import Layout
from openclaw_memory.workspace.globs import matcher


@pytest.mark.parametrize(
    ("glob", "fits", "fits_not"),
    [
        ("*.bak.md", ["a.bak.md", "x/y/a.bak.md"], ["a.md", "bak.md"]),
        ("old/", ["old/a.md", "x/old/a.md", "old"], ["older/a.md", "x/old.md"]),
        ("memory/old/**", ["memory/old/a.md", "memory/old/x/a.md"], ["memory/older/a.md", "x/memory/old/a.md"]),
        ("memory/**/x.md", ["memory/x.md", "memory/a/b/x.md"], ["x.md", "memory/ax.md"]),
        ("memory/[0-9]?.md", ["memory/1a.md"], ["memory/ab.md", "memory/1/.md"]),
        ("[!a]*.md", ["b.md"], ["a.md"]),
        ("a+(b).md", ["a+(b).md"], ["aab.md"]),
        ("./memory/a*", ["memory/ab", "memory/a/b"], ["memory/b"]),
        ("[", ["["], ["a"]),
    ],
)
def test_globs(glob: str, fits: list[str], fits_not: list[str]) -> None:
    test = matcher([glob])
    assert [path for path in fits if not test(path)] == []
    assert [path for path in fits_not if test(path)] == []


def test_a_name_with_a_newline_is_a_name() -> None:
    assert matcher(["memory/**"])("memory/a\nb.md")
    assert Layout(Config()).is_detail("memory/people/a\nb 🏠.md")


DETAILS = [
    "memory/people/ana.md",
    "memory/projects/shop/summary.md",
    "memory/open-questions.md",
    "memory/anything/deep/er/x.md",
    "memory/decisions/2026-03-01.md",
    "memory/2026-13-45.md",
    "memory/2026-03-01-choice.md",
    "memory/archive/2025/old.md",
]
NO_DETAILS = [
    "MEMORY.md",
    "memory/MEMORY.md",
    "memory/2026-03-01.md",
    "memory/2026/2026-03-01.md",
    "memory/2026/03/2026-03-01.md",
    "memory/2026-03-01-1432.md",
    "memory/2026-03-01-143259.md",
    "memory/projects/README.md",
    "memory/projects/readme.md",
    "memory/projects/TEMPLATE.md",
    "memory/templates/person.md",
    "memory/.dreams/x.md",
    "memory/.hidden.md",
    "memory/dreaming/deep/x.md",
    "memory/DREAMS.md",
    "memory/backups/2026/people/ana.md",
    "memory/people/ana.bak.md",
    "memory/people/ana.txt",
    "memory/people/items.json",
    "notes/x.md",
    "memoryx/x.md",
]


@pytest.mark.parametrize("path", DETAILS)
def test_what_is_a_detail_file(path: str) -> None:
    assert Layout(Config()).is_detail(path)


@pytest.mark.parametrize("path", NO_DETAILS)
def test_what_is_none(path: str) -> None:
    assert not Layout(Config()).is_detail(path)


def test_the_config_excludes_and_includes() -> None:
    layout = Layout(parse(b"exclude: [memory/feeds/, '*-draft.md']\ninclude: [memory/templates/kept.md]", "c"))
    assert not layout.is_detail("memory/feeds/a.md")
    assert not layout.is_detail("memory/people/a-draft.md")
    assert layout.is_detail("memory/templates/kept.md")
    assert not layout.is_detail("memory/templates/other.md")
    assert layout.skips("memory/templates")
    assert not layout.prunes("memory/templates")


@pytest.mark.parametrize(
    ("name", "person", "decision", "archived"),
    [
        ("hierarchical", "memory/people/jane.md", "memory/decisions/db.md", "memory/archive/2025/people/jane.md"),
        ("para", "life/areas/people/jane.md", "memory/decisions/db.md", "life/archives/people/jane/summary.md"),
        (
            "knowledge",
            "knowledge/areas/people/jane/summary.md",
            "knowledge/resources/decisions/db.md",
            "knowledge/archives/people/jane.md",
        ),
    ],
)
def test_entities_are_free_of_the_layout(name: str, person: str, decision: str, archived: str) -> None:
    layout = Layout(Config(layout=name))
    assert all(layout.is_detail(path) for path in (person, decision, archived))
    assert layout.entity_of(person) == "people/jane"
    assert person in layout.files_of("people/jane")
    assert layout.kind_of(decision) == "decisions"
    assert layout.entity_of(decision) == "decisions/db"
    assert layout.kind_of(archived) == "archives"
    assert layout.entity_of(archived) == "archives/people/jane"
    assert layout.entity_of(person.replace("jane.md", "jane/items.json").replace("summary.md", "items.json"))


def test_the_index_of_a_para_root_is_none_and_the_rest_of_the_root_is_seen() -> None:
    layout = Layout(Config(layout="para"))
    assert not layout.is_detail("life/index.md")
    assert layout.is_detail("life/areas/places/attic.md")
    assert layout.is_detail("memory/a.md")
    assert layout.entity_of("life/areas/places/attic.md") is None


def test_kinds_and_roots_of_the_config() -> None:
    layout = Layout(parse(b"kinds: {people: ./contacts/, books: library//books}\nroots: [./wiki/]", "c"))
    assert layout.entity_of("contacts/ana.md") == "people/ana"
    assert layout.entity_of("library/books/dune/notes.md") == "books/dune"
    assert layout.folder_of("people") == "contacts"
    assert layout.is_detail("wiki/a.md")
    assert not layout.is_detail("library/x.md")
    assert layout.roots == ("contacts", "library/books", "memory", "wiki")


def test_daily_notes() -> None:
    layout = Layout(Config(daily=("memory/journal", "memory")))
    assert layout.is_daily("memory/journal/2026-02-28.md") == date(2026, 2, 28)
    assert layout.is_daily("memory/2026/02/2026-02-28.md") == date(2026, 2, 28)
    assert layout.is_daily("memory/2026-02-30.md") is None
    assert layout.is_daily("memory/people/2026-02-28.md") is None
    assert layout.is_daily("2026-02-28.md") is None
    assert layout.daily_path(date(2026, 2, 28)) == "memory/journal/2026-02-28.md"

"""Where a new entry goes."""

from __future__ import annotations

import pytest

from openclaw_memory import index as ix
from openclaw_memory.index import Words, parse
from openclaw_memory.index.draft import Draft

FILES = [
    "memory/people/ana.md",
    "memory/people/ken.md",
    "memory/projects/loja.md",
    "memory/archive/2025/old.md",
    "memory/x.md",
]


def added(text: str, path: str) -> list[str]:
    return ix.add(parse(text, FILES), path, Words(triggers=("t",))).splitlines()


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("memory/people/ken.md", "## People"),
        ("memory/projects/loja.md", "## Projects"),
        ("memory/archive/2025/old.md", "## Archive"),
        ("memory/archive/2025/", "## Archive"),
        ("memory/archive/2025/people/ana.md", "## Archive"),
        ("memory/archive/", "## Archive"),
        ("memory/projects/", "## Projects"),
        ("memory/x.md", "## Resources"),
    ],
)
def test_the_section_of_the_files_kind_is_found_or_made(path: str, heading: str) -> None:
    lines = added("# Memory\n\n## People\n\n- [Ana](memory/people/ana.md)\n\n## Projects\n", path)
    at = next(number for number, line in enumerate(lines) if path in line)
    assert next(line for line in reversed(lines[:at]) if line.startswith("#")) == heading
    assert lines[:5] == ["# Memory", "", "## People", "", "- [Ana](memory/people/ana.md)"]


def test_the_section_where_its_like_have_triggers_comes_first() -> None:
    text = """## People
- memory/people/ana.md

## Quick Reference
| Who | File | Triggers |
|--|--|--|
| Ana | memory/people/ana.md | ana |
"""
    assert added(text, "memory/people/ken.md")[-1] == "| ken | memory/people/ken.md | t |"


def test_a_file_of_another_kind_joins_the_only_list_there_is() -> None:
    text = "# Files\n\n- Ana: `memory/people/ana.md`\n- Ken: `memory/people/ken.md`\n\nThe end.\n"
    assert added(text, "memory/projects/loja.md")[4] == "- loja: `memory/projects/loja.md` <!-- trigger: t -->"


def test_a_new_section_does_not_swallow_those_below() -> None:
    text = "# M\n\n## Persons\n\n- [Ana](memory/people/ana.md)\n\n### Notes\n\nwords\n\n## Rules\n\nmore\n"
    lines = added(text, "memory/projects/loja.md")
    assert [line for line in lines if line.startswith("#")] == [
        "# M",
        "## Persons",
        "### Notes",
        "## Projects",
        "## Rules",
    ]


def test_a_note_that_there_is_nothing_makes_room() -> None:
    text = "## People\n\n*(none yet)*\n\n## Projects\n"
    assert added(text, "memory/people/ana.md") == [
        "## People",
        "",
        "- [ana](memory/people/ana.md) <!-- trigger: t -->",
        "",
        "## Projects",
    ]


def test_a_table_with_a_header_only_gets_its_first_row() -> None:
    text = "## People\n\n| Keywords | File | Notes |\n|---|---|---|\n\nThe end.\n"
    assert added(text, "memory/people/ana.md")[4] == "| t | memory/people/ana.md |  |"


def test_a_new_section_takes_no_line_of_the_one_above() -> None:
    text = "# M\n\n## Projects\n- memory/projects/loja.md\nwords at the end\n"
    draft = Draft(parse(text, [*FILES, "memory/projects/bike.md", "memory/people/ana.md"]))
    for path in ("memory/people/ana.md", "memory/projects/bike.md", "memory/x.md", "memory/people/ken.md"):
        draft.add(path, Words())
    assert draft.text == (
        "# M\n\n## Projects\n- memory/projects/loja.md\nwords at the end\n- memory/projects/bike.md\n"
        "\n## People\n\n- memory/people/ana.md\n- memory/people/ken.md\n\n## Resources\n\n- memory/x.md\n"
    )


def test_a_section_without_entries_gets_the_bullet_of_the_others() -> None:
    text = "## 人物一覧\n*   ケン先輩 (Ken): memory/people/ken.md\n## Active Context\n(いまは なし)\n"
    new = ix.activate(parse(text, FILES), "memory/people/ken.md")
    assert new == text.replace("(いまは なし)", "*   [ケン先輩](memory/people/ken.md)")
    new = ix.add(parse("+ memory/x.md\n\n## People\n", FILES), "memory/people/ana.md", Words())
    assert new == "+ memory/x.md\n\n## People\n\n+ [ana](memory/people/ana.md)\n"

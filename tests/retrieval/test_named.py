"""A query of which every word stands in a title, a heading or a path: title > heading > path > body."""

from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import search
from openclaw_memory.workspace import Workspace


def made(root: Path, files: dict[str, str]) -> Workspace:
    for name, text in {"MEMORY.md": "# Memory\n", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Workspace(root)


def hits(ws: Workspace, text: str) -> list[Hit]:
    return list(search(ws, text, Options(limit=20, explain=True)).hits)


@pytest.mark.parametrize("words", ["dotterel", "dotterel roost"])
def test_title_then_heading_then_path_then_body(tmp_path: Path, words: str) -> None:
    like = "# {title}\n\nThe tide was low on that day.\n\n## {heading}\n\nWe walked along the {body} and came home.\n"
    plain = {"title": "A walk", "heading": "The way", "body": "shore"}
    files = {
        "memory/d.md": like.format(**{**plain, "title": f"A {words} walk"}),
        "memory/c.md": like.format(**{**plain, "heading": f"The {words} way"}),
        f"memory/b-{words.replace(' ', '-')}.md": like.format(**plain),
        "memory/a.md": like.format(**{**plain, "body": words}),
    }
    found = hits(made(tmp_path, files), words)
    assert [hit.path for hit in found] == ["d.md", "c.md", f"b-{words.replace(' ', '-')}.md", "a.md"]
    assert [hit.start_line for hit in found] == [3, 7, 3, 7]
    assert [sorted(hit.explain.keys() & {"title", "heading", "path"}) for hit in found] == [
        ["title"], ["heading"], ["path"], [],
    ]  # fmt: skip


def test_of_two_titles_the_one_that_the_query_says_more_of_comes_first(tmp_path: Path) -> None:
    ws = made(tmp_path, {"memory/a.md": "# Heron notes of the year\n\nx\n", "memory/b.md": "# Heron\n\nx\n"})
    assert [hit.path for hit in hits(ws, "heron")] == ["b.md", "a.md"]


def test_only_the_first_passage_below_a_heading_stands_for_it(tmp_path: Path) -> None:
    text = "# Birds\n\n## Heron\n\nIt waits.\n\nIt strikes.\n\n### Young\n\nThey beg.\n\n## Gull\n\nIt cries.\n"
    found = hits(made(tmp_path, {"memory/birds.md": text}), "heron")
    assert [hit.start_line for hit in found if "heading" in hit.explain] == [5]
    assert [hit.start_line for hit in hits(made(tmp_path, {}), "heron young") if "heading" in hit.explain] == [11]


def test_a_title_is_found_before_hundreds_of_texts_that_hold_the_word(tmp_path: Path) -> None:
    files = {f"memory/{n}.md": f"# Note {n}\n\nOn day {n} the heron came to the pond again.\n" for n in range(300)}
    ws = made(tmp_path, {**files, "memory/z.md": "# Heron\n\nIt waits.\n"})
    assert hits(ws, "heron")[0].path == "z.md"


def test_a_name_that_many_files_have_tells_nothing(tmp_path: Path) -> None:
    files = {f"memory/{n}.md": f"# Heron {n}\n\nDay {n}.\n" for n in range(40)}
    ws = made(tmp_path, {**files, "memory/z.md": "# Pond\n\nThe heron of the pond.\n"})
    assert hits(ws, "heron")[0].path == "z.md"


def test_operators_hold_for_what_is_named(tmp_path: Path) -> None:
    text = "# Heron\n\nThe gull is here.\n\n## Other\n\nNothing.\n"
    ws = made(tmp_path, {"memory/a.md": text, "memory/people/b.md": "# Heron\n\nx\n"})
    assert [hit.path for hit in hits(ws, "heron path:people")] == ["people/b.md"]
    assert all("gull" not in hit.snippet for hit in hits(ws, "heron -gull"))
    assert not hits(ws, "heron -heron")


@pytest.mark.parametrize("words", ["dotterel", "dotterel tea"])
def test_an_empty_file_has_a_name_and_nothing_to_show(tmp_path: Path, words: str) -> None:
    files = {"memory/dotterel.md": "", "memory/shore/dotterel.md": "\n", "memory/a.md": "- tea by the shore\n"}
    found = hits(made(tmp_path, files), words)
    assert [hit.path for hit in found] == (["a.md"] if "tea" in words else [])

"""The block scanner on the forms that real workspaces hold."""

from __future__ import annotations

import pytest

from openclaw_memory.markdown import scan


def kinds(text: str) -> list[tuple[str, int, int]]:
    return [(block.kind, block.first, block.last) for block in scan(text).blocks]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_lossless_and_know_their_ends(end: str) -> None:
    text = end.join(["\ufeff# Memory", "", "text", "last without an end"])
    doc = scan(text)
    assert "".join(line.raw for line in doc.lines) == text
    assert [line.number for line in doc.lines] == [1, 2, 3, 4]
    assert [text[line.start :][: len(line.text)] for line in doc.lines] == [line.text for line in doc.lines]
    assert doc.eol == end
    assert doc.blocks[0].text == "Memory"


def test_nested_items_task_boxes_and_lazy_lines() -> None:
    blocks = [b for b in scan("- [ ] a\n  - [x] b\n    more\n\n  para\n> q\nlazy\n12) n\n").blocks if b.kind != "blank"]
    assert [(b.kind, b.depth, b.quote, b.marker, b.checked, b.text) for b in blocks] == [
        ("item", 0, 0, "-", False, "a"),
        ("item", 1, 0, "-", True, "b\nmore"),
        ("paragraph", 1, 0, "", None, "para"),
        ("quote", 0, 1, "", None, "q\nlazy"),
        ("item", 0, 0, "12)", None, "n"),
    ]


def test_fence_open_to_the_end_hides_what_is_below() -> None:
    doc = scan("# A\n```\nx\n```\n```bash\n## not a heading\n| a |\n")
    assert doc.unclosed_fence is not None
    assert (doc.unclosed_fence.first, doc.unclosed_fence.last, doc.unclosed_fence.info) == (5, 7, "bash")
    assert [s.title for s in doc.sections] == ["A"]


def test_fence_in_an_item_ends_with_the_item() -> None:
    doc = scan("- a\n  ```\n  code\nafter\n")
    assert kinds("- a\n  ```\n  code\nafter\n") == [("item", 1, 1), ("fence", 2, 3), ("paragraph", 4, 4)]
    assert doc.unclosed_fence is None


def test_table_rows_keep_escaped_pipes() -> None:
    table = scan("intro\n| a | b |\n|:--|--:|\n| 1 | x\\|y |\nno pipe\n\n").blocks[1]
    assert (table.kind, table.first, table.last) == ("table", 2, 5)
    assert table.rows == (("a", "b"), ("1", "x|y"), ("no pipe",))
    assert next(iter(table.numbered_rows)) == (4, ("1", "x|y"))


def test_front_matter_is_not_two_rules_around_prose() -> None:
    assert kinds("---\na: 1\n---\n# T\n")[0] == ("front_matter", 1, 3)
    assert kinds("---\n# Title\ntext\n---\n")[0] == ("rule", 1, 1)
    assert scan("---\ntriggers: [a, b]\n---\n").front_matter == {"triggers": ["a", "b"]}
    assert scan("---\na: [\n---\n").front_matter == {}


def test_sections_know_their_spans() -> None:
    doc = scan("# A\nx\n## B\ny\n\nC\n---\nz\n# D\n")
    assert [(s.level, s.title, s.line, s.body, s.own_last, s.last) for s in doc.sections] == [
        (1, "A", 1, 2, 2, 8),
        (2, "B", 3, 4, 5, 5),
        (2, "C", 6, 8, 8, 8),
        (1, "D", 9, 10, 9, 9),
    ]

"""What in a line names a file, and where it stands."""

from __future__ import annotations

import pytest

from openclaw_memory.markdown import comments, document_links, links, scan, without_comments


def found(text: str) -> list[tuple[str, str, str]]:
    return [(link.kind, link.target, link.anchor) for link in links(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](memory/x.md#y)", [("link", "memory/x.md", "#y")]),
        ("[a](<memory/x (y) [z].md> \"t\")", [("link", "memory/x (y) [z].md", "")]),
        ("[a](memory/Sync%20Test.md)", [("link", "memory/Sync Test.md", "")]),
        ("[a [b]](x.md), ![p](p.png)", [("link", "x.md", ""), ("image", "p.png", "")]),
        ("[a](https://example.org/x.md) <https://example.org/y.md> https://example.org/z.md", []),
        ("[a](my notes.md) [b](no path) [c](d e/f.md#g)", [("link", "my notes.md", ""), ("link", "d e/f.md", "#g")]),
        (
            "[a](my notes.md \"t\") [b](d e/f.md#g 't (u)' ) [c](d e.md (t)) [d](it's a (b) c.md) [e](my (old).md)",
            [
                ("link", "my notes.md", ""),
                ("link", "d e/f.md", "#g"),
                ("link", "d e.md", ""),
                ("link", "it's a (b) c.md", ""),
                ("link", "my (old).md", ""),
            ],
        ),
        ("[a](my notes.md \"t) [b](it's no path 't')", [("path", "notes.md", "")]),
        ("[a]: memory/x.md 'title'", [("definition", "memory/x.md", "")]),
        ("[[x|X]] [[p/q#s]] ![[e.md]]", [("wikilink", "x", ""), ("wikilink", "p/q", "#s"), ("embed", "e.md", "")]),
        ("`x.md` ``y.md`` `send()` `[[no]]` `and/or`", [("code", "x.md", ""), ("code", "y.md", "")]),
        ("<memory/a b.md> <b>", [("angle", "memory/a b.md", "")]),
        ("see memory/x.md, ./y.md; (z.md). れん：memory/ren.md。", [
            ("path", "memory/x.md", ""), ("path", "./y.md", ""), ("path", "z.md", ""), ("path", "memory/ren.md", ""),
        ]),
        ("memory/[name].md memory/<name>.md **/*.md memory/*.md", []),
        ("and/or 1.5 v2.md.bak e.g. memory/archive/", [("path", "memory/archive/", "")]),
        ("~/life/x.md /abs/y.md", [("path", "~/life/x.md", ""), ("path", "/abs/y.md", "")]),
        ("<!-- x.md --> y.md", [("path", "y.md", "")]),
        ("`a `` b` c.md `open", [("path", "c.md", "")]),
    ],
)  # fmt: skip
def test_each_form(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(text) == expected


def test_spans_cut_the_text_exactly() -> None:
    text = "- [Ana](<a b.md#x>), `c.md`, [[d|D]], e.md."
    cut = [(text[link.start : link.end], text[link.target_start : link.target_end]) for link in links(text)]
    assert cut == [
        ("[Ana](<a b.md#x>)", "a b.md#x"),
        ("`c.md`", "c.md"),
        ("[[d|D]]", "d"),
        ("e.md", "e.md"),
    ]


def test_links_of_a_document_leave_code_and_comments_out() -> None:
    text = "---\nx: a.md\n---\nb.md\n```\nc.md\n```\n\n    d.md\n\n<!--\ne.md\n-->\n- f.md\n> g.md\n| h.md |\n"
    assert [(number, link.target) for number, link in document_links(scan(text))] == [
        (4, "b.md"),
        (14, "f.md"),
        (15, "g.md"),
        (16, "h.md"),
    ]


def test_comments_inside_a_line() -> None:
    text = "a <!-- trigger: x --> b <!--y--> c <!-- open"
    assert [(comment.body, text[comment.start : comment.end]) for comment in comments(text)] == [
        ("trigger: x", "<!-- trigger: x -->"),
        ("y", "<!--y-->"),
    ]
    assert without_comments(text) == "a  b  c <!-- open"

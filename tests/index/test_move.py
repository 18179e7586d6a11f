"""Links follow files that move: every kind, anchors kept, relative ones recomputed, and nothing else touched."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory.index import Relinker, Resolver, parse
from openclaw_memory.index.move import pointed
from openclaw_memory.markdown import document_links, scan

FILES = ["MEMORY.md", "memory/people/ana.md", "memory/people/ken.md", "memory/projects/loja.md", "memory/a b.md"]
TO = "memory/archive/2025/ana.md"


def relinked(text: str, at: str = "MEMORY.md", moves: dict[str, str] | None = None) -> str:
    return Relinker(FILES, moves or {"memory/people/ana.md": TO}).relink(text, at)


@pytest.mark.parametrize(
    ("at", "before", "after"),
    [
        ("MEMORY.md", "- [Ana](memory/people/ana.md#job): boss", "- [Ana](memory/archive/2025/ana.md#job): boss"),
        ("MEMORY.md", "- [Ana](./memory/people/ana.md)", "- [Ana](./memory/archive/2025/ana.md)"),
        ("MEMORY.md", "- [Ana](people/ana.md)", "- [Ana](archive/2025/ana.md)"),
        ("MEMORY.md", "| Ana | `memory/people/ana.md` | ana |", "| Ana | `memory/archive/2025/ana.md` | ana |"),
        ("MEMORY.md", "see memory/people/ana.md.", "see memory/archive/2025/ana.md."),
        ("MEMORY.md", "- [[people/ana|Ana]]", "- [[archive/2025/ana|Ana]]"),
        ("MEMORY.md", "- [[ana]] stays, it still finds it", "- [[ana]] stays, it still finds it"),
        ("MEMORY.md", "- [ana.md](memory/people/ana.md)", "- [ana.md](memory/archive/2025/ana.md)"),
        ("MEMORY.md", "[a]: memory/people/ana.md 'Ana'", "[a]: memory/archive/2025/ana.md 'Ana'"),
        ("MEMORY.md", "```\nmemory/people/ana.md\n```", "```\nmemory/people/ana.md\n```"),
        ("MEMORY.md", "- `cat memory/people/ana.md`", "- `cat memory/people/ana.md`"),
        ("MEMORY.md", "<!-- memory/people/ana.md -->", "<!-- memory/people/ana.md -->"),
        ("MEMORY.md", "Ana: ~/clawd/memory/people/ana.md", "Ana: ~/clawd/memory/archive/2025/ana.md"),
        (
            "memory/people/ken.md",
            "[boss](ana.md), [p](../projects/loja.md)",
            "[boss](../archive/2025/ana.md), [p](../projects/loja.md)",
        ),
        ("memory/projects/loja.md", "by [Ana](../people/ana.md#x)\r\n", "by [Ana](../archive/2025/ana.md#x)\r\n"),
        ("memory/people/ana.md", "with [Ken](ken.md), [me](ana.md)", "with [Ken](../../people/ken.md), [me](ana.md)"),
        (
            "memory/people/ana.md",
            "in `memory/people/ken.md`, ../projects/loja.md",
            "in `memory/people/ken.md`, ../../projects/loja.md",
        ),
    ],
)
def test_each_kind_of_link(at: str, before: str, after: str) -> None:
    assert relinked(before, at) == after


def test_a_name_that_needs_brackets_gets_them() -> None:
    moves = {"memory/people/ana.md": "memory/people/ana (old) [x].md"}
    assert relinked("[Ana](memory/people/ana.md#y)", moves=moves) == "[Ana](<memory/people/ana (old) [x].md#y>)"
    assert relinked("Ana: memory/people/ana.md", moves=moves) == "Ana: <memory/people/ana (old) [x].md>"
    assert relinked("- [s](memory/a%20b.md)", moves={"memory/a b.md": "memory/ab.md"}) == "- [s](memory/ab.md)"
    assert relinked("- [s](<memory/a b.md>)", moves={"memory/a b.md": "memory/c d.md"}) == "- [s](<memory/c d.md>)"


def test_a_folder_takes_its_files_along() -> None:
    moves = {"memory/people/": "memory/folk/"}
    text = "- [Ana](memory/people/ana.md)\n- [all](memory/people/)\n"
    assert relinked(text, moves=moves) == "- [Ana](memory/folk/ana.md)\n- [all](memory/folk/)\n"


def test_what_leads_nowhere_stays() -> None:
    text = "- [Gone](memory/people/gone.md), <https://example.org/ana.md>, `send(ana.md)`, ana\n"
    assert relinked(text) == text


PATHS = ["memory/people/ana.md", "memory/people/ken.md", "memory/projects/loja.md", "memory/x.md", "rules.md"]
TARGETS = ["memory/archive/ana.md", "memory/people/z z.md", "memory/deep/er/loja.md", "notes/y.md"]


@st.composite
def _link(draw: st.DrawFn, at: str) -> str:
    to = draw(st.sampled_from(PATHS))
    relative = posixpath.relpath(to, posixpath.dirname(at) or ".")
    written = draw(st.sampled_from([to, relative] if "/" in to else [to]))
    anchor = draw(st.sampled_from(["", "#part"]))
    form = draw(st.sampled_from(["[t](<{}>)", "[t]({})", "`{}`", "[[{}]]", "{}"]))
    return form.format(written + anchor)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_every_link_means_the_same_file_after_any_move(data: st.DataObject) -> None:
    at, old, new = data.draw(st.tuples(st.sampled_from(PATHS), st.sampled_from(PATHS), st.sampled_from(TARGETS)))
    text = " and ".join(data.draw(st.lists(_link(at), min_size=1, max_size=4)))
    relinker = Relinker(PATHS, {old: new})
    after = relinker.relink(text, at)

    def meant(source: str, path: str, files: list[str]) -> list[str]:
        resolver = Resolver(files)
        found = [link for _, link in document_links(scan(source))]
        return [
            resolver.resolve(link.target, posixpath.dirname(path), wiki=link.kind == "wikilink").path for link in found
        ]

    before = meant(text, at, PATHS)
    moved = [new if path == old else path for path in before]
    now = [new if path == old else path for path in PATHS]
    assert meant(after, new if at == old else at, now) == moved
    assert relinker.relink("no links", at) == "no links"


def test_the_title_of_a_link_with_spaces_stays() -> None:
    moves = {"memory/a b.md": "memory/c d.md"}
    assert relinked("- [s](memory/a b.md 'it is \"s\"')", moves=moves) == "- [s](<memory/c d.md> 'it is \"s\"')"


BOTH = ["memory/projects/d.md", "projects/d.md"]


@pytest.mark.parametrize(
    ("link", "path", "home", "written"),
    [
        ("[d](projects/d.md#x)", "projects/d.md", "memory", "[d](../projects/d.md#x)"),
        ("[d](projects/d.md)", "memory/projects/d.md", "memory", "[d](memory/projects/d.md)"),
        ("`projects/d.md`", "memory/projects/d.md", "", "`memory/projects/d.md`"),
        ("projects/d.md", "projects/d.md", "", "./projects/d.md"),
        ("[[d|D]]", "memory/projects/d.md", "", "[[memory/projects/d|D]]"),
    ],
)
def test_an_ambiguous_link_is_made_plain(link: str, path: str, home: str, written: str) -> None:
    target = "d" if link.startswith("[[") else "projects/d.md"
    known = Resolver([*FILES, *BOTH])
    new = pointed(f"- {link} and {link}\n", target, path, home, known)
    assert new == f"- {written} and {written}\n"
    index = parse(new, [*FILES, *BOTH], index_path=f"{home}/MEMORY.md".lstrip("/"))
    assert [entry.path for entry in index.entries] == [path] and not index.references[1:]


@pytest.mark.parametrize(
    ("base", "path"), [("root", "projects/d.md"), ("file", "memory/projects/d.md"), ("memory", "memory/projects/d.md")]
)
def test_a_base_decides_between_several(base: str, path: str) -> None:
    index = parse(
        "- [d](projects/d.md)\n- [a](people/ana.md)\n", [*FILES, *BOTH], index_path="memory/MEMORY.md", link_base=base
    )
    assert [entry.path for entry in index.entries] == [path, "memory/people/ana.md"]
    assert index.references == []

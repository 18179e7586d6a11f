"""A long index is judged by what a commit may have broken: the findings are those of the whole index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory.check import digest, judge, view
from openclaw_memory.config import Config
from openclaw_memory.findings import Finding
from openclaw_memory.git import rev6
from openclaw_memory.subject import Kind, Status, Subject
from openclaw_memory.workspace import Layout


class Memory:
    """A tree in memory: what a commit holds, and what its parent held."""

    kind: Kind = "staged"
    merge = False

    def __init__(self, now: dict[str, str], before: dict[str, str]) -> None:
        self.now, self.old = now, before

    @property
    def paths(self) -> dict[str, str]:
        return self.now

    @property
    def changes(self) -> Mapping[str, Status]:
        found: dict[str, Status] = {}
        for path in sorted({*self.now, *self.old}):
            if self.now.get(path) != self.old.get(path):
                found[path] = "A" if path not in self.old else "D" if path not in self.now else "M"
        return found

    def read(self, path: str) -> bytes:
        return self.now[path].encode()

    def before(self, path: str) -> bytes | None:
        return self.old[path].encode() if path in self.old else None

    def rev(self, path: str) -> str:
        return rev6(self.read(path))

    def link(self, path: str) -> str | None:
        return None

    def alien(self, path: str) -> bool:
        return False

    def exists(self, path: str) -> bool:
        return path in self.now

    def ignored(self, paths: Iterable[str]) -> dict[str, str]:
        return {}

    def left_out(self, path: str) -> bool:
        return False


def findings(tree: Memory) -> list[Finding]:
    config = Config()
    return judge(Subject(tree, config, Layout(config), lambda: date(2026, 3, 1)))


PATHS = [f"memory/p{n}.md" for n in range(6)]
LINES = st.one_of(
    st.sampled_from(PATHS).map(lambda path: f"- [P]({path}): about it. <!-- trigger: t{path[8]} -->"),
    st.sampled_from(PATHS).map(lambda path: f"- [P]({path}) <!-- rev: {rev6(b'1')} -->"),
    st.sampled_from(PATHS).map(lambda path: f"- [P]({path}): see {PATHS[0]}"),
    st.sampled_from(PATHS).map(lambda path: f"- {path}"),
    st.sampled_from(
        [
            "", "# Memory", "## Active Context", "## People", "prose of a person", "  - Triggers: nested",
            "  more text", "```", "| [Name] | x |", "<!--", "-->", "- plain item",
            "[P](memory/p1.md) in a sentence", "    - [P](memory/p2.md)",
        ]
    ),
)  # fmt: skip
INDEX = st.lists(LINES, max_size=16)
FILES = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(["1", "2"]))


@settings(max_examples=300, deadline=None)
@given(
    INDEX,
    st.lists(st.tuples(st.integers(0, 16), LINES), max_size=3),
    st.integers(0, 3),
    FILES,
    FILES,
    st.sampled_from(["\n", "\r\n"]),
)
def test_same_findings(
    lines: list[str], new: list[tuple[int, str]], cut: int, before: dict[str, str], after: dict[str, str], end: str
) -> None:
    now = lines[cut:]
    for at, line in new:
        now.insert(at, line)
    old_tree = {**before, "MEMORY.md": end.join(lines) + end}
    tree = Memory({**after, "MEMORY.md": end.join(now) + end}, old_tree)
    whole = findings(tree)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view, "LONG", -1)
        short = findings(tree)
    assert [item for item in short if item.code != "OM109"] == [item for item in whole if item.code != "OM109"]


def test_what_is_taken_out() -> None:
    lines = [
        "# I",
        "",
        "- [A](memory/a.md): a",
        "- [B](memory/b.md): b",
        "- [C](memory/c.md): c",
        "- [D](memory/d.md): d",
    ]
    old, new = "\n".join(lines), "\n".join([*lines[:4], lines[4] + "!", lines[5]])
    found = digest.digest(new, old, digest.common(new, old, {f"memory/{name}.md" for name in "abcd"}, {"memory/d.md"}))
    assert found.plain == ((4, "memory/b.md"),)
    assert found.numbers == (1, 2, 3, 5, 6)
    assert found.text.splitlines() == [line for line in new.splitlines() if "B" not in line]

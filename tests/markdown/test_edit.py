"""Edits of whole lines keep every byte they do not mean to change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.markdown import decode, delete_lines, encode, insert_after, replace_lines, scan


@given(st.binary(max_size=60))
def test_any_bytes_survive(data: bytes) -> None:
    assert encode(decode(data)) == data


TEXTS = st.lists(st.sampled_from(["a", "", "b c", "人"]), max_size=6).flatmap(
    lambda parts: st.lists(
        st.sampled_from(["\n", "\r\n", "\r"]), min_size=len(parts), max_size=len(parts)
    ).map(lambda ends: "".join(part + end for part, end in zip(parts, ends, strict=True)))
)  # fmt: skip


@given(TEXTS, st.integers(0, 6), st.lists(st.sampled_from(["new", "x"]), max_size=2))
def test_insert_then_delete_gives_the_same_bytes(text: str, at: int, new: list[str]) -> None:
    at = min(at, len(scan(text).lines))
    grown = insert_after(text, at, new)
    assert delete_lines(grown, range(at + 1, at + 1 + len(new))) == text
    assert replace_lines(text, {}) == text


@pytest.mark.parametrize(
    ("text", "end"), [("a\r\nb\r\nc\n", "\r\n"), ("a\nb\nc\r\n", "\n"), ("a\rb\r", "\r"), ("", "\n"), ("a", "\n")]
)
def test_new_lines_get_the_end_that_most_lines_have(text: str, end: str) -> None:
    assert scan(text).eol == end
    assert insert_after(text, 0, ["new"]) == f"new{end}{text}"


@pytest.mark.parametrize("text", ["a\n\na\r\na\ra\ra\r", "a\r\n\nb\n", "a\rb\nc\n"])
@pytest.mark.parametrize("new", [[""], ["x"], ["x", ""]])
def test_two_line_ends_never_become_one(text: str, new: list[str]) -> None:
    for at in range(len(scan(text).lines) + 1):
        lines = [line.text for line in scan(text).lines]
        assert [line.text for line in scan(insert_after(text, at, new)).lines] == lines[:at] + new + lines[at:]


def test_a_last_line_without_an_end_gets_one_and_a_bom_stays_first() -> None:
    assert insert_after("\ufeffa\r\nb", 2, ["c"]) == "\ufeffa\r\nb\r\nc\r\n"
    assert insert_after("\ufeffa\n", 0, ["c"]) == "\ufeffc\na\n"
    assert delete_lines("\ufeffa\nb\n", [1]) == "\ufeffb\n"
    assert replace_lines("a\r\nb", {1: "x", 2: "y"}) == "x\r\ny"

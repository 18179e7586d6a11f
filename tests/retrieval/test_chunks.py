from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.retrieval.chunks import LONGEST_ATOM, page
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS


def atoms(text: str) -> list[tuple[tuple[str, ...], int, int]]:
    return [(chunk.heading, atom.first, atom.last) for chunk in page(text).chunks for atom in chunk.atoms]


def test_atoms_are_items_paragraphs_rows_and_fences_with_the_lines_on_disk() -> None:
    text = "# T\n\nOne\nparagraph.\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n## S\n\n```sh\n# no heading\n```\n"
    assert atoms(text) == [
        (("T",), 3, 4),
        (("T",), 6, 6),
        (("T",), 7, 7),
        (("T",), 11, 11),
        (("T", "S"), 15, 17),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_marks_and_front_matter_do_not_move_lines(end: str) -> None:
    text = "\ufeff" + end.join(("---", "title: L", "---", "", "# L", "", "The code is 7714.", ""))
    assert atoms(text)[-1][1:] == (7, 7)


def test_a_row_is_found_by_its_header_too() -> None:
    (chunk,) = page("| bird | ring |\n|---|---|\n| stilt | R-8842 |\n").chunks
    assert "ring" in chunk.atoms[0].text


def test_a_heading_without_text_is_an_atom_and_one_with_text_is_not() -> None:
    assert atoms("# Water rail census\n") == [(("Water rail census",), 1, 1)]
    assert [first for _, first, _ in atoms("# A\n\n## B\n\ntext\n\n## C\n")] == [5, 7]


@pytest.mark.parametrize("mark", ["## {}", "{}\n---"])
def test_a_very_long_heading_is_text_and_what_stands_below_it_has_its_start(mark: str) -> None:
    read = page("# T\n\n" + mark.format("word " * 20_000 + "last") + "\n\n" + "- a\n\n" * 2000)
    assert {len(chunk.heading[-1]) for chunk in read.chunks} == {500}
    texts = [atom.text for chunk in read.chunks for atom in chunk.atoms]
    assert any(text.endswith(("last", "last\n---")) for text in texts)
    assert sum(map(len, texts)) < 120_000
    assert len(page("x" * 5000 + "\n===").heading) == 500


def test_headers_behind_the_rows_take_little_more_than_the_table() -> None:
    text = f"|{'h' * 1200}|\n|-|\n" + "|\n" * 5000
    assert sum(len(atom.text) for chunk in page(text).chunks for atom in chunk.atoms) < 20 * len(text)
    few = page(f"|{'h' * 1200}|\n|-|\n" + "|\n" * 10).chunks
    assert len(few[0].atoms[0].text) == 1 + 1 + LONGEST_ATOM


def test_a_long_line_is_cut_and_keeps_its_number_and_a_blob_is_dropped() -> None:
    text = "# Big\n\n" + "padding words " * 9000 + "whooper\n\n![x](data:image/png;base64," + "QUJD" * 9000 + ")\n"
    found = [atom for chunk in page(text).chunks for atom in chunk.atoms]
    assert max(len(atom.text) for atom in found) <= LONGEST_ATOM
    assert [atom.first for atom in found if "whooper" in atom.text] == [3]
    assert not any("QUJDQUJD" in atom.text for atom in found)


@pytest.mark.parametrize("text", ["# h\n" * 9000, "- a\n" * 300_000, "x\n\n" * 20_000])
def test_any_number_of_atoms_fits_the_ids(text: str) -> None:
    found = page(text).chunks
    assert len(found) < 1 << CHUNK_BITS
    assert max(len(chunk.atoms) for chunk in found) <= 1 << ATOM_BITS


@given(
    st.lists(
        st.sampled_from(["# a", "- b", "", "c d", "```", "| x | y |", "|---|---|", "---", "> q", "<!-- z -->"]),
        max_size=30,
    )
)
def test_atoms_stay_inside_the_file_and_in_order(lines: list[str]) -> None:
    found = [(first, last) for _, first, last in atoms("\n".join(lines))]
    assert all(1 <= first <= last <= len(lines) for first, last in found)
    assert [first for first, _ in found] == sorted(first for first, _ in found)

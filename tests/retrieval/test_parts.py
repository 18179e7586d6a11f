"""Small pure parts: dates, masks, facts, fuzzy, fusion, snippets."""

from __future__ import annotations

import json

import pytest

from openclaw_memory.retrieval import dates, masks
from openclaw_memory.retrieval.document_query import parse_document
from openclaw_memory.retrieval.facts import SUPERSEDED, page_of
from openclaw_memory.retrieval.fuse import fuse
from openclaw_memory.retrieval.fuzzy import edits
from openclaw_memory.retrieval.hits import CHUNK_BITS, Candidate
from openclaw_memory.retrieval.snippet import best_line, lines_of, snippet


def test_a_day_in_a_name_and_in_words() -> None:
    assert dates.date_in("2031-05-08-standup.md") == "2031-05-08"
    assert dates.date_in("note-2031-13-40.md") == ""
    assert dates.words("2031-05-08").split()[:1] == ["thursday"]
    assert {"8", "may", "maio", "mayo", "2031"} <= set(dates.words("2031-05-08").split())


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("what happened in may 2031", (2031, 5, 0)),
        ("on 8 may", (0, 5, 8)),
        ("em maio de 2031", (2031, 5, 0)),
        ("hello", (0, 0, 0)),
    ],
)
def test_the_moment_of_a_question(words: str, moment: tuple[int, int, int]) -> None:
    found = dates.moment(words.split())
    assert tuple(found) == moment
    assert (found.agreement("2031-05-08") > 0) is (moment != (0, 0, 0))
    assert found.agreement("2030-06-08") == 0


@pytest.mark.parametrize(
    ("mask", "path", "fits"),
    [
        ("**/*.md", "a/b/c.md", True),
        ("**/*.md", "c.MD", True),
        ("*.md", "a/c.md", False),
        ("MEMORY.md", "memory.md", False),
        ("a.md,b/*.txt", "b/x.txt", True),
        ("**/*.{md,markdown}", "x.markdown", True),
        ("[ab].md", "b.md", True),
        ("notes/**", "notes/deep/x.md", True),
        ("**/*.md", "x.txt", False),
        ("**/*.{md,7z}", "a/b.7Z", True),
        ("**/*.{md,markdown}", "a/md", False),
        ("**/*.{md,t?t}", "a/b.txt", True),
        ("**/*.{md,t?t}", "a/b.t?t", True),
        ("**/*.*", "a/b.c", True),
        ("**/*.tar.gz", "a/b.TAR.GZ", False),
        ("**/*.tar.gz", "a/b.tar.GZ", True),
    ],
)
def test_masks(mask: str, path: str, fits: bool) -> None:
    assert bool(masks.matcher(mask)(path)) is fits


@pytest.mark.parametrize(
    ("mask", "fits"),
    [
        ("[z-a].md", "[z-a].md"),
        ("[[x].md", "[.md"),
        ("[!a]b.md", "cb.md"),
        ("[&&~]x.md", "&x.md"),
        ("[^a]b.md", "cb.md"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_set_of_any_characters_is_a_mask(mask: str, fits: str) -> None:
    assert masks.matcher(mask)(fits)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mask", ["[--x].md", "[a&&b].md", "[x||y].md", "[~~].md", "[[a].md", "[a--z].md"])
def test_a_set_means_its_characters_and_warns_of_nothing(mask: str) -> None:
    assert masks.matcher(f"{mask},second")(f"{mask[1]}.md")
    assert not masks.matcher(mask)("ab.md")


def test_json_that_is_nested_too_deeply_is_text() -> None:
    assert page_of("[" * 9000 + "wheatear", "people/jane/items.json").chunks


def test_facts_become_passages_with_their_lines_whatever_coat_they_wear() -> None:
    facts = [
        {"id": "jane-001", "fact": "Jane leads the dock.", "category": "status", "status": "active"},
        {"id": "jane-002", "fact": "Jane led the yard.", "category": "status", "status": "superseded"},
    ]
    for text in (
        json.dumps(facts, indent=1),
        json.dumps({"facts": facts}, indent=1),
        "\n".join(map(json.dumps, facts)),
    ):
        page = page_of(text, "people/jane/items.json")
        assert [chunk.heading for chunk in page.chunks] == [
            ("people/jane", "status", "active"),
            ("people/jane", "status", "superseded"),
        ]
        assert [chunk.weight for chunk in page.chunks] == [1.0, SUPERSEDED]
        lines = text.split("\n")
        for chunk, fact in zip(page.chunks, facts, strict=True):
            assert fact["fact"] in "\n".join(lines[chunk.atoms[0].first - 1 : chunk.atoms[0].last])


def test_any_number_of_facts_fits_the_ids() -> None:
    facts = [{"id": f"f-{at}", "fact": f"The wheatear {at} came.", "status": "active"} for at in range(9000)]
    chunks = page_of(json.dumps(facts), "people/jane/items.json").chunks
    assert len(chunks) < 1 << CHUNK_BITS
    assert [atom.text.split()[2] for chunk in chunks for atom in chunk.atoms] == [str(at) for at in range(9000)]
    assert len(page_of(json.dumps(facts[:4095]), "people/jane/items.json").chunks) == 4095


def test_broken_facts_are_text() -> None:
    assert page_of('[{"fact": "the heron', "people/jane/items.json").chunks[0].atoms[0].text.endswith("heron")


def test_edits_count_a_swap_as_one() -> None:
    assert edits("quartermastr", "quartermaster", 2) == 1
    assert edits("abcd", "abdc", 2) == 1
    assert edits("abcd", "wxyz", 2) == 3


def test_fusion_is_a_mean_on_an_absolute_scale() -> None:
    words, sense = [Candidate(1, 0.8), Candidate(2, 0.4)], [Candidate(2, 0.9), Candidate(3, 0.2)]
    merged = fuse(words, sense)
    assert [one.passage for one in merged] == [2, 1, 3]
    assert merged[0].score == pytest.approx(0.55 * 0.4 + 0.45 * 0.9)
    assert fuse(words, []) == words
    assert fuse([], sense) == sense
    assert fuse(words, [Candidate(9, 0.01)])[0].passage == 1


def test_lines_end_where_get_says_they_end() -> None:
    assert lines_of("\ufeffa\r\nb\rc\u2028d\n") == ["a", "b", "c\u2028d"]


def test_a_snippet_is_cut_around_the_words_and_hides_annotations() -> None:
    lines = ["- Jane: tea <!-- trigger: jane --> <!-- rev: 3f9a1c -->", "padding " * 200 + "heron " + "padding " * 200]
    assert snippet(lines, 1, 1, {"tea"}, 700) == "- Jane: tea"
    cut = snippet(lines, 2, 2, {"heron"}, 100)
    assert "heron" in cut
    assert len(cut) <= 102


def test_the_best_line_is_chosen_by_the_same_analysis() -> None:
    assert best_line(["nothing", "Skuas were migrating"], 1, 2, {"skua", "migrat"}) == 2


def test_query_documents() -> None:
    document = parse_document("lex: heron dock\nvec: who leads the dock\nhyde: Jane leads it.\nintent: planning")
    assert document.lex == ("heron dock",)
    assert document.vec == ("who leads the dock", "Jane leads it.")
    assert document.intent == "planning"
    assert parse_document("who leads").lex == parse_document("who leads").vec == ("who leads",)

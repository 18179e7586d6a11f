"""Searches by words in a process that stays, by numpy: they give exactly what the plain steps give."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory.retrieval import arrays, collections, lexical, memory, shortlist, store
from openclaw_memory.retrieval.hits import CHUNK_BITS, Candidate
from openclaw_memory.retrieval.memory import Reader
from openclaw_memory.retrieval.query import parse
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.texts import texts
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace

pytest.importorskip("numpy")

SHARED = Path(os.environ.get("OPENCLAW_MEMORY_SHARED", Path(__file__).resolve().parents[3] / "shared"))
WORDS = [
    *("heron", "heron", "mill", "mill", "dock", "tea", "green", "boat", "lamp", "may", "yesterday", "2031"),
    *("set-up", "flushPelican", "VRN-0417", "Jane", "飞书", "7", "C++", "herons", "heronry"),
]
LINE = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
MARKED = st.builds(
    str.format, st.sampled_from(["- {}", "- Heron: {}?", "Jane: {}", "## {}", "{}\n", "{}?", "", "\n{}"]), LINE
)
NAMES = st.builds(
    "{}{}-{}.md".format, st.sampled_from(["", "mill/", "2031-05-08-"]), st.sampled_from(WORDS), st.integers(0, 9)
)
FACTS = st.lists(LINE, max_size=5).map(
    lambda lines: json.dumps([{"id": f"x-{at:03}", "fact": line, "status": "active"} for at, line in enumerate(lines)])
)
FILES = st.dictionaries(NAMES, st.lists(MARKED, max_size=30).map("\n".join), min_size=1, max_size=12)
WORD = st.sampled_from([*WORDS, "hreon", "her*", "fl*", "unknown", "the", "when"])
RUN = st.lists(st.sampled_from([*WORDS, "the", "unknown"]), min_size=1, max_size=3).map(" ".join)
PART = (
    WORD
    | WORD
    | WORD
    | st.sampled_from(['"{}"', "-{}", '-"{}"', "{}?"]).flatmap(lambda shape: RUN.map(lambda run: shape.format(run)))
)
QUERIES = st.builds(
    "{}{}".format, st.sampled_from(["", "", "When "]), st.lists(PART, min_size=1, max_size=5).map(" ".join)
)


def both(db: Reader, text: str, scope: Scope, limit: int) -> tuple[list[Candidate], list[Candidate]]:
    """What the plain steps give, and what those by numpy give."""
    query, snapshot = parse(text), db.snapshot
    assert arrays.of(db) is not None
    db.snapshot = None
    plain = lexical.lexical(db, query, scope, limit)
    db.snapshot = snapshot
    return plain, lexical.lexical(db, query, scope, limit)


@contextmanager
def reader(ws: Workspace) -> Iterator[Reader]:
    """A reader that is kept, of an index that is up to date."""
    arrays.load()
    update(ws)
    path = store.path_in(ws.state_path)
    with patch.object(store, "_kept", {}), patch.object(memory, "_held", {}):
        store.stay(path)
        with store.reading(path) as db:
            assert isinstance(db, Reader)
            yield db


@st.composite
def scopes(draw: st.DrawFn, db: Reader, numbers: list[int]) -> Scope:
    """All files or some, and of files of facts all facts or some."""
    some = draw(st.none() | st.frozensets(st.sampled_from(numbers)))
    facts = {}
    for file, chunks in db.execute("SELECT id, chunks FROM files WHERE kind = 'fact' AND chunks > 0"):
        if draw(st.booleans()):
            places = draw(st.frozensets(st.integers(0, chunks - 1), min_size=1))
            facts[file] = frozenset(file << CHUNK_BITS | place for place in places)
    return Scope(some, facts)


@settings(max_examples=40, deadline=None)
@given(FILES, FACTS, st.lists(st.tuples(QUERIES, st.integers(1, 30)), min_size=8, max_size=16), st.data())
def test_any_workspace_and_query(
    files: dict[str, str], facts: str, queries: list[tuple[str, int]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in {"MEMORY.md": "# Memory\n", "memory/people/x/items.json": facts}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        for name, text in files.items():
            path = root / "memory" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        # few are enough to be too many, so that what is cut in a large workspace is cut here
        few = data.draw(st.sampled_from([1, 3, 80]))
        counted = data.draw(st.sampled_from([0, 9, 5000]))
        with (
            reader(Workspace(root)) as db,
            patch.object(lexical, "_CHUNKS", few),
            patch.object(shortlist, "POSTINGS", counted),
        ):
            numbers = [number for (number,) in db.execute("SELECT id FROM files")]
            for text, limit in queries:
                plain, by_numpy = both(db, text, data.draw(scopes(db, numbers)), limit)
                assert plain == by_numpy, text


@pytest.mark.parametrize("limit", [1, 2, 5, 30])
def test_of_many_equals_the_first_by_name_go_on(ws: Workspace, limit: int) -> None:
    for name in "zmaqf":
        for number in range(12):  # those that were indexed first are not the first by name
            (ws.root / f"memory/{name}{number}.md").write_text("- one petrel\n\n- and more of it\n" * 9)
        update(ws)
    with reader(ws) as db, patch.object(lexical, "_CHUNKS", 1):
        plain, by_numpy = both(db, "petrel", Scope(), limit)
        assert plain == by_numpy
        found = [db.execute("SELECT path FROM files WHERE id = ?", (one.passage >> 18,)).fetchone()[0] for one in plain]
        assert found[0] == "a0.md"


@pytest.mark.parametrize(
    ("text", "asked", "lines"),
    [
        ("# Boats\n\n- heron\n\n## Green tea\n\n- heron\n", 'heron -"green tea"', [3]),
        ("# Boats\n\n- heron\n\n## Green tea\n\n- heron\n", 'heron "green tea"', [7]),
        ("# Boats\n\n- heron\n\n## Green tea\n\n- heron\n", "heron -green", [3]),
        ("# Heron\n\n- the dock\n- the mill\n", "heron -dock", [4]),
        ("# Heron\n\n- the old dock\n- the mill\n", 'heron -"old dock"', [4]),
        ("# Heron\n\n- the dock\n", "heron -dock", []),
        ("- VRN-0417 heron\n- heron 0417\n", '"0417 heron"', [1]),
        ("- VRN-0417 heron\n- heron 0417\n", 'heron -"0417 heron"', [2]),
        ("- heron\n- mill\n", '"heron mill"', []),
        ("- heron mill\n- mill heron\n", '"heron mill" "mill heron"', []),
        ("- heron mill heron\n- mill heron\n", '"heron mill" "mill heron"', [1]),
        ("- heron mill\n", 'heron "mill seriema"', []),
        ("- to be a heron\n- be a heron\n", 'heron "to be"', [1]),
    ],
)
def test_what_operators_require(ws: Workspace, text: str, asked: str, lines: list[int]) -> None:
    (ws.root / "memory/new.md").write_text(text)
    with reader(ws) as db:
        ((file,),) = db.execute("SELECT id FROM files WHERE path = 'new.md'")
        plain, by_numpy = both(db, asked, Scope(frozenset({file})), 9)
        assert plain == by_numpy
        spans = [texts(db, [one.passage >> 6])[one.passage >> 6].spans[2 * (one.passage & 63)] for one in by_numpy]
        assert sorted(spans) == lines


@pytest.mark.parametrize("asked", ["tea", "jane"])  # in their text; only above it
def test_facts_that_count_by_themselves(ws: Workspace, asked: str) -> None:
    path = ws.root / "memory/people/jane/items.json"
    path.parent.mkdir()
    path.write_text(json.dumps([{"id": f"jane-{at}", "fact": f"tea number {at}"} for at in range(4)]))
    with reader(ws) as db:
        ((file, first),) = db.execute("SELECT id, id << 12 FROM files WHERE kind = 'fact'")
        plain, by_numpy = both(db, asked, Scope(frozenset({file}), {file: frozenset({first + 1, first + 2})}), 9)
        assert [one.passage >> 6 for one in plain] == [first + 1, first + 2]
        assert plain == by_numpy


def test_what_is_remembered_is_that_of_the_index_now(ws: Workspace) -> None:
    for word in ("petrel", "seriema"):
        (ws.root / "memory/new.md").write_text(f"# {word}\n\n- one {word}\n- the other {word}\n")
        with reader(ws) as db:
            plain, by_numpy = both(db, word, Scope(), 9)
            assert plain == by_numpy
            assert len(plain) == 2


def test_a_reader_that_is_not_kept_is_searched_by_the_plain_steps(ws: Workspace) -> None:
    update(ws)
    with store.reading(store.path_in(ws.state_path)) as db:
        assert db is not None
        assert arrays.of(db) is None


@pytest.mark.skipif(not (SHARED / "data/faquad_pt").is_dir(), reason="needs the data that lies beside the project")
def test_the_questions_of_a_benchmark(tmp_path: Path) -> None:
    data = SHARED / "data/faquad_pt"
    lines = (data / "queries_dev.jsonl").read_text().splitlines()
    asked = [one["question"] for one in map(json.loads, lines)] + [
        one["q"] for one in json.loads((SHARED / "bench/queries.json").read_bytes())
    ]
    ws = Workspace(tmp_path)
    collections.add(ws, data / "dev", "data")
    answered = 0
    with reader(ws) as db:
        for text in asked:
            plain, by_numpy = both(db, text, Scope(), 20)
            assert plain == by_numpy, text
            answered += bool(plain)
        for text in asked[::40]:
            first, *words = text.strip("?").split()
            for run in map(" ".join, pairwise(words)):
                for form in (f'"{run}" {text}', f'{text} -"{run}"', f"{first} -{words[0]}"):
                    plain, by_numpy = both(db, form, Scope(), 20)
                    assert plain == by_numpy, form
                    answered += bool(plain)
    assert answered > len(asked)

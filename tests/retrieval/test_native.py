"""What runs in C gives what its Python twin gives, to the byte, and an error leaves nothing half done."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory.retrieval import native, postings, stem, store
from openclaw_memory.retrieval.analyse import LONGEST_PIECE, Terms, analyse
from openclaw_memory.retrieval.lexicon import ASKS, BETWEEN, FIRST, LABELLED, SIGNS, Numbers, stored
from openclaw_memory.retrieval.schema import TABLES
from openclaw_memory.retrieval.spellings import Spellings
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace
from tests.retrieval.no_memory import failures
from tests.retrieval.test_lexicon import TEXTS

if native.speed is None:
    pytest.skip("the extension was not compiled", allow_module_level=True)
speed = native.speed

ENDINGS = [ending for table in stem.rules() for ending in table]
WORDS = st.one_of(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12),
    st.tuples(st.text("aeioulstpy", max_size=5), st.sampled_from(ENDINGS), st.sampled_from(["", "s", "ed", "ing", "e"]))
    .map("".join)
    .filter(bool),
    st.text("abyz019", min_size=1, max_size=LONGEST_PIECE),
)
MARKED = st.tuples(TEXTS, st.sampled_from(["", LABELLED, ASKS]), st.sampled_from(["", ".", ",", ".,:", "..", " ."]))


def new_numbers() -> Numbers:
    db = sqlite3.connect(":memory:")
    db.executescript(TABLES)
    return Numbers(db, whole=True)


def new_speller(numbers: Numbers) -> object:
    return speed.Speller(numbers, analyse, stem.rules(), SIGNS, random.getrandbits(64))


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Numbers, object, Numbers, Spellings]]:
    mine, its = new_numbers(), new_numbers()
    yield mine, new_speller(mine), its, Spellings(its)


@given(WORDS)
@settings(max_examples=1000)
def test_a_word_has_the_same_stem(pair: tuple[Numbers, object, Numbers, Spellings], word: str) -> None:
    assert pair[1].stem(word) == stem.stem(word)


def test_every_ending_and_irregular_form_has_the_same_stem(pair: tuple[Numbers, object, Numbers, Spellings]) -> None:
    for before in ("", "a", "st", "tra", "consol", "abcdefgh", "hopp", "creat"):
        for ending in ("", *ENDINGS):
            for after in ("", "s", "ed", "ing", "ly", "eed", "ies"):
                word = before + ending + after
                assert pair[1].stem(word) == stem.stem(word), word


def test_very_many_spellings_are_kept_apart() -> None:
    draw, mine, its = random.Random(3), new_numbers(), new_numbers()
    signs = "abcdefghijklmnopqrstuvwxyzABCDE0123456789-_."
    spelt = ["".join(draw.choices(signs, k=draw.choice([1, 2, 3, 7, 8, 9, 16, 30, 64, 80]))) for _ in range(15_000)]
    speller, spellings = new_speller(mine), Spellings(its)
    for start in range(0, len(spelt), 3_000):
        texts = [" ".join(spelt[start : start + 4_000])]
        assert speller.encode(texts) == spellings.encode(texts)
    assert list(mine.items()) == list(its.items())
    assert speller.size > 8_000


@given(st.lists(MARKED, min_size=1, max_size=6))
@settings(max_examples=500)
def test_texts_are_stored_the_same(
    pair: tuple[Numbers, object, Numbers, Spellings], texts: list[tuple[str, str, str]]
) -> None:
    mine, speller, its, spellings = pair
    together = [text.replace("\0", " ") + end + mark + BETWEEN for text, mark, end in texts]
    assert speller.encode(together) == spellings.encode(together)
    assert list(mine.items()) == list(its.items())
    assert speller.size + 1 == spellings.size  # Python also keeps what stands between texts


def test_bytes_that_are_not_utf8_are_stored_the_same() -> None:
    texts = [b"caf\xe9 a\xff-b flush".decode("utf-8", "surrogateescape"), "\udcff", "", "plain"]
    assert new_speller(new_numbers()).encode(texts) == Spellings(new_numbers()).encode(texts)


@pytest.mark.parametrize("sign", ["-", "=", "_", ".", "$", "@", "-a-", ",:"])
@pytest.mark.parametrize("word", ["hello", "hellos" * 3, "aB", "a1", ".net", "c#", "x" * 65, "é", "a-b"])
def test_a_word_after_a_long_run_of_signs_is_stored_the_same(sign: str, word: str) -> None:
    for count in (60, 390, 399, 400, 401, 1000):
        for text in (sign * count + word, word + sign * count, sign * count + word + sign * count):
            mine, its = new_numbers(), new_numbers()
            assert new_speller(mine).encode([text]) == Spellings(its).encode([text]), (count, text[-80:])
            assert list(mine) == list(its)


def test_what_many_parts_of_one_spelling_say_is_stored_in_time_that_grows_with_it() -> None:
    numbers = new_numbers()
    speller, times = new_speller(numbers), []
    for count in (20_000, 80_000):
        extra = tuple(f"{count}x{at}" for at in range(count))
        speller = speed.Speller(numbers, lambda _, extra=extra: Terms((), extra), stem.rules(), SIGNS, 1)
        speller.encode(["é"])
        speller.forget()
        start = time.process_time()
        speller.encode(["é"])
        times.append(time.process_time() - start)
    assert times[1] < 10 * times[0] + 0.05


class CountingNumbers(dict[str, bytes]):
    def __missing__(self, term: str) -> bytes:
        found = self[term] = stored(FIRST + len(self))
        return found


def test_the_list_may_change_while_it_is_read() -> None:
    texts = [f"{'é' * (LONGEST_PIECE + at)} x{at}" for at in range(20)]

    def clearing(spelling: str) -> Terms:
        texts.clear()
        return analyse(spelling)

    kept = texts.copy()
    found = speed.Speller(CountingNumbers(), clearing, stem.rules(), SIGNS, 1).encode(texts)
    assert found == Spellings(CountingNumbers()).encode(kept)


@pytest.mark.parametrize("again", ["encode", "forget"])
def test_a_speller_at_work_is_not_entered_again(again: str) -> None:
    spellers: list[object] = []

    def entering(spelling: str) -> Terms:
        getattr(spellers[0], again)(*([["b é"]] if again == "encode" else []))
        return analyse(spelling)

    spellers.append(speed.Speller(CountingNumbers(), entering, stem.rules(), SIGNS, 1))
    with pytest.raises(RuntimeError, match="at work"):
        spellers[0].encode(["é ü plain"])
    assert spellers[0].encode(["plain"]) == Spellings(CountingNumbers()).encode(["plain"])


def test_threads_that_share_a_speller_get_what_is_right_or_an_error() -> None:
    numbers = CountingNumbers()

    def waiting(spelling: str) -> Terms:
        time.sleep(0)
        return analyse(spelling)

    speller = speed.Speller(numbers, waiting, stem.rules(), SIGNS, 1)

    def work(number: int) -> None:
        for at in range(100):
            text = f"é{number}x{at} plain{number} w{at}"
            with contextlib.suppress(RuntimeError):
                assert speller.encode([text])[0].startswith(numbers[f"e{number}x{at}"])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


TEXTS_OF_ALL_KINDS = [
    "flushPelican ação C++ it's VRN-0417 plain",
    "é" * 80 + " x-" * 80,
    *(f"w{at} x{at}Y" for at in range(1_700)),
]


def listed(lists: object) -> object:
    lists.add(1, [stored(*range(2_000))] * 5)
    lists.add(0, [stored(3_000)])
    return lists.blobs()


@pytest.mark.parametrize(
    ("make", "run"),
    [
        (lambda: stem.rules(), lambda rules: speed.Speller({}, analyse, rules, SIGNS, 1).stem("tries")),
        (
            lambda: speed.Speller(CountingNumbers(), analyse, stem.rules(), SIGNS, 1),
            lambda speller: speller.encode(TEXTS_OF_ALL_KINDS),
        ),
        (speed.Lists, listed),
    ],
    ids=["rules", "encode", "lists"],
)
def test_wherever_memory_fails_it_is_an_error_and_what_is_there_can_be_used(
    make: Callable[[], object], run: Callable[[object], object]
) -> None:
    assert failures(make, run) > 8


def test_no_texts_are_nothing() -> None:
    assert new_speller(new_numbers()).encode([]) == []


def test_forgetting_keeps_the_numbers() -> None:
    numbers = new_numbers()
    speller = new_speller(numbers)
    before = speller.encode(["some words of aLongName"])
    speller.forget()
    assert speller.size == 0
    assert speller.encode(["some words of aLongName"]) == before


@pytest.mark.parametrize("left", [1, 2, 3])
@pytest.mark.parametrize("text", ["plain words then more", "l'eau ação über", "é-x-yz-" * 30, "oneCamelCase"])
def test_an_error_halfway_leaves_no_spelling_half_known(text: str, left: int) -> None:
    class Failing(dict[str, bytes]):
        left: int

        def __missing__(self, term: str) -> bytes:
            self.left -= 1
            if self.left == 0:
                raise OSError(term)
            found = self[term] = stored(FIRST + len(self))
            return found

    numbers = Failing()
    speller = speed.Speller(numbers, analyse, stem.rules(), SIGNS, 7)
    numbers.left = left
    with pytest.raises(OSError):
        speller.encode([text])
    assert speller.size == 0
    assert speller.encode([text]) == speed.Speller(numbers, analyse, stem.rules(), SIGNS, 8).encode([text])


@pytest.mark.parametrize(
    ("numbers", "said", "error"),
    [
        ({}, Terms(("x",)), KeyError),
        ({"x": b"123"}, Terms(("x",)), ValueError),
        ({"x": 5}, Terms(("x",)), TypeError),
        ({"x": b"1234"}, 5, TypeError),
        ({"x": b"1234"}, (), IndexError),
        ({"x": b"1234"}, ("x", 7), TypeError),
    ],
)
def test_what_it_is_given_wrong_is_an_error(numbers: object, said: object, error: type[Exception]) -> None:
    speller = speed.Speller(numbers, lambda spelling: said, stem.rules(), SIGNS, 1)
    with pytest.raises((error, SystemError)):
        speller.encode(["é"])


def test_arguments_of_a_wrong_kind_are_errors() -> None:
    speller = new_speller(new_numbers())
    for wrong in ("text", None, [b"bytes"], [None]):
        with pytest.raises((TypeError, SystemError)):
            speller.encode(wrong)
    for texts in ("text", ["text"], b"text"):
        with pytest.raises((TypeError, SystemError)):
            speed.Lists().add(1, texts)
    with pytest.raises(ValueError, match="too long"):
        speller.stem("x" * (LONGEST_PIECE + 1))
    for rules in ((), ({}, {}, {}, {}), ({}, {"a": 1}, {}, {}, {}), ({}, {"a" * 12: ("", 1)}, {}, {}, {})):
        with pytest.raises((TypeError, ValueError, SystemError)):
            speed.Speller({}, analyse, rules, SIGNS, 1)
    for ending, becomes, least in (("", "", 1), ("g", "gg", 1), ("ational", "", 0)):
        with pytest.raises(ValueError, match="longer, or takes all"):
            speed.Speller({}, analyse, ({}, {}, {}, {ending: (becomes, least)}, {}), SIGNS, 1)


@given(st.lists(st.tuples(st.integers(0, 40), st.lists(st.integers(0, 60), max_size=20)), unique_by=lambda one: one[0]))
def test_chunks_are_counted_the_same(chunks: list[tuple[int, list[int]]]) -> None:
    ours, twin = speed.Lists(), postings.Lists()
    for chunk, terms in chunks:
        ours.add(chunk, [stored(*terms)])
        twin.add(chunk, [stored(*terms)])
    assert list(ours.blobs().items()) == list(twin.blobs().items())


def tables(ws: Workspace) -> dict[str, list[object]]:
    with closing(sqlite3.connect(store.path_in(ws.state_dir))) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: db.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in names if name != "meta"}


def test_an_index_that_grows_and_changes_is_the_same_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "ws"
    shutil.copytree(Path(__file__).parents[2] / "workspace_template", root)
    notes = root / "memory"
    notes.mkdir(exist_ok=True)
    ws = Workspace(root)
    other = tmp_path / "state of the other"

    def swap() -> None:
        for source, target in ((ws.state_dir, tmp_path / "aside"), (other, ws.state_dir), (tmp_path / "aside", other)):
            if source.exists():
                source.rename(target)

    written = time.time() - 3600
    draw = random.Random(5)
    words = [
        "flushPelican",
        "VRN-0417",
        "it's",
        "ação",
        "C++",
        ".net",
        "HTTPServer",
        "倉庫の鍵",
        "set-up",
        "moved;",
        "(Oslo)",
        "-",
        "...",
        "Ü:",
    ]
    for step in range(12):
        for _ in range(6):
            note = notes / f"note-{draw.randrange(20):02}.md"
            if note.exists() and draw.random() < 0.3:
                note.unlink()
            else:
                lines = (" ".join(draw.choices(words, k=draw.randrange(1, 9))) for _ in range(draw.randrange(1, 30)))
                note.write_text(f"# Note {step}\n\n" + "\n".join(f"- {line}" for line in lines) + "\n")
                os.utime(note, (written + step, written + step))  # a fresh one may be racy in one index alone
        update(ws)
        compiled = tables(ws)
        swap()
        with monkeypatch.context() as patched:
            patched.setattr(native, "speed", None)
            update(ws)
        assert tables(ws) == compiled
        swap()

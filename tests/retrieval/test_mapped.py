"""The cache of vectors beside the index: made, taken, made anew, and never needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.retrieval import store, vectors
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace

np = pytest.importorskip("numpy")
from openclaw_memory.retrieval import mapped  # noqa: E402 (needs numpy)
from tests.retrieval.test_hybrid import Senses  # noqa: E402


@pytest.fixture
def large(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setattr(mapped, "_WORTH_IT", 1)
    update(ws)
    vectors.embed(ws, Senses())
    return ws


def fresh(ws: Workspace) -> Any:
    """The matrix as a new process sees it."""
    mapped._kept.clear()
    with store.reading(store.path_in(ws.state_dir)) as db:
        assert db is not None
        return mapped.matrix(db)


def cache(ws: Workspace) -> Path:
    return ws.state_dir / mapped.NAME


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("passages", "codes", "scales"))


def test_what_is_mapped_is_what_was_read(large: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    read = fresh(large)
    assert cache(large).exists()
    monkeypatch.setattr(mapped, "_read", lambda *_: pytest.fail("the cache was not taken"))
    assert same(fresh(large), read)


@pytest.mark.parametrize("harm", ["missing", "short", "empty", "other", "longer"])
def test_a_broken_cache_is_made_anew(large: Workspace, harm: str) -> None:
    read = fresh(large)
    path, data = cache(large), cache(large).read_bytes()
    path.unlink()
    bad = {"short": data[:-1], "empty": b"", "other": b"X" + data[1:], "longer": data + b"\0"}
    if harm in bad:
        path.write_bytes(bad[harm])
    assert same(fresh(large), read)
    assert cache(large).read_bytes() == data


def test_another_generation_is_another_cache(large: Workspace) -> None:
    before = fresh(large)
    (large.root / "memory/people/tom.md").write_text("# Tom\n\n- Sees a bird.\n")
    update(large)
    vectors.embed(large, Senses())
    after = fresh(large)
    assert len(after.passages) > len(before.passages)
    assert same(fresh(large), after)


def test_an_index_made_anew_does_not_take_the_cache_of_the_old_one(large: Workspace) -> None:
    fresh(large)
    for path in large.state_dir.glob("index.db*"):
        path.unlink()
    (large.root / "memory/people/jane.md").unlink()
    update(large)
    vectors.embed(large, Senses())
    held = fresh(large)
    with store.reading(store.path_in(large.state_dir)) as db:
        assert db is not None
        wanted = [row[0] for row in db.execute("SELECT passage FROM embedded ORDER BY 1")]
    assert held.passages[~held.whole].tolist() == wanted


def test_where_it_cannot_be_written_the_index_serves(large: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from openclaw_memory.errors import WriteError

    def full(*_: object) -> bool:
        raise WriteError("the disk is full", "free some space")

    monkeypatch.setattr(mapped.fsio, "write", full)
    assert len(fresh(large).passages)
    assert not cache(large).exists()


def test_few_vectors_need_no_cache(ws: Workspace) -> None:
    update(ws)
    vectors.embed(ws, Senses())
    assert len(fresh(ws).passages)
    assert not cache(ws).exists()


def test_a_file_is_as_close_as_its_middle_or_what_it_says_it_is_about() -> None:
    x, y = (1.0, 0.0), (0.0, 1.0)
    passages = [1 << 18, 1 << 18 | 64, 2 << 18, 2 << 18 | 4095 << 6]
    rows = vectors.quantised([b""] * 4, np.array([x, y, y, x], np.float32))
    codes = np.frombuffer(b"".join(code for _, _, code in rows), np.int8).reshape(4, 2)
    scales = np.array([scale for _, scale, _ in rows], np.float32)
    numbers = np.array(passages, np.int64)
    found = mapped.matrix_of(numbers, codes, scales, 0.0)
    share, middle = mapped._FILE, 0.5**0.5
    wanted = [1 - share + share * middle, share * middle, share * 1.0, 0.0]
    assert found.scores(np.array(x, np.float32)).tolist() == pytest.approx(wanted, abs=0.01)


def test_two_threads_give_what_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(-127, 128, (3 * mapped._BLOCK + 7, 32), np.int8)
    scales = rng.random(len(codes), np.float32)
    held = mapped.matrix_of(np.arange(len(codes)), codes, scales, 0.0)
    query = rng.random(32, np.float32)
    alone = held.cosines(query)
    monkeypatch.setattr(mapped, "_ALONE", 100)
    assert held.cosines(query).tolist() == pytest.approx(alone.tolist(), rel=1e-5)
    assert alone.tolist() == pytest.approx((scales * (codes.astype(np.float32) @ query)).tolist(), rel=1e-4, abs=1e-3)

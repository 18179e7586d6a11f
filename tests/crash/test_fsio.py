"""A process that is killed at any system call of a write leaves the old bytes or the new ones, and no litter."""

import pytest

from openclaw_memory import fsio
from openclaw_memory.fsio import temps

OLD, NEW = b"old\n" * 3000, b"new\n" * 5000
IMPORTS = "from pathlib import Path\nfrom openclaw_memory import fsio\n"
WRITE = IMPORTS + f"begin(); fsio.write(Path('memory/a.md'), {NEW[:4]!r} * 5000)"
MOVE = IMPORTS + "begin(); fsio.move(Path('memory/a.md'), Path('memory/archive/2026/a.md'))"
APPEND = IMPORTS + "begin(); fsio.append(Path('memory/a.md'), b'more\\n')"
LOCKED = IMPORTS + f"begin()\nwith fsio.locked(Path('lock')): fsio.write(Path('memory/a.md'), {NEW[:4]!r} * 5000)"


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "root"
    (root / "memory").mkdir(parents=True)
    (root / "memory/a.md").write_bytes(OLD)
    return root


def next_run(folder):
    """What the next process does first where it writes: sweep."""
    temps._swept.clear()
    fsio.write(folder / "memory/b.md", b"next")
    (folder / "memory/b.md").unlink()
    return [path for path in folder.rglob("*") if path.name.endswith(fsio.TEMP_SUFFIX)]


def check_write(folder, kills, every):
    seen = set()
    for call in kills(WRITE, folder, every=every):
        data = (folder / "memory/a.md").read_bytes()
        assert data in (OLD, NEW), call
        assert next_run(folder) == [], call
        seen.add(data)
    assert seen == {OLD, NEW}
    assert (folder / "memory/a.md").read_bytes() == NEW


def test_write(folder, kills):
    check_write(folder, kills, every=False)


@pytest.mark.slow
def test_write_at_every_call(folder, kills):
    check_write(folder, kills, every=True)


def check_move(folder, kills, every):
    old, new = folder / "memory/a.md", folder / "memory/archive/2026/a.md"
    for call in kills(MOVE, folder, every=every):
        assert [path.read_bytes() for path in (old, new) if path.exists()] == [OLD], call
    assert new.read_bytes() == OLD
    assert not old.exists()


def test_move(folder, kills):
    check_move(folder, kills, every=False)


@pytest.mark.slow
def test_move_at_every_call(folder, kills):
    check_move(folder, kills, every=True)


@pytest.mark.slow
def test_append(folder, kills):
    for call in kills(APPEND, folder, every=True):
        assert (folder / "memory/a.md").read_bytes() in (OLD, OLD + b"more\n"), call


def test_the_lock_of_a_killed_writer_is_free(folder, kills):
    for call in kills(LOCKED, folder):
        with fsio.locked(folder / "lock", timeout=0):
            assert (folder / "memory/a.md").read_bytes() in (OLD, NEW), call

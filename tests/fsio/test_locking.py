import errno
import os
import signal
import subprocess
import sys
import time

import pytest

from openclaw_memory import fsio
from openclaw_memory.errors import LockError, WriteError

HOLD = (
    "import sys, time, pathlib\nfrom openclaw_memory import fsio\n"
    "with fsio.locked(pathlib.Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)\n"
)


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path / "lock")], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_the_holder_is_named(tmp_path, holder):
    started = time.monotonic()
    with pytest.raises(LockError) as caught, fsio.locked(tmp_path / "lock", timeout=0.1):
        pass
    assert time.monotonic() - started < 5
    assert f"process {holder.pid} (-c {tmp_path / 'lock'})" in caught.value.message


def test_the_lock_of_a_killed_holder_is_free(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    with fsio.locked(tmp_path / "lock", timeout=5):
        assert (tmp_path / "lock").read_text().startswith(f"{os.getpid()} ")


def test_the_lock_is_free_after_an_exception(tmp_path):
    with pytest.raises(KeyError), fsio.locked(tmp_path / "lock"):
        raise KeyError
    with fsio.locked(tmp_path / "lock", timeout=0):
        pass


def test_a_deleted_lock_file_does_not_let_two_in(tmp_path, holder):
    """Who waited on the file that was deleted gets in by the one that has its name now, and alone."""
    waiting = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path / "lock")], stdout=subprocess.PIPE)
    time.sleep(0.3)
    (tmp_path / "lock").unlink()
    assert waiting.stdout.readline() == b"held\n"
    with pytest.raises(LockError, match=f"process {waiting.pid} "), fsio.locked(tmp_path / "lock", timeout=0.1):
        pass
    waiting.kill()
    waiting.wait()
    waiting.stdout.close()


COUNT = """
import sys, pathlib
from openclaw_memory import fsio
lock, count = map(pathlib.Path, sys.argv[1:])
for _ in range(200):
    with fsio.locked(lock, 60, removing=True):
        count.write_text(str(int(count.read_text()) + 1))
"""


def test_a_lock_file_goes_with_its_lock_and_lets_one_in_at_a_time(tmp_path):
    lock, count = tmp_path / "lock", tmp_path / "count"
    count.write_text("0")
    counters = [subprocess.Popen([sys.executable, "-c", COUNT, str(lock), str(count)]) for _ in range(6)]
    assert [one.wait() for one in counters] == [0] * 6
    assert (count.read_text(), lock.exists()) == ("1200", False)


def test_a_lock_file_that_is_anothers_by_now_stays(tmp_path):
    with fsio.locked(tmp_path / "lock", removing=True):
        (tmp_path / "lock").unlink()
        (tmp_path / "lock").write_text("another's")
    assert (tmp_path / "lock").read_text() == "another's"


def test_a_lock_file_that_cannot_be_made(tmp_path):
    (tmp_path / "state").write_bytes(b"")
    with pytest.raises(WriteError) as caught, fsio.locked(tmp_path / "state" / "lock"):
        pass
    assert caught.value.hint


def test_what_was_moved_away_is_not_made_again(tmp_path):
    with fsio.locked(tmp_path / "state" / "lock"):
        pass
    with pytest.raises(WriteError, match="No such file"), fsio.locked(tmp_path / "gone" / "state" / "lock"):
        pass
    assert not (tmp_path / "gone").exists()


def test_a_lock_holds_on_a_full_disk_too(tmp_path, monkeypatch):
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with fsio.locked(tmp_path / "lock"), pytest.raises(LockError), fsio.locked(tmp_path / "lock", 0.0):
        pass


def test_eight_writers_lose_no_edit(tmp_path):
    script = (
        "import sys, pathlib\nfrom openclaw_memory import fsio\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "for i in range(25):\n"
        "    with fsio.locked(root / 'lock', timeout=60):\n"
        "        fsio.write(root / 'a.md', fsio.read(root / 'a.md') + f'{sys.argv[2]}-{i}\\n'.encode())\n"
    )
    (tmp_path / "a.md").write_bytes(b"")
    writers = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), str(n)]) for n in range(8)]
    assert [writer.wait() for writer in writers] == [0] * 8
    lines = (tmp_path / "a.md").read_text().splitlines()
    assert sorted(lines) == sorted(f"{n}-{i}" for n in range(8) for i in range(25))
    for n in range(8):
        assert [line for line in lines if line.startswith(f"{n}-")] == [f"{n}-{i}" for i in range(25)]

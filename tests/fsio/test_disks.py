"""Real full and read-only file systems, mounted in a namespace of their own; and the paths other systems take."""

import fcntl
import os
import shutil
import subprocess
import sys

import pytest

from openclaw_memory import fsio
from openclaw_memory.fsio import platform, temps, writing

SCRIPT = """
set -e
mount -t tmpfs -o size=64k tmpfs "$DISK"
mkdir "$DISK/memory"
printf old > "$DISK/memory/a.md"
{after}
"{python}" -c "$CODE" "$DISK"
find "$DISK" -type f | sort
cat "$DISK/memory/a.md"
"""
CODE = """
import pathlib, sys
from openclaw_memory import fsio
from openclaw_memory.errors import LockError, WriteError
disk = pathlib.Path(sys.argv[1])
a = disk / "memory/a.md"
for call in (
    lambda: fsio.write(a, b"n" * 200_000),
    lambda: fsio.append(a, b"n" * 200_000),
    lambda: fsio.write(disk / "new/b.md", b"n" * 200_000),
):
    try:
        call()
    except WriteError as error:
        print("|".join((error.message.split(": ")[-1], error.hint)))
"""


def on_a_disk(tmp_path, after=""):
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", SCRIPT.format(python=sys.executable, after=after)],
        env={**os.environ, "DISK": str(disk), "CODE": CODE},
        capture_output=True,
        text=True,
    )
    if "mount" in done.stderr or "unshare" in done.stderr:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()[:200]}")
    assert done.returncode == 0, done.stderr
    return done.stdout.replace(str(disk), "DISK").splitlines()


def test_a_full_disk(tmp_path):
    *said, file, text = on_a_disk(tmp_path)
    full = "No space left on device|the disk is full: free some space and run it again; nothing was changed"
    assert said[:3] == [full] * 3
    assert (file, text) == ("DISK/memory/a.md", "old")


def test_a_read_only_disk(tmp_path):
    *said, file, text = on_a_disk(tmp_path, 'mount -o remount,ro "$DISK"')
    assert [line.split("|")[0] for line in said[:3]] == ["Read-only file system"] * 3
    assert "the file system is read-only" in said[0]
    assert (file, text) == ("DISK/memory/a.md", "old")


@pytest.mark.parametrize("shares", [True, False])
def test_files_that_cannot_be_renamed_while_open(tmp_path, monkeypatch, shares):
    """The order of Windows: close, then rename or delete."""
    monkeypatch.setattr(writing, "SHARE_WHILE_OPEN", shares)
    monkeypatch.setattr(temps, "SHARE_WHILE_OPEN", shares)
    dead = tmp_path / f".a.md.0123456789ab{fsio.TEMP_SUFFIX}"
    dead.write_bytes(b"half")
    temps._swept.clear()
    assert fsio.write(tmp_path / "a.md", b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.md": b"new"}


def test_a_full_sync_that_the_file_system_does_not_know(tmp_path, monkeypatch):
    """macOS on a network drive: F_FULLFSYNC fails, fsync does."""
    asked = []

    def refuse(descriptor, command):
        asked.append(command)
        raise OSError(45, "Operation not supported")

    monkeypatch.setattr(platform, "_FULL_SYNC", 51)
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    assert fsio.write(tmp_path / "a.md", b"new")
    assert asked == [51]


def test_a_file_system_without_locks_can_be_written_but_not_swept(tmp_path, monkeypatch):
    def no_locks(descriptor):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(temps, "try_lock", no_locks)
    other = tmp_path / f".b.md.0123456789ab{fsio.TEMP_SUFFIX}"
    other.write_bytes(b"of a live writer, for all we know")
    assert fsio.write(tmp_path / "a.md", b"new")
    assert fsio.sweep(tmp_path) == 0
    assert other.exists()

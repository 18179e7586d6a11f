import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory import fsio
from openclaw_memory.errors import WriteError
from openclaw_memory.fsio import temps, writing


def leftovers(folder):
    return [path.name for path in folder.rglob("*") if path.name.endswith(fsio.TEMP_SUFFIX)]


def refused(call, *args, **options):
    with pytest.raises(WriteError) as caught:
        call(*args, **options)
    assert caught.value.hint
    return str(caught.value)


def test_a_new_file_gets_its_folders_and_the_umasks_mode(tmp_path):
    old = os.umask(0o027)
    try:
        assert fsio.write(tmp_path / "a" / "b" / "c.md", b"x") is True
    finally:
        os.umask(old)
    assert (tmp_path / "a" / "b" / "c.md").read_bytes() == b"x"
    assert stat.S_IMODE((tmp_path / "a" / "b" / "c.md").stat().st_mode) == 0o640
    assert leftovers(tmp_path) == []


def test_the_same_bytes_touch_nothing(tmp_path):
    file = tmp_path / "a.md"
    file.write_bytes(b"x")
    before = file.stat()
    assert fsio.write(file, b"x") is False
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_the_mode_is_kept(tmp_path):
    file = tmp_path / "a.md"
    file.write_bytes(b"x")
    file.chmod(0o604)
    assert fsio.write(file, b"y") is True
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"y", 0o604)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept(tmp_path):
    file = tmp_path / "a.md"
    file.write_bytes(b"x")
    os.chown(file, 12345, 23456)
    fsio.write(file, b"y")
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 23456)


def test_a_symlink_is_followed_and_stays_one(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_bytes(b"x")
    (tmp_path / "a.md").symlink_to("real/a.md")
    assert fsio.write(tmp_path / "a.md", b"y", root=tmp_path) is True
    assert (tmp_path / "a.md").is_symlink()
    assert (tmp_path / "real" / "a.md").read_bytes() == b"y"


def test_a_symlink_out_of_the_root_is_refused(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "a.md").write_bytes(b"x")
    (root / "a.md").symlink_to("../a.md")
    assert "out of the workspace" in refused(fsio.write, root / "a.md", b"y", root=root)
    assert (tmp_path / "a.md").read_bytes() == b"x"


def test_a_folder_that_leads_out_of_the_root_is_refused(tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "root" / "memory").symlink_to("../outside")
    assert "out of the workspace" in refused(fsio.write, tmp_path / "root/memory/a.md", b"y", root=tmp_path / "root")
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_symlink_to_nothing_is_refused(tmp_path):
    (tmp_path / "a.md").symlink_to("nowhere.md")
    assert "symlink to nothing" in refused(fsio.write, tmp_path / "a.md", b"y")
    assert not (tmp_path / "nowhere.md").exists()


def test_a_loop_of_symlinks_is_refused(tmp_path):
    (tmp_path / "a.md").symlink_to("a.md")
    assert "symlink to nothing" in refused(fsio.write, tmp_path / "a.md", b"y", root=tmp_path)


def test_a_nul_in_the_name_is_refused(tmp_path):
    for call in (fsio.write, fsio.append):
        assert "null" in refused(call, tmp_path / "a\0.md", b"y")
    assert "null" in refused(fsio.remove, tmp_path / "a\0.md")


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "a.md").mkdir()
    assert "is a folder" in refused(fsio.write, tmp_path / "a.md", b"y")


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "a.md")
    assert "not a regular file" in refused(fsio.write, tmp_path / "a.md", b"y")


def test_a_file_for_a_folder_is_refused(tmp_path):
    (tmp_path / "memory").write_bytes(b"x")
    assert "a folder above it is a file" in refused(fsio.write, tmp_path / "memory" / "a.md", b"y")


def test_a_name_of_255_bytes(tmp_path):
    file = tmp_path / ("é" * 127 + "x")
    assert fsio.write(file, b"x") is True
    assert fsio.write(file, b"y") is True
    assert file.read_bytes() == b"y"
    assert "too long" in refused(fsio.write, tmp_path / ("x" * 256), b"y")


def test_an_odd_name(tmp_path):
    file = tmp_path / "a\nb 👤 \udcff.md"
    assert fsio.write(file, b"x") is True
    assert file.read_bytes() == b"x"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("step", ["_write_whole", "sync_file", "_copy_owner_and_mode"])
def test_a_failing_disk_leaves_the_old_bytes(tmp_path, monkeypatch, code, step):
    file = tmp_path / "a.md"
    file.write_bytes(b"old")

    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(writing, step, fail)
    assert os.strerror(code) in refused(fsio.write, file, b"new")
    assert file.read_bytes() == b"old"
    assert leftovers(tmp_path) == []


def test_a_real_full_disk(tmp_path):
    """RLIMIT_FSIZE stands in for a full disk where no small file system can be mounted: a real short write."""
    script = (
        "import resource, signal, sys, pathlib\n"
        "from openclaw_memory import fsio\n"
        "from openclaw_memory.errors import WriteError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "for call in (fsio.write, fsio.append):\n"
        "    try: call(pathlib.Path(sys.argv[1]), b'n' * 9000)\n"
        "    except WriteError as error: print(error.message)\n"
    )
    file = tmp_path / "a.md"
    file.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout.count("File too large") == 2
    assert file.read_bytes() == b"old"
    assert leftovers(tmp_path) == []


def test_the_temp_files_of_a_killed_writer_go_with_the_next_write(tmp_path):
    dead = tmp_path / f".a.md.0123456789ab{fsio.TEMP_SUFFIX}"
    dead.write_bytes(b"half")
    temps._swept.clear()
    fsio.write(tmp_path / "b.md", b"x")
    assert leftovers(tmp_path) == []


def test_the_temp_file_of_a_live_writer_stays(tmp_path):
    descriptor, temp = temps.create(tmp_path / "a.md")
    try:
        assert fsio.sweep(tmp_path) == 0
        assert temp.exists()
    finally:
        os.close(descriptor)
    assert fsio.sweep(tmp_path) == 1
    assert not temp.exists()


def test_append_makes_and_adds(tmp_path):
    file = tmp_path / "memory" / "a.md"
    fsio.append(file, b"one\n")
    fsio.append(file, b"two\n")
    assert file.read_bytes() == b"one\ntwo\n"
    assert leftovers(tmp_path) == []


def test_move_makes_folders_and_keeps_the_bytes(tmp_path):
    (tmp_path / "a.md").write_bytes(b"x")
    fsio.move(tmp_path / "a.md", tmp_path / "archive" / "2026" / "a.md")
    assert (tmp_path / "archive/2026/a.md").read_bytes() == b"x"
    assert not (tmp_path / "a.md").exists()


def test_move_overwrites_nothing(tmp_path):
    (tmp_path / "a.md").write_bytes(b"x")
    (tmp_path / "b.md").symlink_to("nowhere")
    assert "that exists" in refused(fsio.move, tmp_path / "a.md", tmp_path / "b.md")
    assert (tmp_path / "a.md").read_bytes() == b"x"


def test_move_of_nothing(tmp_path):
    assert "No such file" in refused(fsio.move, tmp_path / "a.md", tmp_path / "b.md")


def test_move_across_disks(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_bytes(b"x")
    (tmp_path / "a.md").chmod(0o604)

    def other_disk(self, target):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(Path, "rename", other_disk)
    fsio.move(tmp_path / "a.md", tmp_path / "b.md")
    assert (tmp_path / "b.md").read_bytes() == b"x"
    assert stat.S_IMODE((tmp_path / "b.md").stat().st_mode) == 0o604
    assert not (tmp_path / "a.md").exists()


def test_remove(tmp_path):
    (tmp_path / "a.md").write_bytes(b"x")
    (tmp_path / "link").symlink_to("a.md")
    assert fsio.remove(tmp_path / "link") is True
    assert (tmp_path / "a.md").exists()
    assert fsio.remove(tmp_path / "a.md") is True
    assert fsio.remove(tmp_path / "a.md") is False
    assert "cannot remove" in refused(fsio.remove, tmp_path)


def test_many_files_at_once_are_written_like_single_ones(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(b"same")
    before = kept.stat().st_mtime_ns
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "old").chmod(0o640)
    items = [(tmp_path / f"deep/{number % 7}/{number}", b"%d" % number) for number in range(450)]
    fsio.write_all([*items, (kept, b"same"), (tmp_path / "old", b"new")])
    assert all(path.read_bytes() == data for path, data in items)
    assert kept.stat().st_mtime_ns == before
    assert (tmp_path / "old").read_bytes() == b"new"
    assert (tmp_path / "old").stat().st_mode & 0o777 == 0o640
    assert not list(tmp_path.rglob("*.tmp*"))


def test_many_files_of_which_one_cannot_be_written(tmp_path: Path) -> None:
    items = [(tmp_path / f"{number}", b"x") for number in range(40)]
    (tmp_path / "39").mkdir()
    with pytest.raises(WriteError):
        fsio.write_all(items)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == []

import os

import pytest

from openclaw_memory import fsio
from openclaw_memory.errors import WorkspaceError

needs_modes = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")


def refusal(path, **options):
    with pytest.raises(WorkspaceError) as caught:
        fsio.read(path, **options)
    assert str(path) in caught.value.message
    assert caught.value.hint
    return caught.value.message


def test_gives_the_bytes_as_they_are(tmp_path):
    file = tmp_path / "a\nb 👤.md"
    file.write_bytes(b"\xef\xbb\xbfx\r\n\xff")
    assert fsio.read(file) == b"\xef\xbb\xbfx\r\n\xff"


def test_follows_a_symlink(tmp_path):
    (tmp_path / "a.md").write_bytes(b"x")
    (tmp_path / "b.md").symlink_to("a.md")
    assert fsio.read(tmp_path / "b.md") == b"x"


def test_missing(tmp_path):
    assert "does not exist" in refusal(tmp_path / "a.md")


def test_a_file_where_a_folder_should_be(tmp_path):
    (tmp_path / "memory").write_bytes(b"")
    assert "Not a directory" in refusal(tmp_path / "memory" / "a.md")


def test_dangling_symlink(tmp_path):
    (tmp_path / "a.md").symlink_to("nowhere.md")
    assert "symlink to nothing" in refusal(tmp_path / "a.md")


def test_symlink_loop(tmp_path):
    (tmp_path / "a.md").symlink_to("a.md")
    assert "cannot be read" in refusal(tmp_path / "a.md")


def test_a_nul_in_the_name(tmp_path):
    with pytest.raises(WorkspaceError, match="no file name"):
        fsio.read(tmp_path / "a\0.md")


def test_folder(tmp_path):
    assert "is a folder" in refusal(tmp_path)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.md")
    assert "not a regular file" in refusal(tmp_path / "a.md")


def test_a_sparse_giant_is_refused_before_it_is_read(tmp_path):
    with open(tmp_path / "a.md", "wb") as file:
        file.truncate(fsio.MAX_READ + 1)
    assert "50,000,001 bytes" in refusal(tmp_path / "a.md")


def test_the_limit_itself_is_allowed(tmp_path):
    (tmp_path / "a.md").write_bytes(b"12345")
    assert fsio.read(tmp_path / "a.md", 5) == b"12345"
    assert "too large" in refusal(tmp_path / "a.md", limit=4)


def test_binary(tmp_path):
    (tmp_path / "a.md").write_bytes(b"PK\x03\x04\0\0")
    assert "binary" in refusal(tmp_path / "a.md")
    assert fsio.read(tmp_path / "a.md", binary=True) == b"PK\x03\x04\0\0"


@needs_modes
def test_unreadable(tmp_path):
    (tmp_path / "a.md").write_bytes(b"x")
    (tmp_path / "a.md").chmod(0)
    assert "permission denied" in refusal(tmp_path / "a.md")

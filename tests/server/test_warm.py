import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from openclaw_memory import __version__
from openclaw_memory.retrieval.options import Options
from openclaw_memory.server import client
from openclaw_memory.server import release as release_module
from openclaw_memory.server.address import folder, lock_path, socket_path
from openclaw_memory.server.release import release
from tests.waiting import LONG, soon

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no unix sockets here")


@pytest.fixture
def runtime() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="om", dir="/tmp")  # a socket's path must be short
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def workspace(runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OPENCLAW_MEMORY_NO_SERVER")
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n\n- [Boiler](memory/boiler.md): heating <!-- trigger: boiler -->\n")
    (root / "memory" / "boiler.md").write_text("# Boiler\n\n- Ruth services the boiler every October.\n")
    return root


@pytest.fixture
def server(workspace: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = serving(workspace)
    assert soon(socket_path(workspace).exists)
    yield process
    process.terminate()
    process.wait(LONG)


def serving(workspace: Path, idle: float = 600.0) -> subprocess.Popen[bytes]:
    words = ["serve", "-w", str(workspace), "--idle", str(idle)]
    return subprocess.Popen([sys.executable, "-m", "openclaw_memory", *words])


def ask(root: Path, text: str = "who looks after the heating?"):
    return client.ask(root, "query", text, Options(), LONG)


def test_the_warm_answer_is_the_cold_one(server, workspace: Path):
    from openclaw_memory.retrieval import hybrid
    from openclaw_memory.workspace import Workspace

    cold = hybrid.query(Workspace(workspace), "boiler", Options())
    warm = ask(workspace, "boiler")
    assert warm == cold
    assert warm.hits[0].path == "boiler.md"


def test_the_command_line_asks_it(server, workspace: Path, cli):
    done = cli("query", "boiler", "--json", cwd=workspace)
    assert json.loads(done.stdout)[0]["path"] == "boiler.md"
    assert "without the warm server" not in done.stderr


def test_what_changes_on_disk_is_found_at_once(server, workspace: Path):
    assert not ask(workspace, "zebrafinch").hits
    (workspace / "memory" / "birds.md").write_text("# Birds\n\n- A zebrafinch nests in the shed.\n")
    assert ask(workspace, "zebrafinch").hits[0].path == "birds.md"


def test_a_changed_config_counts_at_once(server, workspace: Path):
    (workspace / "memory" / "more.md").write_text("# More\n\n- boiler one\n\n- boiler two\n")
    assert len(ask(workspace, "boiler").hits) > 1
    (workspace / "openclaw-memory.yaml").write_text("version: 1\nmemory:\n  limits:\n    maxResults: 1\n")
    assert len(ask(workspace, "boiler").hits) == 1


def test_a_wrong_query_is_the_callers_error(server, workspace: Path):
    from openclaw_memory.errors import UsageError

    with pytest.raises(UsageError, match="nowhere"):
        client.ask(workspace, "query", "boiler", Options(collections=("nowhere",)), LONG)


def test_garbage_is_answered_and_does_no_harm(server, workspace: Path):
    for line in (b"GET / HTTP/1.1\n", b"{}\n", b"\xff\n", b"\n"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(socket_path(workspace)))
            connection.sendall(line)
            assert "not a request" in json.loads(connection.makefile().readline())["error"]
    assert ask(workspace, "boiler").hits


def test_only_its_owner_can_open_it(server, workspace: Path):
    assert socket_path(workspace).stat().st_mode & 0o777 == 0o600
    assert folder().stat().st_mode & 0o777 == 0o700


def test_another_version_is_refused_and_makes_way(server, workspace: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client, "release", lambda: release() + ".later")
    assert ask(workspace, "boiler") is None
    assert server.wait(LONG) == 0
    assert not socket_path(workspace).exists()


def test_what_pip_or_git_put_in_its_place_is_another_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "search.py").write_text("old")
    monkeypatch.setattr(release_module, "FOLDERS", (tmp_path,))
    before = release()
    assert before.split()[0] == __version__
    assert release() == before
    os.utime(tmp_path, ns=(0, 0))
    (tmp_path / "new").write_text("new")
    (tmp_path / "new").replace(tmp_path / "search.py")
    assert release() != before


def test_a_second_one_says_that_there_is_one(server, workspace: Path, cli):
    done = cli("serve", cwd=workspace)
    assert (done.returncode, done.stdout) == (0, "this workspace has a warm server already\n")


def test_a_killed_one_leaves_nothing_stuck(server, workspace: Path):
    server.send_signal(signal.SIGKILL)
    server.wait(LONG)
    assert socket_path(workspace).exists()
    assert ask(workspace, "boiler") is None
    again = serving(workspace)
    try:
        assert soon(lambda: ask(workspace, "boiler"))
        assert ask(workspace, "boiler").hits
    finally:
        again.terminate()
        again.wait(LONG)


def test_it_ends_when_idle_and_when_the_workspace_is_gone(workspace: Path, cli):
    assert cli("serve", "--idle", "0.5", cwd=workspace).returncode == 0
    assert list(folder().iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_one_that_is_told_to_end_leaves_nothing(server, workspace: Path, number: int):
    server.send_signal(number)
    assert server.wait(LONG) == 0
    assert list(folder().iterdir()) == []


def test_what_killed_ones_left_goes_with_the_next(server, workspace: Path, tmp_path: Path):
    """But not what is new, which a server may be about to use, and not what is in use."""
    gone = [workspace.with_name(f"gone{at}") for at in range(2)]
    for at, root in enumerate(gone):
        (root / "memory").mkdir(parents=True)
        (root / "MEMORY.md").write_text("# Memory\n")
        killed = serving(root)
        assert soon(socket_path(root).exists)
        killed.kill()
        killed.wait(LONG)
        for path in (socket_path(root), lock_path(root)):
            os.utime(path, (time.time() - 5000 * (1 - at),) * 2)
    for path in (socket_path(workspace), lock_path(workspace)):
        os.utime(path, (time.time() - 5000,) * 2)
    other = workspace.with_name("other")
    (other / "memory").mkdir(parents=True)
    (other / "MEMORY.md").write_text("# Memory\n")
    assert serving(other, 0.5).wait(LONG) == 0
    names = {path.name for root in (gone[1], workspace) for path in (socket_path(root), lock_path(root))}
    assert {path.name for path in folder().iterdir()} == names
    assert ask(workspace, "boiler").hits


def test_clients_that_say_nothing_block_nobody(server, workspace: Path):
    silent = [socket.socket(socket.AF_UNIX) for _ in range(10)]
    for connection in silent:
        connection.connect(str(socket_path(workspace)))
    assert ask(workspace, "boiler").hits
    for connection in silent:
        connection.close()
    assert ask(workspace, "boiler").hits


def test_many_at_once(server, workspace: Path):
    assert ask(workspace, "boiler").fresh.state == "fresh"  # the index is built
    answers: list[object] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(workspace, "boiler"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 20
    assert all(answer == answers[0] and answer is not None for answer in answers)


def test_a_folder_that_others_can_enter_is_not_used(workspace: Path):
    (folder()).chmod(0o755)
    assert ask(workspace) is None


def test_the_first_query_starts_it_and_says_so(workspace: Path, cli):
    from openclaw_memory.retrieval.embedders.choose import installed

    if not installed("local"):
        pytest.skip("the extra [local] is not installed")
    assert cli("embed", cwd=workspace).returncode == 0
    first = cli("query", "who looks after the heating?", "--json", cwd=workspace)
    assert "boiler.md" in [row["path"] for row in json.loads(first.stdout)]
    assert "the next query is faster" in first.stderr
    assert soon(socket_path(workspace).exists)
    second = cli("query", "who looks after the heating?", "--json", cwd=workspace)
    assert second.stdout == first.stdout
    assert "without the warm server" not in second.stderr
    holder = next(folder().glob("*.lock")).read_text().split()[0]
    os.kill(int(holder), signal.SIGTERM)
    assert soon(lambda: not list(folder().iterdir()))


def test_a_runtime_folder_with_a_long_path_is_not_used(workspace: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/tmp/" + "x" * 100)
    assert len(str(socket_path(workspace))) <= 104


def test_vectors_that_are_missing_are_computed_while_it_is_idle(server, workspace: Path):
    from openclaw_memory.retrieval.embedders.choose import installed
    from openclaw_memory.retrieval.report import status
    from openclaw_memory.workspace import Workspace

    if not installed("local"):
        pytest.skip("the extra [local] is not installed")
    assert ask(workspace, "boiler").legs == ("lexical",)
    assert soon(lambda: status(Workspace(workspace)).passages_without_vector == 0)
    assert ask(workspace, "boiler").legs == ("lexical", "vector")

"""Many processes on one index, and processes that are killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from openclaw_memory.retrieval import store
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace
from tests.retrieval.test_update import dump, rebuilt

MODULE = [sys.executable, "-m", "openclaw_memory"]


def call(ws: Workspace, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MODULE, *words, "--workspace", str(ws.root)], capture_output=True, text=True, check=False)


def write(ws: Workspace, count: int, word: str) -> None:
    for number in range(count):
        (ws.root / f"memory/n{number}.md").write_text(f"# N {number}\n\n- {word} unique{number:03d}{word}\n" * 5)


@pytest.mark.slow
def test_forty_readers_and_four_writers(ws: Workspace) -> None:
    write(ws, 60, "heron")
    update(ws)
    write(ws, 60, "petrel")
    with ThreadPoolExecutor(44) as pool:
        writers = [pool.submit(call, ws, "update") for _ in range(4)]
        readers = [pool.submit(call, ws, "search", "--json", "green tea") for _ in range(40)]
        done = [job.result() for job in (*writers, *readers)]
    assert [one.stderr for one in done if one.returncode] == []
    assert all(json.loads(job.result().stdout)[0]["path"] == "people/jane.md" for job in readers)
    assert dump(ws) == rebuilt(ws)


def test_the_first_opens_at_once(ws: Workspace) -> None:
    write(ws, 30, "heron")
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda _: call(ws, "search", "--json", "green tea"), range(6)))
    assert [one.stderr for one in done if one.returncode] == []
    assert all(json.loads(one.stdout)[0]["path"] == "people/jane.md" for one in done)


@pytest.mark.parametrize("seed", range(3))
def test_a_kill_at_any_point_leaves_what_a_rebuild_gives(ws: Workspace, seed: int) -> None:
    rng = random.Random(seed)
    for turn in range(4):
        write(ws, 80, f"word{turn}")
        (ws.root / f"memory/n{turn}.md").unlink()
        process = subprocess.Popen([*MODULE, "update", "-w", str(ws.root)], stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.05, 0.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if store.path_in(ws.state_dir).exists():
            with store.reading(store.path_in(ws.state_dir)) as db:
                assert db is None or db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    update(ws)
    assert dump(ws) == rebuilt(ws)


def test_an_index_whose_maker_was_killed_at_its_first_write_is_made_anew(ws: Workspace, tmp_path: Path) -> None:
    path = store.path_in(ws.state_dir)
    with closing(sqlite3.connect(tmp_path / "index.db", isolation_level=None)) as db:
        db.execute("CREATE TABLE half (made)")
        db.execute("PRAGMA cache_size = 1")  # so that pages are written before the commit
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO half VALUES (?)", [("x" * 3000,)] * 200)
        for name in ("index.db", "index.db-journal"):  # as a kill leaves them
            shutil.copy(tmp_path / name, path.with_name(name))
    with store.reading(path) as reader:
        assert reader is None
    done = call(ws, "search", "--json", "green tea")
    assert json.loads(done.stdout)[0]["path"] == "people/jane.md"
    assert dump(ws) == rebuilt(ws)


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_read_only_workspace_can_be_searched(ws: Workspace) -> None:
    update(ws)
    ws.state_dir.chmod(0o555)
    try:
        done = call(ws, "search", "--json", "green tea")
    finally:
        ws.state_dir.chmod(0o755)
    assert json.loads(done.stdout)[0]["path"] == "people/jane.md"


HEAVY = {"numpy", "llama_index", "pydantic", "rich", "git", "jsonschema", "onnxruntime", "asyncio"}
INDEXING = {"openclaw_memory.retrieval.native"}


@pytest.mark.parametrize(("indexed", "needless"), [(False, HEAVY), (True, HEAVY | INDEXING)])
def test_a_search_imports_neither_heavy_libraries_nor_what_only_indexing_needs(
    ws: Workspace, indexed: bool, needless: set[str]
) -> None:
    if indexed:
        update(ws)
    script = (
        "import sys; from openclaw_memory.cli.main import main; main(sys.argv[1:]);"
        f"sys.exit(','.join(sorted({needless} & set(sys.modules))) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "search", "green tea", "-w", str(ws.root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "jane.md" in done.stdout


def test_a_second_search_that_changes_nothing_writes_nothing(ws: Workspace) -> None:
    old = time.time() - 3600
    for path in (ws.root / "MEMORY.md", *(ws.root / "memory").rglob("*.md")):
        os.utime(path, (old, old))
    update(ws)
    files = [
        path for path in ws.state_dir.iterdir() if path.name.startswith("index.db") and not path.name.endswith("-shm")
    ]
    before = {path: path.stat().st_mtime_ns for path in files}
    call(ws, "search", "green tea")
    assert {path: path.stat().st_mtime_ns for path in files if path.exists()} == before
    assert Path(store.path_in(ws.state_dir)).exists()

"""What every command and hook pays for: config, the list of detail files, the access journal against SQLite."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from openclaw_memory import config
from openclaw_memory.workspace import Workspace, journal, state

# CPU seconds: the limits hold on a machine that is busy with something else, too
pytestmark = [pytest.mark.bench, pytest.mark.benchmark(timer=time.process_time)]


def test_a_config_of_comments(benchmark: BenchmarkFixture) -> None:
    data = b"version: 1\n" + b"# layout: para\n" * 100
    benchmark(lambda: config.parse(data, "x"))
    if benchmark.stats is not None:  # None where measuring is switched off
        assert benchmark.stats["median"] < 0.001


def test_ten_thousand_detail_files(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    for i in range(10_000):
        folder = tmp_path / f"memory/projects/{i // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i}.md").touch()
    ws = Workspace(tmp_path)
    assert len(benchmark(ws.detail_files)) == 10_000
    if benchmark.stats is not None:  # None where measuring is switched off
        assert benchmark.stats["median"] < 0.1


@pytest.mark.benchmark(group="access")
def test_an_access_in_the_journal(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    ws = Workspace(tmp_path)
    benchmark(lambda: journal.record(ws, [("memory/people/ana.md", "ana-001")], "get"))
    if benchmark.stats is not None:  # None where measuring is switched off
        assert benchmark.stats["median"] < 0.001


@pytest.mark.benchmark(group="access")
def test_an_access_as_a_row_of_sqlite(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    ws = Workspace(tmp_path)

    def record() -> None:
        connection = state.connect(ws, "CREATE TABLE IF NOT EXISTS access_rows(at, path, fact, source)")
        connection.execute("INSERT INTO access_rows VALUES ('now', 'memory/people/ana.md', 'ana-001', 'get')")
        connection.close()

    benchmark(record)

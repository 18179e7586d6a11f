"""Warm queries beside QMD, in turns: each server is asked every query once a round, so that both see the same load.

    PEERS=peers OPENCLAW_MEMORY_SHARED=../shared python tests/bench/retrieval/warm.py CORPUS WORK [--hybrid]

By words, unless `--hybrid`: then every passage gets a vector by chance (finding among them costs the same, and to
compute real ones takes hours), and QMD, whose models cannot be had offline, is left out. The time is what a client
waits for; CPU is what the server's processes used in it, which neighbours change less.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from openclaw_memory.retrieval import vectors
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.update import update
from openclaw_memory.server import client
from openclaw_memory.workspace import Workspace
from tests.bench.chance import Chance

CHECKOUT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("OPENCLAW_MEMORY_SHARED", CHECKOUT.parent / "shared"))
QUERIES = [one["q"] for one in json.loads((SHARED / "bench/queries.json").read_bytes())]
_TICK = os.sysconf("SC_CLK_TCK")


class Ours:
    """The warm server on its socket."""

    def __init__(self, corpus: Path, work: Path, hybrid: bool) -> None:
        self.root = (work / "ours").resolve()
        self.root.mkdir(parents=True, exist_ok=True)
        embedder = "local" if hybrid else "none"
        config = f"version: 1\nmemory:\n  includeDefaultMemory: false\nretrieval:\n  embedder: {embedder}\n"
        (self.root / "openclaw-memory.yaml").write_text(config)
        environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "openclaw_memory"]
        if not (self.root / ".openclaw-memory/collections.json").exists():
            add = [*command, "collection", "add", str(corpus), "--name", "ws", "--workspace", str(self.root)]
            subprocess.run(add, env=environ, check=True, capture_output=True)
        if hybrid:
            update(Workspace(self.root))
            vectors.embed(Workspace(self.root), Chance())
        self.process = subprocess.Popen([*command, "serve", "--workspace", str(self.root)], env=environ)
        while client.ask(self.root, "query", "is anybody there", Options(limit=1), 600.0) is None:
            assert self.process.poll() is None, "the server ended"
            time.sleep(0.05)

    def ask(self, query: str) -> object:
        """One query."""
        answer = client.ask(self.root, "query", query, Options(limit=10), 60.0)
        assert answer is not None
        return answer.hits

    def stop(self) -> None:
        """End the server."""
        self.process.terminate()
        self.process.wait()


class Qmd:
    """QMD's MCP server, by the adapter of the shared benchmark."""

    def __init__(self, corpus: Path, work: Path) -> None:
        sys.path.insert(0, str(SHARED / "bench"))
        import adapters  # type: ignore[import-not-found]

        folder = work / "qmd"
        self.peer: Any = adapters.QMD(folder, corpus)
        if not folder.exists():
            self.peer.reset()
            for command in self.peer.index():
                subprocess.run(command, env=self.peer.env, check=True, capture_output=True)
        self.peer.warm_start()
        self.process = self.peer.srv

    def ask(self, query: str) -> object:
        """One query."""
        return self.peer.warm_query(query)

    def stop(self) -> None:
        """End the server."""
        self.peer.warm_stop()


def cpu(pid: int) -> float:
    """CPU seconds of a process and its children so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return (int(fields[11]) + int(fields[12])) / _TICK + sum(cpu(int(child)) for child in children)


def main() -> None:
    """Measure and print one line a server."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--hybrid", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    servers: dict[str, Any] = {"ours": Ours(args.corpus.resolve(), args.work, args.hybrid)}
    if not args.hybrid:
        servers["qmd"] = Qmd(args.corpus.resolve(), args.work)
    times: dict[str, list[float]] = {name: [] for name in servers}
    try:
        for server in servers.values():  # caches and models are loaded before the count
            for query in QUERIES:
                server.ask(query)
        started = {name: cpu(server.process.pid) for name, server in servers.items()}
        for _ in range(args.rounds):
            for query in QUERIES:
                for name, server in servers.items():
                    before = time.perf_counter()
                    server.ask(query)
                    times[name].append(1000 * (time.perf_counter() - before))
        for name, server in servers.items():
            used = 1000 * (cpu(server.process.pid) - started[name]) / len(times[name])
            p50, p90 = statistics.median(times[name]), statistics.quantiles(times[name], n=10)[8]
            print(
                f"{args.corpus.name} {name}: p50 {p50:.1f} ms, p90 {p90:.1f} ms, cpu {used:.1f} ms a query", flush=True
            )
    finally:
        for server in servers.values():
            server.stop()


if __name__ == "__main__":
    main()

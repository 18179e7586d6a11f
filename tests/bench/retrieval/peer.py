"""Runs a script of the shared peer benchmark with this product as one more peer, `ours`.

OPENCLAW_MEMORY_SHARED=../shared python tests/bench/retrieval/peer.py run_torture.py ours
OPENCLAW_MEMORY_SHARED=../shared python tests/bench/retrieval/peer.py mutate.py ours
OPENCLAW_MEMORY_SHARED=../shared python tests/bench/retrieval/peer.py bench.py --peer ours --corpus DIR
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("OPENCLAW_MEMORY_SHARED", CHECKOUT.parent / "shared"))
BENCH = SHARED / "bench"


def ours(base: type) -> type:
    """The adapter, on the base class of the shared adapters."""

    class Ours(base):  # type: ignore[misc, valid-type]
        """A workspace of its own in the state folder, with the corpus as its one collection."""

        def start(self) -> None:
            self.env["PYTHONPATH"] = str(CHECKOUT)
            self.bin = [sys.executable, "-m", "openclaw_memory"]

        def reset(self) -> None:
            super().reset()
            config = self.state / "openclaw-memory.yaml"
            config.write_text("version: 1\nmemory:\n  includeDefaultMemory: false\n")

        def _call(self, verb: str, *more: str) -> list[str]:
            return [*self.bin, verb, *more, "--workspace", str(self.state)]

        def index(self) -> list[list[str]]:
            return [[*self.bin, "collection", "add", str(self.corpus), "--name", "ws", "--workspace", str(self.state)]]

        def update(self) -> list[list[str]]:
            return [self._call("update")]

        def search(self, q: str) -> list[str]:
            return [*self._call("search", "--json", "-n", "10"), "--", q]

        def parse(self, out: str) -> list[str]:
            return list(dict.fromkeys(row["path"] for row in json.loads(out or "[]")))

        def hits(self, out: str) -> list[dict[str, object]]:
            rows = json.loads(out or "[]")
            return [{"path": row["path"], "a": row["startLine"], "b": row["endLine"]} for row in rows]

        def get_cmd(self, token: str) -> list[str]:
            return [*self._call("get"), "--", token]

        def token(self, out: str) -> str:
            return str(json.loads(out)[0]["file"])

        def ns(self) -> str:
            return "qmd://ws/"

        def warm_start(self) -> bool:
            """The warm server on its socket, which is what `query` on the command line asks."""
            from openclaw_memory.server.address import socket_path

            started = time.perf_counter()
            self.srv = subprocess.Popen(self._call("serve"), env=self.env, stdin=subprocess.PIPE)
            while not socket_path(self.state.resolve()).exists():
                time.sleep(0.01)
            self.warm_started = round(time.perf_counter() - started, 3)
            return True

        def warm_query(self, q: str) -> object:
            from openclaw_memory.retrieval.options import Options
            from openclaw_memory.server import client

            answer = client.ask(self.state.resolve(), "query", q, Options(limit=10), 30.0)
            return answer and answer.hits

        def warm_stop(self) -> None:
            self.srv.terminate()
            self.srv.wait()

    return Ours


def main() -> None:
    """Run the script named first with the rest as its arguments."""
    sys.path[:0] = [str(BENCH), str(CHECKOUT)]
    import adapters  # type: ignore[import-not-found]

    adapters.Ours = ours(adapters.Base)
    sys.argv = sys.argv[1:]
    runpy.run_path(str(BENCH / sys.argv[0]), run_name="__main__")


if __name__ == "__main__":
    main()

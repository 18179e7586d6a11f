"""Our MCP server in the real OpenClaw: the host starts it and runs its tools for the model.

`OPENCLAW_E2E_DIR` is the folder that test_openclaw_host.py describes; without it these tests are skipped.
"""

from __future__ import annotations

import json
import sys

import pytest

from tests.e2e.test_openclaw_host import Host, host

__all__ = ["host"]

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def test_the_host_searches_and_reads_through_our_server(host: Host) -> None:
    server = {"command": sys.executable, "args": ["-m", "openclaw_memory", "mcp", "--workspace", str(host.ws)]}
    done = host.run("mcp", "set", "om", json.dumps(server))
    assert done.returncode == 0, done.stdout + done.stderr
    host.start()
    found = tool(host, "om__memory_search", {"query": "service catalog"})
    assert "memory/projects/backstage.md" in found and "startLine" in found
    assert "MARK-ANA" in tool(host, "om__memory_get", {"path": "memory/people/ana.md"})
    assert "MARK-ACTIVE-1" in tool(host, "om__memory_context", {})
    (host.ws / "memory/projects/pump.md").write_text("# Pump\n\n- The pump is a Tidewell 7.\n")
    assert "Tidewell 7" in tool(host, "om__memory_search", {"query": "which pump"})
    assert "not_found" in tool(host, "om__memory_get", {"path": "memory/nobody.md"})


def tool(host: Host, name: str, arguments: dict[str, object]) -> str:
    """What the host told the model when it called a tool; from 2026.9 on it calls them through one of the host's."""
    old = host.old  # type: ignore[attr-defined]
    host.model.calls.append((name, arguments) if old else ("tool_call", {"id": name, "args": arguments}))
    before = len(host.model.requests)
    host.turn(message="Look it up")
    answers = [
        one["content"] for body in host.model.requests[before:] for one in body["messages"] if one["role"] == "tool"
    ]
    return str(answers[-1])

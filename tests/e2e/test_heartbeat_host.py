"""The beat on the real OpenClaw: a cron job that calls no model until a prompt is due, and the older heartbeat.

What it needs is told in `test_openclaw_host.py`; without it these tests are skipped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.test_openclaw_host import Host, host  # noqa: F401  the fixture

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def wait(done: Callable[[], bool], seconds: float = 90) -> bool:
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(0.5)
    return True


def jobs(host: Host) -> list[dict[str, object]]:  # noqa: F811
    said = host.run("cron", "list", "--all", "--json").stdout
    listed = json.JSONDecoder().raw_decode(said[said.index("{") :])[0]["jobs"]
    return [job for job in listed if str(job.get("name", "")).startswith("openclaw-memory-beat")]


def beats(host: Host) -> list[dict[str, object]]:  # noqa: F811
    said = host.ours("heartbeat", "log", "--json")
    found: list[dict[str, object]] = json.loads(said)["beats"]
    return [beat for beat in found if beat["ended"]]


def test_a_cron_job_beats_without_a_model_and_wakes_the_agent_for_what_is_due(host: Host) -> None:  # noqa: F811
    if host.old:  # type: ignore[attr-defined]
        pytest.skip("cron jobs that run a command came with OpenClaw 2026.8")
    (host.ws / "openclaw-memory.yaml").write_text(
        "version: 1\nheartbeat:\n  file: TASKS.md\n  builtins: {check: false, update: false}\n"
    )
    (host.ws / "TASKS.md").write_text("- MARK-TASK: greet everybody (every 2nd heartbeat)\n")
    host.start()
    assert "cron add" in host.ours("hooks", "install", "openclaw")
    host.ours("heartbeat", "export", "openclaw-cron", "--install")
    (job,) = jobs(host)

    asked = len(host.model.requests)
    host.run("cron", "run", str(job["id"]))
    assert wait(lambda: len(beats(host)) == 1), host.run("cron", "runs", "--id", str(job["id"]), "--json").stdout
    time.sleep(5)
    assert len(host.model.requests) == asked, "nothing was due, and no model was called"

    host.run("cron", "run", str(job["id"]))
    assert wait(lambda: len(beats(host)) == 2)
    assert wait(lambda: "MARK-TASK: greet everybody" in json.dumps(host.model.requests[asked:])), "the agent is told"
    assert beats(host)[0]["runs"], "and the task counts as done"

    assert "removed the cron job" in host.ours("hooks", "uninstall", "openclaw")
    assert jobs(host) == []


def test_the_older_heartbeat_is_told_to_run_ours(host: Host) -> None:  # noqa: F811
    if not host.old:  # type: ignore[attr-defined]
        pytest.skip("OpenClaw 2026.8 and later have cron jobs for it")
    host.ours("heartbeat", "export", "openclaw-heartbeat", "--install")
    config = json.loads((Path(host.state) / "openclaw.json").read_text())
    heartbeat = config["agents"]["defaults"]["heartbeat"]
    assert heartbeat["every"] == "30m" and f"heartbeat run --workspace {host.ws}" in heartbeat["prompt"]

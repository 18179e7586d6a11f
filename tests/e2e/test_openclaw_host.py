"""The hook pack in the real OpenClaw, both generations: a gateway, a turn, and the prompt that the model was sent.

`OPENCLAW_E2E_DIR` names a folder with `node/` (`npm i node@24`), `app/` (`npm i openclaw@2026.9.6`) and
`app-2026.7.1-2/` (`npm i openclaw@2026.7.1-2 --ignore-scripts`); without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.fake_model import FakeModel

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
HOME = os.environ.get("OPENCLAW_E2E_DIR", "")
VERSIONS = {"2026.9.6": "app", "2026.7.1-2": "app-2026.7.1-2"}
GROUP = "agent:main:telegram:group:-1001"
INDEX = """\
# Memory

MARK-INDEX

## Active Context

- memory/projects/backstage.md

## People

- [Ana](memory/people/ana.md): my boss <!-- trigger: ana, boss -->

## Projects

- [Backstage](memory/projects/backstage.md): service catalog <!-- trigger: backstage -->
"""


class Host:
    """One OpenClaw with a state folder, a workspace and a home of its own; `turn` gives the prompt of one turn."""

    def __init__(self, folder: Path, app: str, model: FakeModel) -> None:
        self.folder, self.model = folder, model
        self.state, self.ws, self.log = folder / "state", folder / "ws", folder / "gateway.log"
        self.node = Path(HOME) / "node/node_modules/node/bin/node"
        self.cli = Path(HOME) / app / "node_modules/openclaw/openclaw.mjs"
        self.gateway: subprocess.Popen[bytes] | None = None
        for part in (
            self.state,
            self.ws / "memory/people",
            self.ws / "memory/projects",
            folder / "home",
            folder / "bin",
        ):
            part.mkdir(parents=True)
        (self.ws / "AGENTS.md").write_text("# AGENTS.md\n")
        (self.ws / "MEMORY.md").write_text(INDEX)
        (self.ws / "memory/people/ana.md").write_text("# Ana\n\nMARK-ANA\n")
        (self.ws / "memory/projects/backstage.md").write_text("# Backstage\n\nMARK-ACTIVE-1\n")
        command = folder / "bin/openclaw"
        command.write_text(f'#!/bin/sh\nexec {shlex.quote(str(self.node))} {shlex.quote(str(self.cli))} "$@"\n')
        command.chmod(0o755)
        self.port = free_port()
        (self.state / "openclaw.json").write_text(json.dumps(self.config(), indent=2))

    def config(self) -> dict[str, object]:
        """The least that a gateway needs to answer with our model."""
        cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        fake = {"id": "fake", "name": "Fake", "reasoning": False, "input": ["text"], "cost": cost}
        provider = {
            "baseUrl": f"{self.model.url}/v1",
            "apiKey": "x",
            "api": "openai-completions",
            "models": [{**fake, "contextWindow": 128_000, "maxTokens": 4096}],
        }
        auth = {"mode": "token", "token": "e2e"}
        return {
            "gateway": {"mode": "local", "port": self.port, "bind": "loopback", "auth": auth},
            "agents": {
                "defaults": {
                    "workspace": str(self.ws),
                    "skipBootstrap": True,
                    "model": {"primary": "fake/fake"},
                    "heartbeat": {"every": "30m", "target": "none"},
                }
            },
            "models": {"mode": "replace", "providers": {"fake": provider}},
        }

    @property
    def env(self) -> dict[str, str]:
        """What the host and our own command run with."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("OPENCLAW_")},
            "PATH": f"{self.folder / 'bin'}:{self.node.parent}:{os.environ['PATH']}",
            "HOME": str(self.folder / "home"),
            "OPENCLAW_STATE_DIR": str(self.state),
            "OPENCLAW_CONFIG_PATH": str(self.state / "openclaw.json"),
            "OPENCLAW_SKIP_CHANNELS": "1",
            "OPENCLAW_DISABLE_BONJOUR": "1",
            "NO_COLOR": "1",
        }

    def run(self, *words: str, timeout: float = 180) -> subprocess.CompletedProcess[str]:
        """Run the host's command line."""
        return subprocess.run(
            [self.node, self.cli, *words],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def ours(self, *words: str) -> str:
        """Run our command line in the workspace; it must succeed."""
        command = [sys.executable, "-m", "openclaw_memory", *words]
        done = subprocess.run(command, cwd=self.ws, env=self.env, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self) -> None:
        """Start the gateway and wait until it takes connections and has loaded its hooks, or its memory."""
        with self.log.open("ab") as log:
            self.gateway = subprocess.Popen(
                [self.node, self.cli, "gateway", "run"], cwd=self.folder, env=self.env, stdout=log, stderr=log
            )
        done = ("startup outcomes:", "internal hook handler", "qmd sync completed", "runtime plugins pre-warmed")
        self._wait(lambda: any(said in self._said() for said in done))
        self._wait(lambda: _listens(self.port))
        time.sleep(3)

    def _said(self) -> str:
        return self.log.read_text(errors="replace")

    def _wait(self, done: object, seconds: float = 120) -> None:
        until = time.monotonic() + seconds
        while not done():  # type: ignore[operator]
            assert time.monotonic() < until, self._said()[-3000:]
            assert self.gateway is not None and self.gateway.poll() is None, self._said()[-3000:]
            time.sleep(0.3)

    def stop(self) -> None:
        """Stop the gateway we started."""
        if self.gateway is None:
            return
        self.gateway.send_signal(signal.SIGTERM)
        try:
            self.gateway.wait(40)
        except subprocess.TimeoutExpired:
            self.gateway.kill()
        self.gateway = None

    def turn(self, session: str | None = None, message: str = "hi") -> str:
        """One turn; returns the system prompt of the model's first request in it."""
        before = len(self.model.requests)
        done = self.run("agent", "--agent", "main", *(["--session-key", session] if session else []), "-m", message)
        asked = self.model.requests[before:]
        assert asked, done.stdout + done.stderr + self._said()[-2000:]
        return json.dumps(asked[0]["messages"][0]["content"], ensure_ascii=False)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(params=VERSIONS)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    app = VERSIONS[request.param]
    if not (HOME and (Path(HOME) / app / "node_modules/openclaw/openclaw.mjs").exists()):
        pytest.skip(f"needs OpenClaw {request.param}: set OPENCLAW_E2E_DIR as this file says")
    with FakeModel() as model:
        made = Host(tmp_path / "host", app, model)
        made.old = request.param.startswith("2026.7")  # type: ignore[attr-defined]
        try:
            yield made
        finally:
            made.stop()


def test_active_context_reaches_private_sessions_only(host: Host) -> None:
    said = host.ours("hooks", "install", "openclaw")
    assert "plugins install" in said
    assert host.ours("hooks", "install", "openclaw").startswith("nothing to change")
    assert "installed" in host.ours("hooks", "status", "openclaw")
    host.start()

    prompt = host.turn()
    assert "ACTIVE_CONTEXT.md" in prompt and "MARK-ACTIVE-1" in prompt
    assert "MARK-INDEX" in prompt, "the host injects MEMORY.md itself"
    assert "MEMORY_INDEX.md" not in prompt, "so ours is not there twice"
    assert "MARK-ANA" not in prompt

    kept = host.ws / ".openclaw-memory/context.json"
    rendered = kept.stat().st_mtime_ns
    assert host.turn() == prompt, "the cached prefix stays the same"
    assert kept.stat().st_mtime_ns == rendered, "and Python was not started"

    (host.ws / "memory/projects/backstage.md").write_text("# Backstage\n\nMARK-ACTIVE-2\n")
    prompt = host.turn()
    assert "MARK-ACTIVE-2" in prompt and "MARK-ACTIVE-1" not in prompt

    prompt = host.turn(GROUP)
    assert "MARK-ACTIVE" not in prompt and "ACTIVE_CONTEXT.md" not in prompt and "MEMORY_INDEX.md" not in prompt
    if not host.old:  # type: ignore[attr-defined]
        assert "MARK-INDEX" not in prompt, "the host keeps it out of groups from 2026.8 on"

    (host.ws / "MEMORY.md").rename(host.ws / "memory.txt")
    (host.ws / "openclaw-memory.yaml").write_text("version: 1\nindex:\n  path: memory.txt\n")
    prompt = host.turn()
    assert "MEMORY_INDEX.md" in prompt and "MARK-INDEX" in prompt, "where the host has no MEMORY.md, ours comes"

    host.stop()
    host.ours("hooks", "uninstall", "openclaw")
    assert not list(host.state.rglob("openclaw-memory-context"))
    assert "openclaw-memory-context" not in (host.state / "openclaw.json").read_text()
    internal = json.loads((host.state / "openclaw.json").read_text()).get("hooks", {}).get("internal", {})
    assert "enabled" not in internal, "the switch is as it was: no other hook gets loaded now"
    assert not (host.state / "openclaw-memory").exists()


@pytest.mark.parametrize("host", ["2026.9.6"], indirect=True)
def test_the_index_comes_back_where_the_host_stops_trusting_memory(host: Host) -> None:
    host.ours("hooks", "install", "openclaw")
    host.start()
    memory = host.ws / "MEMORY.md"
    for text in (INDEX + "\nagent one\n", INDEX + "\nagent two\n"):
        host.model.calls.append(("write", {"path": "MEMORY.md", "content": text}))
        host.turn("agent:main:writes", "Write it down")
        assert memory.read_text() == text
        memory.write_text(text + "\nfrom outside\n")  # between two writes of the host: it does not trust the second
    prompt = host.turn()
    assert f"## {memory}" not in prompt, "the host drops it"
    assert "MEMORY_INDEX.md" in prompt and "agent two" in prompt
    prompt = host.turn(GROUP)
    assert "MARK-INDEX" not in prompt and "MARK-ACTIVE" not in prompt

"""The OpenClaw handler under Node: `handler.test.mjs` holds the cases, this runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from openclaw_memory import data

NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_handler() -> None:
    done = subprocess.run(
        [NODE or "", "--test", "--test-reporter=spec", str(Path(__file__).with_name("handler.test.mjs"))],
        env={**os.environ, "OPENCLAW_MEMORY_PACK": str(data.folder("hooks") / "openclaw")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "bad option" in done.stderr:
        pytest.skip("needs node 20 or newer")
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]

"""Headless Chromium through chromedriver's own HTTP interface: no further package is needed."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--window-size=1400,900",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]


class Browser:
    """One session: `script` runs JavaScript in the page and returns its value."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}"
        prefs = {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": _FLAGS},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        self._base += f"/session/{self._post('/session', {'capabilities': {'alwaysMatch': prefs}})['sessionId']}"

    def _post(self, path: str, body: object) -> Any:
        request = urllib.request.Request(
            self._base + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, page: Path) -> None:
        self._post("/url", {"url": page.absolute().as_uri()})

    def script(self, code: str, *args: object) -> Any:
        return self._post("/execute/sync", {"script": code, "args": list(args)})

    def complaints(self) -> list[str]:
        """What the page wrote to the console as warnings and errors."""
        rows = self._post("/se/log", {"type": "browser"})
        return [row["message"] for row in rows if row["level"] in ("SEVERE", "WARNING")]

    def screenshot(self, target: Path) -> None:
        with urllib.request.urlopen(self._base + "/screenshot", timeout=60) as answer:
            target.write_bytes(base64.b64decode(json.load(answer)["value"]))

    def close(self) -> None:
        request = urllib.request.Request(self._base, method="DELETE")
        urllib.request.urlopen(request, timeout=30).close()


@contextmanager
def browser() -> Iterator[Browser]:
    """A running browser; skips the test where Chromium or its driver is absent."""
    driver = shutil.which("chromedriver")
    if driver is None or not (shutil.which("chromium") or shutil.which("google-chrome")):
        pytest.skip("chromium and chromedriver are not installed (apt-get install chromium chromium-driver)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        session = _started(port)
        try:
            yield session
        finally:
            session.close()
    finally:
        process.terminate()
        process.wait(10)


def _started(port: int) -> Browser:
    for _ in range(100):
        try:
            return Browser(port)
        except urllib.error.URLError:
            time.sleep(0.1)
    pytest.skip("chromedriver does not answer")

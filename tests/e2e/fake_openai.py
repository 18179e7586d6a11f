"""A model endpoint that speaks enough of the OpenAI API for a host's turn, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

REPLY = "Understood."


class FakeOpenAI:
    """`with FakeOpenAI() as model:` serves at `model.url`; `model.requests` are the bodies of chat completions."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                self._send(
                    "application/json", json.dumps({"object": "list", "data": [{"id": "fake", "object": "model"}]})
                )

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
                if not self.path.endswith("/chat/completions"):
                    self._send("application/json", json.dumps({"object": "list", "data": []}))
                    return
                requests.append(body)
                if body.get("stream"):
                    events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in _chunks(body))
                    self._send("text/event-stream", f"{events}data: [DONE]\n\n")
                else:
                    self._send("application/json", json.dumps(_completion(body)))

            def _send(self, kind: str, text: str) -> None:
                data = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> FakeOpenAI:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _base(body: dict[str, Any]) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "created": 1_700_000_000, "model": body.get("model", "fake")}


def _usage() -> dict[str, int]:
    return {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": REPLY}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {**_base(body), "object": "chat.completion", "choices": [choice], "usage": _usage()}


def _chunks(body: dict[str, Any]) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [
        {"delta": {"role": "assistant", "content": REPLY}, "finish_reason": None},
        {"delta": {}, "finish_reason": "stop"},
    ]
    chunks = [
        {**_base(body), "object": "chat.completion.chunk", "choices": [{"index": 0, **delta}]} for delta in deltas
    ]
    return [chunks[0], {**chunks[1], "usage": _usage()}]

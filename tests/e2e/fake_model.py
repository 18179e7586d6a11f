"""A model endpoint that speaks enough of the OpenAI and Anthropic APIs for a turn, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Json = dict[str, Any]
REPLY = "Understood."


class FakeModel:
    """`with FakeModel() as model:` serves at `model.url`; `model.requests` are the bodies that asked for a reply.

    The next reply to a chat completion calls the first tool of `model.calls` ((name, arguments)), if there is one.
    """

    def __init__(self) -> None:
        self.requests: list[Json] = []
        self.calls: list[tuple[str, Json]] = []
        requests, calls = self.requests, self.calls

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
                path = self.path.partition("?")[0]
                if not path.endswith(("/chat/completions", "/messages")):
                    self._send("application/json", json.dumps({"object": "list", "data": [], "input_tokens": 10}))
                    return
                requests.append(body)
                reply, events = _anthropic(body) if path.endswith("/messages") else _openai(body, calls)
                if body.get("stream"):
                    self._send("text/event-stream", events)
                else:
                    self._send("application/json", json.dumps(reply))

            def _send(self, kind: str, text: str) -> None:
                data = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FakeModel:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def _openai(body: Json, calls: list[tuple[str, Json]]) -> tuple[Json, str]:
    """A chat completion, and the same as a stream of events."""
    base = {"id": "chatcmpl-1", "created": 1_700_000_000, "model": body.get("model", "fake")}
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    message: Json = {"role": "assistant", "content": REPLY}
    if calls:
        name, arguments = calls.pop(0)
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": f"call_{len(body['messages'])}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    reason = "tool_calls" if "tool_calls" in message else "stop"
    chunk = {**base, "object": "chat.completion.chunk"}
    chunks = [
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]
    events = "".join(f"data: {json.dumps(each)}\n\n" for each in chunks) + "data: [DONE]\n\n"
    whole = {"index": 0, "message": message, "finish_reason": reason}
    return {**base, "object": "chat.completion", "choices": [whole], "usage": usage}, events


def _anthropic(body: Json) -> tuple[Json, str]:
    """A message, and the same as a stream of events."""
    usage = {"input_tokens": 10, "output_tokens": 2}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "fake"),
        "content": [{"type": "text", "text": REPLY}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }
    events: list[Json] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": REPLY}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return message, "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)

"""`extract --llm` against an endpoint on this machine that misbehaves in the ways real ones do."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.knowledge.conftest import Space

pytest.importorskip(
    "llama_index.llms.openai_like", reason="llama-index-llms-openai-like is not installed: pip install '.[llm]'"
)

DAY = "2026-03-01"
GOOD = {"facts": [{"entity": "people/jane", "fact": "Works at Globex", "category": "status", "line": 3}]}


def spoken(path: str, text: str) -> dict[str, Any]:
    """An answer in the words of the API at `path`: Ollama's, Anthropic's, else OpenAI's."""
    said = {"role": "assistant", "content": text}
    if path.endswith("/api/chat"):
        return {"model": "m", "created_at": "2026-03-01T00:00:00Z", "message": said, "done": True}
    if path.endswith("/messages"):
        usage = {"input_tokens": 1, "output_tokens": 1}
        block = {"type": "text", "text": text}
        return {"id": "x", "type": "message", "role": "assistant", "model": "m", "content": [block],
                "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}  # fmt: skip
    choice = {"index": 0, "finish_reason": "stop", "message": said}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


class Endpoint:
    """An OpenAI-compatible endpoint that gives the `answers` in turn: a dict or text as the model's answer, an int
    as an HTTP status, a float as seconds of silence, bytes as the raw body."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.asked: list[list[dict[str, str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if self.path.endswith("/api/show"):  # Ollama's client asks what the model can do
                    outer.answer(self, b'{"model_info": {"m.context_length": 4096}, "capabilities": []}')
                    return
                outer.asked.append(body["messages"])
                outer.answer(self, outer.answers.pop(0) if outer.answers else 500)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler: BaseHTTPRequestHandler, what: Any) -> None:
        status, body = 200, b""
        if isinstance(what, float):
            time.sleep(what)
            status = 504
        elif isinstance(what, int):
            status, body = what, b'{"error": {"message": "no"}}'
        elif isinstance(what, bytes):
            body = what
        else:
            text = what if isinstance(what, str) else json.dumps(what)
            body = json.dumps(spoken(handler.path, text)).encode()
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def jane(om: Space, endpoint: Endpoint) -> Space:
    om.write(
        "openclaw-memory.yaml",
        f"version: 1\ntimezone: UTC\nllm:\n  provider: openai\n  model: m\n  endpoint: {endpoint.url}\n  timeout: 1s\n",
    )
    om("entity", "new", "people/jane")
    om.write(f"memory/{DAY}.md", f"# {DAY}\n\n- Jane is at Globex now\n")
    om("trust", code=None)
    return om


def test_a_good_answer_is_applied(jane: Space, endpoint: Endpoint) -> None:
    endpoint.answers = [GOOD]
    assert "+ fact people/jane:jane-001: Works at Globex" in jane("extract", "--llm", "--now", DAY).out
    assert "3: - Jane is at Globex now" in endpoint.asked[0][0]["content"]


@pytest.mark.parametrize(
    "bad",
    [
        "no json at all",
        '{"facts": [{"entity": "people/jane", "fact": "Works at Glo',
        {"facts": [{"entity": "people/jane", "fact": "x"}]},
        {"facts": [{"entity": "people/nobody", "fact": "x", "line": 3}]},
        {"surprise": 1},
        503,
        429,
        1.5,
        b"<html>gateway</html>",
        b"",
    ],
)
def test_a_bad_answer_is_asked_again_and_nothing_of_it_stays(jane: Space, endpoint: Endpoint, bad: Any) -> None:
    endpoint.answers = [bad, f"Here it is:\n```json\n{json.dumps(GOOD)}\n```\n"]
    told = json.loads(jane("extract", "--llm", "--now", DAY, "--json").out)
    assert told["facts"] == ["people/jane:jane-001"]
    assert len(endpoint.asked) == 2


def test_the_model_is_told_what_was_wrong(jane: Space, endpoint: Endpoint) -> None:
    endpoint.answers = [{"facts": [{"entity": "people/nobody", "fact": "x", "line": 3}]}, GOOD]
    jane("extract", "--llm", "--now", DAY)
    assert "there is no entity people/nobody" in endpoint.asked[1][-1]["content"]


def test_a_model_that_never_answers_well_changes_nothing(jane: Space, endpoint: Endpoint) -> None:
    before = jane.files()
    endpoint.answers = ["no", "still no", "{}x", "never asked"]
    endpoint.answers[2] = '{"facts": 3}'
    told = jane("extract", "--llm", "--now", DAY, code=2).err
    assert "no usable answer in 3 tries" in told
    assert jane.files() == before
    assert len(endpoint.asked) == 3
    endpoint.answers = [GOOD]
    assert "Works at Globex" in jane("extract", "--llm", "--now", DAY).out


def test_without_a_model_or_trust(om: Space) -> None:
    om.write(f"memory/{DAY}.md", "- x\n")
    assert "no model is configured" in om("extract", "--llm", "--now", DAY, code=2).err
    om.write("openclaw-memory.yaml", "version: 1\nllm:\n  provider: openai\n  endpoint: http://127.0.0.1:9/v1\n")
    assert "trust" in om("extract", "--llm", "--now", DAY, code=2).err


def test_a_provider_that_is_not_there(om: Space) -> None:
    om.write(f"memory/{DAY}.md", "- x\n")
    om.write("openclaw-memory.yaml", "version: 1\nllm:\n  provider: no.such.module:Llm\n")
    om("trust", code=None)
    assert "pip install" in om("extract", "--llm", "--now", DAY, code=2).err


def test_any_llamaindex_model_by_its_class(om: Space) -> None:
    om("entity", "new", "people/jane")
    om.write(f"memory/{DAY}.md", "- x\n")
    om.write("openclaw-memory.yaml", "version: 1\nllm:\n  provider: llama_index.core.llms.mock:MockLLM\n")
    om("trust", code=None)
    assert "no usable answer" in om("extract", "--llm", "--now", DAY, code=2).err


@pytest.mark.parametrize(("provider", "model"), [("ollama", "m"), ("anthropic", "claude-sonnet-4-5")])
def test_the_other_providers(
    om: Space, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, provider: str, model: str
) -> None:
    pytest.importorskip(f"llama_index.llms.{provider}", reason=f"llama-index-llms-{provider} is not installed")
    url = endpoint.url.removesuffix("/v1")
    om.write(
        "openclaw-memory.yaml",
        f"version: 1\ntimezone: UTC\nllm:\n  provider: {provider}\n  model: {model}\n  endpoint: {url}\n"
        "  timeout: 5s\n  api_key_env: MADE_UP_KEY\n",
    )
    om("entity", "new", "people/jane")
    om.write(f"memory/{DAY}.md", f"# {DAY}\n\n- Jane is at Globex now\n")
    om("trust")
    assert "$MADE_UP_KEY is not set" in om("extract", "--llm", "--now", DAY, code=2).err
    monkeypatch.setenv("MADE_UP_KEY", "x")
    endpoint.answers = ["no json", GOOD]
    assert "+ fact people/jane:jane-001: Works at Globex" in om("extract", "--llm", "--now", DAY).out
    assert len(endpoint.asked) == 2

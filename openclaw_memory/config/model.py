"""The configuration as values: one block a section of `openclaw-memory.yaml`, every key with its default.

All are Records: what `record` says of their price is paid by every hook.
`schema.json` says the same to machines; a test holds both together. Imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from openclaw_memory.rules import Severity

_NONE: Mapping[str, str] = MappingProxyType({})


class IndexConfig(Record):
    """`index:`; sizes in tokens."""

    path: str = "MEMORY.md"
    link_base: str = "auto"
    revs: bool = True
    co_change: str = "error"
    max_tokens: int = 3000
    target_tokens: int = 1500
    active_cap: int = 3


class ContextConfig(Record):
    """`context:`; `budget_tokens` bounds everything that one session start loads."""

    max_drilldowns: int = 5
    budget_tokens: int = 12000


class CheckConfig(Record):
    """`check:`; codes may be families (`OM1`), globs are relative to the workspace."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    severity: Mapping[str, Severity] = MappingProxyType({})
    baseline: str = ".openclaw-memory-baseline.json"


class HeartbeatConfig(Record):
    """`heartbeat:`; `beat` and `budget` are durations such as `30m` (see `seconds`)."""

    file: str = "HEARTBEAT.md"
    tasks: str = "heartbeat"
    state_file: str = "memory/heartbeat-state.json"
    beat: str = "30m"
    budget: str = "60s"
    commit: bool = True
    builtins: Mapping[str, bool] = MappingProxyType({})


class SearchPath(Record):
    """One of `memory.paths`: a folder to search, possibly outside the workspace (`~` is kept)."""

    path: str
    name: str = ""
    pattern: str = "**/*.md"


class UpdateConfig(Record):
    """`memory.update:`."""

    interval: str = "5m"
    debounce_ms: int = 15000
    on_boot: bool = True
    embed_interval: str = "60m"


class LimitsConfig(Record):
    """`memory.limits:`."""

    max_results: int = 6
    max_snippet_chars: int = 700
    max_injected_chars: int = 2200
    timeout_ms: int = 4000


class MemoryConfig(Record):
    """`memory:`, the block of OpenClaw; the keys that only older hosts read are kept and not used."""

    backend: str = ""
    citations: str = "auto"
    include_default_memory: bool = True
    paths: tuple[SearchPath, ...] = ()
    update: UpdateConfig = UpdateConfig()
    limits: LimitsConfig = LimitsConfig()
    command: str = ""
    search_mode: str = ""
    rerank: bool = False
    search_tool: str = ""
    sessions: Mapping[str, object] = MappingProxyType({})
    scope: Mapping[str, object] = MappingProxyType({})
    mcporter: Mapping[str, object] = MappingProxyType({})


class RetrievalConfig(Record):
    """`retrieval:`; everything that names a model, an endpoint or a database needs trust."""

    store: str = "sqlite"
    embedder: str = "auto"
    model: str = ""
    endpoint: str = ""
    api_key_env: str = ""
    rerank: str = ""
    expand: bool = False
    agent: str = "main"
    shared: tuple[str, ...] = ()


class FactsConfig(Record):
    """`facts:`."""

    categories: tuple[str, ...] = ()
    mentions: int = 3
    stop_words: tuple[str, ...] = ()


class DecayConfig(Record):
    """`decay:`; days."""

    hot_days: int = 7
    warm_days: int = 30
    max_warm_days: int = 180


class ArchiveConfig(Record):
    """`archive:`; days."""

    decisions_after_days: int = 365
    projects_after_days: int = 90


class LlmConfig(Record):
    """`llm:`; needs trust."""

    provider: str = ""
    model: str = ""
    endpoint: str = ""
    api_key_env: str = ""
    timeout: str = "60s"


class SnapshotsConfig(Record):
    """`snapshots:`."""

    keep: int = 200


class Config(Record):
    """Everything a workspace can set. `warnings` are sentences for the user about keys that wait for trust, `notes`
    about keys that have no effect here.

    `trusted` is true when this very file was allowed with `openclaw-memory trust` (False for none).
    """

    layout: str = "hierarchical"
    kinds: Mapping[str, str] = _NONE
    roots: tuple[str, ...] = ()
    daily: tuple[str, ...] = ("memory",)
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    profile: str = "openclaw"
    timezone: str = ""
    language: str = ""
    index: IndexConfig = IndexConfig()  # type: ignore[assignment]  # shadows tuple.index, which nobody calls
    context: ContextConfig = ContextConfig()
    check: CheckConfig = CheckConfig()
    heartbeat: HeartbeatConfig = HeartbeatConfig()
    memory: MemoryConfig = MemoryConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    facts: FactsConfig = FactsConfig()
    decay: DecayConfig = DecayConfig()
    archive: ArchiveConfig = ArchiveConfig()
    llm: LlmConfig = LlmConfig()
    snapshots: SnapshotsConfig = SnapshotsConfig()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trusted: bool = False


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(duration: str) -> float:
    """A duration of the config (`500ms`, `60s`, `30m`, `1h`, `2d`) in seconds; the schema admits no other form."""
    unit = duration.lstrip("0123456789")
    return int(duration[: len(duration) - len(unit)]) * _UNITS[unit]

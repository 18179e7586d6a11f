"""YAML front matter: whether lines look like it, and what it says. Imports yaml only when there is any."""

from __future__ import annotations

from collections.abc import Sequence

from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_FENCE = pattern(r"---[ \t]*\Z")
_END = pattern(r"(?:---|\.\.\.)[ \t]*\Z")
_KEY = pattern(r"[^\s#\-\[{>|*&!%@`:][^:]*:(?:\s|\Z)")


def end_of(texts: Sequence[str]) -> int:
    """The number of lines the front matter takes at the start of a file; 0 where there is none.

    Two `---` rules around prose are not front matter: its first line that says something must be `key:`.
    """
    if not texts or not _FENCE.match(texts[0].removeprefix("\ufeff")):
        return 0
    spoken = False
    for at, text in enumerate(texts[1:], 2):
        if _END.match(text):
            return at
        if not spoken and text.strip() and not text.startswith("#"):
            if not _KEY.match(text):
                return 0
            spoken = True
    return 0


def parse(source: str) -> dict[str, Any]:
    """The mapping that YAML `source` holds; {} where it is broken or not a mapping with text keys."""
    if not source.strip():
        return {}
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        loaded = yaml.load(source, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date like 2026-02-31
        return {}
    return {str(key): value for key, value in loaded.items()} if isinstance(loaded, dict) else {}

"""The findings that were there when a workspace was adopted: they are counted and do not block.

A finding is known by its code, its file and its message without the numbers in it, so that it is recognised after
lines move and sizes change. Of findings that look the same, as many are known as there were.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from openclaw_memory.errors import ConfigError
from openclaw_memory.findings import Finding
from openclaw_memory.patterns import pattern

_NUMBER = pattern(r"(?<![\w/.-])\d[\d,.]*(?![\w/-])")
_COMMIT_ONLY = frozenset({"OM101", "OM103", "OM203", "OM204", "OM301", "OM302"})  # never old news
_NEVER = _COMMIT_ONLY | {"OM501", "OM601"}  # half a merge and a secret stay wrong, however old


def known_later(item: Finding) -> bool:
    """Whether a baseline may know this finding; half a merge, a secret and what a commit does wrong it never does."""
    return item.code not in _NEVER


def write(findings: Iterable[Finding]) -> bytes:
    """The baseline file that knows `findings`; the same bytes for the same findings."""
    counts = Counter(_key(item) for item in findings if known_later(item))
    rows = [
        {"code": code, "path": path, "message": text, "count": counts[code, path, text]}
        for code, path, text in sorted(counts)
    ]
    return (json.dumps({"version": 1, "findings": rows}, ensure_ascii=True, indent=1) + "\n").encode()


def read(data: bytes, where: str) -> Counter[tuple[str, str, str]]:
    """The known findings of a baseline file. Raises ConfigError for one that is broken."""
    try:
        rows = json.loads(data)["findings"]
        return Counter({(row["code"], row["path"], row["message"]): int(row["count"]) for row in rows})
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ConfigError(
            f"{where}: not a baseline file ({type(error).__name__}: {error})",
            "write it anew: openclaw-memory check --write-baseline",
        ) from error


def apply(findings: Iterable[Finding], known: Counter[tuple[str, str, str]]) -> tuple[list[Finding], int]:
    """(the findings that are new, how many are known)."""
    left, new, old = known.copy(), [], 0
    for item in findings:
        if left[_key(item)] > 0 and known_later(item):
            left[_key(item)] -= 1
            old += 1
        else:
            new.append(item)
    return new, old


def _key(item: Finding) -> tuple[str, str, str]:
    return item.code, item.path, _NUMBER.sub("#", item.message)

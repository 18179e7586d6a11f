"""What a host does with a heartbeat file: whether it takes it for empty, and what a beat of it costs. Pure.

Rules are named by the version they were read from; a rule that a later version changed keeps its own name.
"""

from __future__ import annotations

import re

from openclaw_memory.record import Record

EARLY = "OpenClaw's early-2026 rule"
"""Only blank lines, `#` headings and empty list items count as empty (OpenClaw up to 2026.7)."""
SCRATCH = "OpenClaw's 2026.8 rule"
"""The file is never read; a monitor scratch of blank lines, comments, headings, fences and empty items is skipped."""
_EARLY_EMPTY = re.compile(r"\s*(?:#+(?:\s.*)?|[-*+]\s*(?:\[[ xX]?\]\s*)?)?\Z")
_SCRATCH_EMPTY = re.compile(r"\s*(?:#+(?:\s.*)?|[-*+]\s*(?:\[[ xX]?\]\s*)?|(?:```|~~~).*)?\Z")


class Verdict(Record):
    """What a rule says: `skips` is True where the host makes no model call."""

    rule: str
    skips: bool


def early(text: str) -> Verdict:
    """The rule of OpenClaw up to 2026.7: comments, fences and front matter are content to it."""
    return Verdict(EARLY, all(_EARLY_EMPTY.match(line) for line in text.removeprefix("\ufeff").splitlines()))


def scratch(text: str) -> Verdict:
    """The rule of OpenClaw 2026.8 and later, for the text when it is set as the monitor's scratch."""
    without = re.sub(r"<!--.*?-->", "", text.removeprefix("\ufeff"), flags=re.DOTALL)
    return Verdict(SCRATCH, all(_SCRATCH_EMPTY.match(line) for line in without.splitlines()))

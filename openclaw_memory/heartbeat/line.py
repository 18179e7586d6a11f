"""A line while its schedule is read: its tokens, what is taken of them, how a phrase stands among the rest. Pure."""

from __future__ import annotations

import re

from openclaw_memory.heartbeat.lexer import Token
from openclaw_memory.heartbeat.said import Part

_SIGNS = "~〜≈<>≥="
_BEHIND = re.compile(
    r"(?:\s?(?:\+|以上|左右|ほど|くらい)|\.(?=\s*[\])}*:：—–-])"
    r"|\s+(?:or|oder|o|ou|или) (?:more|mehr|más|mais|plus|больше|более)\b"
    r"|(?:\s+(?:of|in|the|each|every|del?|d[ao]|du|des|la|le))*\s+(?:month|mes|mês|monats|mois|месяца|månaden)\b)+",
    re.IGNORECASE,
)
QUIET = re.compile(r"[_,a/BslxXEebrfgvtkKpHdD]*")
"""Symbols that say nothing beside time."""


class Line:
    """The tokens of a line, their symbols (`_` where a phrase took them), the phrases found, and doubts about them."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = [token for token in tokens if token.symbol != "~"]
        self.fillers = {token.end: token for token in tokens if token.symbol in "~alB"}
        self.symbols = "".join(token.symbol for token in self.tokens)
        self.parts: list[Part] = []
        self.doubts: list[str] = []

    def take(self, kind: str, start: int, end: int) -> None:
        """The tokens from `start` to before `end` are a phrase of this kind."""
        span = (self.tokens[start].start, self.tokens[end - 1].end)
        self.parts.append(Part(kind, tuple(self.tokens[start:end]), self.symbols[start:end], span))
        self.symbols = self.symbols[:start] + "_" * (end - start) + self.symbols[end:]

    def said(self, start: int, end: int) -> str:
        """The words of the tokens from `start` to before `end`."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]

    def widened(self, start: int, end: int) -> tuple[int, int]:
        """The span with the small words that belong to it: "about" before it, "or more" and "of the month" behind."""
        text = self.text
        while before := self.fillers.get(len(text[:start].rstrip(f" .{_SIGNS}"))):
            start = before.start
        signed = text[:start].rstrip()
        start = len(signed.rstrip(_SIGNS)) if signed.endswith(tuple(_SIGNS)) else start
        behind = _BEHIND.match(text, end)
        return start, behind.end() if behind else end

    def segment(self, start: int, end: int) -> tuple[int, int]:
        """The places of the breaks around these tokens: after the one on the left, at the one on the right."""
        left = max(self.symbols.rfind(";", 0, start), self.symbols.rfind("-", 0, start)) + 1
        return left, min(place for place in (*self._breaks(end), len(self.symbols)) if place >= 0)

    def _breaks(self, at: int) -> tuple[int, int]:
        return self.symbols.find(";", at), self.symbols.find("-", at)

    def around(self, start: int, end: int) -> str:
        """The other symbols of the segment."""
        left, right = self.segment(start, end)
        return self.symbols[left:start] + self.symbols[end:right]

    def is_alone(self, start: int, end: int) -> bool:
        """Whether nothing but words of time stands between the breaks around it (a dash is one)."""
        return QUIET.fullmatch(self.around(start, end)) is not None

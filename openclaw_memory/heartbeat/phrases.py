"""Reads the schedule in a line of text: a small grammar over the symbols of `lexer.py`. Pure; never runs anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from openclaw_memory.heartbeat.compose import compose
from openclaw_memory.heartbeat.cron import parse_cron
from openclaw_memory.heartbeat.lexer import Token, may_tell_time, normal, tokens
from openclaw_memory.heartbeat.said import Part
from openclaw_memory.heartbeat.schedule import Schedule
from openclaw_memory.heartbeat.words import ADJECTIVE_OF

LONGEST = 2000
"""Characters of a line that are looked at; a schedule stands near its start, and time grows with the square."""
_TIME = "[tH]"
_LIST = "(?:,a?|a)"
_STRONG: tuple[tuple[str, str], ...] = (
    ("nth", r"[os](?=k[ea]*u)"),
    ("monthday", r"eun(?=u)|su(?=[ea]*u)|[on]u?eu|(?<!e)ou|(?<=d)an(?=;|$)|(?<=u)a?o|(?<=d)a?o(?![uk])"),
    ("beats", r"x?X?ex?(?:n(?:-n)?|o|f)?x?b|X/n?b|n?x?bE|nxE|/n?b(?=;|$)"),
    ("times", r"(?:n(?:-n)?x|X)[/ea]{0,2}[ud]|eun(?:-n)?x|nun(?:-n)?x|euX|(?<!n)un(?:-n)?x"),
    ("since", r"l[^;]{0,4}?(?:nu|H)s(?:s+|(?=[;,]|$))|l[lB]*s[^;]{0,2}?(?:nu|H)(?=[;,]|$)"),
    ("interval", r"x?X?e(?:n(?:-n)?|o|f)?u(?:,?nu)?|e(?:n-)?H(?:-H)?|x[/a]?n?u|(?:n(?:-n)?|f)?uE|HE"),
    ("daypart", r"ep(?:,p)*"),
    ("weekday", r"eok|e[kKg](?:[-,a]+[kg])*|a*K(?:[-,a]+[kK])*|a*g"),
    ("adverb", r"d"),
)
_WINDOW = rf"[Bl]?(?:{_TIME}|n)[-a]a?(?:{_TIME}|n)|B(?:{_TIME}|n),(?:{_TIME}|n)"
_WEAK: tuple[tuple[str, str], ...] = (
    ("window", _WINDOW),
    ("clock", rf"a*{_TIME}(?:{_LIST}?{_TIME}|,n(?![u\w]))*|(?<=_)an(?:,n)*(?=[;,]|$)"),
    ("weekday", r"a*[kK](?:[-,a]*[kK])*"),
    ("daypart", r"p"),
    ("date", r"a*D(?:,D)*"),
    ("monthday", r"a?o"),
    ("off", r"N"),
)
_STRONG_RE = tuple((kind, re.compile(pattern)) for kind, pattern in _STRONG)
_WEAK_RE = tuple((kind, re.compile(pattern)) for kind, pattern in _WEAK)
_QUIET = re.compile(r"[_\-,a/BslxXEebrfgv]*")
_LOST = re.compile(r"e(?=[^;_]{0,1}[nouf])|v")
_CRON = re.compile(r"(?<![^\s(\"'])[\d*][\d*/,-]*(?: [\d*][\d*/,-]*){3} [\d*][\w*/,-]*(?![^\s)\"'.,;:])")
_MONTH = "2592000"
_DENIED = re.compile(
    r"\b(?:quiet|silent|silence|sleep\w*|not|never|except|outside|avoid|disturb|unless|nicht|außer|ruhe\w*|silencio|silêncio|"
    r"salvo|excepto|exceto|não|sauf|pas|кроме|тих\w*|utom|inte|tyst\w*)\b|n['’]t\b|静|勿|除|以外",
    re.IGNORECASE,
)
_THROUGH = (["through"], ["between"], ["these"], ["one"])
_PICK = re.compile(r"(?:pick|choose|wähle|elige|escolha|choisi\w+|выбери\w*|välj|选|選)\D{0,6}(\d+)", re.IGNORECASE)


class Reading(NamedTuple):
    """What a line says about time.

    `schedule` is None when it says nothing. `spans` are the places in `text` (the normal form of the line) that say it.
    `contradictions` name the reading taken; `doubts` are words about time that were not understood. `rotate` is how
    many of a group to pick each time (0: all of them). `whole`: the line says nothing but that.
    """

    text: str
    schedule: Schedule | None = None
    spans: tuple[tuple[int, int], ...] = ()
    contradictions: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    rotate: int = 0
    whole: bool = False

    @property
    def phrase(self) -> str:
        """The words that give the schedule."""
        words = " … ".join(self.text[start:end] for start, end in self.spans)
        return words + ")" * (words.count("(") - words.count(")"))


class _Line:
    """A line being read: its tokens, the symbols not yet taken (`_` where taken), and the parts found."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.symbols = "".join(token.symbol for token in tokens)
        self.parts: list[Part] = []

    def take(self, kind: str, start: int, end: int) -> None:
        span = (self.tokens[start].start, self.tokens[end - 1].end)
        self.parts.append(Part(kind, tuple(self.tokens[start:end]), self.symbols[start:end], span))
        self.symbols = self.symbols[:start] + "_" * (end - start) + self.symbols[end:]


@lru_cache(maxsize=4096)
def read(text: str, heading: bool = False) -> Reading:
    """The schedule in `text`, one line of prose without Markdown markers.

    A bare time, weekday or part of the day counts where it stands alone (in brackets, before a colon, beside another
    schedule, at the end after "at"), and in a heading also at its start; elsewhere it is what the sentence is about.
    """
    clean = normal(text[:LONGEST])
    if "*" in clean and (found := _CRON.search(clean)):
        return _cron(clean, found)
    if not may_tell_time(clean):
        return Reading(clean)
    line = _Line(clean, tokens(clean))
    if not line.symbols.strip("w;,-/"):
        return Reading(clean)
    _match(line, _STRONG_RE, _is_schedule)
    _match(line, _WEAK_RE, _stands_alone(heading))
    composed = compose(line.parts)
    return Reading(
        clean,
        composed.schedule,
        _merged(part.span for part in line.parts),
        composed.contradictions,
        _doubts(line) if composed.schedule is None else composed.doubts,
        _rotation(line, heading),
        whole=bool(line.parts) and all(_QUIET.fullmatch(part) for part in line.symbols.split(";")),
    )


def _cron(text: str, found: re.Match[str]) -> Reading:
    """A cron expression that stands in a line."""
    try:
        schedule = parse_cron(found[0])
    except ValueError as error:
        return Reading(text, doubts=(f"{found[0]}: {error}",))
    whole = not re.search(r"\w", text[: found.start()] + text[found.end() :])
    return Reading(text, schedule, (found.span(),), whole=whole)


def _match(
    line: _Line, patterns: tuple[tuple[str, re.Pattern[str]], ...], accept: Callable[[_Line, str, int, int], bool]
) -> None:
    for kind, pattern in patterns:
        for match in pattern.finditer(line.symbols):
            if match.end() > match.start() and accept(line, kind, match.start(), match.end()):
                line.take(kind, match.start(), match.end())


def _is_schedule(line: _Line, kind: str, start: int, end: int) -> bool:
    """Whether a phrase that a word like "every" leads is one: not "the daily notes", "at 10 per day" is no rhythm."""
    if kind == "adverb":
        return not (end < len(line.tokens) and line.tokens[end].value in ADJECTIVE_OF)
    if kind == "monthday" and line.symbols[start:end] == "eun":
        return line.tokens[start + 1].value == _MONTH and line.tokens[end].value == "86400"
    return kind not in ("monthday", "nth") or _about_months(line, start, end)


def _about_months(line: _Line, start: int, end: int) -> bool:
    """An ordinal is a day of the month only beside a month: "the 1st of each month", "monthly on the 15th"."""
    near = line.tokens[max(0, start - 2) : end + 4]
    return any(token.symbol in "ud" and token.value == _MONTH for token in near)


def _stands_alone(heading: bool) -> Callable[[_Line, str, int, int], bool]:
    def accept(line: _Line, kind: str, start: int, end: int) -> bool:
        left = max(line.symbols.rfind(";", 0, start), line.symbols.rfind("w", 0, start)) + 1
        symbols = line.symbols
        if kind in ("window", "clock") and _is_denied(line, start):
            return False
        if kind == "window" and not _is_window(line, start, end):
            return False
        before = symbols[:start].rstrip(",a-")
        after = symbols[end:].lstrip(",-a")
        alone = _segment_is_quiet(symbols, start, end)
        if kind == "clock" and set(symbols[start:end]) <= {"H", ","}:
            return (before.endswith("_") or after.startswith("_")) and alone
        beside = before.endswith("_") or (after.startswith("_") and not symbols[left:start].strip("a,"))
        timed = kind == "clock" or (kind == "window" and any(char in "tH" for char in symbols[start:end]))
        ends = end == len(symbols.rstrip(";")) and timed and symbols[start] in "aB"
        led = heading or symbols[end : end + 1] == ","  # "On Friday, send the report"
        opens = start == 0 and (kind in ("clock", "window") or (led and kind in ("weekday", "daypart")))
        if kind == "monthday":
            return (beside or alone) and _about_months(line, start, end)
        return alone or (beside and kind != "off") or ends or opens

    return accept


def _segment_is_quiet(symbols: str, start: int, end: int) -> bool:
    """Whether nothing but words of time stands between the breaks around it (a spaced dash is one)."""
    left = max(symbols.rfind(";", 0, start), symbols.rfind("-", 0, start)) + 1
    right = min(place for place in (symbols.find(";", end), symbols.find("-", end), len(symbols)) if place >= 0)
    around = symbols[left:start] + symbols[end:right]
    return bool(re.fullmatch(r"[_,a/BslxXEebrfgvtkKpHdD]*", around))


def _is_window(line: _Line, start: int, end: int) -> bool:
    """At least one end is a time; "2-3h" and "3 to 5" are amounts unless "from" or "only" says otherwise."""
    ends = [token for token in line.tokens[start:end] if token.symbol in "tHn"]
    if any(float(token.value.rstrip("m")) > 24 for token in ends if token.symbol != "t"):
        return False
    if any(token.symbol == "t" for token in ends):
        return True
    led = line.symbols[start] in "Bl" or line.symbols[end : end + 1] == "l" or "a" in line.symbols[start:end]
    hours = [float(token.value) for token in ends]
    return (led or hours[1] - hours[0] >= 3) and (led or "H" in line.symbols[start:end])


def _is_denied(line: _Line, start: int) -> bool:
    """Whether the hours are those in which nothing shall be done: "stay quiet between 23:00 and 8:00"."""
    return bool(_DENIED.search(line.text[: line.tokens[start].start]))


def _merged(spans: object) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):  # type: ignore[call-overload]
        if joined and start - joined[-1][1] <= 2:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)


def _doubts(line: _Line) -> tuple[str, ...]:
    return tuple(
        line.text[line.tokens[match.start()].start : line.tokens[min(match.start() + 2, len(line.tokens) - 1)].end]
        for match in _LOST.finditer(line.symbols)
    )


def _rotation(line: _Line, heading: bool) -> int:
    place = line.symbols.find("r")
    if place < 0:
        return 0
    word, picked = line.tokens[place], _PICK.search(line.text)
    if picked:
        return max(1, int(picked[1]))
    rest = line.text[word.end :].lower().split()[:1]
    turning = heading and line.text[word.start : word.end].lower().endswith(("ing", "rend"))
    return int(turning or rest in _THROUGH or _segment_is_quiet(line.symbols, place, place + 1))

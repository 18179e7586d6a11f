"""Reads the schedule in a line of text: a small grammar over the symbols of `lexer.py`. Pure; never runs anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from openclaw_memory.heartbeat import amounts
from openclaw_memory.heartbeat.compose import compose
from openclaw_memory.heartbeat.cron import parse_cron
from openclaw_memory.heartbeat.lexer import may_tell_time, normal, tokens
from openclaw_memory.heartbeat.line import Line
from openclaw_memory.heartbeat.schedule import Schedule
from openclaw_memory.heartbeat.words import ADJECTIVE_OF
from openclaw_memory.record import Record

LONGEST = 2000
"""Characters of a line that are looked at; a schedule stands near its start, and time grows with the square."""
_TIME = "[tH]"
_LIST = "(?:,a?|a)"
_STRONG: tuple[tuple[str, str], ...] = (
    ("nth", r"[os](?=k[ea]*u)"),
    ("monthday", r"eun(?=u)|su(?=[ea]*u)|[on]u?eu|(?<!e)ou|(?<=d)an(?=;|$)|(?<=u)a?o|(?<=d)a?o(?![uk])"),
    ("beats", r"x?X?ex?(?:n(?:[-,]n)?|o|f)?x?b|X/n?b|n?x?bE|nxE|(?<![nH])/n?b(?=;|$)"),
    ("times", r"(?:n(?:-n)?x|X)[/ea]{0,2}[ud]|eun(?:-n)?x|nun(?:-n)?x|euX|(?<!n)un(?:-n)?x|dxn"),
    ("since", r"l[^;]{0,4}?(?:nu|H)s(?:s+|(?=[;,]|$))|ll*s[^;]{0,2}?(?:nu|H)(?=[;,]|$)"),
    (
        "interval",
        r"x?X?e(?:B?n(?:[-,]n)?|o|f)?u(?:,?nu|-n?u)?|e(?:n-)?H(?:-H)?|x[/a]?n?u|(?:n(?:[-,]n)?|f)?uE|HE|nue(?=[;_w-]|$)",
    ),
    ("daypart", r"ep(?:,p)*"),
    ("weekday", r"eok|e[kKg](?:[-,a]+[kg])*|a*K(?:[-,a]+[kK])*|a*g"),
    ("adverb", r"d"),
)
_WINDOW = rf"[Bl]?(?:{_TIME}|n)[-a]a?(?:{_TIME}|nu?)|B(?:{_TIME}|n),(?:{_TIME}|nu?)"
_WEAK: tuple[tuple[str, str], ...] = (
    ("window", _WINDOW),
    ("beats", amounts.BEATS),
    ("interval", amounts.INTERVAL),
    ("clock", rf"a*{_TIME}(?:{_LIST}?{_TIME}|,n(?![u\w]))*|(?<=_)an(?:,n)*(?=[;,]|$)|anu"),
    ("weekday", r"a*[kK](?:[-,a]*[kK])*"),
    ("daypart", r"p"),
    ("date", r"a*D(?:,D)*"),
    ("monthday", r"a?o"),
    ("off", r"N"),
)
_NEEDS = {
    "nth": "os", "monthday": "osae", "beats": "bE", "times": "xX", "since": "s", "interval": "uHE", "daypart": "p",
    "weekday": "kKg", "adverb": "d", "window": "-aB", "clock": "tHa", "date": "D", "off": "N",
}  # fmt: skip
"""Of these symbols a phrase of the kind has at least one; looked at before its pattern is."""
_STRONG_RE = tuple((kind, frozenset(_NEEDS[kind]), re.compile(pattern)) for kind, pattern in _STRONG)
_WEAK_RE = tuple((kind, frozenset(_NEEDS[kind]), re.compile(pattern)) for kind, pattern in _WEAK)
_WHOLE = re.compile(r"[_\-,a/BslxXEebrfgv]*")
_LOST = re.compile(r"e(?=[^;_]{0,1}[nouf])|v")
_CRON = re.compile(r"(?<![^\s(\"'])[\d*][\d*/,-]*(?: [\d*][\d*/,-]*){3} [\d*][\w*/,-]*(?![^\s)\"'.,;:])")
_MONTH, _HOUR = "2592000", "3600"
_OF_MONTH = re.compile(r"(?<=[_kK])[ea]*u")
_AT = ("в", "во", "at", "à", "às", "ás", "a las")
_DENIED = re.compile(
    r"\b(?:quiet|silent|silence|sleep\w*|not|never|except|outside|avoid|disturb|unless|nicht|außer|ruhe\w*|silencio|silêncio|"
    r"salvo|excepto|exceto|não|sauf|pas|кроме|тих\w*|utom|inte|tyst\w*)\b|n['’]t\b|静|勿|除|以外",
    re.IGNORECASE,
)
_THROUGH = (["through"], ["between"], ["these"], ["one"])
_PICK = re.compile(r"(?:pick|choose|wähle|elige|escolha|choisi\w+|выбери\w*|välj|选|選)\D{0,6}(\d+)", re.IGNORECASE)


class Reading(Record):
    """What a line says about time.

    `schedule` is None when it says nothing. `spans` are the places in `text` (the normal form of the line) that say it.
    `contradictions` name the reading taken; `doubts` are words about time that were not understood. `rotate` is how
    many of a group to pick each time (0: all of them). `whole`: the line says nothing but that. `unread` are amounts
    and moments that are no schedule where they stand; a task that has no other runs each beat. `weak`: an amount in
    brackets behind the words, which a heading's schedule goes before.
    """

    text: str
    schedule: Schedule | None = None
    spans: tuple[tuple[int, int], ...] = ()
    contradictions: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    rotate: int = 0
    whole: bool = False
    unread: tuple[str, ...] = ()
    weak: bool = False

    @property
    def phrase(self) -> str:
        """The words that give the schedule."""
        words = " … ".join(self.text[start:end] for start, end in self.spans)
        return words + ")" * (words.count("(") - words.count(")"))


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
    line = Line(clean, tokens(clean))
    if not line.symbols.strip("w;,-/"):
        return Reading(clean)
    _match(line, _STRONG_RE, _is_schedule)
    _take_month(line)
    _match(line, _WEAK_RE, _stands_alone(heading))
    composed = compose(line.parts)
    lost = () if composed.schedule else _doubts(line)
    return Reading(
        clean,
        composed.schedule,
        _merged(line.widened(*part.span) for part in line.parts),
        composed.contradictions,
        (*composed.doubts, *line.doubts, *_beside(line)) if composed.schedule else lost,
        _rotation(line, heading),
        bool(line.parts) and all(_WHOLE.fullmatch(part) for part in line.symbols.split(";")),
        () if composed.schedule or lost else amounts.unread(line),
        composed.schedule is not None and amounts.is_weak(line),
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
    line: Line,
    patterns: tuple[tuple[str, frozenset[str], re.Pattern[str]], ...],
    accept: Callable[[Line, str, int, int], bool],
) -> None:
    present = set(line.symbols)
    for kind, needs, pattern in patterns:
        if needs.isdisjoint(present):
            continue
        for match in pattern.finditer(line.symbols):
            if match.end() > match.start() and accept(line, kind, match.start(), match.end()):
                line.take(kind, match.start(), match.end())


def _is_schedule(line: Line, kind: str, start: int, end: int) -> bool:
    """Whether a phrase that a word like "every" leads is one: not "the daily notes", "at 10 per day" is no rhythm."""
    if kind == "adverb":
        return not (end < len(line.tokens) and line.tokens[end].value in ADJECTIVE_OF)
    if kind == "monthday" and line.symbols[start:end] == "eun":
        return line.tokens[start + 1].value == _MONTH and line.tokens[end].value == "86400"
    return kind not in ("monthday", "nth") or _about_months(line, start, end)


def _take_month(line: Line) -> None:
    """The "of the month" of "first Monday of the month" is a part of it."""
    found = _OF_MONTH.search(line.symbols) if any(part.kind == "nth" for part in line.parts) else None
    if found and line.tokens[found.end() - 1].value == _MONTH:
        line.symbols = line.symbols[: found.start()] + "_" * len(found[0]) + line.symbols[found.end() :]


def _about_months(line: Line, start: int, end: int) -> bool:
    """An ordinal is a day of the month only beside a month: "the 1st of each month", "monthly on the 15th"."""
    near = line.tokens[max(0, start - 2) : end + 4]
    return any(token.symbol in "ud" and token.value == _MONTH for token in near)


def _stands_alone(heading: bool) -> Callable[[Line, str, int, int], bool]:
    def accept(line: Line, kind: str, start: int, end: int) -> bool:
        if kind in ("beats", "interval"):
            return _is_label(line, start, end, heading)
        symbols = line.symbols
        if kind in ("window", "clock") and _is_denied(line, start):
            return False
        if kind == "window" and not _is_window(line, start, end):
            return False
        before = symbols[:start].rstrip(",a-")
        after = symbols[end:].lstrip(",-a")
        length = symbols[end : end + 1] == "u" and _is_length(line, start, end)
        if kind == "clock" and (length or amounts.is_bound(line, start, end)):  # "1:30 hours", "until 18:00"
            return False
        alone = line.is_alone(start, end)
        taken = before.endswith("_") or after.startswith("_")
        if kind == "clock" and set(symbols[start:end]) <= {"H", ","}:
            return alone and (
                (taken and amounts.may_be_hour(line, start, end)) or amounts.is_hour(line, start, end, heading)
            )
        if kind == "clock" and symbols[start:end] == "anu" and not _is_hour(line, start):
            return False
        left = max(symbols.rfind(";", 0, start), symbols.rfind("w", 0, start)) + 1
        beside = before.endswith("_") or (after.startswith("_") and not symbols[left:start].strip("a,"))
        timed = kind == "clock" or (kind == "window" and any(char in "tH" for char in symbols[start:end]))
        ends = end == len(symbols.rstrip(";")) and timed and symbols[start] in "aB"
        led = heading or symbols[end : end + 1] == ","  # "On Friday, send the report"
        opens = start == 0 and (kind in ("clock", "window") or (led and kind in ("weekday", "daypart")))
        if kind == "monthday":
            return (beside or alone) and _about_months(line, start, end)
        return alone or (beside and kind != "off") or ends or opens

    return accept


def _is_label(line: Line, start: int, end: int, heading: bool) -> bool:
    """Whether an amount is how often, with a doubt where it may be an hour as well."""
    found = amounts.is_schedule(line, start, end, heading)
    line.doubts += filter(None, [amounts.either(line, start, end) if found else ""])
    return found


def _is_hour(line: Line, start: int) -> bool:
    """ "в 9 часов", "at 9 hours" is a time of the day; "um 2 Stunden" is not."""
    _, number, unit = line.tokens[start : start + 3]
    return line.said(start, start + 1).lower() in _AT and unit.value == _HOUR and float(number.value) <= 24


def _is_length(line: Line, start: int, end: int) -> bool:
    """ "1:30 hours" is no time of the day; "at 09:00 hours" is one."""
    return line.symbols[start] == "t" and float(line.tokens[start].value.rstrip("m")) < 300


def _is_window(line: Line, start: int, end: int) -> bool:
    """At least one end is a time; "2-3h" and "3 to 5" are amounts unless "from" or "only" says otherwise."""
    ends = [token for token in line.tokens[start:end] if token.symbol in "tHn"]
    if amounts.is_bound(line, start, end):
        return False
    if line.symbols[end - 1] == "u" and (line.tokens[end - 1].value != _HOUR or line.symbols[start] != "B"):
        return False
    if any(float(token.value.rstrip("m")) > 24 for token in ends if token.symbol != "t"):
        return False
    if any(token.symbol == "t" for token in ends):
        return True
    led = line.symbols[start] in "Bl" or line.symbols[end : end + 1] == "l" or "a" in line.symbols[start:end]
    first, second = (float(token.value) for token in ends)
    if line.symbols[end - 1] == "u":  # "с 9 до 18 часов"; "between 2 and 3 hours" is an amount
        return second - first >= 3
    return led or (second - first >= 3 and first >= 6 and "H" in line.symbols[start:end])


def _is_denied(line: Line, start: int) -> bool:
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


def _beside(line: Line) -> list[str]:
    return [f"“{said}” beside it is not read" for said in amounts.beside(line)]


def _doubts(line: Line) -> tuple[str, ...]:
    return tuple(
        f"“{line.said(match.start(), min(match.start() + 3, len(line.tokens)))}” gives no time that can be counted"
        for match in _LOST.finditer(line.symbols)
    )


def _rotation(line: Line, heading: bool) -> int:
    place = line.symbols.find("r")
    if place < 0:
        return 0
    word, picked = line.tokens[place], _PICK.search(line.text)
    if picked:
        return max(1, int(picked[1]))
    rest = line.text[word.end :].lower().split()[:1]
    turning = heading and line.text[word.start : word.end].lower().endswith(("ing", "rend"))
    return int(turning or rest in _THROUGH or line.is_alone(place, place + 1))

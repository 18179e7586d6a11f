"""Amounts of time with no word like "every": a schedule where they label a line, a question anywhere else. Pure.

"~90 minutes: mail", "Mail (4+ hours)" and a heading "2–3 days" say how often; "mail of the last 24 hours" does not.
"""

from __future__ import annotations

import re

from openclaw_memory.heartbeat.line import Line
from openclaw_memory.heartbeat.schedule import HOUR

INTERVAL = r"B?n(?:[-,]n)?u(?:-n?u|,?nu)?|nu-H|H-(?:H|nu)|n-H|H|fu|u"
BEATS = r"B?n(?:[-,]n)?x?b|fb"
EFFORT = 900
"""Seconds from which an amount in brackets behind a task is how often, not how long it takes."""
_OPEN, _ENDS = tuple("([{<【「"), (*")]}>】」:-–—−→|=", "**", "__")
_AROUND = re.compile(r"[_,]*(?:a?l)?[_,]*")
_NAMED = ("900", "1800", "5400")
_HOURS = str(HOUR)
_MOMENT = re.compile(r"\b(?:in|en|em|no|na|nos|nas|das)\s*[~≈]?\s*\Z")
_UNREAD = re.compile(r"B?(?:n(?:[-,]n)?|f|o)u|n(?:-n)?(?:x|b)|n-H|H|t|u|k|K|g|p|D")
_BESIDE = re.compile(r"(?<=_)[,a/-]{0,2}(n(?:-n)?[ub]|n-H|H|t)")


def is_schedule(line: Line, start: int, end: int, heading: bool) -> bool:
    """Whether the amount at these symbols is how often: it stands apart, in a heading or as a label, and alone."""
    if any(part.kind not in ("window", "off") for part in line.parts) or not _may_repeat(line, start, end):
        return False
    if not _AROUND.fullmatch(line.around(start, end)):
        return False
    if heading or _leads(line, start, end):
        return True
    return _bracketed(line, start, end) and ("b" in line.symbols[start:end] or _seconds(line, start, end) >= EFFORT)


def is_weak(line: Line) -> bool:
    """Whether the line's only schedule is an amount in brackets behind its words, which may be how long it takes."""
    rhythm = [part for part in line.parts if part.kind in ("interval", "beats")]
    if len(rhythm) != 1 or re.match("[ex]|.*E", rhythm[0].symbols):
        return False
    at = next(place for place, token in enumerate(line.tokens) if token is rhythm[0].tokens[0])
    open_ended = "+" in line.text[slice(*rhythm[0].span)] or "l" in line.around(at, at + len(rhythm[0].tokens))
    return not open_ended and not _leads(line, at, at + len(rhythm[0].tokens)) and _bracketed(line, at, at + 1)


def is_hour(line: Line, start: int, end: int, heading: bool) -> bool:
    """Whether a label is an hour of the day: `14h`, `9h30`; `2h` is a length of time."""
    if re.search(r"[nHt]-\Z", line.symbols[:start]):  # the end of "8h-20h"
        return False
    labels = heading or _leads(line, start, end) or _bracketed(line, start, end)
    return labels and line.symbols[start:end] == "H" and _is_hour(float(line.tokens[start].value))


def may_be_hour(line: Line, start: int, end: int) -> bool:
    """Whether `9h` beside a schedule is an hour of the day; "daily ~2h" and "daily 1h" are lengths."""
    first = line.tokens[start]
    rough = "+" in line.said(start, end) or line.text[: first.start].rstrip().endswith(("~", "≈"))
    return not rough and float(first.value) >= 6


def either(line: Line, start: int, end: int) -> str:
    """What a `9h` may mean besides its length; "" for what can only be a length."""
    ambiguous = line.symbols[start:end] == "H" and 7 <= float(line.tokens[start].value) <= 12
    said = line.said(start, end)
    return f"“{said}” may be an hour of the day; it is taken for how often" if ambiguous else ""


def unread(line: Line) -> tuple[str, ...]:
    """The words of an amount or a moment that no schedule was made of."""
    found = _UNREAD.finditer(line.symbols)
    return tuple(line.said(*match.span()) for match in found if _is_time(line, *match.span()))


def beside(line: Line) -> tuple[str, ...]:
    """Amounts and times that touch a schedule and are no part of it."""
    return tuple(line.said(*match.span(1)) for match in _BESIDE.finditer(line.symbols))


def _may_repeat(line: Line, start: int, end: int) -> bool:
    """Not a date ("3日", "5月"), hours from six o'clock on ("9-18 hours"), or a moment to come ("in 2 hours")."""
    symbols, tokens = line.symbols[start:end], line.tokens[start:end]
    if symbols == "H" and _is_hour(float(tokens[0].value)):
        return False
    if symbols == "u" and not _is_named(line, start):
        return False
    if is_bound(line, start, end):
        return False
    if _is_any_beat(line, start, end) or _MOMENT.search(line.text[: tokens[0].start].lower()):
        return False
    units = [line.text[token.start : token.end] for token in tokens if token.symbol == "u"]
    if "月" in units or "年" in units or ("日" in units and symbols == "nu" and not _is_about(line, start)):
        return False
    numbers = [float(token.value) for token in tokens if token.symbol in "nH"]
    of_hours = symbols[-1] == "H" or tokens[-1].value == _HOURS
    return not (of_hours and len(numbers) == 2 and numbers[0] >= 6 and numbers[1] - numbers[0] >= 3)


def _is_time(line: Line, start: int, end: int) -> bool:
    """Not "sun" or "sat", which are other words as well, nor "3 checks" or "the week"."""
    if line.symbols[start] in "kK":
        return end - start == 1 and line.tokens[start].end - line.tokens[start].start > 3
    return not _is_any_beat(line, start, end) and (line.symbols[start:end] != "u" or _is_named(line, start))


def _is_named(line: Line, at: int) -> bool:
    """Whether a unit says how many it is: "half an hour", "полчаса"."""
    return line.tokens[at].value in _NAMED or " " in line.said(at, at + 1)


def _is_hour(number: float) -> bool:
    return 13 <= number < 24 or (4 <= number < 24 and number % 1 != 0)


def _is_about(line: Line, start: int) -> bool:
    return line.text[: line.tokens[start].start].rstrip().endswith(("约", "約", "およそ"))


def is_bound(line: Line, start: int, end: int) -> bool:
    """Whether it only says how much at most: "max 2h", "up to 2 days"."""
    left, right = line.segment(start, end)
    if left == start > 0 and line.symbols[left - 1] == "-" and line.said(left - 1, left).isalpha():
        return True
    return any(token.symbol == "l" and token.value == "<" for token in line.tokens[left:right])


def _is_any_beat(line: Line, start: int, end: int) -> bool:
    """ "3 checks" are beats only after "every"."""
    return line.tokens[end - 1].symbol == "b" and line.tokens[end - 1].value == "?"


def _leads(line: Line, start: int, end: int) -> bool:
    """Whether nothing but marks stands before it, and a colon, a dash, the end of bold text or nothing behind it."""
    left, right = line.segment(start, end)
    if line.symbols[:left].strip(";-_,/"):
        return False
    return right == len(line.tokens) or line.tokens[right].value in _ENDS


def _bracketed(line: Line, start: int, end: int) -> bool:
    left, _ = line.segment(start, end)
    return left > 0 and line.tokens[left - 1].value in _OPEN


def _seconds(line: Line, start: int, end: int) -> float:
    tokens = line.tokens[start:end]
    number = next((float(token.value) for token in tokens if token.symbol in "nfH"), 1.0)
    return number * next((int(token.value) for token in tokens if token.symbol == "u"), HOUR)

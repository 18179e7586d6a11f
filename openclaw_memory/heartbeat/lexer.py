"""From text to the symbols that the grammar of schedules is written in. Pure; knows words and numbers, no grammar."""

from __future__ import annotations

import re
from functools import cache

from openclaw_memory.heartbeat.words import AFTERNOON, CJK, CJK_WEEKDAYS, DIGITS, FUSED, PHRASES, SHORT_DAYS, WORDS
from openclaw_memory.record import Record

_CJK_CHAR = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_LETTERS = r"[^\W\d_]+"
_LATIN = rf"""
    (?P<word>{_LETTERS}(?:[-'’]{_LETTERS})*\x00*)
  | (?=\d)(?:
    (?P<date>\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d)?)(?!\d)
  | (?P<meridiem>\d{{1,2}}(?:[:.]\d\d)?\s?[ap]\.?m\b\.?)
  | (?P<time>\d{{1,2}}:\d\d(?::\d\d)?(?:\s?uhr|\s?h\b)? | \d{{1,2}}(?:\.\d\d)?\s?uhr)
  | (?P<hours>\d{{1,2}}(?:h|\s?h\s?(?=[0-5]\d))\d\d(?:\s?m(?:in)?)?(?!\w))
  | (?P<ordinal>\d+(?:st|nd|rd|th|[oaº]|ème|eme|er|e|:[ae]|-?(?:й|я|е|го))(?!\w))
  | (?P<hour>\d{{1,4}}(?:[.,]\d+)?\+?\s?h(?!\w))
  | (?P<fused>\d+(?:[.,]\d+)?\+?(?:mo|[smdwy]|\s?[mdwчд])(?!\w))
  | (?P<number>\d+(?:[.,]\d+)?\+?))
  | (?P<dash>[-–—−~〜])
  | (?P<comma>[,、&])
  | (?P<slash>/)
  | (?P<cross>×)
  | (?P<path>\x01+)
  | (?P<break>\*\*|__|[()\[\]{{}}<>:;。.!?|→•·"“”「」【】=])
"""
_PARTS = "上午|下午|早上|晚上|凌晨|午前|午後|午后|晚|晩|夜|朝"
_UNSPACED = rf"""
    (?P<cjk_time>(?:{_PARTS})?\s?\d{{1,2}}\s?(?:点|點|時(?!間)|时(?!间))(?:半|\d{{1,2}}分)?)
  | (?P<cjk_clock>(?:{_PARTS})\s?\d{{1,2}}:\d\d)
  | (?P<cjk_monthday>\d{{1,2}}[号號])
  | (?P<cjk_ordinal>第\d+)
  | (?P<cjk_number>[{"".join(DIGITS)}]+)
  | (?P<cjk_day>(?:周|週|星期|礼拜)[一二三四五六日天](?![次回]) | [月火水木金土日]曜日?)
  | (?P<cjk>{"|".join(words for words, _ in CJK)})
"""
_FIRST = "".join(sorted({*"第月火水木金土日", *DIGITS, *(word[0] for words, _ in CJK for word in words.split("|"))}))
_FIRST += "".join({*_PARTS.replace("|", "")})
_TELLING_CJK = "|".join(words for words, symbols in CJK if symbols[0] in "eEbgprNv" or symbols.startswith("t"))
_COUNTED_CJK = "|".join(words for words, symbols in CJK if symbols[0] in "ux")
_PATH = re.compile(r"(?:[\w.-]*/)+[\w-]+\.\w+|[\w-]+\.(?:md|json|ya?ml|txt|py|sh|log)\b|https?://\S+")
_CLOCKLIKE = re.compile(r"\d[:.h/×]\d?|\d\+?\s?(?:[ap]\.?m\b|(?:mo|[smhdwyчд])\b|uhr)|\d\s?[-–]\s?\d", re.IGNORECASE)
_WORD = re.compile(rf"{_LETTERS}(?:[-'’]{_LETTERS})*")
_TELLING = (
    {word for word, symbols in WORDS.items() if symbols[0][0] in "edkKgpXErNvtuxB/" or symbols == (("b", ""),)}
    | {f"{one}-{two}" for one in SHORT_DAYS for two in SHORT_DAYS}
    | {part for phrase, _ in PHRASES for part in phrase.split()[-1:]}
)
_CJK_SYMBOLS = {
    word: tuple((part[0], part[1:]) for part in symbols.split()) for words, symbols in CJK for word in words.split("|")
}
_NUMBER_NEXT = re.compile(r"\s*\d")
_OR = re.compile(r"(?<=\d )(?:or|oder|ou|o|или|eller|a|à)(?= \d)")
_SHORT = re.compile(r"\b(approx|aprox|ca|env|mind|min|mins|hrs?|std|sek|secs?|мин|ч)\.(?!\w)")
_FRACTION = re.compile(r"(\d*)\s?([½¼¾])")
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_PLACED = ("a", "min")
"""Words whose meaning hangs on what stands around them."""
_ALWAYS = {word: symbols for word, symbols in WORDS.items() if word not in _PLACED}
_FAINT = "~〜<>."
_PLAIN = {"lone": "w", "dash": "-", "comma": ",", "slash": "/", "cross": "x", "break": ";", "path": "w", "other": "w"}


class Token(Record):
    """A symbol of `words.py` with its value, and where it stands in the normal form of the text.

    Besides those: `H` a number of hours that may be a time (`9h`), `D` a date, `w` any other word, `;` a break.
    """

    symbol: str
    value: str
    start: int
    end: int


@cache
def _pattern(unspaced: bool) -> re.Pattern[str]:
    """The pattern of a token; the part for Chinese and Japanese, slow to compile, only where there is such text."""
    if not unspaced:
        return re.compile(rf"(?!\s)(?:{_LATIN})", re.VERBOSE)
    other = _without(_CJK_CHAR, _FIRST)
    latin = _LATIN.replace(_LETTERS, rf"[^\W\d_{_CJK_CHAR}]+")
    return re.compile(rf"(?!\s)(?:(?P<other>[{other}]+)|{_UNSPACED}|{latin}|(?P<lone>[{_CJK_CHAR}]))", re.VERBOSE)


def _without(ranges: str, chars: str) -> str:
    """The ranges of a character class with some characters taken out."""
    for char in chars:
        for first, last in re.findall("(.)-(.)", ranges):
            if first <= char <= last:
                parts = (first, chr(ord(char) - 1)), (chr(ord(char) + 1), last)
                kept = "".join(f"{low}-{high}" for low, high in parts if low <= high)
                ranges = ranges.replace(f"{first}-{last}", kept)
    return ranges


@cache
def _unspaced() -> re.Pattern[str]:
    """A character of Chinese or Japanese; the set takes milliseconds to compile."""
    return re.compile(rf"[{_CJK_CHAR}]")


@cache
def _telling() -> re.Pattern[str]:
    """What a schedule in Chinese or Japanese has one of."""
    number = rf"[\d{''.join(DIGITS)}几幾数半个個第]"
    days = r"(?:周|週|星期|礼拜)[一二三四五六日天]|曜|[周週日月年天]\s?\d"
    return re.compile(rf"{_TELLING_CJK}|{number}\+?\s?(?:{_COUNTED_CJK}|[点點時时号號])|{days}")


def _has_unspaced(text: str) -> bool:
    return not text.isascii() and max(text) >= "\u3040" and _unspaced().search(text) is not None


def may_tell_time(text: str) -> bool:
    """Whether `text` (in normal form) holds anything a schedule is made of; quick, for the many lines that do not."""
    if _has_unspaced(text) and _telling().search(text):
        return True
    return bool(_CLOCKLIKE.search(text)) or not _TELLING.isdisjoint(_WORD.findall(text.lower()))


def normal(text: str) -> str:
    """`text` in NFKC, so that full-width signs and digits are plain ones."""
    if text.isascii():
        return text
    import unicodedata

    text = _FRACTION.sub(lambda found: (found[1] or "0") + _FRACTIONS[found[2]], text)
    return unicodedata.normalize("NFKC", text)


def tokens(text: str) -> list[Token]:
    """The tokens of `text`, which is in normal form; `~` for words that say nothing."""
    found: list[Token] = []
    for match in _pattern(_has_unspaced(text)).finditer(_joined(text)):
        start, end = match.span()
        for symbol, value in _ALWAYS.get(match[0]) or _symbols(match.lastgroup or "", match, found):
            found.append(Token(symbol, value, start, end))
    return found


def _joined(text: str) -> str:
    """Lower case, with the phrases of several words joined; every character keeps its place."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    for phrase, word in PHRASES:
        if phrase in low:
            low = low.replace(phrase, word.ljust(len(phrase), "\x00"))
    low = _OR.sub(lambda found: "-".ljust(len(found[0])), low)
    if "." in low:
        low = _SHORT.sub(r"\1 ", low)
    return _PATH.sub(lambda found: "\x01" * len(found[0]), low) if "." in low or "/" in low else low


def _symbols(kind: str, match: re.Match[str], before: list[Token]) -> tuple[tuple[str, str], ...]:
    text = match[0].rstrip("\x00")
    if kind == "word" and text not in _PLACED:
        return _word(text)
    if kind == "word":
        last = before[-1].symbol if before else ""
        if text == "a" and last and last in "kKtH":  # "lunes a viernes", "de 9h a 18h"
            return (("-", text),)
        minimum = text == "min" and last != "n" and _NUMBER_NEXT.match(match.string, match.end())
        return (("l", text),) if minimum else _word(text)  # "min 4h", not "30 min"
    if kind == "number":
        every = before and before[-1].symbol == "e"
        after = match.string[match.end() : match.end() + 5]
        is_ordinal = re.match(r"\. ?\w" if every else r"\. ?(?:des|jed)", after)  # "jeden 2. Tag", "am 1. des Monats"
        return (("o" if is_ordinal else "n", text.rstrip("+").replace(",", ".")),)
    if kind in _PLAIN:
        return () if text in _FAINT and _says_nothing(match, before) else ((_PLAIN[kind], text),)
    if kind == "cjk":
        return _CJK_SYMBOLS[text]
    return _number(kind, text)


def _says_nothing(match: re.Match[str], before: list[Token]) -> bool:
    """The `~` of "~90 minutes", which is no dash, the `>` of "> 4h", and the point of "jeden 2. Tag"."""
    touches = bool(before) and before[-1].symbol != ";" and before[-1].end == match.start()
    if match[0] in "<>":
        return bool(re.match(r"=?\s?\d", match.string[match.end() :]))
    return (match[0] in "~〜" and not touches) or (match[0] == "." and touches and before[-1].symbol == "o")


def _word(text: str) -> tuple[tuple[str, str], ...]:
    if text in WORDS or "-" not in text:
        return WORDS.get(text) or (("w", text),)
    parts = text.split("-")
    if len(parts) == 2 and all(part in SHORT_DAYS for part in parts):
        return (("k", SHORT_DAYS[parts[0]]), ("-", ""), ("k", SHORT_DAYS[parts[1]]))
    if len(parts) > 1 and all(part in WORDS for part in parts):
        joined: list[tuple[str, str]] = []
        for part in parts:
            joined += [("-", ""), *WORDS[part]] if joined else WORDS[part]
        return tuple(joined)
    return (("w", text),)


def _counted(text: str) -> int:
    """The number in Chinese digits: "二十四" is 24."""
    total = digit = 0
    for char in text:
        if char == "十":
            total, digit = total + 10 * (digit or 1), 0
        else:
            digit = DIGITS[char]
    return total + digit


def _number(kind: str, text: str) -> tuple[tuple[str, str], ...]:
    digits = re.findall(r"\d+", text)
    if kind == "date":
        return (("D", text),)
    if kind in ("ordinal", "cjk_ordinal", "cjk_monthday"):
        return (("o", digits[0]),)
    if kind == "cjk_day":
        return (("k", str(CJK_WEEKDAYS[text[0] if "曜" in text else text[-1]])),)
    if kind == "fused":
        unit = text.lstrip("0123456789.,+ ")
        return (("n", text.removesuffix(unit).rstrip().rstrip("+").replace(",", ".")), ("u", str(FUSED[unit])))
    if kind == "cjk_number":
        return (("n", str(_counted(text))),)
    if kind == "hour":
        return (("H", text.rstrip("h +").replace(",", ".")),)
    hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 30 if "半" in text else 0
    if kind == "hours":
        return (("H", f"{hour + minute / 60}"),)
    if kind == "meridiem":
        hour = hour % 12 + (12 if "p" in text else 0)
    elif text.startswith(AFTERNOON) and hour < 12:
        hour += 12
    valid = hour * 60 + minute <= 1440 and minute < 60
    return (("t", f"{hour * 60 + minute}" + ("m" if kind == "meridiem" else "")) if valid else ("w", text),)

"""Light stemming of folded words: Porter's English rules behind a few endings of Portuguese and Spanish.

One function for every language, so that index and query never have to agree on what language a word is in.
English forms that no rule reaches (bought, written, children) become the word they are forms of first.
Source of the English part: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
Imports nothing of ours but `patterns`.
"""

from __future__ import annotations

from collections.abc import Mapping

from openclaw_memory.patterns import pattern

_MEASURE = pattern(r"[aeiouy]+[^aeiouy]+")
_VOWEL = pattern(r"[aeiou]|(?<=.)y")
_CVC = pattern(r"[^aeiou][aeiouy][^aeiouwxy]\Z")

_IRREGULAR_FORMS = """
became become, began begun begin, bent bend, blew blown blow, bought buy, broke broken break, brought bring, built
build, burnt burn, came come, caught catch, children child, chose chosen choose, crept creep, crises crisis, criteria
criterion, dealt deal, drank drunk drink, drawn drew draw, dreamt dream, driven drove drive, dug dig, eaten ate eat,
fallen fell fall, fed feed, feet foot, felt feel, fled flee, flew flown fly, forgave forgiven forgive, forgot
forgotten forget, fought fight, found find, froze frozen freeze, gave given give, geese goose, gone went go, grew
grown grow, halves half, heard hear, held hold, hid hidden hide, hung hang, indices index, kept keep, knelt kneel,
knew known know, knives knife, learnt learn, led lead, lent lend, lit light, lost lose, made make, matrices matrix,
meant mean, men man, met meet, mice mouse, overcame overcome, overridden overrode override, overwritten overwrote
overwrite, paid pay, phenomena phenomenon, ran run, rang rung ring, rebuilt rebuild, reran rerun, rewritten rewrote
rewrite, ridden rode ride, risen rise, said say, sang sung sing, sank sunk sink, sat sit, saw seen see, sent send,
shaken shook shake, shelves shelf, shone shine, shot shoot, shown show, slept sleep, slid slide, sold sell, sought
seek, spent spend, spoke spoken speak, sprang sprung spring, spun spin, stole stolen steal, stood stand, struck
strike, stuck stick, swam swum swim, swept sweep, swore sworn swear, swung swing, taken took take, taught teach, teeth
tooth, thieves thief, thought think, threw thrown throw, told tell, tore torn tear, undergone underwent undergo,
understood understand, undertaken undertook undertake, vertices vertex, wept weep, withdrawn withdrew withdraw, woke
woken wake, wolves wolf, women woman, won win, wore worn wear, woven wove weave, written wrote write
"""
"""Forms, then the word they are forms of. None that is a common word of its own as well (left, rose, bit, ground)."""
_IRREGULAR = {form: words[-1] for words in map(str.split, _IRREGULAR_FORMS.split(",")) for form in words[:-1]}

# ending: (what it becomes, shortest stem left). Endings that English words hardly have.
_ROMANCE = {
    "imentos": ("", 3), "amentos": ("", 3), "imento": ("", 3), "amento": ("", 3), "imiento": ("", 3),
    "amiento": ("", 3), "imientos": ("", 3), "amientos": ("", 3), "acoes": ("", 4), "aciones": ("", 4),
    "acion": ("", 4), "acao": ("", 4), "coes": ("c", 3), "cao": ("c", 3), "iones": ("ion", 3), "soes": ("s", 3),
    "sao": ("s", 4), "oes": ("", 4), "aes": ("", 4), "idades": ("", 4), "idade": ("", 4), "idad": ("", 4),
    "amente": ("", 3), "mente": ("", 4), "assem": ("", 4), "iriam": ("", 4), "ariam": ("", 4), "eriam": ("", 4),
    "ando": ("", 3), "endo": ("", 3), "indo": ("", 3), "ados": ("", 3), "adas": ("", 3), "idos": ("", 3),
    "idas": ("", 3), "aram": ("", 3), "eram": ("", 4), "iram": ("", 4), "avam": ("", 3), "aban": ("", 3),
    "aron": ("", 4), "ieron": ("", 3), "ado": ("", 3), "ada": ("", 3), "ido": ("", 3), "ida": ("", 4),
    "ava": ("", 4), "aba": ("", 4), "ais": ("al", 3), "eis": ("el", 4),
}  # fmt: skip
_STEP2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
    "logi": "log",
}  # fmt: skip
_STEP3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP4 = {
    "ement": "", "ance": "", "ence": "", "able": "", "ible": "", "ment": "", "ant": "", "ent": "", "ism": "",
    "ate": "", "iti": "", "ous": "", "ive": "", "ize": "", "al": "", "er": "", "ic": "", "ou": "",
}  # fmt: skip
_Sizes = Mapping[str, tuple[int, ...]]
Endings = dict[str, tuple[str, int]]
"""Ending: what it becomes, and the least that must be left before it."""


def _sizes(table: Mapping[str, object]) -> _Sizes:
    """The last two letters of the endings in `table`, to how long such endings are, the longest first."""
    found: dict[str, set[int]] = {}
    for ending in table:
        found.setdefault(ending[-2:], set()).add(len(ending))
    return {end: tuple(sorted(sizes, reverse=True)) for end, sizes in found.items()}


_ROMANCE_SIZES = _sizes(_ROMANCE)
_STEPS = tuple((table, _sizes(table), least) for table, least in ((_STEP2, 1), (_STEP3, 1), (_STEP4, 2)))
"""Porter's steps 2 to 4: endings, what they become, and the measure that must be left."""


def stem(word: str) -> str:
    """The stem of a folded (lower-case, accent-free) word; words under 4 letters and those with digits stay."""
    word = _IRREGULAR.get(word, word)
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    sizes = _ROMANCE_SIZES.get(word[-2:])
    found = (_romance(word, sizes) if sizes else "") or _porter(word)
    while len(found) > 4 and found[-1] in "aeo":  # what marks gender or mood, and the English silent e
        found = found[:-1]
    return found


def rules() -> tuple[dict[str, str], Endings, Endings, Endings, Endings]:
    """The tables, for the stemmer in C: irregular forms, then endings (the least: letters, then Porter's measure)."""
    step2, step3, step4 = ({end: (to, least) for end, to in table.items()} for table, _, least in _STEPS)
    return _IRREGULAR, _ROMANCE, step2, step3, step4


def _romance(word: str, sizes: tuple[int, ...]) -> str:
    """`word` without its Portuguese or Spanish ending, "" where it has none, or too little before it."""
    for size in sizes:
        if found := _ROMANCE.get(word[-size:]):
            to, least = found
            return word[:-size] + to if len(word) - size >= least else ""
    return ""


def _m(stem: str) -> int:
    """Porter's measure: how often a run of vowels is followed by a run of consonants."""
    return len(_MEASURE.findall(stem))


def _porter(word: str) -> str:
    last = word[-1]
    if last == "s":
        word = _plural(word)
        last = word[-1]
    if last in "dg":
        word = _past(word)
    if word[-1] == "y" and _VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    if len(word) == 3:
        return word[:-1] + "y" if word[-1] == "i" else word  # tries, buying: as try and buy, which stay
    if len(word) > 5:
        for table, by_end, least in _STEPS:
            if sizes := by_end.get(word[-2:]):
                word = _swap(word, table, sizes, least)
        if word.endswith(("sion", "tion")) and _m(word[:-3]) > 1:
            word = word[:-3]
    if word[-1] == "e":
        base = word[:-1]
        measure = _m(base)
        return base if measure > 1 or (measure == 1 and not _CVC.search(base)) else word
    return word[:-1] if word.endswith("ll") and _m(word) > 1 else word


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _m(word[:-3]) else word
    size = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    base = word[:-size] if size else ""
    return _mend(base) if len(base) > 1 and _VOWEL.search(base) else word


def _mend(base: str) -> str:
    """What -ed and -ing leave behind, put right: hop(p)ing, creat(e)ing, fil(e)ing."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-1] == base[-2] and base[-1] not in "aeiouylsz":
        return base[:-1]
    return base + "e" if _m(base) == 1 and _CVC.search(base) else base


def _swap(word: str, table: Mapping[str, str], sizes: tuple[int, ...], least: int) -> str:
    """`word` with the longest ending of `table` it has replaced, where the stem's measure is at least `least`."""
    for size in sizes:
        to = table.get(word[-size:])
        if to is not None:
            base = word[:-size]
            return base + to if _m(base) >= least else word
    return word

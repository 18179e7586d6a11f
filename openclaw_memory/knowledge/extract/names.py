"""Names in text: the entities a workspace knows, and words that look like names of people it does not know yet."""
# ruff: noqa: E501, SIM905  # word lists are read by language, not by column

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from openclaw_memory.record import Record

_PERSON = (
    r"\b(?:met|with|called|meet|meeting|lunch with|dinner with|coffee with|talked to|talk to|spoke to|spoke with|asked|told|"
    r"emailed|thanked|interviewed|com|conheci|encontrei|falei com|liguei para|liguei pra|conversei com|almocei com|jantei com|"
    r"reunião com|café com|con|conocí|hablé con|llamé a|mit|traf|avec|rencontré)\s+"
)
_TOKEN = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*[^\W_]"
_FULL = rf"{_TOKEN}(?:\s+(?:(?:de|da|do|dos|das|van|von|del|la)\s+)?{_TOKEN}){{0,3}}"
_AFTER_WORD = re.compile(rf"(?i:{_PERSON})({_FULL})")
_SEVERAL = re.compile(rf"(?<![\w.])({_TOKEN}(?:\s+(?:(?:de|da|do|dos|das|van|von|del|la)\s+)?{_TOKEN}){{1,3}})(?![\w])")
_LABELLED = re.compile(rf"^[*_`]*({_FULL}|[\u4e00-\u9fff]{{2,4}})[*_`]*\s*[:：]\s*(?=\S)")
_CJK_AFTER = re.compile(
    r"(?:见了|遇到|和|跟|与|給|给)([\u4e00-\u9fff]{2,3}?)(?=见面|聊|开会|通话|通電話|吃饭|讨论|喝|打电话|约)"
)

_ENDING = re.compile(r"['’.-]")
_SPACED = re.compile(r"(?:(?![\u3040-\u9fff\uac00-\ud7af])[^\W_])(?:(?![\u3040-\u9fff\uac00-\ud7af])[\w'’+#.-])*")

_STOP = frozenset(
    # greetings, days, months, and words that start sentences, in the languages of the tags
    """
    the a an this that these those today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december morning evening night notes
    note todo meeting call lunch dinner coffee review status update decision decided lesson question project person
    company idea plan done next later also then after before when while if because so but and or we they he she it i
    you my our new first last weekly daily follow email fixed fix bug release read wrote write pull request merge
    hoje ontem amanhã amanha segunda terça terca quarta quinta sexta sábado sabado domingo janeiro fevereiro março marco
    abril maio junho julho agosto setembro outubro novembro dezembro manhã noite tarde reunião reuniao nota notas decisão
    lição pergunta projeto pessoa empresa ideia plano feito depois antes quando se mas e ou nós eles ele ela eu meu minha
    hoy ayer mañana lunes martes miércoles jueves viernes enero febrero marzo mayo junio julio septiembre octubre
    noviembre diciembre reunión pregunta proyecto el la los las un una y o pero
    heute gestern morgen montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli
    oktober dezember der die das ein eine und oder aber wir sie er ich notiz frage projekt
    aujourd'hui hier demain lundi mardi mercredi jeudi vendredi samedi dimanche le la les un une et ou mais nous il elle
    今天 昨天 明天 会议 问题 决定 项目 状态 教训 偏好 人物 公司 备注 上午 下午 晚上 计划 总结 待办 地点 时间 主题 结果 原因 注意 目标 内容
    """.split()
)


_VERBS = frozenset(
    # verbs that begin a sentence with a capital and are followed by a name, which they are no part of
    """
    met saw paid sent gave got took bought sold visited called asked told emailed thanked interviewed hired fired helped
    showed taught joined left lost found had made heard knew talked spoke spent brought began started finished planned
    booked invited introduced with com con mit avec conheci encontrei falei liguei conversei almocei jantei vi paguei mandei
    comprei vendi visitei pedi contei recebi dei fui ajudei contratei convidei conocí encontré hablé llamé pagué envié
    compré visité pedí recibí traf sah besuchte fragte kaufte bezahlte rencontré vu payé appelé visité
    """.split()
)


class Mention(Record):
    """A name at an offset of a line; `entity` is "" for a name that no entity has."""

    name: str
    start: int
    end: int
    entity: str = ""


class Known:
    """The names of entities, looked up in text: whole names, slugs in words, and first names only one person has."""

    def __init__(self, names: Mapping[str, Iterable[str]], stop: Iterable[str] = ()) -> None:
        """`names` gives each entity's names; `stop` are words that never name one."""
        self.stop = _STOP | {_plain(word) for word in stop}
        owners: dict[str, set[str]] = defaultdict(set)
        firsts: dict[str, set[str]] = defaultdict(set)
        for entity, spelled in names.items():
            for name in spelled:
                plain = _plain(name)
                if len(plain) > 1 and plain not in self.stop:
                    owners[plain].add(entity)
                    if entity.startswith("people/") and " " in plain and len(plain.split()[0]) > 2:
                        firsts[plain.split()[0]].add(entity)
        self._owner = {name: next(iter(found)) for name, found in owners.items() if len(found) == 1}
        for first, found in firsts.items():
            if len(found) == 1 and first not in owners and first not in self.stop:
                self._owner[first] = next(iter(found))
        self._sort()

    def _sort(self) -> None:
        """The look-ups by first word and, for scripts without spaces, by pattern; longer names first."""
        self._words: dict[str, list[str]] = defaultdict(list)
        ranked = sorted(self._owner, key=len, reverse=True)
        for name in ranked:
            self._words[name.split()[0]].append(name)
        cjk = [re.escape(name) for name in ranked if not name.isascii() and _is_cjk(name)]
        self._cjk = re.compile("|".join(cjk)) if cjk else None

    def learn(self, name: str, entity: str) -> None:
        """From now on `name` means `entity`, unless it has a meaning already."""
        plain = _plain(name)
        if len(plain) > 1 and plain not in self.stop and plain not in self._owner:
            self._owner[plain] = entity
            self._sort()

    def entity(self, name: str) -> str:
        """The entity that is called `name`, "" where none is."""
        return self._owner.get(_plain(name), "")

    def mentions(self, text: str) -> list[Mention]:
        """Every known name in `text`, from left to right, the longest where several fit."""
        return sorted(self._mentions(text), key=lambda mention: mention.start)

    def _mentions(self, text: str) -> Iterator[Mention]:
        plain = _plain(text) if len(_plain(text)) == len(text) else text.casefold()
        if len(plain) != len(text):  # a letter that folds to two: offsets are the folded text's
            text = plain
        done, taken = 0, []
        for word in _SPACED.finditer(plain):
            if word.start() < done:
                continue
            for name in self._candidates(word[0]):
                end = word.start() + len(name)
                if plain.startswith(name, word.start()) and not _goes_on(plain[end : end + 1]):
                    yield Mention(text[word.start() : end], word.start(), end, self._owner[name])
                    done = end
                    taken.append((word.start(), end))
                    break
        if self._cjk:
            for found in self._cjk.finditer(plain):
                if all(found.end() <= start or end <= found.start() for start, end in taken):
                    yield Mention(found[0], found.start(), found.end(), self._owner[found[0]])

    def _candidates(self, word: str) -> Iterable[str]:
        """The names that may start at `word`, which may carry an ending (`jane's`)."""
        found = self._words.get(word, ())
        if word.isalnum():
            return found
        bare = _ENDING.split(word, maxsplit=1)[0]
        return [*found, *(self._words.get(bare, ()) if bare != word else ())]

    def unknown(self, text: str) -> list[str]:
        """Names of people in `text` that no entity has: labelled, behind a word such as `met`, or of several words."""
        found: list[str] = []
        label = _LABELLED.match(text)
        candidates = [label[1]] if label else []
        candidates += [] if text.islower() else _AFTER_WORD.findall(text)
        candidates += [] if text.isascii() else _CJK_AFTER.findall(text)
        several = [] if text.islower() else [name for name in map(self._trimmed, _SEVERAL.findall(text)) if " " in name]
        for trimmed in [*map(self._trimmed, candidates), *several]:
            if trimmed and not self.entity(trimmed) and not any(trimmed in other for other in found):
                found.append(trimmed)
        return found

    def label(self, text: str) -> tuple[str, str]:
        """(name, what is said of it) of a line such as `Ana: moved to Lisbon`; ("", text) for another one."""
        label = _LABELLED.match(text)
        name = self._trimmed(label[1]) if label else ""
        return (name, text[label.end() :].strip()) if label and name else ("", text)

    def _trimmed(self, name: str) -> str:
        """`name` without words in front or behind that never belong to one."""
        words = name.replace("’s", "").replace("'s", "").split()
        while words and (_plain(words[0]) in self.stop or (len(words) > 1 and _plain(words[0]) in _VERBS)):
            words.pop(0)
        while words and _plain(words[-1]) in self.stop:
            words.pop()
        return " ".join(words) if words and len("".join(words)) > 1 else ""


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _goes_on(char: str) -> bool:
    """Whether a word of a spaced script goes on with `char`."""
    return char.isalnum() and not _is_cjk(char)


def _is_cjk(text: str) -> bool:
    return any("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)

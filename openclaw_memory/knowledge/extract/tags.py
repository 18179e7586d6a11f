"""The words by which a line says what it is, in several languages. Data and look-ups; imports nothing of ours."""
# ruff: noqa: E501  # word lists are read by language, not by column

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from openclaw_memory.record import Record

Tag = Literal["decision", "lesson", "preference", "question", "status", "people", "companies", "projects"]

_TAGS: dict[Tag, str] = {
    "decision": "decision|decisions|decided|decisão|decisao|decidido|decidimos|decisión|decidido|entscheidung|entschieden"
    "|décision|decisione|besluit|beslut|решение|решили|决定|決定|决策|결정",
    "lesson": "lesson|lessons|lesson learned|learned|lição|licao|lições|aprendizado|aprendi|lección|aprendido|lektion"
    "|gelernt|leçon|appris|lezione|les|lärdom|урок|教训|教訓|经验|学び|교훈",
    "preference": "preference|preferences|prefers|preferência|preferencia|preferências|prefere|prefiro|preferência do usuário"
    "|vorliebe|bevorzugt|préférence|preferenza|voorkeur|preferens|предпочтение|偏好|喜好|好み|선호",
    "question": "question|open question|questions|to clarify|follow-up|follow up|pergunta|dúvida|duvida|em aberto|pendente"
    "|pregunta|duda|pendiente|frage|offen|offene frage|à clarifier|domanda|vraag|fråga|вопрос|问题|待确认|待办|質問|未解決|질문",
    "status": "status|state|update|estado|situação|situacao|situación|zustand|statut|stato|läge|статус|状态|狀態|状況|상태",
    "people": "person|people|contact|pessoa|contato|persona|contacto|kontakt|personne|contatto|человек|人物|联系人|聯絡人|人",
    "companies": "company|client|customer|employer|empresa|cliente|empregador|firma|unternehmen|kunde|entreprise|client"
    "|azienda|bedrijf|företag|компания|公司|客户|客戶|会社|회사",
    "projects": "project|projeto|proyecto|projekt|projet|progetto|проект|项目|項目|プロジェクト|프로젝트",
}  # fmt: skip

_BY_WORD: dict[str, Tag] = {}
for _tag, _words in _TAGS.items():
    for _word in _words.split("|"):
        _BY_WORD.setdefault(_word, _tag)

_LABEL = re.compile(r"[*_`]*#?([^\W\d_][\w -]{0,24}?)[*_`]*\s*[:：]\s*[*_`]*\s*(?=\S)")
_HASH = re.compile(r"(?:^|(?<=\s))#([^\W\d_][\w-]{0,24})(?=\s|$|[.,;:!?])")


class Tagged(Record):
    """A line without its tag, and the tag (None where it has none)."""

    tag: Tag | None
    text: str


def tagged(text: str) -> Tagged:
    """The tag in front of `text` (`decision: ...`, `**Pessoa**：...`), or the first hash tag that is one."""
    label = _LABEL.match(text)
    if label and (tag := _BY_WORD.get(_plain(label[1]))):
        return Tagged(tag, text[label.end() :].strip())
    for found in _HASH.finditer(text):
        if tag := _BY_WORD.get(_plain(found[1])):
            rest = text[: found.start()] + text[found.end() :]
            return Tagged(tag, " ".join(rest.split()))
    return Tagged(None, text)


def _plain(word: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", word).casefold().split())

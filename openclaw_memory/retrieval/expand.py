"""A question in other words, by the model that the config names (`retrieval.expand: true`): a query document.

The question itself always stays first; what the model adds can bring passages in, and a model that fails or talks
changes nothing but a note. Nothing is cached: an empty or bad expansion is never repeated for ever.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from openclaw_memory import llm
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.document_query import QueryDocument

if TYPE_CHECKING:
    from openclaw_memory.config.model import LlmConfig

_MOST = 3
_LONGEST = 300
_TASK = """\
Help to search a folder of personal notes. Answer with one JSON object:
{{"lex": [up to 3 short keyword queries with other words for the same thing],
"vec": [up to 2 rephrased questions], "hyde": "one sentence as it might stand in the notes"}}
Keep names, numbers and the question's language. No other text.

Question: {question}{intent}
"""


def expand(
    document: QueryDocument, config: LlmConfig, ask: Callable[[list[tuple[str, str]]], str] | None = None
) -> tuple[QueryDocument, str]:
    """`document` with the model's words added, and "" or why there are none. `ask`: the config's model if not given."""
    question = " ".join(document.lex[:1] or document.vec[:1])
    intent = f"\nWhat it is for: {document.intent}" if document.intent else ""
    try:
        model = ask or llm.asker(config)
        answer = model([("user", _TASK.format(question=question, intent=intent))])
    except llm.failures() as error:
        return document, f"the question was not put in other words: {str(error).splitlines()[0]}"
    lex, vec = _read(answer)
    if not lex and not vec:
        return document, "the question was not put in other words: the model gave none"
    return document._replace(lex=_added(document.lex, lex), vec=_added(document.vec, vec)), ""


def _added(own: tuple[str, ...], more: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own, *more)))


def _read(answer: str) -> tuple[list[str], list[str]]:
    """The words and the sentences of an answer; nothing of one that has another form."""
    start, end = answer.find("{"), answer.rfind("}")
    try:
        found = json.loads(answer[start : end + 1])
    except ValueError:
        return [], []
    if not isinstance(found, dict):
        return [], []
    return _texts(found.get("lex"))[:_MOST], [*_texts(found.get("vec"))[:_MOST], *_texts(found.get("hyde"))[:1]]


def _texts(value: object) -> list[str]:
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [" ".join(text.split())[:_LONGEST] for text in texts if isinstance(text, str) and text.strip()]

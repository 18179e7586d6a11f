"""A plan from a model: the task of `prompt`, the answer checked against the schema and the rules, asked again."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from openclaw_memory.errors import FormatError, ModelError
from openclaw_memory.knowledge.extract.proposal import Proposal
from openclaw_memory.llm import Ask, failures

TRIES = 3
_PAUSE = 0.2  # seconds before the next try, doubled each time
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


def propose(ask: Ask, task: str, read: Callable[[str], Proposal], *, tries: int = TRIES) -> Proposal:
    """The proposal of a model for `task`. `read` turns an answer into one, or raises FormatError with the reasons,
    which the model is then told. Raises ModelError after `tries` answers that fail or cannot be used."""
    messages = [("user", task)]
    reason = ""
    for attempt in range(tries):
        if attempt:
            time.sleep(_PAUSE * 2 ** (attempt - 1))
        try:
            answer = ask(messages)
        except failures() as error:
            reason = f"{type(error).__name__}: {error}"
            continue
        try:
            return read(_json_of(answer))
        except FormatError as error:
            reason = error.message
            messages = [
                ("user", task),
                ("assistant", answer),
                ("user", f"{reason}\nAnswer again with the whole corrected object."),
            ]
    raise ModelError(
        f"the model gave no usable answer in {tries} tries; the last time: {reason}",
        "nothing was changed; try again later",
    )


def _json_of(answer: str) -> str:
    """The JSON object in an answer: what stands in a fence, or from the first brace to the last."""
    fenced = _FENCED.search(answer)
    text = fenced[1] if fenced else answer
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text

"""`query` and `vsearch` for the command line: by the warm server where there is one, else here and now, and slower."""

from __future__ import annotations

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.server import client

if TYPE_CHECKING:
    from openclaw_memory.retrieval.hits import Answer
    from openclaw_memory.retrieval.options import Options
    from openclaw_memory.workspace import Workspace

_PATIENCE = 30.0
"""Seconds for an answer: a server that still loads its model is waited for, a stuck one is not."""
STARTED = "answered without the warm server, which was started: the next query is faster"
BEHIND = "the warm server was started: it computes the vectors that are missing"


def query(ws: Workspace, text: str, options: Options) -> Answer:
    """By words and meaning; see `retrieval.hybrid.query`."""
    return _answer(ws, "query", text, options)


def vsearch(ws: Workspace, text: str, options: Options) -> Answer:
    """By meaning alone; see `retrieval.hybrid.vsearch`."""
    return _answer(ws, "vsearch", text, options)


def _answer(ws: Workspace, verb: str, text: str, options: Options) -> Answer:
    warm = client.ask(ws.root, verb, text, options, _PATIENCE)
    if warm is not None:
        return warm
    from openclaw_memory.retrieval import catchup, hybrid

    answer: Answer = getattr(hybrid, verb)(ws, text, options)
    warm_helps = "vector" in answer.legs
    if (warm_helps or catchup.is_due(ws)) and client.start(ws.root):
        return answer._replace(notes=(*answer.notes, STARTED if warm_helps else BEHIND))
    return answer

"""The reading tools: search, get, context. Answers have the form of OpenClaw's own memory tools."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import isfile
from pathlib import Path
from typing import Any

from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.paths import address, escaped
from openclaw_memory.server.engine import Engine
from openclaw_memory.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory.retrieval.documents import Document
    from openclaw_memory.retrieval.hits import Answer, Hit

LINES = 120
CHARACTERS = 12_000
"""OpenClaw's limits of one `memory_get`."""


def search(engine: Engine, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """`{"results": [...], "mode", "citations", ...}`; a search that cannot be had says so instead of being empty."""
    from openclaw_memory.retrieval.options import Options

    ws = engine.workspace
    options = Options(limit=arguments.get("maxResults", 0), min_score=arguments.get("minScore", 0.0))
    try:
        answer = engine.query(arguments["query"], _corpus(ws, options, arguments.get("corpus", "memory")))
    except OpenClawMemoryError as error:
        return {"results": [], "disabled": True, "unavailable": True, "error": error.message, "action": error.hint}
    return _found(ws, answer)


def _corpus(ws: Workspace, options: Any, corpus: str) -> Any:
    """`sessions` searches the transcripts alone, `all` them too; `memory` and `wiki` everything but them."""
    from openclaw_memory.retrieval import collections

    if corpus not in ("sessions", "all"):
        return options
    every = collections.load(ws).all
    if corpus == "all":
        return options._replace(collections=tuple(one.name for one in every))
    sessions = tuple(one.name for one in every if one.low_trust)
    if not sessions:
        raise UsageError("no transcripts are searched", "openclaw-memory collection add PATH --transcripts adds them")
    return options._replace(collections=sessions)


def _found(ws: Workspace, answer: Answer) -> dict[str, Any]:
    from openclaw_memory.retrieval import collections

    cite = ws.config.memory.citations
    known = collections.load(ws).all
    roots = {one.name: one.root for one in known}
    sessions = {one.name for one in known if one.low_trust}
    notes = (*answer.fresh.notes, *answer.notes)
    found: dict[str, Any] = {
        "results": [
            _result(hit, path_of(ws, roots, hit), cite != "off", hit.collection in sessions)
            | {"provenance": _provenance(ws, roots, hit, hit.collection in sessions)}
            for hit in answer.hits
        ],
        "provider": "openclaw-memory",
        "citations": cite,
        "mode": "+".join(answer.legs),
        "debug": {"backend": "openclaw-memory", "index": answer.fresh.state, "pending": answer.fresh.pending},
    }
    if notes:
        found["warning"] = "; ".join(notes)
    return found


def _result(hit: Hit, path: str, cite: bool, session: bool) -> dict[str, Any]:
    citation = f"{path}#L{hit.start_line}-L{hit.end_line}"
    return {
        "path": path,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "score": hit.score,
        "snippet": f"{hit.snippet}\n\nSource: {citation}" if cite else hit.snippet,
        "source": "sessions" if session else "memory",
        "corpus": "sessions" if session else "memory",
        "citation": citation,
    }


def path_of(ws: Workspace, roots: Mapping[str, Path], hit: Hit) -> str:
    """The hit's path in the workspace, else its address (an outside folder, another agent): `memory_get` takes both."""
    full = _full(roots, hit)
    path = full.relative_to(ws.root).as_posix() if full and full.is_relative_to(ws.root) else hit.file
    try:
        path.encode()
    except UnicodeEncodeError:  # a name that is no UTF-8: no frame carries it as it stands
        return address(hit.collection, escaped(hit.path))
    return path


def _full(roots: Mapping[str, Path], hit: Hit) -> Path | None:
    return roots[hit.collection] / hit.path if hit.collection in roots and not hit.agent else None


def _provenance(ws: Workspace, roots: Mapping[str, Path], hit: Hit, session: bool) -> dict[str, Any]:
    """OpenClaw's: whose word it is (`agent`: of this workspace's memory), from what session, since when (ms)."""
    full = _full(roots, hit)
    own = full is not None and full.is_relative_to(ws.root) and not session
    found: dict[str, Any] = {"originClass": "agent" if own else "untrusted", "sessionKind": "interactive"}
    try:
        return found | {"observedAt": full.stat().st_mtime_ns // 1_000_000} if full else found
    except OSError:
        return found


def get(engine: Engine, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """`{"status": "ok", "text", "path", "from", "lines", ...}`, `not_found`, or `error` with a code."""
    from openclaw_memory.knowledge import access
    from openclaw_memory.retrieval.documents import NotFound, beside
    from openclaw_memory.retrieval.documents import get as document
    from openclaw_memory.retrieval.read import Refused

    ws, path = engine.workspace, arguments["path"]
    try:
        part = arguments.get("from", 0), arguments.get("lines", LINES)
        found = beside(ws, path, *part) or document(ws, path, *part)
    except NotFound as error:
        if _is_elsewhere(ws, path):
            return _error(path, "MEMORY_PATH_NOT_ALLOWED", error)
        return {"status": "not_found", "text": "", "path": path, "hint": error.hint}
    except Refused as error:
        return _error(path, "MEMORY_PATH_NOT_ALLOWED", error)
    except OpenClawMemoryError as error:
        return _error(path, "MEMORY_READ_FAILED", error)
    if found.missing:
        return {"status": "not_found", "text": "", "path": path, "hint": "the day has no note yet"}
    if not found.borrowed:
        access.read(ws, found.name.collection.root / found.name.path, found.first, found.last)
    return _lines(path, found)


def whole(engine: Engine, path: str) -> str:
    """The text of a file of the workspace, of any length. Raises read.Refused for what cannot be read."""
    from openclaw_memory.knowledge import access
    from openclaw_memory.retrieval import read, snippet
    from openclaw_memory.retrieval.collections import Collection

    ws = engine.workspace
    lines = snippet.lines_of(read.decode(read.content(Collection("workspace", ws.root), path), path))
    access.read(ws, ws.root / path, 1, len(lines))
    return "\n".join(lines)


def _is_elsewhere(ws: Workspace, path: str) -> bool:
    """Whether a path that names no document leads out of the workspace, or to a file of it that is no memory."""
    full = ws.root / path
    return ".." in full.parts or not full.is_relative_to(ws.root) or isfile(full)  # noqa: PTH113 - any name


def _error(path: str, code: str, error: OpenClawMemoryError) -> dict[str, Any]:
    return {"status": "error", "code": code, "error": error.message, "hint": error.hint, "path": path, "text": ""}


def _lines(path: str, found: Document) -> dict[str, Any]:
    """The lines, cut at OpenClaw's limit of characters, with the line to go on from."""
    kept: list[str] = []
    size = 0
    cut = 0
    for line in found.text.split("\n") if found.text else []:
        size += len(line) + 1
        if kept and size > CHARACTERS:
            break
        cut = max(0, len(line) - CHARACTERS)
        kept.append(line[:CHARACTERS])
    last = found.first + len(kept) - 1
    text = "\n".join(kept)
    answer: dict[str, Any] = {"status": "ok", "path": path, "from": found.first, "lines": len(kept), "text": text}
    if cut:
        text += f"\n\n[Line {last} goes on for {cut:,} more characters.]"
        answer |= {"text": text, "truncated": True}
    if last < found.lines:
        more = f"\n\n[More content available. Use from={last + 1} to continue.]"
        answer |= {"text": text + more, "truncated": True, "nextFrom": last + 1}
    return answer


def context(engine: Engine, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """`{"text", "files", ...}`: what `openclaw-memory context --json` prints."""
    from openclaw_memory import context as contexts

    return contexts.receipt(contexts.load(engine.workspace, arguments.get("message"), arguments.get("session")))

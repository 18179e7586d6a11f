"""Hits as text for a person, JSON, CSV, XML, Markdown or a list of files: the formats of QMD. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from openclaw_memory.patterns import pattern
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.hits import Answer, Hit

if TYPE_CHECKING:
    from typing import Any

NOTHING = "No results found."
_NO_XML = pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def row(hit: Hit, numbers: bool = False) -> dict[str, Any]:
    """The JSON row of a hit. Lines count from 1; `score` is 0 to 1."""
    found: dict[str, Any] = {
        "file": hit.file,
        "collection": hit.collection,
        "path": hit.path,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "line": hit.line,
        "title": hit.title,
        "heading": hit.heading,
        "score": hit.score,
        "snippet": valid(numbered(hit.snippet, hit.start_line) if numbers else hit.snippet),
        "context": hit.context,
        "id": hit.id,
    }
    if hit.body:
        found["body"] = valid(numbered(hit.body, 1) if numbers else hit.body)
    if hit.explain:
        found["explain"] = {step: round(float(str(value)), 4) for step, value in hit.explain.items()}
    return found


def envelope(answer: Answer, numbers: bool = False) -> dict[str, Any]:
    """The JSON object with what is known about the answer."""
    fresh = answer.fresh
    return {
        "results": [row(hit, numbers) for hit in answer.hits],
        "index": {"state": fresh.state, "pending": fresh.pending, "notes": list(fresh.notes)},
        "legs": list(answer.legs),
        "notes": list(answer.notes),
    }


def dumps(value: object) -> str:
    """JSON in which names that are not UTF-8 are escaped, so that the output always is."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, indent=2)
    return text


def valid(text: str) -> str:
    """`text` as JSON can carry it to any reader: a byte that was no UTF-8 is a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def numbered(text: str, first: int) -> str:
    """`text` with line numbers from `first`."""
    return "\n".join(f"{number}: {line}" for number, line in enumerate(text.split("\n"), first))


def _said(hit: Hit, numbers: bool) -> str:
    """The whole file where it is shown, else the snippet."""
    said = hit.body or hit.snippet
    return numbered(said, 1 if hit.body else hit.start_line) if numbers else said


def _text(hits: Sequence[Hit], numbers: bool) -> str:
    if not hits:
        return NOTHING
    return "\n\n".join(_plain(hit, numbers) for hit in hits)


def _plain(hit: Hit, numbers: bool) -> str:
    where = f"{hit.file}:{hit.line} {hit.id}"
    about = [f"Title: {hit.title}", f"Heading: {hit.heading}" if hit.heading else ""]
    about += [f"Context: {hit.context}" if hit.context else "", f"Score:  {hit.score:.0%}"]
    explain = [f"  {step}: {float(str(value)):.4f}" for step, value in hit.explain.items()]
    span = "" if hit.body else f"@@ -{hit.start_line},{hit.end_line - hit.start_line + 1} @@"
    return "\n".join(filter(None, (where, *about, *explain, "", span, _said(hit, numbers))))


def _markdown(hits: Sequence[Hit], numbers: bool) -> str:
    parts = []
    for hit in hits:
        context = f"**context:** {hit.context}\n" if hit.context else ""
        head = f"---\n# {hit.title}\n\n**file:** {hit.file}:{hit.line}\n**id:** `{hit.id}`\n{context}"
        parts.append(f"{head}\n{_said(hit, numbers)}")
    return "\n\n".join(parts)


def _csv(hits: Sequence[Hit], numbers: bool) -> str:
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("id", "score", "file", "title", "context", "line", "snippet"))
    for hit in hits:
        said = (hit.id, f"{hit.score:.4f}", hit.file, hit.title, hit.context, hit.line, _said(hit, numbers))
        writer.writerow(said)
    return out.getvalue().rstrip("\n")


def _xml(hits: Sequence[Hit], numbers: bool) -> str:
    parts = []
    for hit in hits:
        named = {"id": hit.id, "name": hit.file, "title": hit.title, "context": hit.context, "line": str(hit.line)}
        parts.append(f"<file {_attributes(named)}>\n{_escape(_said(hit, numbers))}\n</file>")
    return "\n\n".join(parts)


def _escape(text: str, quote: bool = False) -> str:
    from html import escape

    return _NO_XML.sub("\ufffd", escape(text, quote))


def _attributes(named: Mapping[str, str]) -> str:
    return " ".join(f'{name}="{_escape(value, quote=True)}"' for name, value in named.items() if value)


def _files(hits: Sequence[Hit], numbers: bool) -> str:
    seen = {hit.file: hit for hit in reversed(hits)}
    ordered = [hit for hit in hits if seen[hit.file] is hit]
    return "\n".join(
        f"{hit.id},{hit.score:.2f},{hit.file}" + (f",{_quoted(hit.context)}" if hit.context else "") for hit in ordered
    )


def _quoted(text: str) -> str:
    """`text` as one field on one line."""
    return '"' + " ".join(text.split()).replace('"', '""') + '"'


def _json(hits: Sequence[Hit], numbers: bool) -> str:
    return dumps([row(hit, numbers) for hit in hits])


FORMATS: dict[str, Callable[[Sequence[Hit], bool], str]] = {
    "text": _text,
    "json": _json,
    "md": _markdown,
    "csv": _csv,
    "xml": _xml,
    "files": _files,
}
"""Name of a format to what writes it."""

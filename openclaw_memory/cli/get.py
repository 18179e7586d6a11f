"""`get`: one document, or some of its lines."""

from __future__ import annotations

import argparse
import os
import sys

from openclaw_memory.cli import common
from openclaw_memory.retrieval import output
from openclaw_memory.retrieval.documents import Document, get


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("document", metavar="PATH[:FROM[:COUNT]]", help="a path, qmd:// address, #id or day; #L10-L20")
    parser.add_argument("--from", dest="first", type=common.at_least_one, default=0, metavar="N", help="from line N")
    parser.add_argument("-l", "--lines", type=common.at_least_one, default=0, metavar="N", help="N lines")
    parser.add_argument("--full", action="store_true", help="the whole document (the default)")
    parser.add_argument("--line-numbers", action="store_true", help="number the lines")
    common.add_json(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Print the document."""
    ws = common.workspace_of(args)
    token = os.path.abspath(args.document) if args.document.startswith("../") else args.document  # noqa: PTH100
    document = get(ws, token, args.first, args.lines)
    if not (document.missing or document.borrowed):
        from openclaw_memory.knowledge import access

        access.read(ws, document.name.collection.root / document.name.path, document.first, document.last)
    if args.json:
        print(output.dumps({"version": 1, **as_json(document, args.line_numbers)}))
    elif document.missing:
        print(f"{document.file} does not exist yet: the day has no note")
    elif document.first > document.lines:
        print(f"{document.file} has {common.plural(document.lines, 'line')}", file=sys.stderr)
    else:
        print(text_of(document, args.line_numbers))
    return 0


def as_json(document: Document, numbers: bool) -> dict[str, object]:
    """The JSON object of a document."""
    return {
        "status": "not_found" if document.missing else "ok",
        "file": document.file,
        "collection": document.name.collection.name,
        "path": document.name.path,
        "id": document.id,
        "from": document.first,
        "to": document.last,
        "lines": document.lines,
        "context": document.context,
        "text": output.valid(text_of(document, numbers)),
    }


def text_of(document: Document, numbers: bool) -> str:
    """Its text, numbered if asked for."""
    return output.numbered(document.text, document.first) if numbers and document.text else document.text

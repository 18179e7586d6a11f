"""`multi-get`: several documents, by a glob or a comma list, within limits."""

from __future__ import annotations

import argparse
import sys

from openclaw_memory.cli import common
from openclaw_memory.cli.get import as_json, text_of
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import output, paths, read
from openclaw_memory.retrieval.documents import Document, get, listed

if TYPE_CHECKING:
    from openclaw_memory.workspace import Workspace

_MOST = 10_240


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("pattern", metavar="GLOB|A,B,...", help="a glob, or a comma list of names and #ids")
    parser.add_argument(
        "-l", "--lines", type=common.at_least_one, default=0, metavar="N", help="at most N lines of each"
    )
    parser.add_argument(
        "--max-bytes", type=common.at_least_one, default=_MOST, metavar="N", help=f"leave larger files out ({_MOST})"
    )
    parser.add_argument("--line-numbers", action="store_true", help="number the lines")
    formats = parser.add_mutually_exclusive_group()
    for name in ("json", "md", "csv", "xml", "files"):
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=f"print {name}")
    parser.set_defaults(format="text")
    common.add_workspace(parser)


def run(args: argparse.Namespace) -> int:
    """Print the documents; larger ones, and names that fit none, are named and skipped."""
    ws = common.workspace_of(args)
    names, unknown = listed(ws, args.pattern)
    if unknown and not names:
        raise next(iter(unknown.values()))
    shown: list[Document] = []
    skipped = [{"file": name, "why": error.message} for name, error in unknown.items()]
    for name in names:
        address = paths.address(name.collection.name, name.path)
        try:
            document = get(ws, address, 1, args.lines)
        except read.Refused as error:
            skipped.append({"file": address, "why": error.message})
            continue
        size = len(document.text.encode("utf-8", "surrogateescape"))
        if size > args.max_bytes:
            skipped.append({"file": address, "why": f"{size:,} bytes, more than --max-bytes {args.max_bytes:,}"})
        else:
            shown.append(document)
    _record(ws, shown)
    _show(args, shown, skipped)
    return 0


def _record(ws: Workspace, shown: list[Document]) -> None:
    from openclaw_memory.retrieval.reads import record

    record(ws, [document.name for document in shown if not document.missing], "multi-get")


def _show(args: argparse.Namespace, shown: list[Document], skipped: list[dict[str, str]]) -> None:
    if args.format == "json":
        rows = [as_json(document, args.line_numbers) for document in shown]
        print(output.dumps({"version": 1, "documents": rows, "skipped": skipped}))
        return
    if args.format == "csv":
        print(_csv(args, shown))
    else:
        for document in shown:
            if document.missing and args.format == "text":
                print(f"{document.file} does not exist yet: the day has no note")
            else:
                print(_text(args, document))
    for one in skipped:
        print(f"skipped {one['file']}: {one['why']}", file=sys.stderr)


def _csv(args: argparse.Namespace, shown: list[Document]) -> str:
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("id", "file", "context", "text"))
    writer.writerows((one.id, one.file, one.context, text_of(one, args.line_numbers)) for one in shown)
    return out.getvalue().rstrip("\n")


def _text(args: argparse.Namespace, document: Document) -> str:
    text = text_of(document, args.line_numbers)
    if args.format == "files":
        return f"{document.id},{document.file}"
    if args.format == "md":
        return f"## {document.file}\n\n{text}\n"
    if args.format == "xml":
        from html import escape

        return f'<file id="{document.id}" name="{escape(document.file)}">\n{escape(text, quote=False)}\n</file>\n'
    return f"=== {document.file} {document.id}\n{text}\n"

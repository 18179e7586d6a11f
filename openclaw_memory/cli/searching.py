"""What `search`, `vsearch` and `query` share: QMD's flags, formats, batches. Prints; searching is the library's."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from openclaw_memory.cli import common, streams
from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval import output
from openclaw_memory.retrieval.fresh import BUDGET
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import ALL

if TYPE_CHECKING:
    from openclaw_memory.retrieval.hits import Answer
    from openclaw_memory.workspace import Workspace

Searcher = Callable[["Workspace", str, Options], "Answer"]
_FORMATS = ("json", "md", "csv", "xml", "files")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what to look for; several words are one query")
    parser.add_argument(
        "-c", "--collection", action="append", default=[], metavar="NAME", help="search one or more collections only"
    )
    parser.add_argument(
        "-n", "--limit", type=common.at_least_one, metavar="N", help="at most N results (default: maxResults)"
    )
    parser.add_argument("--all", action="store_true", help="every match")
    parser.add_argument("--min-score", type=_share, default=0.0, metavar="S", help="leave weaker matches out (0 to 1)")
    parser.add_argument("--full", action="store_true", help="whole files, one result a file")
    parser.add_argument("--line-numbers", action="store_true", help="number the lines of what is shown")
    parser.add_argument("--explain", action="store_true", help="show how each score came about")
    parser.add_argument("--no-rerank", action="store_true", help="do without the model of retrieval.rerank")
    parser.add_argument("--envelope", action="store_true", help="JSON: an object that says how fresh the index is")
    parser.add_argument(
        "--batch", metavar="FILE", help='JSON lines {"id", "query"} in, {"id", "status", "results"} out'
    )
    parser.add_argument("--no-update", action="store_true", help="search the index as it is, without looking at files")
    formats = parser.add_mutually_exclusive_group()
    for name in _FORMATS:
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=f"print {name}")
    formats.add_argument("--format", choices=("text", *_FORMATS), help="the same by name")
    parser.set_defaults(format="text")
    common.add_now(parser)
    common.add_workspace(parser)


def run(args: argparse.Namespace, searcher: Searcher) -> int:
    """Search and print."""
    ws = common.workspace_of(args)
    options = _options(args)
    if args.batch:
        if args.words:
            raise UsageError("--batch takes its queries from the file, not from WORDS", "leave one of them out")
        return _batch(ws, args, options, searcher)
    if not args.words:
        raise UsageError("there is nothing to search for", f"{args.command} WORDS...")
    answer = searcher(ws, " ".join(args.words), options)
    common.warn(answer.fresh, answer.notes)
    answer = _cited(ws, answer)
    if args.envelope:
        print(output.dumps({"version": 1, **output.envelope(answer, args.line_numbers)}))
        return 0
    text = output.FORMATS[args.format](answer.hits, args.line_numbers)
    if text:
        print(text)
    return 0


def _options(args: argparse.Namespace) -> Options:
    return Options(
        limit=ALL if args.all else args.limit or 0,
        collections=tuple(args.collection),
        min_score=args.min_score,
        full=args.full,
        explain=args.explain,
        rerank=not args.no_rerank,
        budget=0.0 if args.no_update else BUDGET,
        now=args.now or "",
    )


def _cited(ws: Workspace, answer: Answer) -> Answer:
    """With `citations: on`, every snippet says where it is from."""
    if ws.config.memory.citations != "on":
        return answer
    from openclaw_memory.retrieval import collections
    from openclaw_memory.server.reading import path_of

    roots = {one.name: one.root for one in collections.load(ws).all}
    hits = (
        hit._replace(snippet=f"{hit.snippet}\n\nSource: {path_of(ws, roots, hit)}#L{hit.start_line}-L{hit.end_line}")
        for hit in answer.hits
    )
    return answer._replace(hits=tuple(hits))


def _batch(ws: Workspace, args: argparse.Namespace, options: Options, searcher: Searcher) -> int:
    """One line in, one line out. The index is brought up to date once, before the first query."""
    for at, (number, text) in enumerate(_queries(args.batch)):
        if at:
            options = options._replace(budget=0.0)
        try:
            answer = searcher(ws, text, options)
            state = "ok" if answer.fresh.state in ("fresh", "unchecked") else answer.fresh.state
            line: dict[str, object] = {
                "id": number,
                "status": state,
                "results": [output.row(hit) for hit in answer.hits],
            }
        except OpenClawMemoryError as error:
            line = {"id": number, "status": "error", "error": error.message, "results": []}
        print(json.dumps(line))
        streams.flush()
    return 0


def _queries(name: str) -> Iterator[tuple[object, str]]:
    source = (sys.stdin.read() if name == "-" else _read(Path(name))).removeprefix("\ufeff")
    for number, line in enumerate(source.split("\n"), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            text = entry["query"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(f'{name}:{number}: not {{"id", "query"}}: {error}', "one JSON object a line") from error
        if not isinstance(text, str):
            raise UsageError(f"{name}:{number}: the query is no text: {json.dumps(text)}", 'write {"query": "words"}')
        yield entry.get("id", number), text


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", "name a UTF-8 file of JSON lines, or - for input"
        ) from error


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a score: scores run from 0 to 1")
    return share

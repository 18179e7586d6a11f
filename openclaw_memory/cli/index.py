"""`index`: list, add, remove, move and sync the entries of MEMORY.md."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator

from openclaw_memory.cli import common
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.shown import visible

if TYPE_CHECKING:
    from openclaw_memory.index.sync import Report
    from openclaw_memory.workspace import Workspace


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    parser.description = (
        "The index (MEMORY.md) names every detail file, with the triggers that say when to read it. "
        "Edits change the lines they mean to change and no other byte."
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    _list(verbs.add_parser("list", help="show the entries", allow_abbrev=False))
    _add(verbs.add_parser("add", help="add an entry, or words to one", allow_abbrev=False))
    _rm(verbs.add_parser("rm", help="remove an entry; the file stays", allow_abbrev=False))
    _mv(verbs.add_parser("mv", help="move a file and rewrite every link to it", allow_abbrev=False))
    _relink(verbs.add_parser("relink", help="say which of several files a link means", allow_abbrev=False))
    _sync(verbs.add_parser("sync", help="bring the index up to date with the detail files", allow_abbrev=False))


def run(args: argparse.Namespace) -> int:
    """Do what the sub-command says and return 0."""
    chosen: Callable[[argparse.Namespace], int] = args.action
    return chosen(args)


def _list(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show the entries: path, triggers, what it is about. `*` marks Active Context, `!` a dead path."
    )
    common.add_workspace(parser)
    common.add_json(parser)
    parser.set_defaults(action=_run_list)


def _add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Add an entry for a detail file, in the form of the section it joins. What you do not say is taken from the "
        "file: its title, its front matter (triggers, about), else words of its name. A file that has an entry "
        "already gets the words it lacks."
    )
    parser.add_argument("path", metavar="PATH", help="the detail file, or a folder: its entry covers all below")
    parser.add_argument(
        "--trigger",
        "-t",
        action="append",
        default=[],
        metavar="T",
        help="a word or phrase that says when to read it; repeat",
    )
    parser.add_argument("--about", metavar="T", default="", help="what it is about, in a few words")
    parser.add_argument("--name", metavar="N", default="", help="what the index calls it (default: the file's title)")
    parser.add_argument("--importance", type=int, metavar="N", help="1 to 10, for the host's recall")
    _common_write(parser, _run_add)


def _rm(parser: argparse.ArgumentParser) -> None:
    parser.description = "Show every line of the entry and remove it. The file itself stays."
    parser.add_argument("path", metavar="PATH", help="the file as the index names it, or its short name")
    _common_write(parser, _run_rm)


def _mv(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Move a file or a folder and rewrite every link to it in the workspace's Markdown: links, wikilinks, code "
        "spans that are a path, bare paths; anchors are kept. A command in a code span stays as it is. Where OLD was "
        "moved already, only the links are rewritten."
    )
    parser.add_argument("old", metavar="OLD", help="where it is")
    parser.add_argument("new", metavar="NEW", help="where it goes; with a slash at the end: into that folder")
    _common_write(parser, _run_mv)


def _relink(parser: argparse.ArgumentParser) -> None:
    parser.description = "Where a link of the index fits several files: write it so that it means one of them."
    parser.add_argument("target", metavar="TARGET", help="the link's path, as the index writes it")
    parser.add_argument("path", metavar="PATH", help="the file that it means")
    _common_write(parser, _run_relink)


def _sync(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Put the revs right, take over triggers and about from the front matter of changed files, give orphans an "
        "entry, follow renamed files. An entry is dropped only where git proves that its file was deleted. With "
        "--commit the index and the detail files it was synced to go into one commit."
    )
    _common_write(parser, _run_sync)
    parser.add_argument("--allow-shrink", action="store_true", help="let the index lose most of its lines")


def _common_write(parser: argparse.ArgumentParser, action: Callable[[argparse.Namespace], int]) -> None:
    common.add_workspace(parser)
    common.add_json(parser)
    common.add_write(parser)
    parser.set_defaults(action=action)


def _run_list(args: argparse.Namespace) -> int:
    from openclaw_memory.index.disk import load

    ws = common.workspace_of(args)
    loaded = load(ws)
    entries = loaded.index.entries
    needed = (path for path in loaded.details if not ws.layout.archive_of(path))
    orphans = [path for path in needed if not loaded.index.lists(path)]
    if args.json:
        common.print_json({"entries": [entry.to_json() for entry in entries], "orphans": orphans})
        return 0
    for entry in entries:
        mark = "*" if entry.active else " " if entry.exists else "!"
        told = f"  [{', '.join(entry.triggers)}]" if entry.triggers else ""
        about = f"  {entry.about}" if entry.about else ""
        print(visible(f"{mark} {entry.path}{told}{about}"))
    for path in orphans:
        way = f"add {shlex.quote(path)}" if visible(path) == path else "sync"
        print(visible(f"? {path}  not in the index: openclaw-memory index {way}"))
    return 0


def _run_add(args: argparse.Namespace) -> int:
    from openclaw_memory.index import Words, operations

    ws = common.workspace_of(args)
    path = operations.target(ws, args.path)
    words = Words(args.name, tuple(args.trigger), args.about, args.importance)
    outcome = operations.add(ws, path, words, operations.Flags(args.dry_run, args.commit))
    return common.report(outcome, args, f"{path} is in the index")


def _run_rm(args: argparse.Namespace) -> int:
    from openclaw_memory.index import operations
    from openclaw_memory.index.disk import load

    ws = common.workspace_of(args)
    index = load(ws).index
    entry = operations.find(ws, index, args.path)
    if not args.json and not args.dry_run:
        for number in entry.lines:
            print(f"{index.path}:{number}: {index.document.lines[number - 1].text}")
    outcome = operations.remove(ws, entry.path, operations.Flags(args.dry_run, args.commit))
    if args.json:
        common.print_json({**outcome.to_json(), "entry": entry.to_json()})
        return 0
    return common.report(outcome, args, f"{entry.path} is no longer in the index")


def _run_mv(args: argparse.Namespace) -> int:
    from openclaw_memory.index import operations, relocate

    ws = common.workspace_of(args)
    old, new = ws.rel(args.old), ws.rel(args.new)
    goal = f"{new}/" if args.new.endswith("/") or _into(ws, old, new) else new
    outcome, moved = relocate.move(ws, old, goal, operations.Flags(args.dry_run, args.commit))
    touched = sum(change.before is not None and change.after is not None for change in outcome.changes)
    files = f"{touched} file{'' if touched == 1 else 's'}"
    return common.report(outcome, args, visible(f"{moved.old} is now {moved.new}; links rewritten in {files}"))


def _run_relink(args: argparse.Namespace) -> int:
    from openclaw_memory.index import operations, relocate

    ws = common.workspace_of(args)
    path = ws.rel(args.path)
    outcome = relocate.relink(ws, args.target, path, operations.Flags(args.dry_run, args.commit))
    return common.report(outcome, args, f"{args.target} means {path}")


def _into(ws: Workspace, old: str, new: str) -> bool:
    """Whether `new` is a folder that `old` can be moved into."""
    return (ws.root / new).is_dir() and (ws.root / old).exists()


def _run_sync(args: argparse.Namespace) -> int:
    from openclaw_memory.index.operations import Flags
    from openclaw_memory.index.sync import sync

    ws = common.workspace_of(args)
    outcome, report = sync(ws, Flags(args.dry_run, args.commit, args.allow_shrink))
    if args.json:
        common.print_json({**outcome.to_json(), **report.to_json()})
    elif args.dry_run:
        common.report(outcome, args, "")
    else:
        for line in _steps(report):
            print(visible(line))
        common.report(outcome, args, f"{ws.config.index.path} is up to date")
    return 1 if report.left else 0


def _steps(report: Report) -> Iterator[str]:
    """What the sync did and what it left alone, a line each."""
    yield from (f"added    {path}" for path in report.added)
    yield from (f"updated  {path}" for path in report.updated)
    yield from (f"moved    {old} -> {new}" for old, new in report.moved)
    yield from (f"dropped  {path} (deleted)" for path in report.dropped)
    for path in report.dead:
        yield f"dead     {path} (kept, nothing proves it deleted: openclaw-memory index rm {shlex.quote(path)})"
    yield from (f"left     {why}" for _, why in report.left)

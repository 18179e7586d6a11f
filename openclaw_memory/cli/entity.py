"""`entity`: new, list, show, archive, mv, graph."""

from __future__ import annotations

import argparse
import sys

from openclaw_memory.cli import common
from openclaw_memory.cli.common import add_verb
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of `entity` and its verbs."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    new = add_verb(verbs, "new", "a new entity, with its index entry", _new, writes=True)
    new.add_argument("entity", metavar="KIND/SLUG", help="people/jane")
    new.add_argument("--name", default="", help="what it is called (default: from the slug)")
    new.add_argument("--about", default="", help="one line about it")
    new.add_argument("--trigger", action="append", default=[], help="a word that says when to read it")
    listing = add_verb(verbs, "list", "the entities, with their facts by heat", _list)
    listing.add_argument("kind", nargs="?", default="", help="people, companies, projects ...")
    listing.add_argument("--archived", action="store_true", help="archived ones too")
    add_verb(verbs, "show", "one entity with its facts", _show).add_argument("entity")
    add_verb(verbs, "archive", "move it to the archive; nothing is deleted", _archive, writes=True).add_argument(
        "entity"
    )
    move = add_verb(verbs, "mv", "rename it, change its kind, or bring it back from the archive", _move, writes=True)
    move.add_argument("entity")
    move.add_argument("to", metavar="KIND/SLUG")
    graph = add_verb(verbs, "graph", "what is related to what, as JSON, Mermaid or a page to look at", _graph)
    graph.add_argument("--format", choices=("json", "mermaid", "html"), default="", help="default: by -o, else mermaid")
    graph.add_argument(
        "-o", "--output", type=common.a_path, metavar="FILE", help="write to FILE instead of standard output"
    )
    graph.add_argument("--archived", action="store_true", help="archived entities too")


run = common.run_verb


def _new(args: argparse.Namespace) -> int:
    from openclaw_memory.index import Words
    from openclaw_memory.knowledge import entities

    ws = common.workspace_of(args)
    words = Words(args.name, tuple(args.trigger), args.about)
    path, outcome = entities.new(ws, args.entity, words, common.flags_of(args))
    return common.report(outcome, args, f"created {path}")


def _archive(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge import entities

    ws = common.workspace_of(args)
    name, outcome = entities.archive(ws, args.entity, ws.now(args.now), common.flags_of(args))
    return _moved(args, outcome, f"archived as {name}")


def _move(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge import entities

    ws = common.workspace_of(args)
    name, outcome = entities.move(ws, args.entity, args.to, common.flags_of(args))
    return _moved(args, outcome, f"moved to {name}")


def _moved(args: argparse.Namespace, outcome: Outcome, done: str) -> int:
    common.report(outcome, args, done)
    if not args.json:
        common.print_way_back(outcome)
    return 0


def _list(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge.views import Views

    ws = common.workspace_of(args)
    rows = Views(ws, ws.now(args.now)).entities(args.kind, archived=args.archived)
    if args.json:
        common.print_json({"entities": rows})
        return 0
    for row in rows:
        print(f"{row['name']}  {_facts(row)}  {row['path']}")
    if not rows:
        print("no entities")
    return 0


def _facts(row: dict[str, object]) -> str:
    heat = row["heat"]
    if not isinstance(heat, dict):
        return "no facts"
    told = ", ".join(f"{count} {tier}" for tier, count in heat.items())
    return f"{common.plural(sum(heat.values()), 'fact')} ({told})" if told else "no facts"


def _show(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge.views import Views

    ws = common.workspace_of(args)
    row = Views(ws, ws.now(args.now)).entity(args.entity)
    if args.json:
        common.print_json(row)
        return 0
    for key, value in row.items():
        if key != "facts" and value not in (None, "", [], {}, False):
            print(f"{key + ':':12}{', '.join(map(str, value)) if isinstance(value, list) else value}")
    facts = row["facts"]
    for fact in facts if isinstance(facts, list) else ():
        print(f"- [{fact['heat']}] {fact['fact']} ({fact['id']})")
    return 0


def _graph(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge import graph

    ws = common.workspace_of(args)
    ending = {".json": "json", ".html": "html", ".htm": "html"}.get(
        args.output.suffix if args.output else "", "mermaid"
    )
    form = "json" if args.json else args.format or ending
    drawn = graph.render(graph.build(ws, ws.now(args.now), archived=args.archived), form)
    if args.output is None:
        sys.stdout.write(drawn)
        return 0
    from openclaw_memory import fsio

    fsio.write(args.output.absolute(), drawn.encode("utf-8", "replace"))
    print(f"wrote {args.output}")
    return 0

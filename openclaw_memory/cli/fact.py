"""`fact`: add, supersede, redact, list, show, history, repair."""

from __future__ import annotations

import argparse
import sys

from openclaw_memory.cli import common
from openclaw_memory.cli.common import add_verb
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.knowledge.facts import Told, Written
    from openclaw_memory.knowledge.views import FactView
    from openclaw_memory.workspace import Outcome


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of `fact` and its verbs."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    add = add_verb(verbs, "add", "a new fact of an entity", _add, writes=True)
    add.add_argument("entity", help="people/jane, or a slug that only one entity has")
    add.add_argument("text", nargs="+", help="the fact, in one sentence")
    _details(add)
    supersede = add_verb(verbs, "supersede", "a new fact in place of an old one, which stays", _supersede, writes=True)
    supersede.add_argument("fact", help="jane-001, or people/jane:jane-001")
    supersede.add_argument("text", nargs="+", help="what is true now")
    _details(supersede)
    redact = add_verb(verbs, "redact", "take a fact's text out for good; a tombstone stays", _redact, writes=True)
    redact.add_argument("fact")
    redact.add_argument("--reason", required=True, help="why: a secret, a wish to be forgotten")
    repair = add_verb(verbs, "repair", "give ids to facts without one, renumber ids given twice", _repair, writes=True)
    repair.add_argument("entity", nargs="?", default="", help="only this entity")
    listing = add_verb(verbs, "list", "the facts in use", _list)
    listing.add_argument("entity", nargs="?", default="", help="only this entity")
    listing.add_argument("--category", default="", metavar="C")
    listing.add_argument("--heat", default="", choices=("hot", "warm", "cold", "unknown"))
    listing.add_argument("--text", default="", metavar="T", help="only facts that hold these words")
    listing.add_argument("--all", action="store_true", help="superseded ones too")
    for name, summary, run_verb in (
        ("show", "one fact, with everything known about it; counts as an access", _show),
        ("history", "the chain that a fact is in, oldest first", _history),
    ):
        add_verb(verbs, name, summary, run_verb).add_argument("fact")


def _details(parser: argparse.ArgumentParser) -> None:
    categories = "relationship, milestone, status, preference, context"
    parser.add_argument("--category", default="", metavar="C", help=categories)
    parser.add_argument("--source", default="", metavar="S", help="where it is from (default: today's date)")
    parser.add_argument("--related", action="append", default=[], metavar="E", help="an entity it is about too")


run = common.run_verb


def _told(args: argparse.Namespace) -> Told:
    from openclaw_memory.knowledge.facts import Told

    return Told(" ".join(args.text), args.category, args.source, tuple(args.related))


def _add(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge import facts

    ws = common.workspace_of(args)
    done = facts.add(ws, args.entity, _told(args), ws.now(args.now), common.flags_of(args))
    return _report(args, *done, "added")


def _supersede(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge import facts

    ws = common.workspace_of(args)
    done = facts.supersede(ws, args.fact, _told(args), ws.now(args.now), common.flags_of(args))
    return _report(args, *done, f"{args.fact} superseded by")


def _redact(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge import facts

    ws = common.workspace_of(args)
    done = facts.redact(ws, args.fact, args.reason, ws.now(args.now), common.flags_of(args))
    return _report(args, *done, "redacted")


def _report(args: argparse.Namespace, written: Written, outcome: Outcome, done: str) -> int:
    if args.json:
        common.print_json({"fact": written.reference, "notes": list(written.notes), **outcome.to_json()})
        return 0
    for note in written.notes:
        print(f"note: {note}", file=sys.stderr)
    common.report(outcome, args, f"{done} {written.reference}")
    if any(change.after is None for change in outcome.changes):
        common.print_way_back(outcome, "a file became a folder; way back")
    return 0


def _repair(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge.repair import repair

    ws = common.workspace_of(args)
    repairs, outcome = repair(ws, ws.now(args.now), args.entity, common.flags_of(args))
    if args.json:
        common.print_json({"repairs": repairs, **outcome.to_json()})
        return 0
    for line in repairs:
        print(line)
    return common.report(outcome, args, common.plural(len(repairs), "repair"))


def _list(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge.views import Filter, Views

    ws = common.workspace_of(args)
    wanted = Filter(args.entity, args.category, args.heat, args.text, args.all)
    views = list(Views(ws, ws.now(args.now)).facts(wanted))
    if args.json:
        common.print_json({"facts": [view.to_json() for view in views]})
        return 0
    for view in views:
        print(_line(view))
    if not views:
        print("no facts")
    return 0


def _line(view: FactView) -> str:
    fact = view.found.fact
    marks = [view.tier.heat if fact.active else f"superseded by {fact.superseded_by or 'nothing'}"]
    marks += ["to be reviewed"] if fact.quarantined else []
    name = view.found.reference if fact.id else f"{view.found.entity.name}:(no id)"
    return f"{name}  [{', '.join([fact.category or '-', *marks])}]  {' '.join(fact.text.split())}"


def _show(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge import access
    from openclaw_memory.knowledge.views import Views

    ws = common.workspace_of(args)
    now = ws.now(args.now)
    view = Views(ws, now).fact(args.fact)
    access.record(ws, [(view.found.file.path, view.found.fact.id)], "fact show", now)
    if args.json:
        common.print_json(view.to_json())
        return 0
    for key, value in view.to_json().items():
        if value not in (None, "", [], False):
            print(f"{key + ':':17}{', '.join(map(str, value)) if isinstance(value, list) else value}")
    return 0


def _history(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge.views import Views

    ws = common.workspace_of(args)
    views = Views(ws, ws.now(args.now)).history(args.fact)
    if args.json:
        common.print_json({"facts": [view.to_json() for view in views]})
        return 0
    for view in views:
        print(f"{str(view.found.fact.timestamp or '?')[:10]:12}{_line(view)}")
    return 0

"""`extract`: turn the day's note into facts, entities and questions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from openclaw_memory.cli import common
from openclaw_memory.errors import UsageError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.knowledge.extract.lines import Unread
    from openclaw_memory.knowledge.extract.proposal import Proposal
    from openclaw_memory.knowledge.extract.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of `extract`."""
    parser.add_argument("note", nargs="*", metavar="NOTE", help="notes to read (default: unread ones of 30 days)")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--prompt", action="store_true", help="print the task for an agent: it answers with a plan")
    way.add_argument("--apply", metavar="PLAN", help="apply a plan, a JSON file or - for standard input")
    way.add_argument("--llm", action="store_true", help="let the model of the config make the plan")
    way.add_argument("--review", action="store_true", help="list what comes from low trust and waits")
    parser.add_argument("--accept", action="append", default=[], metavar="ID", help="with --review: take it over")
    parser.add_argument("--reject", action="append", default=[], metavar="ID", help="with --review: take it out")
    parser.add_argument(
        "--transcript",
        action="append",
        default=[],
        type=common.a_path,
        metavar="FILE",
        help="read a conversation: JSON Lines, text, or OpenClaw's openclaw-agent.sqlite (30 days of it)",
    )
    parser.add_argument("--all", action="store_true", help="unread notes of any age, all of a database")
    parser.add_argument("--again", action="store_true", help="read notes again that were read before")
    common.add_usual(parser)


def run(args: argparse.Namespace) -> int:
    """Run the way that was asked for."""
    if (args.accept or args.reject) and not args.review:
        raise UsageError("--accept and --reject belong to --review", "add --review")
    return _review(args) if args.review else _extract(args)


def _extract(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge.extract import session as sessions
    from openclaw_memory.knowledge.extract import transcript

    ws = common.workspace_of(args)
    session = sessions.begin(ws, ws.now(args.now), args.note, whole=args.all, again=args.again)
    extra = transcript.load_all(args.transcript, "" if args.all else sessions.since(session.now))
    if args.prompt:
        return _prompt(args, session, extra)
    if args.apply:
        return _apply(args, session, *_given(args, session, extra))
    notes = [*session.notes, *extra]
    if not notes:
        return _nothing(args)
    proposal = _asked(session, notes) if args.llm else sessions.by_rules(session, extra=extra)
    return _apply(args, session, proposal, notes)


def _nothing(args: argparse.Namespace) -> int:
    if args.json:
        common.print_json({"notes": [], "written": [], "known": [], "quarantined": [], "candidates": []})
    else:
        print("nothing unread")
    return 0


def _prompt(args: argparse.Namespace, session: Session, extra: list[Unread]) -> int:
    from openclaw_memory.knowledge.extract import lines, prompt
    from openclaw_memory.knowledge.extract.session import known_names

    notes = [*session.notes, *extra]
    if not notes:
        return _nothing(args)
    task = prompt.build(session.store, known_names(session.ws, session.store), notes)
    lines.offer(session.ws, session.notes)
    if args.json:
        common.print_json({"prompt": task, "notes": [note.path for note in notes]})
    else:
        sys.stdout.write(task)
    return 0


def _given(args: argparse.Namespace, session: Session, extra: list[Unread]) -> tuple[Proposal, list[Unread]]:
    """The plan that the user passes, and the notes that it may speak of, as the last prompt showed them."""
    from openclaw_memory import fsio, markdown
    from openclaw_memory.knowledge.extract import lines, proposal

    text = sys.stdin.read() if args.apply == "-" else markdown.decode(fsio.read(Path(args.apply)))
    shown = lines.offered(session.ws)
    paths = {note.path for note in shown}
    notes = [*shown, *(note._replace(mark={}) for note in session.notes if note.path not in paths), *extra]
    name = "the plan" if args.apply == "-" else args.apply
    return proposal.parse(text, [note.path for note in notes], name), notes


def _asked(session: Session, notes: list[Unread]) -> Proposal:
    from openclaw_memory import llm
    from openclaw_memory.knowledge.extract import apply, model, prompt, proposal
    from openclaw_memory.knowledge.extract.session import known_names

    ask = llm.asker(session.ws.config.llm)
    task = prompt.build(session.store, known_names(session.ws, session.store), notes)

    def read(answer: str) -> Proposal:
        found = proposal.parse(answer, [note.path for note in notes], "the answer")
        reasons = apply.problems(session.store, found, notes)
        if reasons:
            raise proposal.refusal(reasons, "the answer")
        return found

    return model.propose(ask, task, read)


def _apply(args: argparse.Namespace, session: Session, proposal: Proposal, notes: list[Unread]) -> int:
    from openclaw_memory.knowledge.extract import apply

    applied, outcome = apply.apply(session.ws, proposal, notes, session.now, common.flags_of(args))
    candidates = [
        {"text": c.text, "note": c.place.note, "line": c.place.line, "why": c.why} for c in proposal.candidates
    ]
    if args.json:
        told = {"notes": [note.path for note in notes], "written": applied.written, "facts": applied.facts}
        more = {"known": applied.known, "quarantined": applied.quarantined, "candidates": candidates}
        common.print_json({**told, **more, **outcome.to_json()})
        return 0
    for row in applied.written:
        print(f"+ {row}")
    for row in applied.known:
        print(f"= known already: {row}")
    for candidate in proposal.candidates:
        print(f"? {candidate.place.source}: {candidate.text} ({candidate.why})")
    common.report(outcome, args, f"{len(applied.written)} written from {', '.join(note.path for note in notes)}")
    if applied.quarantined:
        print(f"{len(applied.quarantined)} wait for review: openclaw-memory extract --review")
    return 0


def _review(args: argparse.Namespace) -> int:
    from openclaw_memory.knowledge.extract import review

    ws = common.workspace_of(args)
    if args.accept or args.reject:
        settled, outcome = review.settle(ws, args.accept, args.reject, ws.now(args.now), common.flags_of(args))
        for row in settled.written if not (args.json or args.dry_run) else ():
            print(f"+ {row}")
        return common.report(outcome, args, f"{len(args.accept)} accepted, {len(args.reject)} rejected")
    facts, others = review.pending(ws)
    if args.json:
        rows = [{"fact": f.reference, "text": f.fact.text, "provenance": f.fact.provenance} for f in facts]
        common.print_json({"facts": rows, "others": [one.to_json() for one in others]})
        return 0
    for found in facts:
        print(f"{found.reference}  {found.fact.text}  (from {found.fact.provenance.get('origin', '?')})")
    for one in others:
        said = " ".join(part for part in (one.entity, one.text) if part)
        print(f"{one.id}  {one.called}: {said}  (from {one.origin})")
    if not (facts or others):
        print("nothing waits for review")
    return 0

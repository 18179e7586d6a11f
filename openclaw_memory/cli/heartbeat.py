"""`heartbeat`: run a beat, and show what is due, how the file is read, what beats did and what they cost."""

from __future__ import annotations

import argparse
import sys

from openclaw_memory.cli import common, streams
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_memory.findings import Finding
    from openclaw_memory.heartbeat.report import Report
    from openclaw_memory.heartbeat.status import Status, TaskStatus
    from openclaw_memory.workspace import Workspace

_DRIVERS = ("claude", "crontab", "launchd", "openclaw-cron", "openclaw-heartbeat", "systemd")
_VERBS = {
    "run": "count a beat: run what is due without a model, and print the prompts that are due",
    "due": "list what the next beat would run",
    "status": "show every task with its last and next time, and what beats cost in tokens",
    "explain": "show how each line of the heartbeat file is read, and what was not understood",
    "export": "print the command or file that makes a host or system call the beat; --install does it",
    "log": "list the last beats with what they ran and how long it took",
    "review": "say what is urgent (errors of the rules, failing tasks), else nothing",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the verbs."""
    verbs = parser.add_subparsers(
        dest="verb", metavar="VERB", required=True, parser_class=_Verb, prog="openclaw-memory heartbeat"
    )
    for name, summary in _VERBS.items():
        verbs.add_parser(
            name, help=summary, description=summary, allow_abbrev=False, formatter_class=parser.formatter_class
        )


class _Verb(argparse.ArgumentParser):
    """A verb that gets its options when it is called: making those of all verbs costs a beat some milliseconds."""

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Add the options, then parse."""
        _add_options(self, self.prog.rsplit(" ", 1)[-1])
        return super().parse_known_args(args, namespace)


def _add_options(parser: argparse.ArgumentParser, verb: str) -> None:
    common.add_workspace(parser)
    common.add_json(parser)
    if verb == "export":
        parser.add_argument("driver", choices=_DRIVERS, help="what calls the beat")
        parser.add_argument("--install", action="store_true", help="write the file or run the command")
        parser.add_argument("--dry-run", action="store_true", help="with --install: say what it would do")
        return
    common.add_now(parser)
    if verb == "run":
        parser.add_argument(
            "--beat-id", metavar="ID", help="count a beat with this id once, however often it is called"
        )
        given = parser.add_mutually_exclusive_group()
        given.add_argument("--hand-to", choices=("openclaw", "claude"), help="give due prompts to this host's agent")
        given.add_argument("--no-prompts", action="store_true", help="run the built-ins only; due prompts stay due")
        common.add_write(parser)
    elif verb == "log":
        parser.add_argument("-n", type=int, default=20, metavar="N", help="how many beats (default: 20)")


def run(args: argparse.Namespace) -> int:
    """Do what the verb says."""
    doing = {
        "run": _run,
        "due": _due,
        "status": _status,
        "explain": _explain,
        "export": _export,
        "log": _log,
        "review": _review,
    }
    return doing[args.verb](args)


def _run(args: argparse.Namespace) -> int:
    from openclaw_memory.heartbeat.runner import run as beat

    ws = common.workspace_of(args)

    def deliver(report: Report) -> None:
        if args.hand_to and not report.quiet and not args.dry_run:
            report = _handed(ws, report, args.hand_to)
        if args.json:
            common.print_json(report.to_json())
        else:
            _print_text(report)
        streams.flush()
        for notice in (*report.notices, *map(_told, report.findings)):
            print(f"openclaw-memory: {notice}", file=sys.stderr)

    report = beat(
        ws,
        ws.now(args.now),
        deliver,
        beat_id=args.beat_id,
        do_commit=args.commit or ws.config.heartbeat.commit,
        dry=args.dry_run,
        prompts=not args.no_prompts,
    )
    return 1 if report.failed and report.status == "beat" else 0


def _print_text(report: Report) -> None:
    if report.status == "dry-run" and report.runs:
        print(f"would run: {', '.join(task.name for task, _, _ in report.runs)}")
    if report.text:
        print(report.text)


def _handed(ws: Workspace, report: Report, host: str) -> Report:
    """The report as the caller sees it once the host's agent has the prompts."""
    from openclaw_memory.heartbeat.handing import hand_to

    hand_to(host, report.text, ws.state_dir / "beat.md")
    return report._replace(text=report.quiet_text, quiet=True)


def _due(args: argparse.Namespace) -> int:
    found = _get_status(args)
    due = [task for task in found.tasks if task.due]
    if args.json:
        findings = [finding.to_json() for finding in found.findings]
        common.print_json({"beat": found.beat + 1, "due": [task.to_json() for task in due], "findings": findings})
        return 0
    for task in due:
        print(f"{task.task.name} ({task.task.schedule})")
    if not due:
        times = [task.next for task in found.tasks if task.next]
        print(f"nothing is due; next: {min(times):%Y-%m-%d %H:%M}" if times else "nothing is due")
    _print_findings(found)
    return 0


def _status(args: argparse.Namespace) -> int:
    found = _get_status(args)
    if args.json:
        common.print_json(found.to_json())
        return 0
    print(f"beat {found.beat}, {found.now:%Y-%m-%d %H:%M}, time zone {found.zone} (from {found.zone_source})")
    for task in found.tasks:
        print(_task_line(task))
    if found.unlisted:
        print(f"off: {', '.join(found.unlisted)} (heartbeat explain shows how to turn them on)")
    cost = found.cost
    print(f"prompts cost about {cost.prompts:,} tokens a day; built-ins cost none")
    if cost.skips:
        print(f"the host's own beats cost nothing: {cost.rule}")
    else:
        total = f"{cost.idle:,} tokens a beat for the files it loads, {cost.host:,} a day"
        print(f"the host's own beats, where they are on, cost {total}, also when nothing is due")
    _print_findings(found)
    return 0


def _task_line(status: TaskStatus) -> str:
    task, memory = status.task, status.memory
    last = f"last {memory.ran:%m-%d %H:%M}" if memory and memory.ran else "never run"
    if memory and memory.status not in ("", "ok", "findings"):
        last += f" ({memory.status}: {memory.message.splitlines()[0] if memory.message else ''})"
    after = "due now" if status.due else f"next {status.next:%m-%d %H:%M}" if status.next else "never"
    cost = f"; {status.tokens} tokens" if status.tokens else ""
    return f"  {task.name} [{task.kind}] {task.schedule}: {after}; {last}{cost}"


def _print_findings(found: Status) -> None:
    for finding in found.findings:
        print(_told(finding))


def _told(finding: Finding) -> str:
    """Where and what, and the way out below it."""
    from openclaw_memory.findings import remedy

    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    told = f"{place}: {finding.code} {finding.message}"
    return f"{told}\n  {remedy(finding.fix)}" if finding.fix else told


def _get_status(args: argparse.Namespace) -> Status:
    from openclaw_memory.heartbeat.status import status

    ws = common.workspace_of(args)
    return status(ws, ws.now(args.now))


def _explain(args: argparse.Namespace) -> int:
    from openclaw_memory.heartbeat.explain import explain

    found = explain(common.workspace_of(args))
    if args.json:
        common.print_json(found.to_json())
        return 0
    print(f"{found.path}, time zone {found.zone}" if found.exists else f"{found.path} is not there, or empty")
    for reading in found.readings:
        print(f"{reading.first:>5}  {reading.kind}: {reading.meaning}")
    for line in found.elsewhere:
        print(f"       {line}")
    for finding in found.findings:
        print(_told(finding))
    for rule, does in found.hosts:
        print(f"by {rule}, the host {does}")
    return 0


def _export(args: argparse.Namespace) -> int:
    from openclaw_memory.heartbeat import drivers, installing

    ws = common.workspace_of(args)
    export = drivers.export(ws, args.driver)
    done = installing.install(ws, export, dry_run=args.dry_run) if args.install else ()
    if args.json:
        common.print_json({**export.to_json(), "installed": list(done)})
        return 0
    print("\n".join(done) if args.install else export.text)
    return 0


def _log(args: argparse.Namespace) -> int:
    from openclaw_memory.heartbeat.state import read_log

    ws = common.workspace_of(args)
    beats = read_log(ws, ws.zone.tz, args.n)
    if args.json:
        common.print_json({"beats": [beat.to_json() for beat in beats]})
        return 0
    for beat in beats:
        print(beat.line())
    if not beats:
        print("no beat was counted yet")
    return 0


def _review(args: argparse.Namespace) -> int:
    from openclaw_memory.cli.families import FAMILIES
    from openclaw_memory.heartbeat.review import review

    urgent = review(common.workspace_of(args), FAMILIES)
    if args.json:
        common.print_json({"urgent": urgent})
    elif urgent:
        print("\n".join(urgent))
    return 1 if urgent else 0

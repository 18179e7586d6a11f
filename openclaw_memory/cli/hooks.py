"""`openclaw-memory hooks install|uninstall|status git|claude|openclaw`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from openclaw_memory import fsio, hooks, markdown
from openclaw_memory.cli.common import add_json, add_workspace, print_json
from openclaw_memory.errors import OpenClawMemoryError, UsageError, WorkspaceError
from openclaw_memory.findings import remedy
from openclaw_memory.hooks import attributes
from openclaw_memory.workspace import Change, Outcome, Workspace, find_workspace, transact

HOSTS = ("git", "claude", "openclaw")
_EPILOG = """\
git       pre-commit and pre-merge-commit run `check` on what is staged; index and facts get a merge driver. A hook
          that is there is called first; core.hooksPath, linked worktrees, husky and the pre-commit framework are kept.
claude    SessionStart, UserPromptSubmit and PreCompact in .claude/settings.json, or with --user in ~/.claude.
openclaw  a hook that adds Active Context to private sessions, in OpenClaw's state folder."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the verbs and their options."""
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, summary in (
        ("install", "set the hooks of a host up, beside what is there; a second time changes nothing"),
        ("uninstall", "take them away again; what was there comes back as it was"),
        ("status", "what is installed, and what is bypassed or broken; exit code 1 when git's hooks do not run"),
    ):
        sub = verbs.add_parser(verb, help=summary, description=summary, allow_abbrev=False)
        sub.add_argument("host", choices=HOSTS, nargs="?" if verb == "status" else None, help="whose hooks")
        if verb != "status":
            sub.add_argument("--user", action="store_true", help="claude: the settings of the user, not the project")
            sub.add_argument("--dry-run", action="store_true", help="say what would be done and do nothing")
            sub.add_argument("--commit", action="store_true", help="git: commit .gitattributes when it changes")
        add_workspace(sub)
        add_json(sub)


def run(args: argparse.Namespace) -> int:
    """Do it, and print each step."""
    ws = _workspace(args)
    root = ws.root if ws else (args.workspace or Path.cwd())
    if args.verb == "status":
        return _status(root, _merged(ws) if ws else (), args)
    if args.user and args.host != "claude":
        raise UsageError("--user is for claude only", f"openclaw-memory hooks {args.verb} {args.host}")
    if ws is None and args.host == "claude" and args.verb == "install" and not args.user:
        find_workspace(args.workspace)  # says what is missing: a project's hooks are of no use without one
    report = _act(root, args)
    if args.host == "openclaw" and ws and not args.dry_run:
        report = _beats(ws, report, args)
    outcome = _attributes(ws, args) if ws and args.host == "git" else Outcome(())
    return _print(report, outcome, args)


def _workspace(args: argparse.Namespace) -> Workspace | None:
    """The workspace; git's hooks serve a repository without one, too."""
    try:
        return find_workspace(args.workspace)
    except WorkspaceError:
        if args.workspace and not args.workspace.is_dir():
            raise
        return None


def _act(root: Path, args: argparse.Namespace) -> hooks.Report:
    if args.host == "git":
        return (hooks.install_git if args.verb == "install" else hooks.uninstall_git)(root, dry_run=args.dry_run)
    if args.host == "claude":
        act = hooks.install_claude if args.verb == "install" else hooks.uninstall_claude
        return act(root, user=args.user, dry_run=args.dry_run)
    return (hooks.install_openclaw if args.verb == "install" else hooks.uninstall_openclaw)(dry_run=args.dry_run)


def _beats(ws: Workspace, report: hooks.Report, args: argparse.Namespace) -> hooks.Report:
    """Have the host's cron call the workspace's beats, or no more; a note where its gateway does not answer."""
    from openclaw_memory.heartbeat import drivers, installing

    try:
        if args.verb == "install":
            done = installing.install(ws, drivers.export(ws, "openclaw-cron"))
        else:
            done = installing.remove_openclaw_job(ws)
    except OpenClawMemoryError as error:
        later = "openclaw-memory heartbeat export openclaw-cron --install"
        done = (f"its cron does not call the beats ({error.message.splitlines()[0][:120]}); later: {later}",)
    return hooks.Report(report.host, report.steps, (*report.notes, *done))


def _merged(ws: Workspace) -> list[str]:
    """The files of the workspace that our merge driver is for."""
    return attributes.patterns(ws.config.index.path, ws.layout.roots)


def _attributes(ws: Workspace, args: argparse.Namespace) -> Outcome:
    """Give the index and the facts to the merge driver in .gitattributes, or take them back."""

    def plan() -> Iterable[Change]:
        path = ws.path(attributes.FILE)
        before = fsio.read(path) if path.exists() else None
        edit = attributes.added if args.verb == "install" else attributes.removed
        after = markdown.encode(edit(markdown.decode(before or b""), _merged(ws)))
        return [Change(attributes.FILE, before, after or None)]

    command = f"hooks {args.verb} git"
    return transact(
        ws, command, plan, dry_run=args.dry_run, commit=args.commit, message="Set the merge driver of index and facts"
    )


def _print(report: hooks.Report, outcome: Outcome, args: argparse.Namespace) -> int:
    steps = [step.describe() for step in report.steps] + [f"edit {change.path}" for change in outcome.changes]
    if args.json:
        print_json({**report.to_json(), "steps": steps, "dryRun": args.dry_run, "commit": outcome.commit})
        return 0
    for step in steps:
        print(_here(f"would {step}" if args.dry_run else step))
    if not steps:
        print("nothing to change")
    for note in report.notes:
        print(_here(f"note: {note}"))
    return 0


def _status(root: Path, merged: Sequence[str], args: argparse.Namespace) -> int:
    states = [state for state in hooks.status(root, merged) if args.host in (None, state.host)]
    if args.json:
        print_json({"hooks": [state.to_json() for state in states]})
    else:
        for state in states:
            print(_here(f"{state.host:9} {state.name:23} {state.state:10} {state.detail}".rstrip()))
        for fix in dict.fromkeys(state.fix for state in states if state.fix):
            print(_here(remedy(fix)))
    return int(any(state.state != "installed" for state in states if args.host == state.host or state.host == "git"))


def _here(text: str) -> str:
    """`text` with paths below the current folder as a person would type them."""
    return text.replace(f"{Path.cwd()}{os.sep}", "")

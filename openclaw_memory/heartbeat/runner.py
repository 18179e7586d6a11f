"""One beat, from lock to log: what is due is run or handed to the agent, once, and remembered.

At least once: a run is remembered after it is over, so a beat that is killed runs it again. A prompt counts as done
when it was handed over, which `deliver` does (it prints). One beat at a time; a repeated beat id counts once.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable, Sequence
from datetime import datetime

from openclaw_memory import fsio
from openclaw_memory.config import PROFILES, seconds
from openclaw_memory.errors import FormatError, GitError, LockError, WorkspaceError, WriteError
from openclaw_memory.heartbeat import agenda as agendas
from openclaw_memory.heartbeat import answer, due
from openclaw_memory.heartbeat.agenda import Agenda
from openclaw_memory.heartbeat.clock import settle
from openclaw_memory.heartbeat.due import Selection
from openclaw_memory.heartbeat.model import NOT_TRUSTED, Task
from openclaw_memory.heartbeat.report import Report
from openclaw_memory.heartbeat.state import Beat, Counts, Memory, Run, State, peek
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace import Workspace

if TYPE_CHECKING:
    from openclaw_memory.findings import Finding
    from openclaw_memory.heartbeat.builtins import Builtin
    from openclaw_memory.heartbeat.execute import Result

LOCK = "beat.lock"
SHOWN = 20
"""Lines of a check's findings that the agent is told."""
TRIES = 3
"""Beats in which a failing run is tried again before it waits for its next turn."""


Deliver = Callable[[Report], None]


def run(
    ws: Workspace,
    now: datetime,
    deliver: Deliver,
    *,
    beat_id: str | None = None,
    do_commit: bool = False,
    dry: bool = False,
    prompts: bool = True,
) -> Report:
    """Run one beat and hand its report to `deliver` before the prompts count as done; without `prompts` they stay due.

    Raises WriteError where the state cannot be written: then nothing was run, for nothing could be counted.
    """
    if beat_id is not None:
        beat_id = beat_id.encode("utf-8", "backslashreplace").decode()  # the state takes no odd bytes
    if dry:
        report = _preview(ws, now, prompts)
        deliver(report)
        return report
    try:
        with fsio.locked(ws.state_dir / LOCK, timeout=0):
            return _Beat(ws, now, deliver, do_commit, prompts).run(beat_id)
    except sqlite3.Error as error:
        hint = "is the disk full, or does another process hold it?"
        raise WriteError(f"the state of the beats cannot be used: {error}", hint) from error
    except LockError as error:
        report = _plain(ws, now, "busy", 0, beat_id, f"another beat is running: {error.message}")
        deliver(report)
        return report


def _preview(ws: Workspace, now: datetime, prompts: bool) -> Report:
    """What a beat would do now."""
    agenda = agendas.load(ws)
    number, memories = peek(ws, ws.zone.tz)
    known = due.meet(ws, agenda.tasks, memories, now)
    selection = due.select(agenda.tasks, due.remembered(known, memories, number + 1, now), number + 1, now)
    selection = selection if prompts else _without_prompts(selection)
    text, quiet = _text(ws, agenda, selection, (), number + 1, now)
    would = tuple((task, Run(task.key, "due", now), "") for task in selection.builtins)
    return Report(
        "dry-run",
        number + 1,
        None,
        now,
        ws.zone.name,
        text,
        quiet,
        prompts=selection.prompts,
        runs=would,
        findings=(*known.findings, *agenda.findings()),
    )


def _without_prompts(selection: Selection) -> Selection:
    return selection._replace(prompts=(), groups={})


def _plain(ws: Workspace, now: datetime, status: str, beat: int, beat_id: str | None, notice: str) -> Report:
    """A call that is no beat."""
    quiet = PROFILES[ws.config.profile].quiet
    return Report(status, beat, beat_id, now, ws.zone.name, quiet, True, notices=(notice,), quiet_text=quiet)


def _text(
    ws: Workspace, agenda: Agenda, selection: Selection, said: tuple[str, ...], beat: int, now: datetime
) -> tuple[str, bool]:
    quiet = answer.quiet_answer(agenda.plan, PROFILES[ws.config.profile])
    parts = list(said)
    if selection.prompts:
        parts.append(answer.block(selection.prompts, agenda.plan, beat, now, ws.zone.name, quiet))
    return ("\n\n".join(parts), False) if parts else (quiet, True)


class _Beat:
    """One beat under the lock."""

    def __init__(self, ws: Workspace, now: datetime, deliver: Deliver, do_commit: bool, prompts: bool) -> None:
        self.ws = ws
        self.now = now
        self.deliver = deliver
        self.do_commit = do_commit
        self.prompts = prompts
        self.began = time.monotonic()
        self.builtins: dict[str, Builtin] = {}
        self.notices: list[str] = []

    def run(self, beat_id: str | None) -> Report:
        agenda = agendas.load(self.ws, keep=True)
        with State(self.ws, self.ws.zone.tz) as state:
            beat = state.open_beat(beat_id, self.now, due.keys_of(agenda.tasks))
            if beat.repeated:
                report = _plain(self.ws, self.now, "repeated", beat.number, beat_id, f"beat {beat_id} was already run")
                self.deliver(report)
                return report
            return self._count(state, agenda, beat)

    def _count(self, state: State, agenda: Agenda, beat: Beat) -> Report:
        memories = state.tasks()
        known = due.meet(self.ws, agenda.tasks, memories, self.now)
        state.meet(known.slots, beat.number, self.now)
        memories = due.remembered(known, memories, beat.number, self.now)
        selection = due.select(agenda.tasks, memories, beat.number, self.now)
        if not self.prompts:
            selection = _without_prompts(selection)
        runs, deferred = self._run_builtins(state, agenda, beat, selection, memories)
        sha, notices = self._commit(state, runs, bool(selection.tasks))
        said = tuple(filter(None, (_say(task, run, output) for task, run, output in runs)))
        text, quiet = _text(self.ws, agenda, selection, (*said, *notices), beat.number, self.now)
        report = Report(
            "beat",
            beat.number,
            beat.id,
            self.now,
            self.ws.zone.name,
            text,
            quiet,
            prompts=selection.prompts,
            runs=tuple(runs),
            deferred=tuple(deferred),
            findings=(*known.findings, *(_news_of(agenda) if known.slots or beat.number == 1 else ())),
            notices=(*_set_back(beat), *notices, *_not_trusted(agenda), *self.notices, *_unavailable(runs)),
            commit=sha,
            seconds=time.monotonic() - self.began,
            quiet_text=answer.quiet_answer(agenda.plan, PROFILES[self.ws.config.profile]),
        )
        self.deliver(report)
        self._finish(state, beat, selection, memories, report)
        return report

    def _run_builtins(
        self, state: State, agenda: Agenda, beat: Beat, selection: Selection, memories: dict[str, Memory]
    ) -> tuple[list[tuple[Task, Run, str]], list[Task]]:
        budget = seconds(self.ws.config.heartbeat.budget)
        runs: list[tuple[Task, Run, str]] = []
        for at, task in enumerate(selection.builtins):
            if runs and time.monotonic() - self.began > budget:
                return runs, list(selection.builtins[at:])
            memory = memories[task.key]
            result = self._news(task, memory, self._execute(state, task))
            run = Run(task.key, result.status, self.now, result.seconds, result.message[:2000])
            state.add_pending(list(result.changed))
            self.notices += [f"{task.name}: {result.notice}"] if result.notice else []
            if result.status in ("failed", "ended") and memory.tries + 1 < TRIES:
                state.fail(beat, run)
            else:  # what was found counts as told when it was
                told = run._replace(message="") if run.status == "findings" else run
                state.settle(beat, told, settle(task.schedule, memory.last, self.now))
            runs.append((task, run, result.output))
        return runs, []

    def _execute(self, state: State, task: Task) -> Result:
        """Run what the task's file says now: it may have changed, or lost its trust, since it was found due."""
        from openclaw_memory.heartbeat import builtins, execute

        self.builtins = self.builtins or builtins.by_key(agendas.own_files(self.ws))
        builtin = self.builtins.get(task.key)
        if builtin is None:
            return execute.Result("failed", message="its file is gone, or its command is not trusted any more")
        if task.kind == "command":
            return self._command(state, builtin.run, task.budget)
        model = self.ws.config.llm.provider and builtin.runs_with_model
        words = builtin.runs_with_model if model else builtin.runs
        result = execute.verb(words, self.ws.root, task.budget, self.now.isoformat())
        asks = result.status == "ok" and result.output and builtin.then
        return result._replace(output=f"{result.output.rstrip()}\n\n{builtin.then}") if asks else result

    def _command(self, state: State, command: str, budget: float) -> Result:
        """Run a command of the user's; where beats commit, with what it changed."""
        from openclaw_memory.heartbeat import changes, execute

        def work() -> Result:
            return execute.shell(command, self.ws.root, budget)

        return changes.watched(self.ws, state.pending(), work) if self.do_commit else work()

    def _news(self, task: Task, memory: Memory, result: Result) -> Result:
        """The result with findings cut to what an agent should read, and without those it was told already."""
        if result.status != "findings":
            return result
        lines = result.output.strip().splitlines()
        digest = f"{len(lines)} lines ({zlib.crc32(result.output.encode('utf-8', 'replace')):08x})"
        if memory.message == digest and not self.builtins[task.key].again:
            return result._replace(output="", message=digest)
        more = [f"and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
        return result._replace(output="\n".join([*lines[:SHOWN], *more]), message=digest)

    def _commit(
        self, state: State, runs: list[tuple[Task, Run, str]], busy: bool
    ) -> tuple[str | None, tuple[str, ...]]:
        """One commit for all that this beat, and those whose commit was refused, have changed."""
        try:
            self._note_state(busy)
        except (FormatError, WorkspaceError, WriteError) as error:
            return None, (f"{self.ws.config.heartbeat.state_file}: {error.message}",)
        paths = state.pending() if self.do_commit and runs else []  # one that was refused is not tried each beat
        if not paths:
            return None, ()
        from openclaw_memory.heartbeat import commit

        try:
            names = ", ".join(task.name for task, run, _ in runs if run.status in ("ok", "findings"))
            sha = commit.commit(self.ws, paths, f"Heartbeat: {names}" if names else "Heartbeat")
        except GitError as error:
            return None, (f"the commit of this beat was refused: {error.message}",)
        state.clear_pending()
        return sha, ()

    def _note_state(self, busy: bool) -> None:
        """Tell the agent's own state file, where there is one, what our clock says; all else in it stays."""
        name = self.ws.config.heartbeat.state_file
        if busy and (self.ws.root / name).is_file():
            path = self.ws.path(name)
            from openclaw_memory import markdown
            from openclaw_memory.heartbeat import hints

            ours: dict[str, object] = {"lastBeat": self.now.isoformat(timespec="seconds")}
            text = hints.write_ours(markdown.decode(fsio.read(path)), ours)
            fsio.write(path, markdown.encode(text))

    def _finish(
        self, state: State, beat: Beat, selection: Selection, memories: dict[str, Memory], report: Report
    ) -> None:
        done = [(Run(task.key, "ok", self.now), task.schedule) for task in selection.prompts]
        done += [(Run(key, "", self.now), schedule) for key, schedule in selection.groups.items()]
        slots = [(run, settle(schedule, memories[run.key].last, self.now)) for run, schedule in done]
        failed = sum(run.status in ("failed", "ended") for _, run, _ in report.runs)
        told = {run.key: run.message for _, run, _ in report.runs if run.status == "findings"}
        counts = Counts(len(selection.tasks), len(report.runs) - failed, failed)
        state.close_beat(beat, slots, told, counts, time.monotonic() - self.began)


def _say(task: Task, run: Run, output: str) -> str:
    """What the agent is told of a run: its findings, its prompt, its failure, or what a command of the user's printed.

    What this installation cannot do is for the person who installs, not for the agent.
    """
    if run.status in ("ok", "findings"):
        return f"{task.name}:\n{output.strip()}" if output.strip() else ""
    return "" if run.status == "unavailable" else f"{task.name}: {run.status}: {run.message}".strip(": ")


def _news_of(agenda: Agenda) -> list[Finding]:
    return [finding for finding in agenda.findings() if finding.code != NOT_TRUSTED]


def _not_trusted(agenda: Agenda) -> list[str]:
    """A line for each command that does not run: one that lost its trust must not fall silent."""
    return [
        f"{path}: {problem.message}; fix: {problem.fix}"
        for path, problem in agenda.problems
        if problem.code == NOT_TRUSTED
    ]


def _unavailable(runs: Sequence[tuple[Task, Run, str]]) -> list[str]:
    return [f"{task.name} did not run: {run.message}" for task, run, _ in runs if run.status == "unavailable"]


def _set_back(beat: Beat) -> tuple[str, ...]:
    if beat.set_back < 60:
        return ()
    return (
        f"the clock was set back by {beat.set_back:.0f} s since the last beat; intervals go on from where they were",
    )

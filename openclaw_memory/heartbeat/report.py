"""What a beat did, as a value: for the agent, for people, as JSON."""

from __future__ import annotations

from datetime import datetime

from openclaw_memory.heartbeat.model import Task
from openclaw_memory.heartbeat.state import Run
from openclaw_memory.record import TYPE_CHECKING, Record

if TYPE_CHECKING:
    from openclaw_memory.findings import Finding


class Report(Record):
    """What a beat did. `status` is beat, repeated (known id), busy (another runs) or dry-run.

    `runs` are (task, run) of built-ins and commands, `deferred` those the budget left for the next beat. `text` is what
    the agent is told; `quiet` is True when it is only the token for "nothing to do".
    """

    status: str
    beat: int
    id: str | None
    now: datetime
    zone: str
    text: str
    quiet: bool
    prompts: tuple[Task, ...] = ()
    runs: tuple[tuple[Task, Run, str], ...] = ()
    deferred: tuple[Task, ...] = ()
    findings: tuple[Finding, ...] = ()
    notices: tuple[str, ...] = ()
    commit: str | None = None
    seconds: float = 0.0
    quiet_text: str = ""
    """What the agent would be told if nothing were due."""

    @property
    def failed(self) -> bool:
        """Whether a run failed or was ended at its budget."""
        return any(run.status in ("failed", "ended") for _, run, _ in self.runs)

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {
            "status": self.status,
            "beat": self.beat,
            "id": self.id,
            "now": self.now.isoformat(timespec="seconds"),
            "zone": self.zone,
            "quiet": self.quiet,
            "text": self.text,
            "prompts": [_task_json(task) for task in self.prompts],
            "runs": [
                {**_task_json(task), "status": run.status, "seconds": round(run.seconds, 3), "message": run.message}
                for task, run, _ in self.runs
            ],
            "deferred": [_task_json(task) for task in self.deferred],
            "findings": [finding.to_json() for finding in self.findings],
            "notices": list(self.notices),
            "commit": self.commit,
            "seconds": round(self.seconds, 3),
        }


def _task_json(task: Task) -> dict[str, object]:
    return {
        "key": task.key,
        "name": task.name,
        "kind": task.kind,
        "schedule": str(task.schedule),
        "when": task.schedule.to_json(),
        "path": task.path,
        "line": task.line,
        "text": task.text,
    }

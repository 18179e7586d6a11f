"""Everything that keeps a workspace's memory from reaching the model, or from being kept in order. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from openclaw_memory import config, context, fsio, hooks, markdown, tokens
from openclaw_memory.check import repository
from openclaw_memory.check.worktree import worktree
from openclaw_memory.config import PROFILES
from openclaw_memory.errors import GitError, OpenClawMemoryError, WorkspaceError
from openclaw_memory.git import Repo
from openclaw_memory.heartbeat import facts as beats
from openclaw_memory.hooks import HookState, attributes
from openclaw_memory.record import Record
from openclaw_memory.retrieval import native
from openclaw_memory.rules import RULES, Severity
from openclaw_memory.scaffold.doctor import provenance
from openclaw_memory.scaffold.doctor.bootstrap import BootFile, boot, warnings
from openclaw_memory.subject import Family
from openclaw_memory.workspace import Workspace

COMMITS = 20  # how far back to look for commits that broke the rule
_REWRITES = "openclaw-memory-promotion:"  # what the host leaves in an index that it rewrites at night


class Problem(Record):
    """One thing that is wrong or worth knowing; `fix` is a command or a sentence."""

    severity: Severity
    message: str
    fix: str = ""


class Costs(Record):
    """Tokens of one session start: everything there is, what the host loads by itself, what `context` loads."""

    everything: int
    host: int
    context: int


class Indexing(Record):
    """Whether text is indexed by compiled code (plain Python gives the same results); if not, why, and what to do."""

    compiled: bool
    reason: str
    fix: str


class Diagnosis(Record):
    """What `doctor` found."""

    host: str
    source: str
    files: tuple[BootFile, ...]
    hooks: tuple[HookState, ...]
    problems: tuple[Problem, ...]
    costs: Costs
    zone: str
    indexing: Indexing

    @property
    def failed(self) -> bool:
        """Whether something is wrong that should not stay so."""
        return any(problem.severity == "error" for problem in self.problems)

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {
            "host": self.host,
            "source": self.source,
            "files": [file._asdict() for file in self.files],
            "hooks": [hook.to_json() for hook in self.hooks],
            "problems": [problem._asdict() for problem in self.problems],
            "tokens": self.costs._asdict(),
            "timezone": self.zone,
            "indexing": self.indexing._asdict(),
        }


def diagnose(ws: Workspace, families: Sequence[Family] = ()) -> Diagnosis:
    """Look at the workspace as its host does, then at git, hooks, config and the rules."""
    profile = PROFILES[ws.config.profile]
    files = boot(ws)
    states = hooks.status(ws.root, attributes.patterns(ws.config.index.path, ws.layout.roots))
    problems = [
        *(Problem("error", message, fix) for message, fix in warnings(ws, files)),
        *_host(ws),
        *(Problem(*fact) for fact in beats.facts(ws, ws.now())),
        *_hooks(ws, states),
        *_commits(ws, families),
        *(Problem("warning", text) for text in ws.config.warnings),
        *(Problem("info", text) for text in ws.config.notes),
        *_findings(ws, families),
    ]
    indexing = Indexing(native.speed is not None, native.why_not, native.remedy)
    zone = f"{ws.zone.name} ({ws.zone.source})"
    return Diagnosis(
        profile.name, profile.source, tuple(files), tuple(states), tuple(problems), _costs(ws, files), zone, indexing
    )


def _host(ws: Workspace) -> Iterator[Problem]:
    """What the host does with files by their names."""
    profile, names = PROFILES[ws.config.profile], {path.name for path in ws.root.iterdir()}
    if ws.config.index.path not in profile.files:
        yield Problem(
            "error",
            f"the host {profile.name} does not load {ws.config.index.path}: it loads {', '.join(profile.files)}",
            f"rename it to MEMORY.md and take `index: path:` out of {config.FILE}",
        )
    if not profile.reads_heartbeat and ws.config.heartbeat.file == "HEARTBEAT.md" and "HEARTBEAT.md" in names:
        yield Problem("info", *_RETIRED_HEARTBEAT)
    if profile.name == "openclaw" and "TOOLS.md" in names:
        yield Problem(
            "warning", "TOOLS.md is not loaded by this host any more", "move it below `## Tools` in AGENTS.md"
        )
    index = ws.index_path
    if index.is_file() and _REWRITES.encode() in index.read_bytes():
        yield Problem("info", *_DREAMING)


_RETIRED_HEARTBEAT = (
    "this host does not read HEARTBEAT.md, and its own `doctor --fix` moves it away: only openclaw-memory reads it",
    "name another file: `heartbeat: file: TASKS.md` in openclaw-memory.yaml, and rename it",
)
_DREAMING = (
    "the host rewrites the index at night (dreaming) and may drop revs and entries",
    "switch it off in the host (plugins.entries.memory-core.config.dreaming.enabled: false), or run index sync daily",
)
_TRUST: dict[provenance.Standing, tuple[Severity, str]] = {
    "untrusted": (
        "error",
        "OpenClaw does not load MEMORY.md any more: its own tools wrote it after another program did",
    ),
    "at risk": (
        "warning",
        "another program has written MEMORY.md since OpenClaw did: its next own write will stop it from being loaded",
    ),
    "trusted": (
        "info",
        "OpenClaw stops loading MEMORY.md, without a word, once its own tools write it after another program did",
    ),
}
_TRUST_FIX = "let its hook add the index where the host leaves it out: openclaw-memory hooks install openclaw"


def _hooks(ws: Workspace, states: list[HookState]) -> Iterator[Problem]:
    for state in states:
        if state.state == "installed":
            continue
        optional = state.host != "git" and state.state == "missing"
        severity: Severity = "info" if optional else "error" if state.name == "pre-commit" else "warning"
        if optional and not PROFILES[ws.config.profile].name.startswith(state.host):
            continue
        detail = f": {state.detail}" if state.detail else ""
        yield Problem(severity, f"the {state.host} hook {state.name} is {state.state}{detail}", state.fix)
    hooked = any(state.state == "installed" for state in states if state.host == "openclaw")
    if ws.config.profile == "openclaw" and not hooked:
        severity, message = _TRUST[provenance.standing(ws)]
        yield Problem(severity, message, _TRUST_FIX)


def _commits(ws: Workspace, families: Sequence[Family]) -> Iterator[Problem]:
    """Commits that a hook would have refused, and memory that is in no commit at all."""
    try:
        repo = Repo.find(ws.root)
        scope = repository.Scope(families, repo.prefix(ws.root), lambda prefix: "", True)
        span = _recent(repo)
        broken = (
            {report.commit[:10] for report in repository.commits(repo, scope, span) if report.failed} if span else ()
        )
        dirty = repo.run("status", "--porcelain", "-z", "--", repo.prefix(ws.root) or ".").split(b"\0")
    except GitError as error:
        yield Problem("error", error.message, error.hint)
        return
    if broken:
        yield Problem(
            "warning",
            f"{len(broken)} of the last {COMMITS} commits break a rule: {', '.join(sorted(broken))}",
            f"they were made without the hook (--no-verify, rebase); see openclaw-memory check --range {span}",
        )
    waiting = [line for line in dirty if line.endswith(b".md")]
    if waiting:
        yield Problem(
            "info", f"Markdown files with changes that no commit has yet: {len(waiting)}", "git add and commit"
        )


def _recent(repo: Repo) -> str:
    """The range of the last commits; empty where there is none that has a parent."""
    heads = repo.run("rev-list", f"--max-count={COMMITS + 1}", "HEAD", ok=(0, 128)).decode().split()
    return f"{heads[-1][:10]}..{heads[0][:10]}" if len(heads) > 1 else ""


def _findings(ws: Workspace, families: Sequence[Family]) -> Iterator[Problem]:
    """The findings of `check`, one line a rule."""
    try:
        report = worktree(ws, families)
    except OpenClawMemoryError as error:
        yield Problem("error", f"check cannot judge: {error.message}", error.hint)
        return
    counts = Counter((found.severity, found.code) for found in report.findings)
    for (severity, code), count in sorted(counts.items(), key=lambda item: item[0][1]):
        first = next(found for found in report.findings if found.code == code)
        more = f", and {count - 1} more" if count > 1 else ""
        yield Problem(
            severity, f"{code} {RULES[code].name}: {first.message}{more}", first.fix or "openclaw-memory check"
        )
    if report.known:
        yield Problem("info", f"{report.known} older findings are in the baseline", "openclaw-memory check --select OM")


def _costs(ws: Workspace, files: list[BootFile]) -> Costs:
    everything = sum(_tokens(ws, path) for path in [ws.config.index.path, *ws.detail_files()])
    try:
        loaded = tokens.count(context.render(context.build(ws)))
    except OpenClawMemoryError:
        loaded = 0
    return Costs(everything, sum(file.tokens for file in files), loaded)


def _tokens(ws: Workspace, path: str) -> int:
    try:
        return tokens.count(markdown.decode(fsio.read(ws.path(path))))
    except WorkspaceError:
        return 0

"""Carries a plan out in one transaction, once the sum of all lines is proven to be the same before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from openclaw_memory import fsio, index, markdown, tokens
from openclaw_memory.errors import FormatError
from openclaw_memory.git import Repo, rev6
from openclaw_memory.index.described import Described
from openclaw_memory.index.disk import load
from openclaw_memory.markdown import Document, Line, split_lines
from openclaw_memory.record import Record
from openclaw_memory.scaffold.migrate.plan import Plan, plan
from openclaw_memory.workspace import Change, Outcome, Workspace, transact


class Migration(Record):
    """The plan, what was (or in a dry run would be) written, and the size of the index in tokens."""

    plan: Plan
    outcome: Outcome
    tokens_before: int
    tokens_after: int

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        return {
            **self.outcome.to_json(),
            "spans": [span._asdict() for span in self.plan.spans],
            "dates": [{**r._asdict(), "day": r.day and r.day.isoformat()} for r in self.plan.readings],
            "tokens": {"before": self.tokens_before, "after": self.tokens_after},
        }


def migrate(ws: Workspace, *, apply: bool = False, commit: bool = False, stage: bool = False) -> Migration:
    """Split the index of `ws`; without `apply` only plan it. With `stage` what it writes is staged for the next commit.

    Raises WorkspaceError where there is none, FormatError for one with an open fence or conflict markers.
    """
    made: list[tuple[Plan, int, int]] = []

    def changes() -> Iterator[Change]:
        loaded = load(ws)
        index.check_writable(loaded.index)
        planned = _settled(ws, plan(loaded.index, ws.layout, ws.config.language))
        parts = _parts(ws, loaded.index.document, planned)
        rest = parts.pop("")
        text = _with_entries(ws, rest, planned, parts, loaded.index.path)
        made.append((planned, tokens.count(loaded.index.text), tokens.count(text)))
        _prove(split_lines(markdown.decode(rest)), split_lines(text))
        yield from (Change(path, _old(ws, path), data) for path, data in parts.items())
        yield Change(ws.config.index.path, loaded.data, markdown.encode(text))

    outcome = transact(
        ws,
        "migrate",
        changes,
        dry_run=not apply,
        commit=commit,
        allow_shrink=True,
        message="Split the index into detail files",
    )
    if stage and apply and outcome.changes:
        repo = Repo.find(ws.root)
        repo.run("add", "--", *(repo.prefix(ws.root) + change.path for change in outcome.changes))
    return Migration(made[-1][0], outcome, *made[-1][1:])


def _settled(ws: Workspace, planned: Plan) -> Plan:
    """The plan with each entity that lives in a folder of its own meant by its `summary.md`."""

    def place(path: str) -> str:
        folder = f"{path.removesuffix('.md')}/summary.md"
        return folder if path and (ws.root / folder).is_file() else path

    return planned._replace(spans=tuple(span._replace(to=place(span.to)) for span in planned.spans))


def _parts(ws: Workspace, document: Document, planned: Plan) -> dict[str, bytes]:
    """The new content of each file, "" for what stays; proven to hold every line exactly once."""
    moved: dict[str, list[Line]] = {"": []}
    for span in planned.spans:
        moved.setdefault(span.to, []).extend(document.lines[span.first - 1 : span.last])
    _prove(document.lines, [line for lines in moved.values() for line in lines], exactly=True)
    parts = {"": _joined(moved.pop(""), document)}
    for path, lines in moved.items():
        old = markdown.decode(_old(ws, path) or b"")
        parts[path] = (old + document.eol if old and not old.endswith(("\n", "\r")) else old) + _joined(lines, document)
    return {path: markdown.encode(text) for path, text in parts.items()}


def _joined(lines: list[Line], document: Document) -> str:
    """Lines as they were; one that ended the file without a line end gets one."""
    return "".join(line.text + (line.eol or document.eol) for line in lines)


def _prove(before: Sequence[Line], after: Sequence[Line], *, exactly: bool = False) -> None:
    """Raise FormatError unless every line of `before` is in `after` as often; `exactly`: and nothing else is."""
    old, new = Counter(line.text for line in before), Counter(line.text for line in after)
    lost = (old - new) or (new - old if exactly else None)
    if lost:
        raise FormatError(f"the plan does not keep the line {next(iter(lost))!r}", "nothing was changed; report this")


def _with_entries(ws: Workspace, rest: bytes, planned: Plan, parts: dict[str, bytes], where: str) -> str:
    """The remaining text with an entry for each new file, with its rev and triggers from its title."""
    text = markdown.decode(rest)
    files = {*ws.detail_files(), *planned.files}
    parsed = index.parse(text, files, index_path=where, link_base=ws.config.index.link_base)
    parsed.language = ws.config.language
    draft = index.Draft(parsed, keeps_lines=True)
    for path, title in planned.files.items():
        rev = rev6(parts[path]) if ws.config.index.revs else None
        if draft.index.entry(path):
            draft.set_rev(path, rev)
        else:
            triggers = index.offered_triggers(path, Described(title=title))
            draft.add(path, index.Words(name=title, triggers=triggers, rev=rev))
    return draft.text


def _old(ws: Workspace, path: str) -> bytes | None:
    full = ws.path(path)
    return fsio.read(full) if full.is_file() else None

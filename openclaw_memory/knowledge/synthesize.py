"""Summaries: the facts in use of an entity, between two markers of its Markdown. Text around them is a person's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from openclaw_memory import markdown
from openclaw_memory.errors import FormatError
from openclaw_memory.facts import tiers
from openclaw_memory.facts.heat import Heat
from openclaw_memory.facts.model import Fact
from openclaw_memory.facts.tiers import Clock, Tier, Use
from openclaw_memory.knowledge import access, chain, decayfile, folders
from openclaw_memory.knowledge.access import Key
from openclaw_memory.knowledge.factsfile import FactsFile, load
from openclaw_memory.knowledge.indexing import Plan, indexed
from openclaw_memory.knowledge.store import Entity, Store
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome

BEGIN = "<!-- openclaw-memory:begin facts -->"
END = "<!-- openclaw-memory:end facts -->"

MOST_ROWS = 200  # facts that a summary shows; more than that nobody reads, and `fact list` has them

_TITLES: dict[Heat, str] = {"hot": "Hot", "warm": "Warm", "unknown": "Date not readable"}


@dataclass
class Synthesis:
    """What a run writes: the summaries that change, how many entities were read, and the files it had to skip."""

    written: list[str] = field(default_factory=list)
    entities: int = 0
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class View:
    """What summaries are made from beside the facts: the clock, first-seen days, accesses not folded in yet, and the
    ids of all facts (a chain may lead to another file)."""

    clock: Clock
    first_seen: dict[str, str]
    uses: dict[Key, Use]
    ids: frozenset[str] = frozenset()


def synthesize(
    ws: Workspace, now: datetime, names: Sequence[str] = (), *, dry_run: bool = False, commit: bool = False
) -> tuple[Synthesis, Outcome]:
    """Write the summaries of the entities `names` (default: all that have facts and are not archived) anew.

    A file with broken markers or facts is skipped and named; the others are written. Unchanged input writes nothing.
    """
    from openclaw_memory.workspace import transact

    results: list[Synthesis] = []

    def plan() -> list[Change]:
        store, work = Store(ws), Plan(ws)
        chosen = [store.entity(name) for name in names] or [e for e in store.entities.values() if not e.archived]
        results.append(_write(store, work, chosen, Clock.of(ws, now)))
        return indexed(work, {path: w for e in chosen for path, w in folders.words_of_new(work, e).items()})

    outcome = transact(ws, "synthesize", plan, dry_run=dry_run, commit=commit, message="Write summaries anew")
    return results[-1], outcome


def _write(store: Store, work: Plan, chosen: Iterable[Entity], clock: Clock) -> Synthesis:
    result = Synthesis()
    view = View(clock, decayfile.read(store.ws)[1].first_seen, access.pending(store.ws))
    for entity in chosen:
        if not entity.facts:
            continue
        result.entities += 1
        try:
            path = _summarize(work, entity, list(store.files_of(entity)), view)
        except FormatError as error:
            result.skipped.append(error.message)
            continue
        if path:
            result.written.append(path)
    return result


def resummarize(work: Plan, entity: Entity, clock: Clock) -> None:
    """Write the summary of one entity anew in `work`, from its facts as `work` has them; where it has a summary."""
    files = [load(work.read(rel) or b"", rel) for rel in (entity.facts, *entity.others) if rel]
    path = folders.summary_path(work, entity)
    if BEGIN.encode() in (work.read(path) or b""):
        view = View(clock, decayfile.read(work.ws)[1].first_seen, access.pending(work.ws))
        _summarize(work, entity, files, view)


def _summarize(work: Plan, entity: Entity, files: Sequence[FactsFile], view: View) -> str:
    path = folders.summary_path(work, entity)
    before = work.read(path)
    text = markdown.decode(before or b"")
    rows = _rows(entity, files, view)
    if before is None and not rows:
        return ""
    if not text.strip("\ufeff\r\n\t "):
        text = f"# {entity.slug.replace('-', ' ').title()}\n"
    after = markdown.encode(with_block(text, rows, path))
    if after == before:
        return ""
    work.write(path, after)
    return path


def with_block(text: str, rows: Sequence[str], path: str = "summary.md") -> str:
    """`text` with `rows` between its markers; without markers at its end, unless there is nothing to say.

    Raises FormatError naming the line where the markers are not one pair, or where the end is inside a code fence.
    """
    document = markdown.scan(text)
    eol = document.eol or "\n"
    lines = document.lines
    begins = [line.number for line in lines if line.text.strip("\ufeff \t") == BEGIN]
    ends = [line.number for line in lines if line.text.strip() == END]
    if not begins and not ends:
        return _appended(text, document, rows, eol, path) if rows else text
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        line = (begins + ends)[-1]
        raise FormatError(
            f"{path}:{line}: the markers of the facts are not one pair ({len(begins)} begin, {len(ends)} end)",
            f"leave one `{BEGIN}` with one `{END}` below it",
        )
    start, stop = lines[begins[0]].start, lines[ends[0] - 1].start
    return text[:start] + "".join(row + eol for row in rows) + text[stop:]


def _appended(text: str, document: markdown.Document, rows: Sequence[str], eol: str, path: str) -> str:
    if document.unclosed_fence is not None:
        raise FormatError(
            f"{path}:{document.unclosed_fence.first}: the code fence opened here is never closed",
            "close it: a summary written below it would be code",
        )
    gap = "" if text.endswith(eol * 2) else eol if text.endswith("\n") else eol * 2
    return text + gap + "".join(row + eol for row in (BEGIN, *rows, END))


def _rows(entity: Entity, files: Sequence[FactsFile], view: View) -> list[str]:
    """The lines between the markers: hot, warm, undated and broken facts, and how many are cold."""
    grouped: dict[Heat, list[tuple[Tier, Fact]]] = {"hot": [], "warm": [], "unknown": [], "cold": []}
    broken: list[str] = []
    for file in files:
        marked = {found.position: found for found in chain.breaks(file.facts, view.ids)}
        for position, fact in enumerate(file.facts):
            if fact.quarantined or fact.redacted or not fact.text.strip():
                continue
            if position in marked:
                broken.append(f"{_row(fact)}: {chain.MEANINGS[marked[position].trouble]}")
            elif fact.active:
                seen = view.first_seen.get(f"{entity.name}:{fact.id}")
                tier = tiers.of_fact(fact, view.clock, seen, view.uses.get((file.path, fact.id)))
                grouped[tier.heat].append((tier, fact))
    rows: list[str] = []
    left = MOST_ROWS
    for heat, title in _TITLES.items():
        found = sorted(grouped[heat], key=lambda pair: (-pair[0].times, _reversed(pair[0]), pair[1].id))
        rows += [f"## {title}", "", *(_row(fact) for _, fact in found[:left]), ""] if found[:left] else []
        if len(found) > left:
            rows += [f"_{len(found) - left} more {heat} facts: `openclaw-memory fact list {entity.name}`_", ""]
        left = max(0, left - len(found))
    rows += ["## Chain broken", "", *broken, ""] if broken else []
    if grouped["cold"]:
        count = len(grouped["cold"])
        rows += [f"_{count} cold {'fact' if count == 1 else 'facts'}: `openclaw-memory fact list {entity.name}`_", ""]
    return ["", *rows] if rows else []


def _reversed(tier: Tier) -> int:
    return -tier.last.toordinal() if tier.last else 0


def _row(fact: Fact) -> str:
    text = re.sub(r"\s+", " ", fact.text).strip().replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    return f"- {text} ({fact.id})" if fact.id else f"- {text}"

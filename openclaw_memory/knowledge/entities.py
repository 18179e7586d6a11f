"""Entities: new, archived, moved. Each changes files, links, index and `relatedEntities` in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from openclaw_memory import markdown
from openclaw_memory.errors import FormatError, UsageError
from openclaw_memory.index import Words
from openclaw_memory.knowledge import decayfile, folders
from openclaw_memory.knowledge.facts import Flags
from openclaw_memory.knowledge.indexing import Plan, indexed, landed
from openclaw_memory.knowledge.related import ARCHIVES, slug_of
from openclaw_memory.knowledge.store import Entity, Store
from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.workspace import Change, Workspace

if TYPE_CHECKING:
    from openclaw_memory.workspace import Outcome


def new(ws: Workspace, name: str, words: Words, flags: Flags = Flags()) -> tuple[str, Outcome]:  # noqa: B008
    """Write the summary of a new entity (`people/jane`), with its index entry; its facts file comes with its first
    fact. Returns the path. Raises UsageError for a bad name, one that exists, or whose twin lies in the archive."""
    kind, slug = checked(ws, name)
    path = ws.layout.files_of(f"{kind}/{slug}")[1]

    def plan() -> list[Change]:
        store, work = Store(ws), Plan(ws)
        create(store, work, f"{kind}/{slug}", words)
        return indexed(work, {path: index_words(f"{kind}/{slug}", words)})

    return path, _run(ws, f"entity new {name}", plan, flags, f"Add {name}")


def index_words(name: str, words: Words) -> Words:
    """What the index says of the new entity `name`: `words`, filled up from its slug."""
    title = words.name or name.rpartition("/")[2].replace("-", " ").title()
    return words._replace(name=title, triggers=words.triggers or (title.casefold(),))


def create(store: Store, work: Plan, name: str, words: Words) -> Entity:
    """Put the summary of the new entity `name` into `work`; returns the entity as it will be."""
    if name in store.entities:
        raise UsageError(f"{name} exists: {store.entities[name].place}", "choose another")
    if ARCHIVES + name in store.entities:
        raise UsageError(
            f"{name} lies in the archive", f"bring it back: openclaw-memory entity mv {ARCHIVES}{name} {name}"
        )
    path = work.ws.layout.files_of(name)[1]
    if work.read(path) is not None:
        raise UsageError(f"{path} exists already", "choose another name")
    title = index_words(name, words).name
    about = f"\n{words.about}\n" if words.about else ""
    work.write(path, markdown.encode(f"# {title}\n{about}"))
    return Entity(name, main=path)


def checked(ws: Workspace, name: str) -> tuple[str, str]:
    """(kind, slug) of the canonical `name`. Raises UsageError naming the kinds, or the slug that would do."""
    kind, _, slug = name.strip("/").partition("/")
    kinds = [known for known in ws.layout.kinds if known != "archives"]
    if kind not in kinds or not slug:
        raise UsageError(f"{name!r} is no entity's name", f"write KIND/SLUG; kinds: {', '.join(kinds)}")
    fitting = slug_of(slug)
    if slug != fitting:
        raise UsageError(f"{slug!r} is no slug", f"use {kind}/{fitting or 'jane-doe'}")
    return kind, slug


def archive(ws: Workspace, name: str, now: datetime, flags: Flags = Flags()) -> tuple[str, Outcome]:  # noqa: B008
    """Move an entity to the archive: nothing of it is deleted, and it keeps its kind (`archives/people/jane`).

    Returns its new name. Raises UsageError where it is unknown or lies there already.
    """

    def target(entity: Entity) -> tuple[str, str]:
        if entity.archived:
            raise UsageError(f"{entity.name} is archived already", entity.place)
        folder = f"{ws.layout.folder_of('archives')}/{now.year}/{entity.kind}"
        return ARCHIVES + entity.name, f"{folder}/{entity.slug}"

    return _move(ws, name, target, f"entity archive {name}", flags, f"Archive {name}")


def move(ws: Workspace, name: str, to: str, flags: Flags = Flags()) -> tuple[str, Outcome]:  # noqa: B008
    """Rename an entity, change its kind, or bring it back from the archive. Its facts keep their ids.

    Returns its new name. Raises UsageError for a bad name or one that is taken.
    """
    kind, slug = checked(ws, to)

    def target(entity: Entity) -> tuple[str, str]:
        return f"{kind}/{slug}", f"{ws.layout.folder_of(kind)}/{slug}"

    return _move(ws, name, target, f"entity mv {name} {to}", flags, f"Move {name} to {to}")


def _move(
    ws: Workspace,
    name: str,
    target: Callable[[Entity], tuple[str, str]],
    command: str,
    flags: Flags,
    message: str,
) -> tuple[str, Outcome]:
    names: list[str] = []

    def plan() -> list[Change]:
        store, work = Store(ws), Plan(ws)
        entity = store.entity(name)
        new_name, place = target(entity)
        names.append(new_name)
        moves = relocate(store, work, entity, new_name, place)
        resettle = (
            [entity.main] if entity.main and new_name.rpartition("/")[0] != entity.name.rpartition("/")[0] else []
        )
        return indexed(work, moves=moves, resettle=resettle)

    outcome = _run(ws, command, plan, flags, message)
    return names[-1], outcome


def relocate(store: Store, work: Plan, entity: Entity, new_name: str, place: str) -> Mapping[str, str]:
    """Put the move of all files of `entity` to `place` (a folder, or the same with `.md`) into `work`, with the names
    in `relatedEntities` and the rows of `decay.json`. Returns the moves for `indexed`."""
    if new_name in store.entities:
        raise UsageError(f"{new_name} exists: {store.entities[new_name].place}", "choose another name")
    files, moves = _files(store, work, entity, place)
    for old in files:
        new = landed(old, moves)
        if work.read(new) is not None:
            raise UsageError(f"{new} exists already", "choose another name, or move that file away first")
        work.move(old, new)
    _rename_related(store, work, entity.name, new_name, moves)
    decayfile.follow(work, moves, entity.name, new_name)
    return moves


def _files(store: Store, work: Plan, entity: Entity, place: str) -> tuple[list[str], Mapping[str, str]]:
    """All files of `entity`, and the moves that bring them to `place`."""
    if entity.single and not entity.facts:
        return [entity.main], {entity.main: f"{place}.md"}
    root, folder = store.ws.root, folders.folder_of(work, entity)
    inside = [path for path in sorted(root.joinpath(folder).rglob("*")) if path.is_file() and not path.is_symlink()]
    moves = {f"{folder}/": f"{place}/"}
    if entity.single:  # `jane.md` beside a folder `jane/` with its facts
        moves[entity.main] = f"{place}.md"
    return [path.relative_to(root).as_posix() for path in inside] + [entity.main] * entity.single, moves


def _rename_related(store: Store, work: Plan, old: str, new: str, moves: Mapping[str, str]) -> None:
    """Every fact that names the entity names it by its new name."""
    for entity in store.entities.values():
        try:
            files = list(store.files_of(entity))
        except FormatError:
            continue  # `check` reports it; an unreadable file must not keep others from moving
        for file in files:
            changes = {
                position: {"relatedEntities": [new if store.names.resolve(name) == old else name for name in f.related]}
                for position, f in enumerate(file.facts)
                if any(store.names.resolve(name) == old for name in f.related)
            }
            if changes:
                work.write(landed(file.path, moves), file.rewrite(changes))


def _run(ws: Workspace, command: str, plan: Callable[[], list[Change]], flags: Flags, message: str) -> Outcome:
    from openclaw_memory.workspace import transact

    return transact(ws, command, plan, dry_run=flags.dry_run, commit=flags.commit, message=message)

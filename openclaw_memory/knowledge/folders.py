"""Where an entity's files are: `jane.md` becomes `jane/summary.md` beside `jane/items.json` once it has facts."""

from __future__ import annotations

from collections.abc import Mapping

from openclaw_memory.index import Words
from openclaw_memory.knowledge.indexing import Plan
from openclaw_memory.knowledge.store import Entity

SUMMARY = "summary.md"
ITEMS = "items.json"


def folder_of(plan: Plan, entity: Entity) -> str:
    """The folder of `entity`, existing or to be made, without a slash at its end."""
    for path in (entity.facts, entity.main):
        if path:
            above = path.rpartition("/")[0]
            return f"{above}/{entity.slug}" if entity.single and path == entity.main else above
    return plan.ws.layout.files_of(entity.name)[1].rpartition("/")[0]


def facts_path(plan: Plan, entity: Entity) -> str:
    """The facts file of `entity`. Where it has none yet, its place; its `<slug>.md` moves into the folder in `plan`."""
    if entity.facts:
        return entity.facts
    folder = folder_of(plan, entity)
    summary = f"{folder}/{SUMMARY}"
    if entity.single and plan.read(entity.main) is not None:
        plan.move(entity.main, summary)
    return f"{folder}/{ITEMS}"


def summary_path(plan: Plan, entity: Entity) -> str:
    """The Markdown file that carries the entity's summary."""
    if entity.main and not entity.single:
        return entity.main
    if entity.main and plan.read(entity.main) is not None and not entity.facts:
        return entity.main
    return f"{folder_of(plan, entity)}/{SUMMARY}"


def moves(plan: Plan, entity: Entity) -> Mapping[str, str]:
    """The move that `facts_path` has put into `plan`, if it did."""
    change = plan.changes.get(entity.main)
    if change is None or change.after is not None or not entity.single:
        return {}
    return {entity.main: f"{folder_of(plan, entity)}/{SUMMARY}"}


def words_of_new(plan: Plan, entity: Entity) -> Mapping[str, Words]:
    """What the index says of a summary that `plan` creates for an entity that had no Markdown file."""
    path = summary_path(plan, entity)
    name = entity.slug.replace("-", " ").title()
    return {} if entity.main else {path: Words(name=name, triggers=(name.casefold(),))}

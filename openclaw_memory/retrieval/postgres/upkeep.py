"""Drop what the database holds of a workspace for nothing, and give the space back. Others' rows stay as they are."""

from __future__ import annotations

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.postgres.sync import sync

if TYPE_CHECKING:
    from openclaw_memory.retrieval.postgres.database import Database
    from openclaw_memory.workspace import Workspace

_TABLES = r"SELECT tablename FROM pg_tables WHERE tablename LIKE 'data\_openclaw\_memory\_n%'"
_ORPHANS = """
DELETE FROM {table} WHERE metadata_->>'owner' = %(owner)s AND metadata_->>'workspace' = %(workspace)s
AND NOT EXISTS (SELECT 1 FROM openclaw_memory_files WHERE doc = split_part(node_id, '-', 1))
"""
_OTHER_MODELS = """
DELETE FROM openclaw_memory_files WHERE agent = %(agent)s AND workspace = %(workspace)s AND model <> %(model)s
"""
_SIZE = "SELECT COALESCE(SUM(pg_total_relation_size(CAST(name AS regclass))), 0) FROM unnest(%(names)s) AS name"


def cleanup(ws: Workspace, database: Database) -> tuple[int, int]:
    """Drop files that are gone, passages that no file stands for, and what other models made of this workspace.

    Returns the bytes of all tables of passages before and after; nothing is dropped while another process indexes.
    """
    sync(ws, database)
    with database.writing() as mine:
        tables = [*(name for (name,) in database.run(_TABLES)), "openclaw_memory_files"]
        before = _size(database, tables)
        if not mine:
            return before, before
        database.run(_OTHER_MODELS, database.mine)
        for table in tables[:-1]:
            database.run(_ORPHANS.format(table=table), {"owner": database.owner, "workspace": database.workspace})
        database.vacuum(*tables)
        return before, _size(database, tables)


def _size(database: Database, tables: list[str]) -> int:
    return int(database.run(_SIZE, {"names": tables})[0][0])

"""Drop what the database holds of a workspace for nothing, and give the space back. Others' rows stay as they are."""

from __future__ import annotations

from openclaw_memory.record import TYPE_CHECKING
from openclaw_memory.retrieval.postgres.database import unreachable
from openclaw_memory.retrieval.postgres.sync import sync

if TYPE_CHECKING:
    from openclaw_memory.retrieval.embedders import Embedder
    from openclaw_memory.retrieval.postgres.database import Database
    from openclaw_memory.workspace import Workspace

_TABLES = "SELECT tablename FROM pg_tables WHERE tablename LIKE 'data\\_openclaw\\_memory\\_n%'"
_ORPHANS = """
DELETE FROM {table} WHERE metadata_->>'owner' = :owner AND metadata_->>'workspace' = :workspace
AND NOT EXISTS (SELECT 1 FROM openclaw_memory_files WHERE doc = metadata_->>'doc')
"""
_OTHER_MODELS = "DELETE FROM openclaw_memory_files WHERE agent = :agent AND workspace = :workspace AND model <> :model"


def cleanup(ws: Workspace, database: Database, embedder: Embedder) -> tuple[int, int]:
    """Drop files that are gone, passages that no file stands for, and what other models made of this workspace.

    Returns the bytes of all tables of passages before and after; nothing is dropped while another process indexes.
    """
    from sqlalchemy import text
    from sqlalchemy.exc import SQLAlchemyError

    sync(ws, database, embedder, 0.0)  # drops what is gone from disk, and writes nothing
    with database.writing() as mine:
        tables = [name for (name,) in database.run(_TABLES, {})]
        before = _size(database, tables)
        if not mine:
            return before, before
        database.run(_OTHER_MODELS, database.mine)
        for table in tables:
            database.run(_ORPHANS.format(table=table), {"owner": database.owner, "workspace": database.workspace})
        try:
            with database.store.client.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                for table in (*tables, "openclaw_memory_files"):
                    connection.execute(text(f"VACUUM ANALYZE {table}"))
        except SQLAlchemyError as error:
            raise unreachable(ws.config.retrieval.store, error) from error
        return before, _size(database, tables)


def _size(database: Database, tables: list[str]) -> int:
    sql = "SELECT COALESCE(SUM(pg_total_relation_size(CAST(name AS regclass))), 0) FROM unnest(:names) AS name"
    ((size,),) = database.run(sql, {"names": [*tables, "openclaw_memory_files"]})
    return int(size)

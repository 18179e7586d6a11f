"""A workspace on disk: where it is, which file is what, the one write path with undo, state, and the access journal.

Knows nothing of what the files say: the index, facts and notes are for the layers above.
"""

from openclaw_memory.workspace.changes import Change, Outcome
from openclaw_memory.workspace.layout import Layout
from openclaw_memory.workspace.workspace import STATE, Workspace, find_workspace
from openclaw_memory.workspace.zone import Zone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openclaw_memory.workspace.writing import transact, undo

_LATE = ("transact", "undo")  # what only writing needs is not imported by what only reads


def __getattr__(name: str) -> object:
    if name in _LATE:
        from openclaw_memory.workspace import writing

        return getattr(writing, name)
    raise AttributeError(name)


__all__ = ["STATE", "Change", "Layout", "Outcome", "Workspace", "Zone", "find_workspace", "transact", "undo"]

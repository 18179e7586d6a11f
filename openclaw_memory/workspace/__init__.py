"""A workspace on disk: where it is, which file is what, the one write path with undo, state, and the access journal.

Knows nothing of what the files say: the index, facts and notes are for the layers above.
"""

from openclaw_memory.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openclaw_memory.workspace.changes import Change, Outcome
    from openclaw_memory.workspace.layout import Layout
    from openclaw_memory.workspace.workspace import STATE, Workspace, find_workspace
    from openclaw_memory.workspace.writing import transact, undo
    from openclaw_memory.workspace.zone import Zone

_HOMES = {
    "Change": "changes",
    "Outcome": "changes",
    "Layout": "layout",
    "STATE": "workspace",
    "Workspace": "workspace",
    "find_workspace": "workspace",
    "transact": "writing",
    "undo": "writing",
    "Zone": "zone",
}
__getattr__ = late(__name__, _HOMES)

__all__ = ["STATE", "Change", "Layout", "Outcome", "Workspace", "Zone", "find_workspace", "transact", "undo"]

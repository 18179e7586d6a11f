"""Files: bounded reads, atomic durable writes, locks, and who our parent processes are.

Knows bytes and paths only: what a workspace, a Markdown file or a commit is, it must not know.
"""

from openclaw_memory.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openclaw_memory.fsio.kept import clock, is_racy, unchanged
    from openclaw_memory.fsio.locking import locked
    from openclaw_memory.fsio.processes import ancestors
    from openclaw_memory.fsio.reading import MAX_READ, read
    from openclaw_memory.fsio.temps import TEMP_SUFFIX, sweep
    from openclaw_memory.fsio.writing import append, move, remove, write, write_all

_HOMES = {
    "MAX_READ": "reading",
    "TEMP_SUFFIX": "temps",
    "ancestors": "processes",
    "append": "writing",
    "clock": "kept",
    "is_racy": "kept",
    "locked": "locking",
    "move": "writing",
    "read": "reading",
    "remove": "writing",
    "sweep": "temps",
    "unchanged": "kept",
    "write": "writing",
    "write_all": "writing",
}
__getattr__ = late(__name__, _HOMES)

__all__ = [
    "MAX_READ",
    "TEMP_SUFFIX",
    "ancestors",
    "append",
    "clock",
    "is_racy",
    "locked",
    "move",
    "read",
    "remove",
    "sweep",
    "unchanged",
    "write",
    "write_all",
]

"""What a session is given to read: the index, Active Context, and the files that a message calls for.

On the path of every session start: imports no yaml of its own, no sqlite3 before a session asks for it, nothing
heavy. Builds and prints; what is an entry, a budget or a journal, the layers below say.
"""

from openclaw_memory.context.build import build
from openclaw_memory.context.formats import claude, marker, openclaw, receipt
from openclaw_memory.context.load import load
from openclaw_memory.context.model import Context, LeftOut, Loaded
from openclaw_memory.context.text import printable, render
from openclaw_memory.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openclaw_memory.context.costs import FileCost, Stats, stats
    from openclaw_memory.context.kept import keep

__getattr__ = late(__name__, {"keep": "kept", "stats": "costs", "Stats": "costs", "FileCost": "costs"})

__all__ = [
    "Context",
    "FileCost",
    "LeftOut",
    "Loaded",
    "Stats",
    "build",
    "claude",
    "keep",
    "load",
    "marker",
    "openclaw",
    "printable",
    "receipt",
    "render",
    "stats",
]

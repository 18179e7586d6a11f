"""What a session is given to read: the index, Active Context, and the files that a message calls for.

On the path of every session start: imports no yaml of its own, no sqlite3 before a session asks for it, nothing
heavy. Builds and prints; what is an entry, a budget or a journal, the layers below say.
"""

from openclaw_memory.context.build import build
from openclaw_memory.context.formats import claude, marker, openclaw, receipt
from openclaw_memory.context.kept import keep
from openclaw_memory.context.load import load
from openclaw_memory.context.model import Context, LeftOut, Loaded
from openclaw_memory.context.text import render

__all__ = ["Context", "LeftOut", "Loaded", "build", "claude", "keep", "load", "marker", "openclaw", "receipt", "render"]

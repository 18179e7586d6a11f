"""Files: bounded reads, atomic durable writes, locks, and who our parent processes are.

Knows bytes and paths only: what a workspace, a Markdown file or a commit is, it must not know.
"""

from openclaw_memory.fsio.locking import locked
from openclaw_memory.fsio.processes import ancestors
from openclaw_memory.fsio.reading import MAX_READ, read
from openclaw_memory.fsio.temps import TEMP_SUFFIX, sweep
from openclaw_memory.fsio.writing import append, move, remove, write

__all__ = ["MAX_READ", "TEMP_SUFFIX", "ancestors", "append", "locked", "move", "read", "remove", "sweep", "write"]

"""What must not stand in memory: secrets, hidden characters, text that gives the model orders.

Pure functions over text, used by `check`, by extraction and wherever memory is taken in from outside. A hit
never holds the value it is about. Imports nothing of ours.
"""

from openclaw_memory.safety.hidden import hidden
from openclaw_memory.safety.hits import Hit
from openclaw_memory.safety.instructions import instructions, untrusted
from openclaw_memory.safety.secrets import secrets

__all__ = ["Hit", "hidden", "instructions", "secrets", "untrusted"]

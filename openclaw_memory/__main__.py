"""`python -m openclaw_memory`."""

from openclaw_memory.cli.main import entry

entry()

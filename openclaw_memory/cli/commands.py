"""The table of commands: name, module and one line of help. Only the module of the command called is imported."""

from __future__ import annotations

import importlib

from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from typing import Protocol

    class Command(Protocol):
        """What a module in `cli/` gives: `configure` adds arguments, `run` does the work and returns the exit code."""

        def configure(self, parser: argparse.ArgumentParser) -> None:
            """Add this command's arguments (and sub-commands) to `parser`."""

        def run(self, args: argparse.Namespace) -> int:
            """Do it and return the exit code."""


COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("init", "scaffold a workspace, or adopt one that has grown wild"),
    "upgrade": ("upgrade", "bring the template's news into a workspace, three-way"),
    "index": ("index", "list, add, remove, move and sync the entries of MEMORY.md"),
    "active": ("active", "list, add, remove and rotate the files of Active Context"),
    "check": ("check", "judge the rules on the work tree, the staged tree or a range of commits"),
    "hook": ("hook", "what git and agent hooks call"),
    "hooks": ("hooks", "install, uninstall and show the hooks of git, Claude Code and OpenClaw"),
    "merge-driver": ("merge_driver", "what git calls to merge two versions of the index, or of facts"),
    "context": ("context", "the index, Active Context and what a message calls for, inside a token budget"),
    "stats": ("stats", "what the memory costs in tokens at session start, before and after"),
    "note": ("note", "append to the day's note"),
    "fact": ("fact", "add, supersede, redact, list and show facts"),
    "entity": ("entity", "new, list, show, archive and move entities; draw their graph"),
    "extract": ("extract", "turn the day's note into facts, entities and questions"),
    "synthesize": ("synthesize", "write the active facts into each entity's summary"),
    "decay": ("decay", "fold accesses in and recompute what is hot, warm and cold"),
    "archive": ("archive", "move old decisions and finished projects to the archive"),
    "rotate": ("rotate", "choose Active Context by heat and recent mentions"),
    "heartbeat": ("heartbeat", "run, list and explain the tasks of HEARTBEAT.md"),
    "collection": ("collection", "add, list, show, remove and rename the folders that are searched"),
    "context-note": ("context_note", "say what a collection or folder is about, for search results"),
    "update": ("update", "bring the search index up to date"),
    "embed": ("embed", "compute the vectors that are missing"),
    "search": ("search", "find passages by words"),
    "vsearch": ("vsearch", "find passages by meaning"),
    "query": ("query", "find passages by words and meaning together"),
    "get": ("get", "print a file, or some of its lines"),
    "multi-get": ("multi_get", "print several files"),
    "ls": ("ls", "list the files of a collection"),
    "status": ("status", "how fresh and how large the search index is"),
    "watch": ("watch", "keep the search index up to date as files change"),
    "serve": ("serve", "answer searches from a warm process"),
    "eval": ("eval", "measure search on your own queries"),
    "bench": ("bench", "time searches on this workspace"),
    "cleanup": ("cleanup", "drop what the search index no longer needs"),
    "mcp": ("mcp", "serve memory tools over the Model Context Protocol"),
    "migrate": ("migrate", "split one long MEMORY.md into detail files and an index"),
    "trust": ("trust", "allow this workspace's config to set commands, endpoints and models"),
    "undo": ("undo", "take the last change back"),
    "log": ("log", "what was saved when, and by which command"),
    "sync": ("sync", "pull, merge, check and push"),
    "doctor": ("doctor", "what the host will really load, and what is wrong"),
}


def load(name: str) -> Command:
    """The module of the command `name` (a key of `COMMANDS`)."""
    command: Command = importlib.import_module(f"openclaw_memory.cli.{COMMANDS[name][0]}")
    return command

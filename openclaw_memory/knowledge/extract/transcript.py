"""Conversations as notes of low trust: the transcripts of a host, or text with `Name: ...` lines. Reads one file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from openclaw_memory import fsio, markdown, transcripts
from openclaw_memory.errors import FormatError
from openclaw_memory.knowledge.extract.lines import MAX_BYTES, Unread


def load_all(paths: Sequence[Path], since: str = "") -> list[Unread]:
    """Each of `paths` read; those that share a name are called by their paths."""
    names = [path.name for path in paths]
    return [load(path, since, path.name if names.count(path.name) == 1 else path.as_posix()) for path in paths]


def load(path: Path, since: str, name: str) -> Unread:
    """What was said in the conversation at `path`, one statement a line: line numbers are those of the file, in a
    database those of its messages, oldest first. `since` (an ISO minute in UTC) leaves out what a database holds of
    before; `name` is what the facts' sources call it.

    Raises WorkspaceError for a file that cannot be read, FormatError for one in which nobody says anything.
    """
    rows = _of_database(path, since) if _is_database(path) else _of_file(fsio.read(path, limit=MAX_BYTES))
    said = "\n".join(rows)
    if not said.strip():
        raise FormatError(f"{path}: nobody says anything here", "give a session's transcript, or plain text")
    return Unread(name, said + "\n", 1, {}, low_trust=True)


def _is_database(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(transcripts.MAGIC)) == transcripts.MAGIC
    except OSError:
        return False  # `fsio.read` says why


def _of_database(path: Path, since: str) -> Iterator[str]:
    try:
        for said in transcripts.of_database(path):
            yield "" if said.when and said.when < since else f"- {said.text}"
    except sqlite3.Error as error:
        raise FormatError(f"{path}: {error}", "give OpenClaw's openclaw-agent.sqlite, or an export of it") from None


def _of_file(data: bytes) -> Iterator[str]:
    text = markdown.decode(data)
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return (line.text for line in markdown.split_lines(text))
    return (f"- {said.text}" if said else "" for said in transcripts.of_json(data))

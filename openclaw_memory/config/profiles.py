"""What each host loads at session start, and where it cuts. Imports nothing of ours."""

from __future__ import annotations

from openclaw_memory.record import Record


class Profile(Record):
    """The caps of one host. 0 means no cap; characters are UTF-16 units, which is what the host counts.

    A file over `file_chars` keeps `head` of the cap from its start and `tail` from its end: the middle is lost.
    `files` is the order in which files are loaded; a file late in it starves first under `total_chars`.
    """

    name: str
    file_chars: int
    total_chars: int
    head: float
    tail: float
    index_lines: int
    index_bytes: int
    files: tuple[str, ...]
    file_caps: tuple[tuple[str, int], ...]
    quiet: str
    reads_heartbeat: bool
    source: str


_NEW = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md")
_OLD = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md")

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            "openclaw", 20_000, 60_000, 0.75, 0.25, 0, 0, _NEW, (("USER.md", 4_000),), "NO_REPLY", False,
            "OpenClaw 2026.8 and later: agents.defaults.bootstrapMaxChars and bootstrapTotalMaxChars",
        ),
        Profile(
            "openclaw-2026.7", 20_000, 60_000, 0.75, 0.25, 0, 0, _OLD, (("USER.md", 4_000),), "HEARTBEAT_OK", True,
            "OpenClaw up to 2026.7: the same caps; TOOLS.md and HEARTBEAT.md are loaded too",
        ),
        Profile(
            "openclaw-2026.4", 12_000, 60_000, 0.75, 0.25, 0, 0, _OLD, (("USER.md", 4_000),), "HEARTBEAT_OK", True,
            "OpenClaw 2026.4: 12,000 characters a file (openclaw/openclaw#71782)",
        ),
        Profile(
            "claude", 0, 0, 1.0, 0.0, 200, 25_000, ("CLAUDE.md", "MEMORY.md"), (), "", False,
            "Claude Code: the first 200 lines or 25 KB of MEMORY.md, whichever comes first",
        ),
        Profile("none", 0, 0, 1.0, 0.0, 0, 0, ("AGENTS.md", "MEMORY.md"), (), "", True, "no host: nothing is cut"),
    )
}  # fmt: skip

"""The text of what git runs: shims with our interpreter baked in, and the block for scripts that a team shares.

Pure text; where it is written is the business of `hooks.git`.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from openclaw_memory import data, launcher

PREVIOUS = ".before-openclaw-memory"  # what is added to the name of a hook that was there before ours
MADE = b"# this file was made by openclaw-memory\n"

_MARK = re.compile(rb"^# openclaw-memory: git (?:hook|merge driver)\b", re.MULTILINE)
_BLOCK = re.compile(
    rb"^# >>> openclaw-memory >>>.*?^# <<< openclaw-memory <<<\r?\n"
    rb"(?:# this file was made by openclaw-memory\r?\n)?",
    re.MULTILINE | re.DOTALL,
)
# one word, as `shlex.quote` writes it
_BAKED = re.compile(r"""^python=((?:'[^']*'|"'"|[\w@%+=:,./-])+)$""", re.MULTILINE)
_SHELL = re.compile(rb"^#!.*?\b(?:sh|bash|dash|ksh|zsh|ash)\b")


def hook(name: str) -> bytes:
    """The shim of the git hook `name`, which calls the hook that was there before, then ours."""
    return _fill("hook.sh", NAME=name, PREVIOUS=shlex.quote(name + PREVIOUS))


def merge_driver() -> bytes:
    """The script that `merge.openclaw-memory.driver` calls; where ours cannot start, git's own merge does the work."""
    return _fill("merge-driver.sh")


def is_ours(script: bytes) -> bool:
    """Whether `script` is one of our shims, of this version or another."""
    return bool(_MARK.search(script))


def interpreter(script: bytes) -> Path | None:
    """The Python that is baked into a shim of ours."""
    found = _BAKED.search(os.fsdecode(script))
    return Path(shlex.split(found[1])[0]) if found else None


def has_block(script: bytes) -> bool:
    """Whether our block stands in `script`."""
    return bool(_BLOCK.search(script))


def with_block(script: bytes | None, name: str) -> bytes | None:
    """`script` with our block right after its `#!` line (None: a new script); an old block is replaced in place.

    None for a script that is no shell script, which a block of shell lines would break.
    """
    block = _fill("block.sh", NAME=name)
    if script is None:
        return b"#!/bin/sh\n" + block + MADE
    if b"\r\n" in script:
        block = block.replace(b"\n", b"\r\n")
    if old := _BLOCK.search(script):
        made = MADE if MADE.strip() in old[0] else b""
        return script[: old.start()] + block + made + script[old.end() :]
    if b"\0" in script or (script.startswith(b"#!") and not (_SHELL.match(script) and b"\n" in script)):
        return None
    cut = script.index(b"\n") + 1 if script.startswith(b"#!") else 0
    return script[:cut] + block + script[cut:]


def without_block(script: bytes) -> bytes | None:
    """`script` as it was before our block; None when we made the file and nobody added to it."""
    found = _BLOCK.search(script)
    if not found:
        return script
    rest = script[: found.start()] + script[found.end() :]
    return None if MADE.strip() in found[0] and rest == b"#!/bin/sh\n" else rest


def _fill(template: str, **values: str) -> bytes:
    """The shell text of `template` with LF line ends, whatever a checkout made of them."""
    text = (data.folder("hooks") / "git" / template).read_text("utf-8").replace("\r\n", "\n")
    values |= {
        "LAUNCH": launcher.LAUNCH,
        "PYTHON": shlex.quote(launcher.python().as_posix()),
        "PACKAGE": shlex.quote(launcher.package().as_posix()),
    }
    return os.fsencode(re.sub(r"@([A-Z]+)@", lambda found: values[found[1]], text))

"""`.openclaw-memory-template.json`: which file of the template was written here with which content.

Kept in git beside the config, so that a clone can be upgraded too. Files that were there before are not in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from openclaw_memory import __version__, fsio
from openclaw_memory.errors import FormatError
from openclaw_memory.record import Record

FILE = ".openclaw-memory-template.json"


class Manifest(Record):
    """`files` maps path to the digest of what the template wrote there."""

    files: Mapping[str, str]

    def to_bytes(self) -> bytes:
        """As it stands in the file."""
        value = {"version": 1, "product": __version__, "files": dict(sorted(self.files.items()))}
        return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"


def read(root: Path) -> Manifest | None:
    """The manifest of the workspace; None where the template was never used. Raises FormatError for a broken one."""
    path = root / FILE
    if not path.is_file():
        return None
    try:
        value = json.loads(fsio.read(path))
        return Manifest({str(name): str(digest) for name, digest in value["files"].items()})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{path} is damaged: {error}", f"restore it: git checkout -- {FILE}") from error


def digest(content: bytes) -> str:
    """What a content is recognised by; line ends do not count, because git may change them."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()[:20]

"""What the extension is made of: a number that tells one state of the C sources from another. Imports none of ours."""

from __future__ import annotations

import zlib
from pathlib import Path


def checksum(folder: Path) -> int:
    """CRC-32 of names and bytes of the C files in `folder`, without its top bit (a C `long` holds it); 0 for none.

    The build (`.ci/native.py`) compiles it in as SOURCES. Wheels carry no C files: there is nothing to compare there.
    """
    files = sorted(path for path in folder.iterdir() if path.suffix in {".c", ".h"})
    number = 0
    for path in files:
        number = zlib.crc32(path.name.encode() + b"\0" + path.read_bytes(), number)
    return number & 0x7FFFFFFF

"""Which processes started us, nearest first. The only module that may ask the system about processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

_DEPTH = 64  # a bound on what can only be a loop of reused process ids


def ancestors() -> Iterator[tuple[int, list[str]]]:
    """(process id, arguments) of our parent, its parent, and so on; ends where the system does not tell.

    Linux reads /proc, so arguments are exact (surrogateescape). macOS and the BSDs ask `ps`, which joins them
    with spaces: there, an argument that holds a space comes apart. Windows tells nothing.
    """
    if os.access("/proc/self/stat", os.R_OK):
        yield from _from_proc(os.getppid())
    elif sys.platform != "win32":
        yield from _from_table(os.getppid(), _ps())


def _from_proc(pid: int) -> Iterator[tuple[int, list[str]]]:
    for _ in range(_DEPTH):
        try:
            stat = _file(f"/proc/{pid}/stat")
            words = _file(f"/proc/{pid}/cmdline").removesuffix(b"\0")
        except OSError:
            return
        yield pid, [os.fsdecode(word) for word in words.split(b"\0")] if words else []
        pid = int(stat[stat.rindex(b")") + 2 :].split()[1])  # the name in brackets may hold anything
        if pid == 0:
            return


def _file(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read()


def _ps() -> str:
    import subprocess  # only where there is no /proc: it costs milliseconds to import

    done = subprocess.run(["ps", "-Awwo", "pid=,ppid=,args="], capture_output=True, timeout=5, check=False)
    return os.fsdecode(done.stdout)


def _from_table(pid: int, table: str) -> Iterator[tuple[int, list[str]]]:
    rows = (line.split(None, 2) for line in table.splitlines())
    known = {int(row[0]): (int(row[1]), row[2].split() if len(row) > 2 else []) for row in rows if len(row) > 1}
    for _ in range(_DEPTH):
        if pid not in known:
            return
        parent, words = known[pid]
        yield pid, words
        pid = parent

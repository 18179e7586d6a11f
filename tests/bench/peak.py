"""The peak memory of a command, as the process itself sees it at its end.

Not `ru_maxrss`: that of a child starts with what its parent had when it forked, so in a large test run it is the
test run's.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_CODE = """
import sys
sys.argv[1:] = {words!r}
from openclaw_memory.cli.main import main
code = main()
try:
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
except OSError:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
print("peak", peak, file=sys.stderr)
sys.exit(code)
"""


def megabytes(root: Path, *words: str) -> float:
    """The peak of `openclaw-memory WORDS` in `root`, in MB; the command must end with 0 or 1."""
    done = subprocess.run(
        [sys.executable, "-c", _CODE.format(words=list(words))], cwd=root, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    return float(done.stderr.split()[-1])

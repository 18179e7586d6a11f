"""The command line that starts us from anywhere: our interpreter, isolated from the folder it is called in.

That folder may be a cloned workspace: no module in it is ever imported. Imports only `errors`.
Pure but for `sys.executable` and a look at PATH.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from openclaw_memory.errors import OpenClawMemoryError

# Isolated (-I): neither the current folder of a hook nor PYTHONPATH can shadow a module. Our own folder goes last,
# so that what is installed wins and the standard library is never hidden.
LAUNCH = """
import sys
sys.path.append(sys.argv.pop(1))
try:
    from openclaw_memory.cli.main import entry
except ImportError as error:
    print("openclaw-memory: cannot start:", error, file=sys.stderr)
    print("  hint: install it again, then run: openclaw-memory hooks install", file=sys.stderr)
    sys.exit(2)
entry()
"""


def python() -> Path:
    """This interpreter, by the path that keeps its virtual environment. Raises OpenClawMemoryError if it has none."""
    if not sys.executable:
        raise OpenClawMemoryError(
            "this Python does not know its own path", "run openclaw-memory from a virtual environment"
        )
    return Path(sys.executable).absolute()


def package() -> Path:
    """The folder that holds our package: site-packages, or a checkout."""
    return Path(__file__).resolve().parents[1]


def argv(*words: str) -> list[str]:
    """The argument list that runs `openclaw-memory WORDS` in this interpreter."""
    return [python().as_posix(), "-I", "-c", LAUNCH, package().as_posix(), *words]


def line(*words: str) -> list[str]:
    """The same without a line break in any word, for settings that take none (a crontab, a unit of systemd)."""
    return [*argv()[:3], "; ".join(_ONE_LINE), package().as_posix(), *words]


def shell(*words: str) -> str:
    """The same as one line for a shell."""
    return shlex.join(line(*words))


def on_path() -> bool:
    """Whether a shell finds the command `openclaw-memory`."""
    return shutil.which("openclaw-memory") is not None


_ONE_LINE = ("import sys", "sys.path.append(sys.argv.pop(1))", "from openclaw_memory.cli.main import entry", "entry()")

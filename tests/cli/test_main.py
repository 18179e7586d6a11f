import subprocess
import sys

from openclaw_memory import __version__
from openclaw_memory.cli.main import main


def test_version_is_the_packages():
    out = subprocess.run([sys.executable, "-m", "openclaw_memory", "--version"], capture_output=True, text=True)
    assert (out.returncode, out.stdout) == (0, f"openclaw-memory {__version__}\n")


def test_no_command_prints_the_help(capsys):
    assert main([]) == 0
    assert "Exit codes" in capsys.readouterr().out

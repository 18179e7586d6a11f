import os
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory import fsio
from openclaw_memory.fsio import processes

SHOW = "from openclaw_memory import fsio\nfor pid, words in fsio.ancestors(): print(pid, words)"


def test_the_nearest_comes_first():
    chain = list(fsio.ancestors())
    if not chain:
        pytest.skip("this system does not tell about processes")
    assert chain[0][0] == os.getppid()
    assert len({pid for pid, _ in chain}) == len(chain)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="exact arguments need /proc")
def test_arguments_are_exact(tmp_path):
    """A shell with odd arguments, named so that its /proc line is hard to read, stands between us and the child."""
    script = tmp_path / "a) S 1 (b"
    script.write_text(f'#!/bin/sh\n"{sys.executable}" -c "$CODE"\ntrue\n')
    script.chmod(0o755)
    env = {**os.environ, "CODE": SHOW}
    done = subprocess.run([script, "--amend", "two words", ""], env=env, capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()[:2]
    assert first.endswith(repr(["/bin/sh", str(script), "--amend", "two words", ""]))
    assert second.startswith(f"{os.getpid()} ")


def test_the_table_of_ps_is_read():
    table = "    1     0 /sbin/launchd\n  300     1 login -pf kim\n  301   300 \n  302   301 git commit --amend\n"
    assert list(processes._from_table(302, table)) == [
        (302, ["git", "commit", "--amend"]),
        (301, []),
        (300, ["login", "-pf", "kim"]),
        (1, ["/sbin/launchd"]),
    ]


def test_a_loop_of_reused_ids_ends():
    assert len(list(processes._from_table(5, "5 6 a\n6 5 b\n"))) == processes._DEPTH

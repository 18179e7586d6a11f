import os
import subprocess
import sys

import pytest

from openclaw_memory import __version__
from openclaw_memory.cli.main import main


def test_version_is_the_packages():
    out = subprocess.run([sys.executable, "-m", "openclaw_memory", "--version"], capture_output=True, text=True)
    assert (out.returncode, out.stdout) == (0, f"openclaw-memory {__version__}\n")


def test_no_command_prints_the_help(capsys):
    assert main([]) == 0
    assert "Exit codes" in capsys.readouterr().out


def test_an_unknown_flag_is_said_with_its_command(capsys):
    with pytest.raises(SystemExit) as error:
        main(["search", "tea", "--glob"])
    assert error.value.code == 2
    assert capsys.readouterr().err == (
        "openclaw-memory search: it takes no '--glob'\n  hint: openclaw-memory search --help\n"
    )


def test_the_help_says_what_an_older_host_looks_for(capsys):
    assert main([]) == 0
    assert "one or more collections" in " ".join(capsys.readouterr().out.split())


def test_a_byte_is_printed_as_it_is_and_half_a_character_as_a_mark(tmp_path):
    facts = b'[{"id": "ada-001", "fact": "caf\xe9 \\ud83d Ada", "category": "status"}]'
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "memory/people/ada").mkdir(parents=True)
    (tmp_path / "memory/people/ada/items.json").write_bytes(facts)
    words = [sys.executable, "-m", "openclaw_memory", "fact", "list", "people/ada"]
    done = subprocess.run(words, capture_output=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"caf\xe9 ? Ada" in done.stdout


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may enter any folder")
def test_what_may_not_be_read_is_no_bug(tmp_path):
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    state = tmp_path / ".openclaw-memory"
    state.mkdir(mode=0)
    try:
        done = subprocess.run([sys.executable, "-m", "openclaw_memory", "log"], capture_output=True, cwd=tmp_path)
    finally:
        state.chmod(0o755)
    assert (done.returncode, b"check its owner and mode" in done.stderr) == (2, True)


def test_a_command_does_not_look_for_garbage_that_is_not_there(tmp_path):
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    code = (
        "import gc; found = []; gc.callbacks.append(lambda phase, about: found.append(about['generation']))\n"
        "from openclaw_memory.cli.main import entry\n"
        "before = len(found)\n"
        "try: entry()\n"
        "except SystemExit as error: print(error.code, len(found) - before, gc.isenabled())\n"
    )
    words = [sys.executable, "-c", code, "search", "tea", "--files", "-w", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "0 0 True", (done.stdout, done.stderr)

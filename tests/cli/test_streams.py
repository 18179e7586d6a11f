"""What becomes of a command whose output cannot be written, or that lacks a standard stream: real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory.cli import streams

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the redirections are a POSIX shell's")
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
READERS = (
    "--version",
    "search --help",
    "context",
    "context --json",
    "search kiln",
    "collection list --json",
    "status --json",
    "check",
    "check --format json",
    "get MEMORY.md",
    "ls",
    "mcp --print-tools",
)
BUFFERED = pytest.mark.parametrize("unbuffered", ["", "1"])


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with more findings than a pipe holds."""
    root = tmp_path_factory.mktemp("streams") / "ws"
    (root / "memory/projects").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    for at in range(400):
        (root / f"memory/projects/{at}.md").write_text(f"# {at}\n\nThe kiln of [x](gone-{'x' * 150}.md)\n")
    return root


def run(ws: Path, command: str, unbuffered: str = "", text: str = "") -> subprocess.CompletedProcess[str]:
    """`command` by bash, its `memory` ours."""
    script = f'memory() {{ "{sys.executable}" -m openclaw_memory "$@"; }}\nset -o pipefail\n{command}'
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered, "OPENCLAW_MEMORY_NO_SERVER": "1"}
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, cwd=ws, input=text)


@FULL
@BUFFERED
@pytest.mark.parametrize("command", READERS)
def test_a_full_output_is_said_in_one_line(ws: Path, command: str, unbuffered: str) -> None:
    done = run(ws, f"memory {command} >/dev/full", unbuffered)
    said = "the output could not be written (No space left on device); what the command did stands"
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (2, [f"openclaw-memory: {said}"])
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", READERS)
def test_a_closed_output_is_said_in_one_line(ws: Path, command: str) -> None:
    done = run(ws, f"memory {command} >&-")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "could not be written (it is closed)" in done.stderr


@BUFFERED
@pytest.mark.parametrize("command", READERS)
def test_a_reader_who_goes_away_is_no_error(ws: Path, command: str, unbuffered: str) -> None:
    """And the exit code is the command's own: of findings nobody reads, too."""
    whole = run(ws, f"memory {command} >/dev/null", unbuffered)
    done = run(ws, f"memory {command} | true", unbuffered)
    assert (done.returncode, done.stderr) == (whole.returncode, whole.stderr)
    assert whole.returncode == (1 if "check" in command else 0)


@FULL
def test_what_the_command_did_stands(ws: Path) -> None:
    assert run(ws, 'memory note "The kiln is cold." --at 2026-05-01T10:00 >/dev/full').returncode == 2
    assert "The kiln is cold." in (ws / "memory/2026-05-01.md").read_text()


@FULL
def test_prompts_that_nobody_got_stay_due(ws: Path) -> None:
    (ws / "HEARTBEAT.md").write_text("# Heartbeat\n\n## Every heartbeat\n\n- Look at the kiln\n")
    assert run(ws, "memory heartbeat run --beat-id a >/dev/full").returncode == 2
    again = run(ws, "memory heartbeat run --beat-id a")
    assert "Look at the kiln" in again.stdout


@FULL
@pytest.mark.parametrize("to", [">/dev/full", ">&-", "2>/dev/full", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "| true"])
def test_a_session_hook_ends_with_0(ws: Path, to: str) -> None:
    assert run(ws, f"memory hook session-start {to}").returncode == 0
    assert run(ws, f"memory hook user-prompt {to}").returncode == 0


@FULL
@pytest.mark.parametrize("to", ["2>/dev/full", "2>&-", "<&- 2>&-"])
def test_messages_that_cannot_be_said_change_nothing(ws: Path, to: str) -> None:
    wrong = run(ws, f"memory search --nonsense {to}")
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", "")
    batch = run(ws, f"memory search kiln -n 1 --json -c nowhere {to}")
    assert (batch.returncode, batch.stdout, batch.stderr) == (2, "", "")
    assert json.loads(run(ws, f"memory search kiln -n 1 --json {to}").stdout)


def test_no_input_is_an_empty_one(ws: Path) -> None:
    assert (run(ws, "memory search --batch - <&-").returncode, run(ws, "memory note <&-").returncode) == (0, 2)
    assert json.loads(run(ws, "memory context --json --message - <&-").stdout)["files"]


def test_who_answers_line_by_line_ends_with_its_reader(ws: Path) -> None:
    """No end of the input is waited for: 20,000 queries take minutes."""
    queries = '{"query": "kiln"}\n' * 20_000
    done = run(ws, "timeout 60 cat | memory search --batch - -n 1 --no-update | head -1", text=queries)
    assert json.loads(done.stdout)["status"] == "ok"
    assert "Traceback" not in done.stderr and "bug" not in done.stderr


def test_an_output_that_may_not_block_gets_all_of_it(ws: Path) -> None:
    """Node gives such pipes to what it starts."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    process = subprocess.Popen(
        [sys.executable, "-m", "openclaw_memory", "check", "--format", "json"], stdout=theirs, cwd=ws
    )
    os.close(theirs)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(3)  # the pipe is full
    with os.fdopen(ours, "rb") as told:
        findings = json.loads(told.read())
    assert (process.wait(60), len(json.dumps(findings)) > 1 << 16) == (1, True)


def test_the_number_of_what_is_closed_is_not_given_to_a_file(ws: Path) -> None:
    words = "import os; from openclaw_memory.cli import streams; streams.open_all(); n = os.open(os.devnull, 0)"
    told = run(ws, f'{{ "{sys.executable}" -c "{words}; os._exit(n)" <&- >&- 2>&-; }}')
    assert told.returncode == 3


def test_a_stream_of_a_test_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    print("x")
    streams.flush()
    assert (streams.finish(1), capsys.readouterr().out) == (1, "x\n")

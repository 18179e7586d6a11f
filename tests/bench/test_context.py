"""How long a session start waits: the whole `context` process, and the search for triggers alone.

CPU time of a fresh interpreter with warm caches, as a ratio to `python -I -c pass` taken in turns with it.
"""

import random
import subprocess
import sys
import time

import pytest

from openclaw_memory.context.triggers import find
from tests.bench.cpu import cost, judge

pytestmark = pytest.mark.bench


def make_workspace(root, count):
    """`count` detail files of half a kilobyte, two of them in Active Context, three triggers each."""
    names = [f"memory/{('people', 'projects', 'decisions')[at % 3]}/entry-{at:04}.md" for at in range(count)]
    lines = ["# Memory", "", "## Active Context", "", f"- {names[0]}", f"- {names[1]}", "", "## Projects", ""]
    for at, name in enumerate(names):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Entry {at}\n\n" + "- one line of a note that says something\n" * 12)
        lines.append(
            f"- [Entry {at}]({name}): what it is about <!-- trigger: topic {at}, name{at}, e-word-{at} -->"
            f" <!-- rev: {at:06x} -->"
        )
    (root / "MEMORY.md").write_text("\n".join(lines) + "\n")
    return root


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("with a message", ["context", "--message", "please look at topic 42 and name77"]),
        ("in a session", ["context", "--session", "s", "--message", "please look at topic 42 and name77"]),
    ],
)
def test_context_on_500_details(tmp_path, pytestconfig, name, words):
    root = make_workspace(tmp_path / "ws", 500)
    command = [sys.executable, "-m", "openclaw_memory", *words]
    assert b"memory/people/entry-0042.md" in subprocess.run(command, cwd=root, capture_output=True).stdout
    judge(pytestconfig, f"context {name}", cost(words, root, tmp_path / "cache"), 90)


def _words(rng, count):
    return ["".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(3, 9))) for _ in range(count)]


def _latin(rng):
    known, others = _words(rng, 6000), _words(rng, 6000)
    triggers = [" ".join(rng.sample(known, rng.choice([1, 1, 2, 3]))) for _ in range(10_000)]
    return triggers, " ".join(rng.choice(others if rng.random() < 0.95 else known) for _ in range(1450))


def _han(rng):
    def text(length):
        return "".join(chr(rng.randint(0x4E00, 0x5600)) for _ in range(length))

    return [text(rng.randint(2, 4)) for _ in range(10_000)], text(3400)


@pytest.mark.benchmark(timer=time.process_time)  # not the clock: the machine may have other work
@pytest.mark.parametrize("make", [_latin, _han], ids=["latin", "han"])
def test_ten_thousand_triggers_in_ten_kilobytes(benchmark, make):
    triggers, message = make(random.Random(7))
    assert 9_000 < len(message.encode()) < 11_500
    pairs = [(f"memory/{at}.md", trigger) for at, trigger in enumerate(triggers)]
    hits = benchmark(find, pairs, message)
    assert hits
    if benchmark.stats is not None:
        assert benchmark.stats.stats.min < 0.020


@pytest.mark.benchmark(timer=time.process_time)
def test_a_message_of_a_megabyte(benchmark):
    triggers, message = _latin(random.Random(7))
    pairs = [(f"memory/{at}.md", trigger) for at, trigger in enumerate(triggers)]
    assert benchmark.pedantic(find, (pairs, (message + "\n") * 100), rounds=3)
    if benchmark.stats is not None:
        assert benchmark.stats.stats.min < 1.0

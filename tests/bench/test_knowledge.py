"""What upkeep costs on 10,000 facts in 1,000 entities, and what a note costs: whole processes, CPU time and memory.

CPU time of a fresh interpreter with warm caches. The bounds are ratios to `python -I -c pass`, taken in turns with
it, so that a slow or busy machine does not decide; in seconds they hold where that takes 7.5 ms (assumed).
"""

import json
import os
import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory.workspace import Workspace, journal
from tests.bench.peak import megabytes

pytestmark = pytest.mark.bench

ENTITIES, FACTS = 1000, 10
NOW = "2026-05-20"


def make_workspace(root: Path) -> Path:
    """1,000 people with ten facts each, indexed, committed."""
    chance = random.Random(1)
    lines = ["# Memory", "", "## People", ""]
    for at in range(ENTITIES):
        slug = f"person-{at:04}"
        folder = root / "memory" / "people" / slug
        folder.mkdir(parents=True)
        (folder / "summary.md").write_text(f"# Person {at}\n")
        facts = [
            {
                "id": f"{slug}-{number:03}", "fact": f"Fact {number} about made-up person {at} and their garden",
                "category": "status", "timestamp": f"2026-05-{1 + number:02}", "source": "2026-05-01",
                "status": "active", "supersededBy": None,
                "relatedEntities": [f"people/person-{chance.randrange(ENTITIES):04}"],
                "lastAccessed": None, "accessCount": 0,
            }
            for number in range(FACTS)
        ]  # fmt: skip
        (folder / "items.json").write_text(json.dumps(facts, indent=2) + "\n")
        lines.append(f"- [Person {at}](memory/people/{slug}/summary.md) <!-- trigger: person {at} -->")
    (root / "MEMORY.md").write_text("\n".join(lines) + "\n")
    (root / "openclaw-memory.yaml").write_text("version: 1\ntimezone: UTC\nindex:\n  max_tokens: 1000000\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("knowledge")


class Cost:
    """What one process cost, in CPU seconds."""

    def __init__(self, root: Path, *words: str) -> None:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(words, cwd=root, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            os.write(write, json.dumps([spent, done.returncode]).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.seconds, self.code = json.loads(pipe.read())
        os.waitpid(pid, 0)


def ours(root: Path, *words: str) -> Cost:
    cost = Cost(root, sys.executable, "-m", "openclaw_memory", *words)
    assert cost.code in (0, 1), (words, cost.code)
    return cost


def empty() -> float:
    return min(Cost(Path("/"), sys.executable, "-I", "-c", "pass").seconds for _ in range(5)) or 0.01


def accesses(root: Path) -> None:
    ws = Workspace(root)
    for number in range(10_000):
        slug = f"person-{number % ENTITIES:04}"
        journal.record(ws, [(f"memory/people/{slug}/items.json", f"{slug}-{number // ENTITIES:03}")], "get")


def test_upkeep_of_ten_thousand_facts(big: Path, record_property: pytest.FixtureRequest) -> None:
    root = make_workspace(big)
    ours(root, "note", "warm the caches")
    unit = empty() / 0.0075
    costs = {
        "check": (ours(root, "check"), 1.5),
        "synthesize": (ours(root, "synthesize", "--now", NOW), 2.0),
        "decay": (ours(root, "decay", "--now", NOW), 1.0),
    }
    accesses(root)
    costs["fold"] = (ours(root, "decay", "--now", "2026-05-21", "--json"), 1.0)
    for name, (cost, bound) in costs.items():
        record_property(name, f"{cost.seconds:.2f} s")  # type: ignore[operator]
        print(f"{name}: {cost.seconds:.2f} s CPU (bound {bound} s at a 7.5 ms interpreter)")
        assert cost.seconds <= bound * max(1.0, unit), name
    peak = megabytes(root, "check")
    print(f"check: {peak:.0f} MB")
    assert peak <= 200


def test_a_commit_to_a_hundred_thousand_facts_in_one_file(tmp_path: Path) -> None:
    """Of the staged file and of the one before, each 35 MB, one at a time is in memory."""
    facts = [
        {
            "id": f"jane-{number:06}", "fact": f"Fact {number} about the made-up garden of Jane, bed {number % 977}",
            "category": "status", "timestamp": "2026-05-01", "source": "2026-05-01", "status": "active",
            "supersededBy": None, "relatedEntities": ["people/jane"], "lastAccessed": None, "accessCount": 0,
        }
        for number in range(100_001)
    ]  # fmt: skip
    folder = tmp_path / "memory" / "people" / "jane"
    folder.mkdir(parents=True)
    (folder / "summary.md").write_text("# Jane\n")
    (tmp_path / "MEMORY.md").write_text("- [Jane](memory/people/jane/summary.md) <!-- trigger: jane -->\n")
    (folder / "items.json").write_text(json.dumps(facts[:-1], indent=2) + "\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    (folder / "items.json").write_text(json.dumps(facts, indent=2) + "\n")
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    cost, peak, unit = ours(tmp_path, "check", "--staged"), megabytes(tmp_path, "check", "--staged"), empty() / 0.0075
    print(f"check --staged of 100,000 facts: {cost.seconds:.2f} s CPU, {peak:.0f} MB")
    assert cost.code == 0 and cost.seconds <= 3.0 * max(1.0, unit)
    assert peak <= 250


def test_a_note(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    ours(tmp_path, "note", "first")
    rounds = [(ours(tmp_path, "note", f"line {number}").seconds, empty()) for number in range(7)]
    note, bare = (min(times) for times in zip(*rounds, strict=True))
    print(f"note: {note * 1000:.0f} ms CPU, an empty interpreter {bare * 1000:.0f} ms")
    assert note <= 0.065 * max(1.0, bare / 0.0075)


def test_recording_an_access(tmp_path: Path, benchmark: pytest.FixtureRequest) -> None:
    ws = Workspace(tmp_path)
    benchmark(journal.record, ws, [("memory/people/jane/items.json", "jane-001")], "get")  # type: ignore[operator]
    if benchmark.stats is not None:  # type: ignore[attr-defined]
        assert benchmark.stats.stats.median < 0.001  # type: ignore[attr-defined]

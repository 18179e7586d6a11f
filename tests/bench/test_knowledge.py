"""What upkeep costs on 10,000 facts in 1,000 entities, and what a note costs: whole processes, CPU time and memory.

CPU time of a fresh interpreter with warm caches, judged as `cpu.judge` says.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory.workspace import Workspace, journal
from tests.bench.cpu import Cost, cost, empty, environment, judge, spent
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


def ours(root: Path, *words: str) -> Cost:
    """What `openclaw-memory WORDS` costs, once; findings are no failure."""
    command = [sys.executable, "-m", "openclaw_memory", *words]
    return Cost(spent(command, root, environment(root.parent / "cache"), ok=(0, 1)), empty(root))


def accesses(root: Path) -> None:
    ws = Workspace(root)
    for number in range(10_000):
        slug = f"person-{number % ENTITIES:04}"
        journal.record(ws, [(f"memory/people/{slug}/items.json", f"{slug}-{number // ENTITIES:03}")], "get")


def test_upkeep_of_ten_thousand_facts(big: Path, pytestconfig: pytest.Config) -> None:
    root = make_workspace(big / "ws")
    ours(root, "note", "warm the caches")
    judge(pytestconfig, "check", ours(root, "check"), 1500)
    judge(pytestconfig, "synthesize", ours(root, "synthesize", "--now", NOW), 2000)
    judge(pytestconfig, "decay", ours(root, "decay", "--now", NOW), 1000)
    accesses(root)
    judge(pytestconfig, "folding 10,000 accesses", ours(root, "decay", "--now", "2026-05-21", "--json"), 1000)
    peak = megabytes(root, "check")
    print(f"check: {peak:.0f} MB")
    assert peak <= 200


def test_a_commit_to_a_hundred_thousand_facts_in_one_file(tmp_path: Path, pytestconfig: pytest.Config) -> None:
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
    found = [ours(tmp_path, "check", "--staged") for _ in range(2)][-1]  # the first compiles
    judge(pytestconfig, "check --staged of 100,000 facts", found, 4500)
    peak = megabytes(tmp_path, "check", "--staged")
    print(f"check --staged of 100,000 facts: {peak:.0f} MB")
    assert peak <= 250


def test_a_note(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "MEMORY.md").write_text("# Memory\n")
    judge(pytestconfig, "note", cost(["note", "one line"], root, tmp_path / "cache", rounds=7), 60)


def test_recording_an_access(tmp_path: Path, benchmark: pytest.FixtureRequest) -> None:
    ws = Workspace(tmp_path)
    benchmark(journal.record, ws, [("memory/people/jane/items.json", "jane-001")], "get")  # type: ignore[operator]
    if benchmark.stats is not None:  # type: ignore[attr-defined]
        assert benchmark.stats.stats.median < 0.001  # type: ignore[attr-defined]

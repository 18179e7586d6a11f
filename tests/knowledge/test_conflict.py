"""Two machines add and read facts; git merges, or cannot; nothing of either side is lost."""

import json
import subprocess

import pytest

from openclaw_memory.knowledge import decayfile
from openclaw_memory.knowledge.conflict import sides
from tests.knowledge.conftest import Space

ITEMS = "memory/people/jane/items.json"


def test_sides_of_plain_and_three_way_markers() -> None:
    assert sides(b"a\nb\n") is None
    assert sides(b"a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\nz\n") == (b"a\nx\nz\n", b"a\ny\nz\n")
    assert sides(b"<<<<<<< HEAD\nx\n||||||| base\nw\n=======\ny\n>>>>>>> b\n") == (b"x\n", b"y\n")


@pytest.fixture
def forked(om: Space) -> Space:
    """Two branches, `main` checked out and `other`, both from a committed workspace with two facts."""
    om("entity", "new", "people/jane")
    for text in ("Works at Acme", "Drives a red car"):
        om("fact", "add", "jane", text, "--now", "2026-03-01")
    om.git("add", "-A")
    om.git("commit", "-qm", "start")
    om.git("branch", "-m", "main")
    om.git("branch", "other")
    return om


def on(om: Space, branch: str, *commands: tuple[str, ...]) -> None:
    om.git("checkout", "-q", branch)
    for words in commands:
        om(*words)
    om.git("add", "-A")
    om.git("commit", "-qm", branch)


def merged(om: Space) -> bool:
    return subprocess.run(["git", "merge", "-q", "other"], cwd=om.root, capture_output=True).returncode == 0


def test_one_id_given_twice_on_two_machines(forked: Space) -> None:
    on(forked, "other", ("fact", "supersede", "jane-002", "Drives a blue car", "--now", "2026-03-02"))
    on(forked, "main", ("fact", "supersede", "jane-001", "Works at Globex", "--now", "2026-03-03"))
    assert merged(forked)
    assert "OM202" in forked("check", code=1).out
    assert "jane-003 was given twice" in forked("fact", "repair").out
    facts = {fact["fact"]: fact for fact in json.loads(forked.read(ITEMS))}
    assert facts_by_id(facts, facts["Works at Acme"]["supersededBy"]) == "Works at Globex"
    assert facts_by_id(facts, facts["Drives a red car"]["supersededBy"]) == "Drives a blue car"
    assert facts["Works at Globex"]["id"] == "jane-004"
    forked.git("add", "-A")
    assert forked("check", "--staged", "--select", "OM2,OM3,OM5").code == 0


@pytest.mark.parametrize("style", ["merge", "diff3"])
def test_a_merge_that_git_leaves_to_us(forked: Space, style: str) -> None:
    forked.git("config", "merge.conflictStyle", style)
    read, fold = ("fact", "show", "jane-001"), ("decay", "--now", "2026-03-02")
    on(
        forked,
        "other",
        ("fact", "add", "jane", "Has a dog", "--now", "2026-03-02"),
        (*read, "--now", "2026-03-02"),
        fold,
    )
    on(forked, "main", ("fact", "add", "jane", "Plays chess", "--now", "2026-03-03"), ("decay", "--now", "2026-03-03"))
    assert not merged(forked)
    assert "openclaw-memory fact repair" in forked("fact", "list", code=2).err
    out = forked("fact", "repair").out
    assert "settled the merge, with the facts of both sides" in out
    assert "jane-003 was given twice" in out
    facts = {fact["fact"]: fact for fact in json.loads(forked.read(ITEMS))}
    assert {text: fact["id"] for text, fact in facts.items()} == {
        "Works at Acme": "jane-001", "Drives a red car": "jane-002", "Has a dog": "jane-003", "Plays chess": "jane-004",
    }  # fmt: skip
    assert facts["Works at Acme"]["accessCount"] == 1
    forked("decay", "--now", "2026-03-04")
    rows = {row["path"]: row for row in json.loads(forked.read("memory/decay.json"))["files"]}
    assert rows["memory/people/jane/summary.md"]["access_count"] == 1
    forked.git("add", "-A")
    assert forked("check", "--staged", "--select", "OM2,OM3,OM5").code == 0


def facts_by_id(facts: dict[str, dict[str, str]], fact_id: str) -> str:
    return next(text for text, fact in facts.items() if fact["id"] == fact_id)


def test_rows_of_both_sides_of_a_decay_file() -> None:
    data = (
        b'{\n  "version": 1,\n  "files": [\n    {"path": "a.md", "access_count": 1, "last_accessed": null},\n'
        b"<<<<<<< HEAD\n"
        b'    {"path": "b.md", "access_count": 2, "last_accessed": "2026-03-01"}\n=======\n'
        b'    {"path": "b.md", "access_count": 1, "last_accessed": "2026-03-02"},\n'
        b'    {"path": "c.md", "access_count": 5, "last_accessed": "2026-03-02"}\n>>>>>>> other\n  ]\n}\n'
    )
    found = decayfile.parse(data).files
    assert set(found) == {"a.md", "b.md", "c.md"}
    assert (found["b.md"]["access_count"], found["b.md"]["last_accessed"]) == (2, "2026-03-02")

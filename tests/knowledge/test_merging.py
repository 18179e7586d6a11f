"""Three-way merges of facts, by the function and by real git, in both directions."""

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory import hooks
from openclaw_memory.errors import FormatError
from openclaw_memory.hooks import attributes
from openclaw_memory.knowledge import decayfile, merging
from openclaw_memory.knowledge.factsfile import load
from tests.realgit import git

ITEMS = "memory/people/jane/items.json"
Rows = list[dict[str, Any]]


def record(number: int, text: str, **more: Any) -> dict[str, Any]:
    start = {"id": f"jane-{number:03}", "fact": text, "category": "status", "timestamp": "2026-03-01"}
    rest = {"source": "2026-03-01", "status": "active", "supersededBy": None, "relatedEntities": []}
    return {**start, **rest, "lastAccessed": None, "accessCount": 0, **more}


BASE = [record(1, "Lives in Porto"), record(2, "Likes tea", accessCount=4, lastAccessed="2026-03-01")]


def text(rows: Rows) -> bytes:
    return (json.dumps(rows, indent=2) + "\n").encode()


def merged(
    ours: list[dict[str, Any]], theirs: list[dict[str, Any]]
) -> tuple[merging.Merged, dict[str, dict[str, Any]]]:
    """The merge, and its facts by their text."""
    done = merging.merge(text(BASE), text(ours), text(theirs), ITEMS)
    rows = json.loads(done.data) if not done.conflicts else []
    return done, {row["fact"]: row for row in rows}


@pytest.mark.parametrize("swap", [False, True])
def test_each_side_adds_one_under_the_same_id(swap: bool) -> None:
    sides = [[*BASE, record(3, "Has a dog")], [*BASE, record(3, "Has a boat", timestamp="2026-03-05")]]
    done, found = merged(*(reversed(sides) if swap else sides))
    assert {fact: row["id"] for fact, row in found.items()} == {
        "Lives in Porto": "jane-001", "Likes tea": "jane-002", "Has a dog": "jane-003", "Has a boat": "jane-004",
    }  # fmt: skip
    assert done.told == ("jane-003 was given twice; the younger is now jane-004",)


@pytest.mark.parametrize("swap", [False, True])
def test_what_points_at_the_renumbered_one_follows(swap: bool) -> None:
    moved = [{**BASE[0], "status": "superseded", "supersededBy": "jane-003"}, BASE[1]]
    sides = [[*BASE, record(3, "Has a dog")], [*moved, record(3, "Lives in Lisbon", timestamp="2026-03-05")]]
    _, found = merged(*(reversed(sides) if swap else sides))
    assert found["Lives in Porto"]["supersededBy"] == found["Lives in Lisbon"]["id"] == "jane-004"
    assert found["Has a dog"]["id"] == "jane-003"


def test_a_fact_that_both_added_is_one() -> None:
    ours = [*BASE, record(3, "Has a dog", accessCount=2, lastAccessed="2026-03-02")]
    theirs = [*BASE, record(3, "Sings"), record(4, "has a dog.", accessCount=1, lastAccessed="2026-03-04")]
    theirs[0] = {**BASE[0], "status": "superseded", "supersededBy": "jane-004"}
    _, found = merged(ours, theirs)
    assert {row["id"] for row in found.values()} == {"jane-001", "jane-002", "jane-003", "jane-005"}
    dog = found["Has a dog"]
    assert (dog["accessCount"], dog["lastAccessed"]) == (3, "2026-03-04")
    assert found["Lives in Porto"]["supersededBy"] == dog["id"] == "jane-003"


def test_accesses_of_both_count() -> None:
    ours = [BASE[0], {**BASE[1], "accessCount": 7, "lastAccessed": "2026-03-09"}]
    theirs = [{**BASE[0], "accessCount": 1}, {**BASE[1], "accessCount": 5, "lastAccessed": "2026-03-04"}]
    _, found = merged(ours, theirs)
    assert [(row["accessCount"], row["lastAccessed"]) for row in found.values()] == [(1, None), (8, "2026-03-09")]


def test_one_side_supersedes_redacts_or_relates_and_the_other_counts() -> None:
    redacted = {"fact": "[redacted]", "status": "superseded", "redacted": "2026-03-03: a wish"}
    ours = [{**BASE[0], **redacted}, {**BASE[1], "relatedEntities": ["people/bob"]}]
    theirs = [{**BASE[0], "accessCount": 2}, {**BASE[1], "relatedEntities": ["people/cy"], "mood": "calm"}]
    for sides in ((ours, theirs), (theirs, ours)):
        _, found = merged(*sides)
        assert found["[redacted]"]["accessCount"] == 2 and "Lives in Porto" not in found
        assert sorted(found["Likes tea"]["relatedEntities"]) == ["people/bob", "people/cy"]
        assert found["Likes tea"]["mood"] == "calm"


def test_a_fact_that_one_side_dropped_is_kept() -> None:
    _, found = merged([BASE[0]], [*BASE, record(3, "Has a dog")])
    assert set(found) == {"Lives in Porto", "Likes tea", "Has a dog"}


def test_two_successors_of_one_fact_are_shown() -> None:
    ours = [{**BASE[0], "status": "superseded", "supersededBy": "jane-003"}, BASE[1], record(3, "Lives in Rome")]
    theirs = [{**BASE[0], "status": "superseded", "supersededBy": "jane-003"}, BASE[1], record(3, "Lives in Lisbon")]
    done, _ = merged(ours, theirs)
    shown = done.data.decode()
    assert done.conflicts == ("jane-001",)
    assert shown.count("<<<<<<< ours") == shown.count(">>>>>>> theirs") == 1
    with pytest.raises(FormatError, match="conflict markers"):
        load(done.data, ITEMS)
    for side in ("ours", "theirs"):
        kept = json.loads(chosen(shown, side))
        ids = {row["fact"]: row["id"] for row in kept}
        successor = "Lives in Rome" if side == "ours" else "Lives in Lisbon"
        assert kept[0]["supersededBy"] == ids[successor] and len(kept) == 4


def chosen(shown: str, side: str) -> str:
    """`shown` as a person settles it for one side."""
    before, _, rest = shown.partition("<<<<<<< ours\n")
    ours, _, rest = rest.partition("=======\n")
    theirs, _, after = rest.partition(">>>>>>> theirs\n")
    return before + (ours if side == "ours" else theirs) + after


def test_nothing_of_our_text_changes_that_need_not() -> None:
    ours = text(BASE).replace(b'"Likes tea"', b'"Likes   tea \\u00e9"')
    base = ours
    theirs = json.dumps([*json.loads(ours), record(3, "Has a dog")]).encode()
    data = merging.merge(base, ours, theirs, ITEMS).data
    assert data.startswith(ours.rstrip(b"\n]")) and b'"id": "jane-003"' in data


@pytest.mark.parametrize(
    ("path", "base", "ours", "theirs"),
    [
        ("items.yaml", "- id: j-1\n  fact: A\n", "- id: j-1\n  fact: A\n- id: j-2\n  fact: B\n",
         "- id: j-1\n  fact: A\n- id: j-2\n  fact: C\n"),
        ("facts.jsonl", '{"id": "j-1", "fact": "A"}\n', '{"id": "j-1", "fact": "A"}\n{"id": "j-2", "fact": "B"}\n',
         '{"id": "j-1", "fact": "A"}\n{"id": "j-2", "fact": "C"}\n'),
        ("items.json", "", '{"items": [{"id": "j-1", "content": "A"}, {"id": "j-2", "content": "B"}]}',
         '[{"id": "j-1", "fact": "A"}, {"id": "j-2", "fact": "C"}]'),
    ],
)  # fmt: skip
def test_every_coat(path: str, base: str, ours: str, theirs: str) -> None:
    data = merging.merge(base.encode(), ours.encode(), theirs.encode(), path).data
    assert [(fact.id, fact.text) for fact in load(data, path).facts] == [("j-1", "A"), ("j-2", "B"), ("j-003", "C")]


def test_the_rows_of_decay() -> None:
    def rows(**counts: int) -> bytes:
        files: dict[str, decayfile.Row] = {
            f"memory/{name}.md": {"last_accessed": f"2026-03-{count:02}", "access_count": count}
            for name, count in counts.items()
        }
        return decayfile.DecayFile(files, updated=f"2026-03-{max(counts.values()):02}").dump()

    done = merging.merge(rows(a=2, b=1, gone=1), rows(a=5, b=1, new=3), rows(a=3, b=4, gone=1), "x/memory/decay.json")
    found = decayfile.parse(done.data)
    assert {path: row["access_count"] for path, row in found.files.items()} == {
        "memory/a.md": 6, "memory/b.md": 4, "memory/new.md": 3,
    }  # fmt: skip
    assert found.files["memory/a.md"]["last_accessed"] == "2026-03-05" and found.updated == "2026-03-05"


# Through real git.


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = tmp_path / "it's a repo"
    git(tmp_path, "init", "-q", "-b", "main", str(path))
    (path / "MEMORY.md").write_text("# Memory\n")
    (path / ".gitattributes").write_text(attributes.added("", attributes.patterns()))
    write(path, BASE)
    git(path, "add", "-A")
    git(path, "commit", "-qm", "base")
    hooks.install_git(path)
    return path


def write(repo: Path, rows: Rows) -> None:
    path = repo / ITEMS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text(rows))


def both(repo: Path, one: list[dict[str, Any]], other: Rows) -> None:
    """The branches `one` and `other`, each with its version."""
    for name, rows in (("one", one), ("other", other)):
        git(repo, "switch", "-qc", name, "main")
        write(repo, rows)
        git(repo, "commit", "-qnam", name)


@pytest.mark.parametrize(("into", "what"), [("one", "other"), ("other", "one")])
@pytest.mark.parametrize("how", ["merge", "rebase", "cherry-pick"])
def test_git_keeps_the_facts_of_both_machines(repo: Path, into: str, what: str, how: str) -> None:
    moved = {**BASE[0], "status": "superseded", "supersededBy": "jane-003"}
    one = [moved, BASE[1], record(3, "Lives in Lisbon", timestamp="2026-03-05")]
    other = [BASE[0], {**BASE[1], "accessCount": 6}, record(3, "Has a dog"), record(4, "Sings")]
    both(repo, one, other)
    git(repo, "switch", "-q", into)
    git(repo, *(["merge", "--no-edit", "--no-verify"] if how == "merge" else [how]), what)
    rows = {row["fact"]: row for row in json.loads((repo / ITEMS).read_bytes())}
    assert {fact: row["id"] for fact, row in rows.items()} == {
        "Lives in Porto": "jane-001", "Likes tea": "jane-002", "Has a dog": "jane-003", "Sings": "jane-004",
        "Lives in Lisbon": "jane-005",
    }  # fmt: skip
    assert rows["Lives in Porto"]["supersededBy"] == "jane-005" and rows["Likes tea"]["accessCount"] == 6
    assert git(repo, "status", "--porcelain").stdout == ""


def test_git_stops_where_a_person_must_judge_and_the_commit_is_refused_until_then(repo: Path) -> None:
    moved = {**BASE[0], "status": "superseded", "supersededBy": "jane-003"}
    both(repo, [moved, BASE[1], record(3, "Lives in Rome")], [moved, BASE[1], record(3, "Lives in Lisbon")])
    done = git(repo, "merge", "--no-edit", "one", ok=False)
    assert done.returncode == 1 and "both sides changed jane-001" in done.stderr
    git(repo, "add", "-A")
    refused = git(repo, "commit", "--no-edit", ok=False)
    assert refused.returncode == 1 and "OM209" in refused.stdout + refused.stderr
    (repo / ITEMS).write_text(chosen((repo / ITEMS).read_text(), "ours"))
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--no-edit", "--no-verify")
    assert len(json.loads((repo / ITEMS).read_bytes())) == 4


def test_git_merges_line_by_line_what_cannot_be_read(repo: Path) -> None:
    both(repo, [*BASE, record(3, "Has a dog")], BASE[:1])
    (repo / ITEMS).write_text("[{oops\n")
    git(repo, "commit", "-qnam", "broken")
    done = git(repo, "merge", "--no-edit", "one", ok=False)
    assert done.returncode == 1 and "line by line" in done.stderr
    assert "oops" in (repo / ITEMS).read_text() and "Has a dog" in (repo / ITEMS).read_text()

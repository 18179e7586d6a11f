"""What is archived need not be named, in any kind of tree; a line that names it still counts."""

from __future__ import annotations

import json
import re
import sys

import pytest

from openclaw_memory.git import rev6

from .conftest import Lab, codes

HEAD = "# Index\n\n## Projects\n\n"
NO_NAMES = ("memory/projects/README.md", "memory/projects/TEMPLATE.md", "memory/2026-07-01.md", "memory/.dreams/x.md")


def orphans(lab: Lab, *words: str) -> list[str]:
    said = json.loads(lab.check("--json", "--select", "OM104", *words).stdout)
    return [found["path"] for found in said["findings"]]


def sync(lab: Lab) -> list[str]:
    done = lab.run(sys.executable, "-P", "-m", "openclaw_memory", "index", "sync", "--json")
    assert done.returncode == 0, done.stderr
    added = json.loads(done.stdout)["added"]
    assert isinstance(added, list)
    return added


def test_every_tree_finds_the_same_orphan(lab: Lab) -> None:
    lab.write("MEMORY.md", HEAD).land()
    for path in (*NO_NAMES, "memory/archive/old.md", "memory/archive/2025/x.md", "memory/projects/bike.md"):
        lab.write(path, "# Some words\n")
    lab.append("MEMORY.md", "\n").git("add", "-A")
    assert orphans(lab) == orphans(lab, "--staged") == ["memory/projects/bike.md"]
    lab.land()
    assert orphans(lab, "--range", "HEAD~1..HEAD") == ["memory/projects/bike.md"]


def test_a_commit_in_the_archive_alone_goes_through(lab: Lab) -> None:
    lab.base_with_revs().write("memory/archive/2025/x.md", "x\n").write("memory/archive/y.md", "y\n").git("add", "-A")
    assert lab.commit().returncode == 0
    lab.append("memory/archive/2025/x.md", "more\n").git("rm", "-q", "memory/archive/y.md")
    assert lab.commit("-am", "x").returncode == 0
    assert codes(lab.check("--range", "HEAD~2..HEAD")) == []


def test_a_file_may_lose_its_entry_on_the_way_into_the_archive(lab: Lab) -> None:
    lab.base_with_revs()
    (lab.root / "memory/archive").mkdir()
    lab.git("mv", "memory/a.md", "memory/archive/a.md")
    lab.write("MEMORY.md", re.sub(r"- \[A\].*\n", "", lab.read("MEMORY.md"))).git("add", "-A")
    assert lab.commit().returncode == 0


def test_an_entry_of_an_archived_file_is_judged_like_any(lab: Lab) -> None:
    lab.write("memory/archive/a.md", "old\n").write("memory/archive/b.md", "old\n")
    lab.write("MEMORY.md", f"- [A](memory/archive/a.md) <!-- rev: {rev6(b'old' + bytes([10]))} -->\n")
    lab.append("MEMORY.md", "- [B](memory/archive/b.md)\n").land()
    lab.append("memory/archive/a.md", "more\n").append("memory/archive/b.md", "more\n").git("add", "-A")
    assert codes(lab.commit()) == ["OM102", "OM101"]


@pytest.mark.parametrize(
    ("files", "folders"),
    [
        (["memory/archive/2024/a.md", "memory/archive/2025/decisions/b.md"], ["2024/", "2025/"]),
        (["memory/archive/2024/a.md", "memory/archive/b.md"], [""]),
        (["memory/archive/people/jane.md"], [""]),
    ],
)
def test_sync_lists_the_folder_and_not_the_files(lab: Lab, files: list[str], folders: list[str]) -> None:
    lab.write("MEMORY.md", HEAD).write("memory/projects/bike.md", "# Bike\n")
    for path in files:
        lab.write(path, "# Old\n")
    assert sync(lab) == [*(f"memory/archive/{folder}" for folder in folders), "memory/projects/bike.md"]
    text = lab.read("MEMORY.md")
    assert not any(path in text for path in files)
    assert "\n## Archive\n\n- [Archive" in text
    assert text.count("](memory/archive/") == len(folders) == text.count("<!-- trigger: archive")
    assert sync(lab) == [] and lab.read("MEMORY.md") == text
    assert orphans(lab) == []


def test_sync_leaves_alone_what_a_folder_covers_and_follows_what_has_an_entry(lab: Lab) -> None:
    lab.write("memory/projects/bike.md", "# Bike\n").write("memory/archive/2024/a.md", "# A\n")
    rev = rev6(b"# Bike\n")
    lab.write("MEMORY.md", f"{HEAD}- [Bike](memory/projects/bike.md) <!-- trigger: bike --> <!-- rev: {rev} -->\n")
    lab.append("MEMORY.md", "\n## Archive\n\n- [Old](memory/archive/)\n").land()
    (lab.root / "memory/projects/bike.md").rename(lab.root / "memory/archive/bike.md")
    lab.write("memory/archive/2025/c.md", "# C\n")
    assert sync(lab) == []
    assert f"- [Bike](memory/archive/bike.md) <!-- trigger: bike --> <!-- rev: {rev} -->" in lab.read("MEMORY.md")

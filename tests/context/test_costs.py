import json

import pytest

from openclaw_memory.context import build, render, stats
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.tokens import count


def test_before_is_everything_and_after_is_what_context_loads(ws):
    (ws.root / "memory/2026-03-02.md").write_text("- a note of the day\n" * 50)
    found = stats(ws)
    everything = [ws.root / "MEMORY.md", *sorted(ws.root.glob("memory/*/*.md"))]
    assert found.before == sum(count(path.read_text()) for path in everything)
    assert found.after == count(render(build(ws)))
    assert found.after < found.before * 1.3
    assert list(found.kinds()) == ["index", "people", "projects", "daily"]
    assert found.kinds()["people"][2] == 0
    assert found.kinds()["projects"][2] > 0


def test_a_large_workspace_costs_a_fraction(many):
    found = stats(many(40, active=3, body="- words of a longer line\n" * 30))
    assert found.after < 0.3 * found.before


def test_files_that_cannot_be_read_are_reported(ws):
    (ws.root / "memory/people/ana.md").write_bytes(b"\0")
    rows = {file.path: file for file in stats(ws).files}
    assert "binary" in rows["memory/people/ana.md"].problem
    assert rows["memory/people/tom.md"].size.tokens > 0


def test_no_index(ws):
    (ws.root / "MEMORY.md").unlink()
    with pytest.raises(WorkspaceError):
        stats(ws)


def test_the_command(cli, root):
    value = json.loads(cli("stats", "--json", cwd=root).stdout)
    assert value["version"] == 1
    assert value["before"]["tokens"] == sum(file["tokens"] for file in value["files"])
    assert value["kinds"]["projects"]["files"] == 2
    text = cli("stats", cwd=root)
    assert text.returncode == 0
    assert f"{value['after']['tokens']:,}" in text.stdout
    assert "loaded memory/projects/backstage.md" in text.stdout


def test_the_command_lists_the_largest_or_all(cli, many):
    root = many(15).root
    assert "and 6 more: --all lists them" in cli("stats", cwd=root).stdout
    assert cli("stats", "--all", cwd=root).stdout.count("memory/projects/") == 15


def test_no_workspace(cli, tmp_path):
    done = cli("stats", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no workspace here" in done.stderr

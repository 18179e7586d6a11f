from __future__ import annotations

from pathlib import Path

from tests.conftest import Run


def test_a_fact_for_a_file_that_no_entry_names_gives_it_one_in_its_own_words(tmp_path: Path, cli: Run) -> None:
    (tmp_path / "memory/people").mkdir(parents=True)
    (tmp_path / "memory/people/kim.md").write_text("---\nabout: the plumber\n---\n# Kim Doe\n")
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    done = cli("fact", "add", "people/kim", "prefers mornings")
    assert done.returncode == 0, done.stderr
    line = "- [Kim Doe](memory/people/kim/summary.md): the plumber <!-- trigger: kim doe, kim -->"
    assert line in (tmp_path / "MEMORY.md").read_text()

import json
from pathlib import Path

import pytest

from openclaw_memory.facts import temperatures
from openclaw_memory.workspace import Workspace

ROW = {"temperature": "hot", "access_count": 2}


@pytest.mark.parametrize(
    "told",
    [
        {"version": 1, "files": [{"path": "memory/a.md", **ROW}, {"no": "path"}, 7]},
        [{"path": "memory/a.md", **ROW}],
        {"files": {"memory/a.md": ROW}},
        {"memory/a.md": ROW},
    ],
)
def test_every_form_of_the_rows_is_read(told: object) -> None:
    assert temperatures.parse(json.dumps(told).encode()).files() == {"memory/a.md": "hot"}


def test_the_days_of_undated_facts_are_read() -> None:
    folded = temperatures.parse(b'{"first_seen": {"people/a:a-1": "2031-01-01"}, "files": []}')
    assert (folded.first_seen, folded.files()) == ({"people/a:a-1": "2031-01-01"}, {})


@pytest.mark.parametrize("data", [None, b"{", b"[" * 100_000, b"7", b'{"files": "none"}', b"\0"])
def test_one_that_is_missing_or_broken_says_nothing(tmp_path: Path, data: bytes | None) -> None:
    (tmp_path / "memory").mkdir()
    if data is not None:
        (tmp_path / temperatures.PATH).write_bytes(data)
    folded = temperatures.read(Workspace(tmp_path))
    assert (folded.files(), folded.first_seen, folded.of("memory/a.md")) == ({}, {}, "")

import json
import os
import stat

import pytest

from openclaw_memory.context import keep
from openclaw_memory.errors import WorkspaceError
from openclaw_memory.workspace import Workspace


def kept(ws):
    return json.loads(keep(ws).read_bytes())


def test_the_format(ws):
    value = kept(ws)
    assert keep(ws) == ws.root / ".openclaw-memory/context.json"
    assert value["version"] == 1
    assert [source["path"] for source in value["sources"]] == [
        "MEMORY.md",
        "memory/projects/backstage.md",
        "openclaw-memory.yaml",
    ]
    status = (ws.root / "MEMORY.md").stat()
    assert value["sources"][0] == {
        "path": "MEMORY.md",
        "mtime_ms": status.st_mtime_ns // 1_000_000,
        "size": status.st_size,
    }
    assert value["sources"][2] == {"path": "openclaw-memory.yaml", "mtime_ms": None, "size": None}
    assert "- cut-over in March\n" in value["active"]
    assert "[Ana](memory/people/ana.md)" in value["index"]
    assert "cut-over in March" not in value["index"]
    assert value["left_out"] == []


def test_rendering_again_touches_nothing(ws):
    before = keep(ws).stat()
    assert keep(ws).stat() == before


def test_a_changed_source_changes_it(ws):
    before = kept(ws)
    (ws.root / "memory/projects/backstage.md").write_text("# Backstage\n\n- done, all of it\n")
    after = kept(ws)
    assert after["sources"] != before["sources"]
    assert "done, all of it" in after["active"]


def test_an_active_file_that_is_missing_is_a_source_and_is_named(ws):
    (ws.root / "memory/projects/backstage.md").unlink()
    value = kept(ws)
    assert {"path": "memory/projects/backstage.md", "mtime_ms": None, "size": None} in value["sources"]
    assert value["left_out"][0]["path"] == "memory/projects/backstage.md"
    assert "- memory/projects/backstage.md: it does not exist" in value["active"]


def test_nothing_active(ws):
    (ws.root / "MEMORY.md").write_text("# Memory\n\n- [Ana](memory/people/ana.md) <!-- trigger: ana -->\n")
    value = kept(ws)
    assert value["active"] == ""
    assert [source["path"] for source in value["sources"]] == ["MEMORY.md", "openclaw-memory.yaml"]


def test_a_change_between_stat_and_read_makes_it_stale_not_wrong(ws, monkeypatch):
    """A file that changes while we read it has a newer time than the one that is kept."""
    from openclaw_memory.context import sources

    real = sources.read_file

    def late(ws_, rel):
        data = real(ws_, rel)
        (ws.root / rel).write_bytes(data + b"\n- written while it was read\n")
        return data

    monkeypatch.setattr(sources, "read_file", late)
    value = kept(ws)
    for source in value["sources"][:2]:
        assert source["size"] != (ws.root / source["path"]).stat().st_size


def test_no_index_is_an_error(ws):
    (ws.root / "MEMORY.md").unlink()
    with pytest.raises(WorkspaceError):
        keep(ws)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_what_is_kept_is_for_nobody_else(ws):
    assert not stat.S_IMODE(keep(ws).stat().st_mode) & 0o022


def test_bytes_that_are_no_utf8_stay_valid_json(ws):
    (ws.root / "memory/projects/backstage.md").write_bytes(b"caf\xe9 \xed\xa0\x80\n")
    assert "caf?" in kept(Workspace(ws.root))["active"]

from __future__ import annotations

import os
from pathlib import Path

import pytest

from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.retrieval import collections
from openclaw_memory.retrieval.documents import NotFound, get, listed
from openclaw_memory.retrieval.report import ls
from openclaw_memory.retrieval.search import search
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace


@pytest.mark.parametrize(
    "token",
    [
        "qmd://memory/people/jane.md",
        "memory/people/jane.md",
        "people/jane.md",
        "jane.md",
        "jane",
        "people/jane",
        "./people/jane.md",
    ],
)
def test_every_name_of_a_document(ws: Workspace, token: str) -> None:
    update(ws)
    document = get(ws, token)
    assert document.file == "qmd://memory/people/jane.md"
    assert document.text == "# Jane Doe\n\n- Drinks green tea.\n- Works on the heron project."
    assert document.lines == 4


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (":3", "- Drinks green tea.\n- Works on the heron project."),
        (":3:1", "- Drinks green tea."),
        ("#L3-L3", "- Drinks green tea."),
        ("#L1-L2", "# Jane Doe\n"),
        ("#L2-L1", "# Jane Doe\n"),
        (":99", ""),
    ],
)
def test_lines(ws: Workspace, suffix: str, text: str) -> None:
    assert get(ws, f"memory/people/jane.md{suffix}").text == text


def test_an_entity_is_named_by_its_folder(ws: Workspace) -> None:
    (ws.root / "memory/people/ann").mkdir()
    (ws.root / "memory/people/ann/summary.md").write_text("# Ann\n")
    (ws.root / "memory/people/ann/items.json").write_text("[]")
    update(ws)
    for name in ("people/ann", "ann", "memory/people/ann"):
        assert get(ws, name).name.path == "people/ann/summary.md"


def test_the_id_that_a_search_printed(ws: Workspace) -> None:
    hit = search(ws, "green tea").hits[0]
    assert get(ws, hit.id).file == hit.file
    assert get(ws, f"{hit.id}:3:1").text == "- Drinks green tea."


@pytest.mark.parametrize(
    "name", ["100% sure 'n [x] #1.md", "with:colon.md", "a#L3.md", "x:12.md", "späť.md", "new\nline.md"]
)
def test_what_search_printed_is_what_get_takes(ws: Workspace, name: str) -> None:
    (ws.root / "memory" / name).write_text("the odd whydah\n")
    hit = search(ws, "whydah").hits[0]
    assert len(hit.file.splitlines()) == 1
    assert get(ws, hit.file).text == "the odd whydah"
    assert get(ws, f"{hit.file}:1:1").text == "the odd whydah"


def test_a_name_that_is_a_pattern_fits_only_itself(ws: Workspace) -> None:
    for name in ("2031 05 05.md", "2031-05-05.md", "2031_05_05.md"):
        (ws.root / "memory" / name).write_text(name)
    update(ws)
    assert get(ws, "2031_05_05.md").text == "2031_05_05.md"
    assert get(ws, "2031-05-05").text == "2031-05-05.md"


def test_an_ambiguous_name_lists_what_it_may_be(ws: Workspace) -> None:
    for folder in ("a", "b"):
        (ws.root / "memory" / folder).mkdir()
        (ws.root / "memory" / folder / "x.md").write_text(folder)
    update(ws)
    with pytest.raises(UsageError, match="2 documents") as error:
        get(ws, "x.md")
    assert "qmd://memory/a/x.md" in error.value.hint


def test_a_note_that_does_not_exist_yet_is_an_answer(ws: Workspace) -> None:
    for token in ("2031-01-01", "memory/2031-01-01.md"):
        document = get(ws, token)
        assert document.missing
        assert document.file == "qmd://memory/2031-01-01.md"
    assert not get(ws, "2031-05-08").missing


@pytest.mark.parametrize(
    "token",
    ["2031-01-01.md", "memory/2031-01-01", "2031-01-01:3:1", "2031-01-01#L2-L4", "qmd://memory/2031-01-01"],
)
def test_a_note_to_come_is_named_as_one_that_is_there(ws: Workspace, token: str) -> None:
    assert get(ws, token).missing
    assert get(ws, token).file == "qmd://memory/2031-01-01.md"
    note = get(ws, token.replace("2031-01-01", "2031-05-08"))
    assert (note.missing, note.file) == (False, "qmd://memory/2031-05-08.md")


def test_a_note_to_come_stands_where_the_config_has_notes(ws: Workspace) -> None:
    (ws.root / "openclaw-memory.yaml").write_text("version: 1\ndaily: [journal]\n")
    (ws.root / "journal").mkdir()
    (ws.root / "journal/2031-05-09.md").write_text("- Rain.\n")
    journal = Workspace(ws.root)
    assert get(journal, "2031-05-09").text == "- Rain."
    assert get(journal, "2031-05-10").file == "qmd://journal/2031-05-10.md"
    for no_day in ("2031-02-31", "2031-1-1", "memory/2031-05-10.md"):
        with pytest.raises(NotFound):
            get(journal, no_day)


def test_a_note_that_may_not_be_read_does_exist(ws: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (ws.root / "memory/2031-01-01.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(NotFound):
        get(ws, "2031-01-01")


def test_what_was_written_a_moment_ago_has_a_name_and_what_is_gone_has_none(ws: Workspace) -> None:
    new = ws.root / "memory/people/ann.md"
    new.write_text("# Ann\n")
    assert get(ws, "ann").name.path == "people/ann.md"
    assert [one.path for one in listed(ws, "memory/people/*.md")[0]] == ["people/ann.md", "people/jane.md"]
    assert [one.path for one in ls(ws, "memory/people").files] == ["people/ann.md", "people/jane.md"]
    new.rename(new.with_name("eve.md"))
    assert get(ws, "eve").name.path == "people/eve.md"
    with pytest.raises(NotFound) as error:
        get(ws, "ann")
    assert "eve" not in error.value.hint
    assert [one.path for one in ls(ws, "memory/people").files] == ["people/eve.md", "people/jane.md"]


def test_a_workspace_that_cannot_be_written_has_names_too(ws: Workspace) -> None:
    (ws.root / ".openclaw-memory").write_text("in the way of the state folder")
    assert get(ws, "jane").name.path == "people/jane.md"
    assert [one.path for one in listed(ws, "memory/people/*.md")[0]] == ["people/jane.md"]
    files, state = ls(ws)
    assert [one.path for one in files] == ["2031-05-08.md", "people/jane.md", "MEMORY.md"]
    assert state.state == "fresh"


def test_a_near_name_is_suggested(ws: Workspace) -> None:
    update(ws)
    with pytest.raises(NotFound) as error:
        get(ws, "jame.md")
    assert "jane.md" in error.value.hint


def test_nothing_outside_is_read(ws: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("the outsider hornbill\n")
    (ws.root / "memory/link.md").symlink_to(outside)
    (ws.root / "memory/folder").symlink_to(tmp_path)
    update(ws)
    escapes = [
        *("../secret.md", "../../secret.md", "link.md", "memory/link.md", "folder/secret.md", "/etc/passwd"),
        *("qmd://memory/../../secret.md", "qmd://memory//etc/passwd", "qmd://memory/%2e%2e/%2e%2e/secret.md"),
        "memory/people/../../../secret.md",
    ]
    for token in (*escapes, str(outside), "x\x00y"):
        with pytest.raises(OpenClawMemoryError):
            get(ws, token)


def test_a_file_outside_the_mask_is_no_document(ws: Workspace) -> None:
    (ws.root / "memory/key.pem").write_text("secret")
    with pytest.raises(NotFound):
        get(ws, "memory/key.pem")


def test_several(ws: Workspace, tmp_path: Path) -> None:
    update(ws)
    assert [one.path for one in listed(ws, "memory/**/*.md")[0]] == ["2031-05-08.md", "people/jane.md"]
    assert [one.path for one in listed(ws, "jane, 2031-05-08")[0]] == ["people/jane.md", "2031-05-08.md"]
    names, unknown = listed(ws, "jane,nobody,*.nothing")
    assert [one.path for one in names] == ["people/jane.md"]
    assert list(unknown) == ["nobody", "*.nothing"]
    assert list(listed(ws, "")[1]) == [""]


@pytest.mark.parametrize("name", ["c,d.md", "e [x], f.md", "g*.md", "h{i,j}.md"])
def test_a_name_of_what_lists_and_globs_are_made_of_names_itself(ws: Workspace, name: str) -> None:
    for each in (name, "g.md", "gg.md", "hi.md", "e x, f.md"):
        (ws.root / "memory" / each).write_text(each)
    for token in (f"qmd://memory/{name}", f"memory/{name}"):
        assert [one.path for one in listed(ws, token)[0]] == [name]


def test_names_that_are_not_utf8(ws: Workspace) -> None:
    raw = os.fsencode(ws.root / "memory") + b"/b\xffd.md"
    with open(raw, "wb") as file:
        file.write(b"the raw whydah\n")
    hit = search(ws, "whydah").hits[0]
    assert get(ws, hit.file).text == "the raw whydah"


def test_a_collection_name_may_lead(ws: Workspace, tmp_path: Path) -> None:
    other = tmp_path / "notes"
    other.mkdir()
    (other / "n.md").write_text("n")
    collections.add(ws, other, "notes")
    update(ws)
    assert get(ws, "notes/n.md").text == "n"
    assert get(ws, str(other / "n.md")).text == "n"


def test_a_name_that_no_file_can_have_names_none(ws: Workspace) -> None:
    for name in ("x" * 300, "memory/" + "y" * 5000, "a\0b", "qmd://memory/" + "z" * 300):
        with pytest.raises(NotFound):
            get(ws, name)


def test_a_whole_path_by_another_name_of_a_folder_above(ws: Workspace, tmp_path: Path) -> None:
    """And never one that a link inside the collection leads out by."""
    linked = tmp_path / "linked"
    linked.symlink_to(ws.root)
    (tmp_path / "secret.md").write_text("secret")
    (ws.root / "memory/out.md").symlink_to(tmp_path / "secret.md")
    (ws.root / "memory/loop.md").symlink_to(ws.root / "memory/loop.md")
    for asked, root in ((ws, linked), (Workspace(linked), ws.root), (Workspace(linked), linked)):
        assert get(asked, f"{root}/memory/people/jane.md:3:1").text == "- Drinks green tea."
        for name in ("out.md", "loop.md", "gone.md", "x" * 5000, ""):
            with pytest.raises(OpenClawMemoryError):
                get(asked, f"{root}/memory/{name}")

from __future__ import annotations

import os
from pathlib import Path

import pytest

from openclaw_memory.errors import OpenClawMemoryError, UsageError
from openclaw_memory.retrieval import collections
from openclaw_memory.retrieval.documents import NotFound, get, listed
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

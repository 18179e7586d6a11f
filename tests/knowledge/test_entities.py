import json

import pytest

from tests.knowledge.conftest import Space


@pytest.fixture
def loja(om: Space) -> Space:
    """A project with facts, linked from a person, a note and the index, named in facts by several forms."""
    om(
        "entity",
        "new",
        "projects/loja",
        "--name",
        "Loja",
        "--about",
        "the shop",
        "--trigger",
        "loja",
        "--trigger",
        "shop",
    )
    om("entity", "new", "people/jane", "--trigger", "jane")
    om("fact", "add", "loja", "Opens in March", "--now", "2026-03-01")
    om("fact", "add", "jane", "Runs it", "--related", "projects/loja", "--now", "2026-03-01")
    om.write(
        "memory/people/jane/summary.md",
        "# Jane\n\nSee [Loja](../../projects/loja/summary.md#plan), [[projects/loja/summary]].\n",
    )
    om.write("memory/2026-03-01.md", "# 2026-03-01\n\n- started [Loja](projects/loja/summary.md)\n")
    om("decay", "--now", "2026-03-01")
    om.git("add", "-A")
    om.git("commit", "-qm", "start")
    return om


def related(om: Space) -> object:
    return json.loads(om.read("memory/people/jane/items.json"))[0]["relatedEntities"]


def test_new_writes_summary_and_index_entry(om: Space) -> None:
    om("entity", "new", "people/jane-doe", "--name", "Jane Doe", "--about", "CTO", "--trigger", "jane", "--commit")
    assert om.read("memory/people/jane-doe/summary.md") == "# Jane Doe\n\nCTO\n"
    assert "- [Jane Doe](memory/people/jane-doe/summary.md): CTO <!-- trigger: jane -->" in om.read("MEMORY.md")
    assert om.git("log", "-1", "--format=%s").strip() == "Add people/jane-doe"
    assert om("check").code == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("jane", "no entity's name"),
        ("folks/jane", "kinds: people"),
        ("people/Jane Doe", "use people/jane-doe"),
        ("people/../x", "no slug"),
        ("people/", "no entity's name"),
        ("archives/people/x", "no entity's name"),
        ("projects/loja", "exists"),
    ],
)
def test_names_that_are_refused(loja: Space, name: str, said: str) -> None:
    before = loja.files()
    assert said in loja("entity", "new", name, code=2).err
    assert loja.files() == before


def test_archive_moves_everything_and_rewrites_links_index_and_names(loja: Space) -> None:
    loja("active", "add", "memory/projects/loja/summary.md", code=None)
    done = loja("entity", "archive", "projects/loja", "--now", "2026-06-01")
    assert "archived as archives/projects/loja" in done.out
    assert "way back: openclaw-memory undo" in done.out
    place = "memory/archive/2026/projects/loja"
    assert json.loads(loja.read(f"{place}/items.json"))[0]["fact"] == "Opens in March"
    assert not (loja.root / "memory/projects/loja").exists()
    jane = loja.read("memory/people/jane/summary.md")
    assert "[Loja](../../archive/2026/projects/loja/summary.md#plan)" in jane
    assert related(loja) == ["archives/projects/loja"]
    index = loja.read("MEMORY.md")
    assert f"[Loja]({place}/summary.md): the shop <!-- trigger: loja, shop -->" in index
    assert "memory/projects/loja" not in index
    assert f'"path": "{place}/summary.md"' in loja.read("memory/decay.json")
    assert "archived already" in loja("entity", "archive", "loja", code=2).err


def test_archive_is_one_commit_and_undo_brings_every_byte_back(loja: Space) -> None:
    before = loja.files()
    loja("entity", "archive", "projects/loja", "--commit")
    assert loja.git("rev-list", "--count", "HEAD").strip() == "2"
    assert loja("check", "--range", "HEAD~1..HEAD").code == 0
    loja("undo", "--commit")
    assert loja.files() == before


def test_move_and_back_from_the_archive(loja: Space) -> None:
    loja("entity", "mv", "projects/loja", "projects/shop")
    assert related(loja) == ["projects/shop"]
    assert "[Loja](memory/projects/shop/summary.md): the shop" in loja.read("MEMORY.md")
    assert json.loads(loja.read("memory/projects/shop/items.json"))[0]["id"] == "loja-001"
    loja("entity", "archive", "shop", "--now", "2026-06-01")
    assert "lies in the archive" in loja("entity", "new", "projects/shop", code=2).err
    loja("entity", "mv", "archives/projects/shop", "projects/loja")
    assert related(loja) == ["projects/loja"]
    assert "(../../projects/loja/summary.md#plan)" in loja.read("memory/people/jane/summary.md")
    loja("fact", "add", "loja", "Has a till", "--now", "2026-06-02")
    assert json.loads(loja.read("memory/projects/loja/items.json"))[1]["id"] == "loja-002"


def test_a_taken_name_is_refused(loja: Space) -> None:
    loja("entity", "new", "projects/shop")
    assert "exists" in loja("entity", "mv", "loja", "projects/shop", code=2).err


def test_the_index_of_a_para_root_is_kept_too(om: Space) -> None:
    om.write("openclaw-memory.yaml", "version: 1\nlayout: para\ntimezone: UTC\n")
    om.write("life/index.md", "# Life\n\n## Projects\n\n- [Old](projects/old/summary.md)\n")
    om.write("life/projects/old/summary.md", "# Old\n")
    om("entity", "new", "projects/new")
    assert "life/projects/new/summary.md" in om.read("MEMORY.md")
    assert "(projects/new/summary.md)" in om.read("life/index.md")
    om("entity", "archive", "projects/old", "--now", "2026-06-01")
    assert "archives/2026/projects/old/summary.md" in om.read("life/index.md")
    assert (om.root / "life/archives/2026/projects/old/summary.md").exists()


def test_list_and_show(loja: Space) -> None:
    rows = json.loads(loja("entity", "list", "--json", "--now", "2026-03-02").out)["entities"]
    assert [(row["name"], row["active"], row["heat"]) for row in rows] == [
        ("people/jane", 1, {"hot": 1}),
        ("projects/loja", 1, {"hot": 1}),
    ]
    shown = json.loads(loja("entity", "show", "loja", "--json").out)
    assert shown["namedBy"] == ["people/jane"]
    assert shown["facts"][0]["fact"] == "Opens in March"
    loja("entity", "archive", "loja")
    assert len(json.loads(loja("entity", "list", "--json").out)["entities"]) == 1
    assert len(json.loads(loja("entity", "list", "--archived", "--json").out)["entities"]) == 2

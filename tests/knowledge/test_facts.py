import json

import pytest

from tests.knowledge.conftest import Space


@pytest.fixture
def jane(om: Space) -> Space:
    om("entity", "new", "people/jane", "--trigger", "jane")
    om("fact", "add", "people/jane", "Works at Acme", "--category", "status", "--now", "2026-03-01")
    return om


def items(om: Space, entity: str = "people/jane") -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(om.read(f"memory/{entity}/items.json"))
    return found


def test_a_fact_has_every_field_of_the_schema(jane: Space) -> None:
    assert items(jane) == [
        {
            "id": "jane-001", "fact": "Works at Acme", "category": "status", "timestamp": "2026-03-01",
            "source": "2026-03-01", "status": "active", "supersededBy": None, "relatedEntities": [],
            "lastAccessed": None, "accessCount": 0,
        }
    ]  # fmt: skip


def test_supersede_keeps_the_old_fact_and_points_at_the_new(jane: Space) -> None:
    jane("fact", "supersede", "jane-001", "Works at Globex", "--now", "2026-03-05")
    old, new = items(jane)
    assert (old["fact"], old["status"], old["supersededBy"]) == ("Works at Acme", "superseded", "jane-002")
    assert (new["fact"], new["category"], new["status"]) == ("Works at Globex", "status", "active")
    refused = jane("fact", "supersede", "jane-001", "Works at Initech", code=2)
    assert "superseded already" in refused.err
    assert "jane-002: Works at Globex" in refused.err


def test_a_repeated_fact_is_refused_with_the_id_it_repeats(jane: Space) -> None:
    before = jane.files()
    assert "jane-001 says" in jane("fact", "add", "jane", "works at  “Acme”.", code=2).err
    assert jane.files() == before
    jane("fact", "add", "jane", "Does not work at Acme")
    assert len(items(jane)) == 2


def test_what_was_true_once_may_become_true_again(jane: Space) -> None:
    jane("fact", "supersede", "jane-001", "Works at Globex")
    jane("fact", "supersede", "jane-002", "Works at Acme")
    assert [fact["status"] for fact in items(jane)] == ["superseded", "superseded", "active"]


def test_related_entities_become_canonical_and_dead_ones_are_told(jane: Space) -> None:
    jane("entity", "new", "companies/acme")
    done = jane("fact", "add", "jane", "Founded it", "--related", "areas/companies/acme", "--related", "people/bo")
    assert "people/bo is no entity yet" in done.err
    assert items(jane)[1]["relatedEntities"] == ["companies/acme", "people/bo"]
    assert json.loads(jane("fact", "show", "jane-002", "--json").out)["deadEntities"] == ["people/bo"]


def test_list_by_entity_category_heat_and_text(jane: Space) -> None:
    jane("entity", "new", "people/bo")
    jane("fact", "add", "bo", "Likes green tea", "--category", "preference", "--now", "2026-06-01")

    def ids(*words: str) -> list[str]:
        told = json.loads(jane("fact", "list", *words, "--now", "2026-06-02", "--json").out)["facts"]
        return [fact["reference"] for fact in told]

    assert ids() == ["people/bo:bo-001", "people/jane:jane-001"]
    assert ids("jane") == ids("--category", "status") == ids("--heat", "cold") == ["people/jane:jane-001"]
    assert ids("--text", "GREEN tea!") == ids("--heat", "hot") == ["people/bo:bo-001"]
    jane("fact", "supersede", "bo-001", "Likes black tea")
    assert "people/bo:bo-001" not in ids()
    assert "people/bo:bo-001" in ids("--all")


def test_history_forward_and_back(jane: Space) -> None:
    jane("fact", "supersede", "jane-001", "Works at Globex")
    jane("fact", "supersede", "jane-002", "Works at Initech")
    for start in ("jane-001", "jane-002", "people/jane:jane-003"):
        told = json.loads(jane("fact", "history", start, "--json").out)["facts"]
        assert [fact["id"] for fact in told] == ["jane-001", "jane-002", "jane-003"]


def test_an_id_of_two_entities_needs_its_entity(jane: Space) -> None:
    jane("entity", "new", "projects/jane")
    jane("fact", "add", "projects/jane", "Started")
    assert "people/jane:jane-001, projects/jane:jane-001" in jane("fact", "show", "jane-001", code=2).err
    assert "Started" in jane("fact", "show", "projects/jane:jane-001").out


def test_redact_leaves_a_tombstone_and_takes_the_text_out_of_the_summary(jane: Space) -> None:
    jane("fact", "add", "jane", "Her pin is 4711")
    jane("synthesize")
    assert "4711" in jane.read("memory/people/jane/summary.md")
    jane("fact", "redact", "jane-002", "--reason", "a secret", "--now", "2026-03-09")
    assert items(jane)[1]["fact"] == "[redacted]"
    assert items(jane)[1]["redacted"] == "2026-03-09: a secret"
    assert not any(b"4711" in data for data in jane.files().values())
    assert "redacted already" in jane("fact", "redact", "jane-002", "--reason", "x", code=2).err
    assert "is redacted" in jane("fact", "supersede", "jane-002", "x", code=2).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fact", "add", "people/nobody", "x"), "no entity 'people/nobody'"),
        (("fact", "add", "jane", "  "), "needs a text"),
        (("fact", "add", "jane", "x", "--category", "mood"), "'mood' is no category"),
        (("fact", "supersede", "jane-009", "x"), "no fact jane-009"),
        (("fact", "supersede", "jane-001", "works at acme"), "says already"),
        (("fact", "redact", "jane-001", "--reason", " "), "without a reason"),
        (("fact", "history", "nope"), "no fact nope"),
    ],
)
def test_bad_input_changes_nothing(jane: Space, words: tuple[str, ...], said: str) -> None:
    before = jane.files()
    assert said in jane(*words, code=2).err
    assert jane.files() == before


def test_more_categories_by_config(jane: Space) -> None:
    jane.write("openclaw-memory.yaml", "version: 1\nfacts:\n  categories: [mood]\n")
    jane("fact", "add", "jane", "Cheerful", "--category", "mood")
    assert items(jane)[1]["category"] == "mood"


def test_a_single_file_becomes_a_folder_with_index_and_links_in_one_commit(om: Space) -> None:
    om.write("memory/people/bo.md", "# Bo\n\nSee [the team](../projects/loja.md).\n")
    om.write("memory/projects/loja.md", "# Loja\n\n- owner: [Bo](../people/bo.md), [[bo]], `memory/people/bo.md`\n")
    om.write("MEMORY.md", "# Memory\n\n## People\n\n- [Bo](memory/people/bo.md): boss <!-- trigger: bo -->\n")
    om.git("add", "-A")
    om.git("commit", "-qm", "start")
    om("fact", "add", "people/bo", "Runs Loja", "--commit")
    assert om.read("memory/people/bo/summary.md") == "# Bo\n\nSee [the team](../../projects/loja.md).\n"
    assert not (om.root / "memory/people/bo.md").exists()
    linked = om.read("memory/projects/loja.md")
    assert "[Bo](../people/bo/summary.md)" in linked
    assert "`memory/people/bo/summary.md`" in linked
    assert "- [Bo](memory/people/bo/summary.md): boss <!-- trigger: bo -->" in om.read("MEMORY.md")
    assert om.git("status", "--porcelain") == "?? .openclaw-memory/\n" or om.git("status", "--porcelain") == ""
    om("undo")
    assert (om.root / "memory/people/bo.md").exists()


def test_undo_and_dry_run(jane: Space) -> None:
    before = jane.files()
    assert '+    "fact": "x"' in jane("fact", "add", "jane", "x", "--dry-run").out
    assert jane.files() == before
    jane("fact", "add", "jane", "x")
    jane("undo")
    assert jane.files() == before


def test_facts_in_another_coat_are_written_in_it(om: Space) -> None:
    om.write("memory/people/bo/items.yaml", "- id: person-bo-004\n  content: Likes tea\n  created: 2026-03-01\n")
    om("fact", "supersede", "person-bo-004", "Likes coffee", "--now", "2026-03-05")
    assert om.read("memory/people/bo/items.yaml") == (
        "- id: person-bo-004\n  content: Likes tea\n  created: 2026-03-01\n  status: superseded\n"
        "  superseded_by: bo-005\n- id: bo-005\n  content: Likes coffee\n  created: 2026-03-05\n"
        '  source: "2026-03-05"\n  status: active\n'
    )


def test_broken_json_names_line_and_column_and_touches_nothing(jane: Space) -> None:
    jane.write("memory/people/jane/items.json", '[\n  {"id": "jane-001", "fact": "x",}\n]\n')
    before = jane.files()
    assert "memory/people/jane/items.json:2:" in jane("fact", "add", "jane", "y", code=2).err
    assert jane.files() == before


def test_repair_renumbers_the_younger_of_two_with_its_pointer(jane: Space) -> None:
    rows = [
        {"id": "jane-001", "fact": "Works at Acme", "status": "superseded", "supersededBy": "jane-003"},
        {"id": "jane-002", "fact": "Drives a red car", "status": "superseded", "supersededBy": "jane-003"},
        {"id": "jane-003", "fact": "Drives a blue car", "timestamp": "2026-03-02", "status": "active"},
        {"id": "jane-003", "fact": "Works at Globex", "timestamp": "2026-03-01", "status": "active"},
        {"fact": "No id", "accessCount": "12", "status": "active"},
    ]
    jane.write("memory/people/jane/items.json", json.dumps(rows, indent=2))
    assert "2 facts have the id" in jane("fact", "show", "people/jane:jane-003", code=2).err
    out = jane("fact", "repair").out
    assert "jane-003 was given twice" in out
    repaired = {fact["fact"]: fact for fact in items(jane)}
    assert repaired["Works at Globex"]["id"] == "jane-003"
    assert repaired["Drives a blue car"]["id"] == "jane-005"
    assert repaired["Works at Acme"]["supersededBy"] == "jane-003"
    assert repaired["Drives a red car"]["supersededBy"] == "jane-005"
    assert repaired["No id"]["id"] == "jane-004"
    assert repaired["No id"]["accessCount"] == 12
    assert "nothing to change" in jane("fact", "repair").out


def test_odd_folder_names_and_dangling_links(om: Space) -> None:
    om.write("memory/people/Jane Döe 🐙/summary.md", "# Jane\n")
    (om.root / "memory/people/gone.md").symlink_to("nowhere.md")
    om("fact", "add", "people/Jane Döe 🐙", "Likes tea")
    assert items(om, "people/Jane Döe 🐙")[0]["id"] == "jane-doe-001"
    assert "gone" not in om("entity", "list").out
    om("note", "Jane: x")
    om("extract")
    om("synthesize")
    om("decay")
    assert "Jane" in om("entity", "graph").out

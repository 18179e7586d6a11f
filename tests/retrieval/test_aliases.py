"""Other names of people and things: a query by one finds what is written of another, and loses nothing by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory.config import Config
from openclaw_memory.config.model import MemoryConfig, RetrievalConfig, SearchPath
from openclaw_memory.retrieval import aliases as names
from openclaw_memory.retrieval import collections, embedders, hybrid, indexed, search, variants
from openclaw_memory.retrieval.embedders.choose import installed
from openclaw_memory.retrieval.hits import Hit
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.query import parse
from openclaw_memory.retrieval.update import update
from openclaw_memory.retrieval.vectors import embed
from openclaw_memory.workspace import Workspace
from tests.retrieval import aliases

Make = Callable[..., Workspace]
JANE = "---\naliases: [JD, Janey]\n---\n# Jane Doe\n\n- Runs the office.\n"
NO_CONFIG = Config()


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A workspace of files: `other/` is a folder of its own, all else is below `memory/`."""

    def workspace(files: dict[str, str], config: Config = NO_CONFIG) -> Workspace:
        for name, text in files.items():
            path = tmp_path / "ws" / (name if name.startswith("other/") else f"memory/{name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return Workspace(tmp_path / "ws", config)

    return workspace


def find(ws: Workspace, text: str, **options: object) -> list[Hit]:
    return list(search.search(ws, text, Options(explain=True, **options)).hits)  # type: ignore[arg-type]


def lines(hits: list[Hit]) -> list[str]:
    return [hit.snippet.split("\n")[-1] for hit in hits]


def switched_off(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(names, "known", lambda *args: [])
    patch.setattr(search, "names", lambda *args: [])


def test_what_is_written_of_another_name_is_found_and_nothing_is_lost(tmp_path: Path) -> None:
    ws = aliases.write(tmp_path)
    helped, as_typed = (aliases.ranks(ws, cases) for cases in (aliases.HELPS, aliases.AS_TYPED))
    with pytest.MonkeyPatch.context() as patch:
        switched_off(patch)
        without, typed = (aliases.ranks(ws, cases) for cases in (aliases.HELPS, aliases.AS_TYPED))
    print(f"MRR {aliases.mrr(helped):.3f}, without {aliases.mrr(without):.3f}; as typed {aliases.mrr(typed):.3f}")
    assert aliases.mrr(without) < 0.6
    assert aliases.mrr(helped) > 0.9
    assert as_typed == typed


@pytest.mark.skipif(not installed("local"), reason="the extra [local] is not installed")
def test_by_words_and_meaning_too(tmp_path: Path) -> None:
    ws = aliases.write(tmp_path)
    model = embedders.load(RetrievalConfig(embedder="local"))
    update(ws)
    embed(ws, model)
    helped, as_typed = (aliases.ranks(ws, cases, model) for cases in (aliases.HELPS, aliases.AS_TYPED))
    with pytest.MonkeyPatch.context() as patch:
        switched_off(patch)
        without, typed = (aliases.ranks(ws, cases, model) for cases in (aliases.HELPS, aliases.AS_TYPED))
    print(f"MRR {aliases.mrr(helped):.3f}, without {aliases.mrr(without):.3f}; as typed {aliases.mrr(typed):.3f}")
    assert aliases.mrr(helped) > aliases.mrr(without) + 0.2
    assert as_typed == typed


@pytest.mark.skipif(not installed("local"), reason="the extra [local] is not installed")
def test_by_meaning_alone_too(tmp_path: Path) -> None:
    ws = aliases.write(tmp_path)
    model = embedders.load(RetrievalConfig(embedder="local"))
    update(ws)
    embed(ws, model)
    helped, as_typed = (aliases.ranks(ws, cases, model, alone=True) for cases in (aliases.HELPS, aliases.AS_TYPED))
    with pytest.MonkeyPatch.context() as patch:
        switched_off(patch)
        without, typed = (aliases.ranks(ws, cases, model, alone=True) for cases in (aliases.HELPS, aliases.AS_TYPED))
    print(f"MRR {aliases.mrr(helped):.3f}, without {aliases.mrr(without):.3f}; as typed {aliases.mrr(typed):.3f}")
    assert aliases.mrr(helped) > aliases.mrr(without) + 0.1
    assert aliases.mrr(as_typed) >= aliases.mrr(typed)
    answer = hybrid.vsearch(ws, "Robert Quill clock", Options(explain=True, limit=20), model)
    assert answer.legs == ("vector",)
    assert any("alias.Bob" in hit.explain and "station clock" in hit.snippet for hit in answer.hits)


def test_the_steps_say_which_name_was_taken(make: Make) -> None:
    ws = make({"people/jane-doe.md": JANE, "a.md": "# A\n\n- Jane Doe approved the crane.\n- JD was ill.\n"})
    hit = find(ws, "crane JD")[0]
    assert lines([hit]) == ["- Jane Doe approved the crane."]
    assert hit.explain["alias.Jane Doe"] == variants.WEIGHT
    hits = hybrid.query(ws, "crane JD", Options(explain=True)).hits
    (said,) = (hit.explain for hit in hits if "crane" in hit.snippet)
    assert {"alias.Jane Doe", "lexical.alias.Jane Doe"} & said.keys()


def test_a_passage_with_all_words_as_typed_comes_first(make: Make) -> None:
    long = "- " + "In spring we had a long look at this and that, and " * 8 + "JD said the crane is fine.\n"
    ws = make({"people/jane-doe.md": JANE, "a.md": "# Jane Doe\n\n- Jane Doe: crane!\n", "z.md": f"# Z\n\n{long}"})
    assert [hit.path for hit in find(ws, "JD crane")][:2] == ["z.md", "a.md"]


def test_two_names_in_one_query_are_both_changed(make: Make) -> None:
    bob = "---\nalias: Bob\n---\n# Robert Quill\n"
    notes = "# A\n\n- Jane Doe met Robert Quill.\n\n# B\n\n- Jane Doe slept.\n\n# C\n\n- Robert Quill ate.\n"
    ws = make({"people/jane-doe.md": JANE, "people/robert-quill.md": bob, "a.md": notes})
    assert lines(find(ws, "when did JD and Bob meet path:a.md"))[0] == "- Jane Doe met Robert Quill."
    assert [
        one.query.text for one in variants.variants(parse("JD, Bob"), [named("JD", "J Doe"), named("Bob", "R Q")])
    ] == [
        "J Doe R Q",
        "J Doe Bob",
        "JD R Q",
    ]


def named(*texts: str) -> names.Names:
    return names.names(texts)


@pytest.mark.parametrize(
    ("front", "title", "path", "kind", "found"),
    [
        ({"aliases": ["JD", "Janey"]}, "Jane Doe", "people/jane-doe.md", "people", ["Jane Doe", "JD", "Janey"]),
        ({"alias": "JD, Janey"}, "Jane Doe", "notes/jane-doe.md", "", ["Jane Doe", "JD", "Janey"]),
        ({}, "Jane Doe", "people/p-017.md", "people", ["Jane Doe", "p-017"]),
        ({}, "Jane Doe", "people/p-017/summary.md", "people", ["Jane Doe", "p-017"]),
        ({}, "👤 Jane Doe", "people/p-017.md", "people", ["Jane Doe", "p-017"]),
        ({}, "Profile", "people/jane_doe.md", "people", []),
        ({}, "All whom I know", "memory/people/README.md", "people", []),
        ({}, "Jane Doe", "people/jane_doe.md", "people", []),
        ({}, "Move to the new system", "projects/lighthouse.md", "projects", []),
        ({"aliases": ["LH"]}, "How we move all to a new system", "projects/lighthouse.md", "", ["lighthouse", "LH"]),
        ({"aliases": ["x", "2031", "the", "?", "The Rock"]}, "Stone", "stone.md", "", ["Stone", "The Rock"]),
        ({"aliases": ["jane doe"]}, "Jane Doe", "jane-doe.md", "", []),
        ({"aliases": {"JD": 1}}, "Jane Doe", "jane-doe.md", "", []),
        ({"aliases": "ケン先輩"}, "Ken", "ken.md", "", ["Ken", "ケン先輩"]),
        ({"aliases": [f"n{at}" for at in range(99)]}, "Lot", "lot.md", "", ["Lot", *(f"n{at}" for at in range(7))]),
    ],
)
def test_names_of_a_file(front: dict[str, object], title: str, path: str, kind: str, found: list[str]) -> None:
    assert [one.name for one in names.names_of(front, title, path, kind)] == found


@pytest.mark.parametrize("text", ["JD", "jd's crane", "(JD) crane", "crane: JD?", "janey crane"])
def test_a_name_is_known_in_any_writing(text: str) -> None:
    found = variants.variants(parse(text), [named("Jane Doe", "JD", "Janey")])
    assert "Jane Doe" in [name for one in found for name in one.names]


@pytest.mark.parametrize("text", ["Jane Eyre", "Doe Jane", "jdx", "j d", "kind:people", ""])
def test_a_part_of_a_name_is_no_name(text: str) -> None:
    assert not variants.variants(parse(text), [named("Jane Doe", "JD", "Janey")])


def test_a_name_that_holds_what_was_typed_is_found_by_it() -> None:
    assert [one.names for one in variants.variants(parse("acme"), [named("Acme Milling", "Acme", "AMC")])] == [("AMC",)]


def test_a_name_of_many_things_says_nothing() -> None:
    things = [named("JD", f"J{at} D{at}") for at in range(4)]
    assert len(variants.variants(parse("JD"), things[:3])) == 3
    assert not variants.variants(parse("JD"), things)


def test_the_order_of_things_does_not_count() -> None:
    things = [named("JD", f"J{at} D{at}", f"K{at}") for at in range(3)]
    assert variants.variants(parse("JD"), things) == variants.variants(parse("JD"), things[::-1])


def test_a_common_word_does_not_flood(make: Make) -> None:
    team = "---\naliases: [team]\n---\n# Platform Operations\n\n- Seven of us.\n"
    notes = {f"n{at}.md": f"# N{at}\n\n- The team met in room {at}.\n" for at in range(99)}
    more = {f"p{at}.md": f"# P{at}\n\n- Platform Operations ordered paper {at}.\n" for at in range(99)}
    ws = make({"ops.md": team, **notes, **more, "lunch.md": "# Lunch\n\n- We had soup for lunch.\n"})
    assert find(ws, "team lunch", limit=30)[0].path == "lunch.md"
    assert not [
        hit for hit in find(ws, "team lunch", limit=30) if any(step.startswith("alias") for step in hit.explain)
    ]


def test_operators_count_for_other_names_too(make: Make) -> None:
    notes = "# A\n\n- Jane Doe approved the crane.\n\n# B\n\n- Jane Doe approved the ferry.\n- JD is ill.\n"
    ws = make({"people/jane-doe.md": JANE, "a.md": notes})
    assert lines(find(ws, "JD approved -ferry path:a.md"))[0] == "- Jane Doe approved the crane."
    assert not any("ferry" in line for line in lines(find(ws, "JD approved -ferry")))
    assert lines(find(ws, '"JD is"')) == ["- JD is ill."]
    assert [hit.path for hit in find(ws, "JD approved path:people")] == ["people/jane-doe.md"]


def test_names_come_and_go_with_their_file(make: Make) -> None:
    jane = JANE.replace("Janey", "Zilla")
    ws = make({"people/jane-doe.md": jane, "a.md": "# A\n\n- Jane Doe approved the crane.\n"})
    found = lambda: [hit.path for hit in find(ws, "Zilla")]  # noqa: E731
    assert found() == ["people/jane-doe.md", "a.md"]
    path = ws.root / "memory/people/jane-doe.md"
    path.write_text(JANE)
    assert found() == []
    path.write_text(jane)
    path.rename(path.with_name("jd.md"))
    assert found() == ["people/jd.md", "a.md"]
    path.with_name("jd.md").unlink()
    assert found() == []


def test_collections_that_are_left_out_give_no_names(make: Make) -> None:
    config = Config(memory=MemoryConfig(paths=(SearchPath("other"),)))
    ws = make({"other/jane-doe.md": JANE, "a.md": "# A\n\n- Jane Doe approved the crane.\n"}, config)
    assert "a.md" in [hit.path for hit in find(ws, "Janey")]
    collections.include(ws, "other", included=False)
    assert find(ws, "Janey") == []
    assert [hit.path for hit in find(ws, "Janey", collections=("other", "memory"))] == ["jane-doe.md", "a.md"]


INDEX = """# Memory

- [Jane Doe (Janey)](memory/people/jane.md): runs the office <!-- trigger: boss, office -->
- [Omar](memory/people/omar.md): bakes <!-- trigger: baker, neighbour -->
- [Ada](memory/people/ada.md): paints <!-- trigger: neighbour -->
- [Acme Milling](memory/companies/acme.md): delivers <!-- trigger: flour -->
- [Loom (Weaver)](memory/projects/loom.md): a machine <!-- trigger: threads -->
"""


def test_what_the_index_calls_people_and_firms(make: Make) -> None:
    """Triggers of people that are theirs alone, and no word of what they do; of firms only names; nothing of others."""
    ws = make({"a.md": ""})
    ws.index_path.write_text(INDEX)
    found = [tuple(one.name for one in some) for some in indexed.names(ws, [parse("boss")])]
    assert found == [("Jane Doe", "Janey", "boss"), ("Omar", "baker")]
    assert indexed.names(ws, [parse("harbour")]) == []


def test_a_file_is_not_lifted_over_the_notes_that_say_its_trigger(make: Make) -> None:
    jane = "# Jane Doe\n\n" + "".join(f"- Jane Doe did {what}.\n" for what in ("this", "that", "more", "less"))
    ws = make({"people/jane.md": jane, "a.md": "# A\n\n- The boss was ill.\n- Jane Doe slept.\n"})
    ws.index_path.write_text(INDEX)
    paths = [hit.path for hit in find(ws, "boss") if hit.path != "MEMORY.md"]
    assert paths[:3] == ["people/jane.md", "a.md", "a.md"]

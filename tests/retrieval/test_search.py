from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openclaw_memory.retrieval import collections, fresh, hybrid
from openclaw_memory.retrieval.hits import Answer, Hit
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.search import search
from openclaw_memory.workspace import Workspace
from tests.conftest import SHARED
from tests.retrieval.conftest import Finder, paths

Search = Callable[[Workspace, str, Options], Answer]
CASES_FILE = SHARED / "bench/torture/cases.json"
CASES: list[dict[str, Any]] = json.loads(CASES_FILE.read_bytes()) if CASES_FILE.exists() else []


@pytest.fixture(scope="module")
def torture(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("torture")
    (root / "openclaw-memory.yaml").write_text(
        "memory:\n  includeDefaultMemory: false\n  paths: [{path: ws, name: ws, pattern: '**/*.{md,markdown}'}]\n"
    )
    for case in CASES:
        for name, content in case["files"].items():
            path = root / "ws" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(content["b64"]) if isinstance(content, dict) else content.encode())
    return Workspace(root)


@pytest.mark.skipif(not CASES, reason="the torture cases are not here: set OPENCLAW_MEMORY_SHARED")
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_torture(torture: Workspace, case: dict[str, Any]) -> None:
    hits = search(torture, case["query"], Options(limit=10, budget=60)).hits
    found = paths(list(hits))
    if case.get("empty"):
        assert not hits
    elif not case.get("noerror"):
        top = found[: case.get("k", 3)]
        assert (all if case.get("all") else any)(want in top for want in case["want"])
        assert not set(case.get("never", ())) & set(found)
        if "line" in case:
            hit = next(hit for hit in hits if hit.path in case["want"])
            assert hit.start_line <= case["line"] <= hit.end_line


def test_a_hit_says_where_it_is(find: Finder) -> None:
    (hit, *_) = find("green tea")
    assert (hit.path, hit.collection, hit.start_line, hit.line) == ("people/jane.md", "memory", 3, 3)
    assert hit.snippet == "- Drinks green tea."
    assert hit.title == "Jane Doe"
    assert hit.kind == "people"
    assert 0 < hit.score <= 1


def test_more_of_the_query_scores_higher_and_scores_compare_between_queries(ws: Workspace, find: Finder) -> None:
    (ws.root / "memory/a.md").write_text("# A\n\nThe heron sleeps.\n")
    (ws.root / "memory/b.md").write_text("# B\n\nThe heron sleeps in the dock by the mill.\n")
    all_words, one_word = find("heron dock mill"), find("heron zzzz yyyy")
    assert all_words[0].path == "b.md"
    assert all_words[0].score > 2 * one_word[0].score
    assert find("heron dock mill") == all_words


def test_filters_narrow_before_ranking(ws: Workspace, find: Finder) -> None:
    for number in range(300):
        (ws.root / f"memory/n{number}.md").write_text(f"# N{number}\n\nThe heron log, line {number}, heron heron.\n")
    (ws.root / "memory/people/bob.md").write_text("---\ntags: [rigger]\n---\n# Bob\n\nOnce saw a heron.\n")
    assert set(paths(find("heron kind:people"))) == {"people/bob.md", "people/jane.md"}
    assert paths(find("heron tag:rigger")) == ["people/bob.md"]
    assert paths(find("heron path:people/bob")) == ["people/bob.md"]
    assert paths(find("oslo after:2031-05 before:2031-06")) == ["2031-05-08.md"]
    assert find("oslo before:2030") == []
    assert paths(find("jane", collections=("memory-root",))) == ["MEMORY.md"]


def test_a_minimum_score_never_cuts_an_exact_hit(find: Finder) -> None:
    assert paths(find("green tea", min_score=0.99)) == ["people/jane.md"]
    assert find("green tea unicorn stable harness", min_score=0.99) == []


def test_a_date_is_found_by_its_words(find: Finder) -> None:
    assert paths(find("what moved in May 2031"))[0] == "2031-05-08.md"


def test_a_superseded_fact_is_found_behind_what_holds(ws: Workspace, find: Finder) -> None:
    folder = ws.root / "memory/people/ann"
    folder.mkdir()
    facts = [
        {"id": "ann-001", "fact": "Ann works at the mill", "status": "superseded", "supersededBy": "ann-002"},
        {"id": "ann-002", "fact": "Ann works at the dock", "status": "active", "category": "status"},
    ]
    (folder / "items.json").write_text(json.dumps(facts, indent=2))
    found = [hit for hit in find("where does Ann work") if hit.path == "people/ann/items.json"]
    assert [hit.snippet for hit in found] == [
        "Ann works at the dock (status, active)",
        "Ann works at the mill (superseded)",
    ]
    assert found[0].kind == "fact"


def test_rare_words_are_found_even_alone_and_common_ones_are_not(ws: Workspace, find: Finder) -> None:
    for number in range(30):
        (ws.root / f"memory/c{number}.md").write_text(f"# C{number}\n\nA clause about number {number}.\n")
    assert find("petrel clause") == []
    assert paths(find("please summarise our policy regarding the heron"))[:1] == ["people/jane.md"]


def test_all_means_all(ws: Workspace, find: Finder) -> None:
    for number in range(250):
        (ws.root / f"memory/c{number}.md").write_text(f"# C{number}\n\nEvery capstan is oiled.\n")
    assert len(paths(find("capstan", limit=100_000))) == 250


def test_explain_adds_up(find: Finder) -> None:
    hit = find("green tea", explain=True)[0]
    assert set(hit.explain) == {"atom", "window", "shared", "bonus"}
    assert all(float(str(part)) >= 0 for part in hit.explain.values())


def test_an_empty_workspace_answers(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("")
    answer = search(Workspace(tmp_path), "anything")
    assert answer.hits == ()
    assert answer.fresh.state == "fresh"


def test_a_process_that_stays_may_trust_its_last_look_but_never_shows_what_is_gone(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm = Options(max_age=60.0)
    assert search(ws, "green tea", warm).hits
    assert search(ws, "green tea", warm).hits, "the first one indexed: that is no look"
    look = fresh._looks[str(ws.root)]
    monkeypatch.setitem(fresh._looks, str(ws.root), look._replace(took=100.0, at=time.monotonic()))
    (ws.root / "memory/new.md").write_text("the fresh seriema\n")
    assert not search(ws, "seriema", warm).hits
    (ws.root / "memory/people/jane.md").write_text("# Jane Doe\n\n- Green tea no more: coffee.\n")
    (hit, *_) = search(ws, "green tea", warm).hits
    assert "coffee" in hit.snippet
    assert search(ws, "seriema", warm).hits


def test_an_excluded_word_leaves_out_passages_not_files(find: Finder) -> None:
    assert [hit.snippet for hit in find("jane -tea kind:people")] == ["- Works on the heron project."]
    assert find("heron -jane kind:people") == []


@pytest.mark.parametrize("search_by", [search, hybrid.query])
def test_an_excluded_name_or_phrase_leaves_out_only_what_holds_all_of_it(ws: Workspace, search_by: Search) -> None:
    (ws.root / "memory/tickets.md").write_text("# Tickets\n\n- VRN-0418 waits.\n- Tea, green, for VRN-0419.\n")
    (ws.root / "memory/above.md").write_text("# About\n\n## VRN-0417\n\nThe ticket of the ferry.\n")

    def found(text: str) -> set[str]:
        return {hit.snippet for hit in search_by(ws, text, Options(limit=20)).hits}

    both = {"- VRN-0418 waits.", "- Tea, green, for VRN-0419."}
    assert found("ticket VRN -VRN-0417") >= both
    assert not any("0417" in text or "ferry" in text for text in found("ticket VRN -VRN-0417"))
    assert "- Tea, green, for VRN-0419." in found('tea -"green tea"')
    assert "- Drinks green tea." not in found('tea -"green tea"')


@pytest.mark.parametrize("search_by", [search, hybrid.query])
def test_a_file_of_several_collections_is_shown_once(ws: Workspace, search_by: Search) -> None:
    (ws.root / "memory/copy.md").write_bytes((ws.root / "memory/people/jane.md").read_bytes())
    collections.add(ws, ws.root, "all")
    collections.add(ws, ws.root / "memory/people", "people", mask="*.md")
    for options in (Options(limit=20), Options(limit=20, full=True), Options(limit=20, by_file=True)):
        hits = search_by(ws, "green tea", options).hits
        shown = [(_root(ws, hit) / hit.path, hit.start_line) for hit in hits]
        assert len(set(shown)) == len(shown)
        assert {path.name for path, _ in shown} >= {"jane.md", "copy.md"}, "another file with the same text is not it"
    assert search_by(ws, "green tea", Options(collections=("people",))).hits[0].collection == "people"


def _root(ws: Workspace, hit: Hit) -> Path:
    return next(one.root for one in collections.load(ws).all if one.name == hit.collection)


def test_operators_alone_list_the_files_that_fit_the_newest_first(ws: Workspace, find: Finder) -> None:
    (ws.root / "memory/2031-06-01.md").write_text("# 2031-06-01\n\n- Quiet.\n")
    (ws.root / "memory/people/bob.md").write_text('---\ntags: ["deck hand", rigger]\n---\n# Bob\n\nSaw a heron.\n')
    assert paths(find("kind:daily")) == ["2031-06-01.md", "2031-05-08.md"]
    assert paths(find('tag:"deck hand"')) == ["people/bob.md"]
    assert paths(find("path:people/")) == ["people/bob.md", "people/jane.md"]
    assert paths(hybrid.query(ws, "kind:daily before:2031-06").hits) == ["2031-05-08.md"]
    assert find("kind:nothing") == []


def test_before_ends_where_after_begins(ws: Workspace, find: Finder) -> None:
    (ws.root / "memory/2031-06-01.md").write_text("# 2031-06-01\n\n- Oslo again.\n")
    assert paths(find("oslo before:2031-06")) == ["2031-05-08.md"]
    assert paths(find("oslo after:2031-06")) == ["2031-06-01.md"]
    assert paths(find("oslo before:2031-05-08")) == []
    assert paths(find("oslo after:2031-05-08 before:2031-05-09")) == ["2031-05-08.md"]
    assert find("oslo before:2031") == []


def test_a_kind_is_named_in_singular_or_plural_and_holds_the_facts_of_its_entities(ws: Workspace, find: Finder) -> None:
    (ws.root / "memory/people/ann").mkdir()
    (ws.root / "memory/people/ann/items.json").write_text('[{"id": "ann-001", "fact": "Ann plays the bassoon"}]')
    (ws.root / "memory/companies").mkdir()
    (ws.root / "memory/companies/reed.md").write_text("# Reed\n\nMakes every bassoon.\n")
    assert paths(find("bassoon kind:people")) == paths(find("bassoon kind:person")) == ["people/ann/items.json"]
    assert paths(find("bassoon kind:fact")) == ["people/ann/items.json"]
    assert paths(find("bassoon kind:company")) == paths(find("bassoon kind:Companies")) == ["companies/reed.md"]


def test_each_fact_of_a_line_is_shown_as_itself(ws: Workspace):
    facts = [{"id": "a-1", "fact": "The kettle is red."}, {"id": "a-2", "fact": "The kettle leaks."}]
    (ws.root / "memory/people/ada").mkdir(parents=True)
    (ws.root / "memory/people/ada/items.json").write_text(json.dumps(facts))
    shown = [hit.snippet for hit in search(ws, "kettle", Options()).hits]
    assert sorted(text.partition(" (")[0] for text in shown) == ["The kettle is red.", "The kettle leaks."]

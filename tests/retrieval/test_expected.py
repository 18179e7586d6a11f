"""Files that a user's own queries should find: whatever names them, and what is said of those that there are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_memory.cli.main import main
from openclaw_memory.retrieval import collections
from openclaw_memory.retrieval.documents import get
from openclaw_memory.retrieval.evaluate import Result, cases, evaluate
from openclaw_memory.retrieval.search import search
from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace

Measure = Callable[..., Result]


@pytest.fixture
def measure(ws: Workspace, tmp_path: Path) -> Measure:
    def run(*entries: dict[str, object]) -> Result:
        file = tmp_path / "cases.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in entries))
        return evaluate(ws, cases(file), search)

    return run


@pytest.mark.parametrize(
    "name",
    [
        "memory/people/jane.md",
        "people/jane.md",
        "qmd://memory/people/jane.md",
        "{root}/memory/people/jane.md",
        "{id}",
        "jane",
        "people/jane",
        "memory/people/jane.md#L3-L4",
        "people/jane.md:3",
        "ople/ja",
    ],
)
def test_every_name_that_get_takes_and_a_part_of_a_path(ws: Workspace, measure: Measure, name: str) -> None:
    update(ws)
    name = name.format(root=ws.root, id=get(ws, "jane").id)
    result = measure({"query": "green tea", "expected": name})
    assert (result.mrr, result.unknown) == (1.0, ())


def test_a_day_and_a_file_outside_of_memory(measure: Measure) -> None:
    result = measure({"query": "ticket", "expected": "2031-05-08"}, {"query": "jane", "expected": ["MEMORY.md"]})
    assert (result.hit(10), result.unknown) == (1.0, ())


def test_an_exact_name_is_that_file_alone(ws: Workspace, measure: Measure) -> None:
    (ws.root / "memory/people/maryjane.md").write_text("# Mary Jane\n\n- Green tea, green tea.\n")
    result = measure(
        {"query": "mary green tea", "expected": "people/jane.md"}, {"query": "mary", "expected": "jane.md"}
    )
    assert result.outcomes[0].rank == 2
    assert result.outcomes[1].rank == 0  # "jane.md" is a file's whole name


def test_a_file_of_two_collections_is_found_in_either(ws: Workspace, measure: Measure) -> None:
    collections.add(ws, ws.root / "memory/people", name="people")
    for name in ("qmd://people/jane.md", "qmd://memory/people/jane.md"):
        assert measure({"query": "green tea", "expected": name}).mrr == 1.0


def test_what_is_not_in_the_index_is_told_with_its_line(ws: Workspace, measure: Measure, tmp_path: Path) -> None:
    (ws.root / "memory/people/blob.md").write_bytes(b"\0\1\2")
    known = {"query": "green tea", "expected": ["jane.md", "gone.md"]}
    result = measure(known, {"query": "tea", "expected": "qmd://memory/gone.md"}, {"query": "a", "expected": "#123456"})
    file = tmp_path / "cases.jsonl"
    assert result.unknown == (
        f"{file}:1: the index has no file 'gone.md'",
        f"{file}:2: the index has no file 'qmd://memory/gone.md'",
        f"{file}:3: the index has no file '#123456'",
    )
    assert [one.case.id for one in result.missed] == ["2", "3"]


@pytest.mark.parametrize("form", ["[\n{a},\n{b}\n]", '{{"note": "[", "queries": [\n{a},\n{b}]}}', "\n{a}\n{b}\n"])
def test_the_line_of_an_entry_in_each_form_of_file(tmp_path: Path, form: str) -> None:
    file = tmp_path / "cases.json"
    one = '{"query": "a, [b]", "expected": "x.md"}'
    file.write_text(form.format(a=one, b=one))
    assert [one.where for one in cases(file)] == [f"{file}:2", f"{file}:3"]


def test_the_commands_say_it_too(ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"query": "green tea", "expected": ["jane.md", "gone.md"]}\n')
    said = f"openclaw-memory: {file}:1: the index has no file 'gone.md'"
    assert main(["eval", str(file), "--json", "-w", str(ws.root)]) == 1
    told = capsys.readouterr()
    assert said in told.err
    assert (json.loads(told.out)["hit@1"], len(json.loads(told.out)["unknown"])) == (1.0, 1)
    assert main(["bench", str(file), "-w", str(ws.root)]) == 0
    assert said in capsys.readouterr().err
    assert main(["bench", "-w", str(ws.root)]) == 0
    told = capsys.readouterr()
    assert ("hit@10 100.0%" in told.out, told.err) == (True, "")

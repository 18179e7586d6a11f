"""Any facts, in any layout JSON and YAML can give them: an edit changes what it means to, and no other byte."""

import json
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory.knowledge.factsfile import FactsFile, load

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
SCALARS = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | TEXT
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=5
)
EXTRA = st.dictionaries(TEXT.map(lambda key: "x" + key), VALUES, max_size=3)
RECORDS = st.lists(
    st.builds(lambda text, count, extra: {"fact": text, "accessCount": count, **extra}, TEXT, st.integers(0, 9), EXTRA),
    min_size=1,
    max_size=4,
).map(lambda rows: [{"id": f"f-{at}", **row} for at, row in enumerate(rows)])
EDITS = st.fixed_dictionaries(
    {}, optional={"accessCount": st.integers(0, 99), "lastAccessed": st.just("2026-03-02"), "supersededBy": TEXT}
)


def edited(text: str, path: str, position: int, edit: dict[str, Any]) -> tuple[FactsFile, FactsFile, str]:
    before = load(text.encode("utf-8", "surrogateescape"), path)
    written = before.rewrite({position: edit})
    return before, load(written, path), written.decode("utf-8", "surrogateescape")


def holds(before: FactsFile, after: FactsFile, written: str, position: int, edit: dict[str, Any]) -> None:
    for at, (old, new) in enumerate(zip(before.facts, after.facts, strict=True)):
        expected = {**old.record, **(edit if at == position else {})}
        assert {key: new.record[key] for key in expected} == expected
        assert len(new.record) == len(expected)
    start, end = before.parsed.spans[position]
    assert written.startswith(before.parsed.text[:start])
    assert written.endswith(before.parsed.text[end:].lstrip(" \t")) or before.path.endswith("yaml")


@settings(max_examples=150, deadline=None)
@given(RECORDS, EDITS, st.data(), st.sampled_from([None, 0, 1, 2, "\t"]), st.booleans(), st.sampled_from([", ", ","]))
def test_json(
    rows: list[dict[str, Any]], edit: dict[str, Any], data: st.DataObject, indent: Any, ascii_: bool, comma: str
) -> None:
    position = data.draw(st.integers(0, len(rows) - 1))
    text = json.dumps(
        rows, indent=indent, ensure_ascii=ascii_, separators=(comma.strip() if indent is not None else comma, ": ")
    )
    for whole in (text, '{"entity": "x", "facts": ' + text + ', "n": [1]}', text.replace("\n", "\r\n")):
        holds(*edited(whole, "items.json", position, edit), position, edit)


@settings(max_examples=80, deadline=None)
@given(RECORDS, EDITS, st.data())
def test_json_lines(rows: list[dict[str, Any]], edit: dict[str, Any], data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(rows) - 1))
    text = "".join(json.dumps(row) + "\n" for row in rows)
    before, after, written = edited(text, "facts.jsonl", position, edit)
    holds(before, after, written, position, edit)
    assert written.count("\n") == len(rows)


@settings(max_examples=150, deadline=None)
@given(RECORDS, EDITS, st.data(), st.sampled_from([None, False, True]), st.booleans())
def test_yaml(
    rows: list[dict[str, Any]], edit: dict[str, Any], data: st.DataObject, flow: bool | None, wide: bool
) -> None:
    position = data.draw(st.integers(0, len(rows) - 1))
    text = yaml.safe_dump(rows, default_flow_style=flow, allow_unicode=wide, sort_keys=False, width=40)
    before, after, written = edited(text, "items.yaml", position, edit)
    holds(before, after, written, position, edit)


@settings(max_examples=100, deadline=None)
@given(RECORDS, RECORDS, st.sampled_from([None, 2]), st.sampled_from(["items.json", "items.yaml"]))
def test_additions(rows: list[dict[str, Any]], more: list[dict[str, Any]], indent: Any, path: str) -> None:
    text = json.dumps(rows, indent=indent) if path.endswith("json") else yaml.safe_dump(rows, sort_keys=False)
    before = load(text.encode(), path)
    after = load(before.rewrite({}, more), path)
    assert [fact.record for fact in after.facts[: len(rows)]] == [fact.record for fact in before.facts]
    assert [fact.text for fact in after.facts[len(rows) :]] == [str(row["fact"]) for row in more]

import json
from pathlib import Path

import pytest

from openclaw_memory.facts.model import from_record, linked


def test_aliases_of_real_trees() -> None:
    fact = from_record({
        "id": "a", "content": "x", "created": "2026-01-01", "superseded_by": None, "last_accessed": "2026-02-01",
        "access_count": 3, "related_entities": ["people/kim"], "confidence": 0.5,
    })  # fmt: skip
    assert (fact.text, fact.timestamp, fact.access_count) == ("x", "2026-01-01", 3)
    assert fact.related == ("people/kim",)
    assert fact.last_accessed == "2026-02-01"
    assert not fact.problems
    assert fact.record["confidence"] == 0.5


@pytest.mark.parametrize(
    ("value", "count", "told"),
    [("12", 12, True), (-1, 0, True), (1e9, 10**9, False), (None, 0, False), ("many", 0, True), (True, 0, True),
     (float("nan"), 0, True), (2.0, 2, False)],
)  # fmt: skip
def test_counts_are_coerced_or_reported(value: object, count: int, told: bool) -> None:
    fact = from_record({"id": "a", "fact": "x", "accessCount": value})
    assert fact.access_count == count
    assert any(key == "accessCount" for key, _ in fact.problems) == told


@pytest.mark.parametrize("record", ["just text", 3, None, [], True])
def test_an_entry_that_is_no_object_is_kept_and_reported(record: object) -> None:
    assert from_record(record).problems[0][0] == "fact"


def test_what_is_wrong_is_named() -> None:
    fact = from_record({"id": 7, "fact": "", "status": "Archived", "relatedEntities": {"a": 1}})
    assert fact.id == "7"
    assert fact.active
    assert {key for key, _ in fact.problems} == {"id", "fact", "status", "relatedEntities"}


def test_status_follows_the_pointer_where_none_is_written() -> None:
    assert from_record({"id": "a", "fact": "x", "superseded_by": "b"}).status == "superseded"


def test_back_pointers_become_forward_ones() -> None:
    old, new = linked([from_record({"id": "a", "fact": "x"}), from_record({"id": "b", "fact": "y", "supersedes": "a"})])
    assert (old.superseded_by, old.status) == ("b", "superseded")
    assert new.active


def test_the_schema_and_the_model_agree() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    from openclaw_memory.facts import model

    schema = json.loads((Path(model.__file__).parent / "items.schema.json").read_bytes())
    validator = jsonschema.Draft202012Validator(schema)
    good = {"id": "a-001", "fact": "x", "status": "active", "accessCount": 0, "tags": ["kept"]}
    cases = [
        good, {**good, "accessCount": -1}, {**good, "accessCount": "12"}, {**good, "accessCount": 1.5},
        {**good, "accessCount": True}, {**good, "status": "gone"}, {**good, "status": None}, {**good, "fact": ""},
        {**good, "fact": " \n"}, {**good, "fact": 3}, {"id": "a"}, {"fact": "x"},
        {**good, "relatedEntities": "people/a"},
        {**good, "relatedEntities": ["people/a"]}, {**good, "relatedEntities": [1]}, {**good, "supersededBy": 4},
        {**good, "supersededBy": None}, {**good, "category": None}, {**good, "category": 1}, "text", 4, [],
        {**good, "id": ""}, {**good, "lastAccessed": None}, {**good, "source": {"session": 1}},
    ]  # fmt: skip
    for case in cases:
        assert validator.is_valid([case]) == (not from_record(case).problems), case

"""The state file that an agent keeps: what of it is believed, and that our key changes no other byte."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.errors import FormatError
from openclaw_memory.heartbeat.hints import OURS, match, read_hints, write_ours

NOW = datetime(2026, 3, 25, 10, tzinfo=UTC)
BORN = datetime(2026, 1, 10, tzinfo=UTC)


def trusted(value: object) -> datetime | None:
    return read_hints(json.dumps({"lastChecks": {"mail": value}}), "s.json", NOW, BORN).trusted.get("mail")


@pytest.mark.parametrize(
    ("value", "when"),
    [
        (1770800000, "2026-02-11T08:53:20"),
        (1770800000.5, "2026-02-11T08:53:20.500000"),
        (1770800000500, "2026-02-11T08:53:20.500000"),
        ("2026-03-20T08:33", "2026-03-20T08:33:00"),
        ("2026-03-20T08:33:00+02:00", "2026-03-20T06:33:00"),
        ({"lastCheck": 1770800000, "count": 3}, "2026-02-11T08:53:20"),
    ],
)
def test_every_way_of_writing_a_time_is_read(value: object, when: str) -> None:
    found = trusted(value)
    assert found is not None and found.astimezone(UTC).replace(tzinfo=None).isoformat() == when


@pytest.mark.parametrize("value", [None, "OK", "pending since 3/13", True, [], -5, 1e300, 0])
def test_what_is_no_time_is_not_taken_for_one(value: object) -> None:
    assert trusted(value) is None


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (1703275200, "sample"),
        (1742400000, "looks like 1 year off (2025-03-19)"),
        (1900000000, "future"),
        (1500000000, "before the workspace began"),
        (0, "no heartbeat is that old"),
    ],
)
def test_an_implausible_time_is_named_with_its_key(value: int, why: str) -> None:
    text = json.dumps({"a": 1, "lastChecks": {"mail": value}}, indent=1)
    hints = read_hints(text, "s.json", NOW, BORN)
    (found,) = hints.findings
    assert not hints.trusted and found.code == "OM407" and found.line == 4
    assert f"mail: {value}" in found.message and why in found.message


@pytest.mark.parametrize("text", ["", "[]", "{broken", '"text"', "null", '{"a":' * 100_000])
def test_what_is_no_object_gives_no_hints_and_is_not_written(text: str) -> None:
    hints = read_hints(text, "s.json", NOW, None)
    assert not hints.trusted and hints.findings[0].code == "OM407"
    with pytest.raises(FormatError):
        write_ours(text, {"lastBeat": "x"})


def test_a_byte_order_mark_hides_nothing() -> None:
    assert read_hints('\ufeff{"lastChecks": {"mail": 1770800000}}', "s.json", NOW, BORN).trusted


def test_a_task_takes_the_hint_of_its_name_or_of_its_one_word() -> None:
    hints = read_hints('{"lastChecks": {"mail": 1770800000, "site": 1770800000}}', "s.json", NOW, BORN)
    assert match(hints, "k", "Mail") and match(hints, "k", "Check the mail")
    assert match(hints, "k", "mail and site") is None and match(hints, "k", "weather") is None


def test_lengths_of_time_are_not_taken_for_times() -> None:
    text = '{"checkIntervals": {"mail": 420}, "lastChecks": {"mail": 1770800000}, "checkCounts": {"mail": 3}}'
    hints = read_hints(text, "s.json", NOW, BORN)
    assert not hints.findings and list(hints.trusted) == ["mail"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=8).filter(lambda key: key != OURS), VALUES, max_size=5),
    st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    st.booleans(),
)
def test_our_key_is_written_and_no_other_byte_changes(
    foreign: dict[str, object], indent: int | str | None, bom: bool
) -> None:
    text = ("\ufeff" if bom else "") + json.dumps(foreign, indent=indent, ensure_ascii=False)
    once = write_ours(text, {"lastBeat": "one"})
    twice = write_ours(once, {"lastBeat": "two"})
    loaded = json.loads(twice.removeprefix("\ufeff"))
    assert loaded.pop(OURS) == {"lastBeat": "two"} and list(loaded) == list(foreign)
    assert once.replace('"lastBeat": "one"', '"lastBeat": "two"') == twice
    body = text.rstrip().removesuffix("}").rstrip()
    assert twice.startswith(body)

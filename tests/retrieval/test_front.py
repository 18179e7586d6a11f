from __future__ import annotations

import datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.retrieval.front import quick


def plain(value: object) -> object:
    """What YAML reads, dates as text."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value


WORDS = st.sampled_from(
    [
        "a",
        "title",
        "2031-01-02",
        "yes",
        "No",
        "null",
        "~",
        "1",
        "1.5",
        '"q"',
        "'s'",
        "a b",
        "a: b",
        "#x",
        "[a, b]",
        "[]",
        "x # y",
        "0x1f",
        "1_000",
        "12:30",
        "&a",
        "*b",
        "!c",
        "- d",
        "{e: f}",
        "|",
        ">",
        "on",
        "Off",
        "a,b",
        "1e3",
        "a [b], {c}",
        "a & 'b' *c !d",
        "12",
        "007",
        ".inf",
    ]
)


@given(
    st.lists(
        st.one_of(WORDS.map(lambda w: f"key: {w}"), WORDS.map(lambda w: f"- {w}"), st.just("tags:"), WORDS), max_size=5
    )
)
def test_what_is_read_is_what_yaml_reads(lines: list[str]) -> None:
    found = quick(lines)
    if found is not None:
        assert found == plain_dict(yaml.safe_load("\n".join(lines)) or {})


def plain_dict(loaded: dict[object, object]) -> dict[str, object]:
    return {str(key): plain(value) for key, value in loaded.items()}


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (
            ['title: "Quiet"', "tags: [turnstone, intake]", "date: 2031-01-01"],
            {"title": "Quiet", "tags": ["turnstone", "intake"], "date": "2031-01-01"},
        ),
        (["triggers:", "  - one", "  - two words"], {"triggers": ["one", "two words"]}),
        (["title: a: b"], None),
        (["nested:", "  key: value"], None),
        (["count: 3"], {"count": 3}),
        (["count: 03"], None),
        (["about: terms, limits [old] and 'new'", "- x"], None),
        (["read:", "- `a`, b & (c)", "- d, e"], None),
        (["read:", "- a, b & (c)", "- d, e!"], {"read": ["a, b & (c)", "d, e!"]}),
    ],
)
def test_simple_forms(lines: list[str], found: dict[str, object] | None) -> None:
    assert quick(lines) == found

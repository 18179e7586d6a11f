import pytest

from openclaw_memory.facts.model import Fact, from_record
from openclaw_memory.knowledge.chain import breaks, history, next_ids


def facts(*rows: tuple[str, str | None] | tuple[str, str | None, str]) -> list[Fact]:
    made = []
    for fact_id, pointer, *status in rows:
        record = {"id": fact_id, "fact": fact_id, "supersededBy": pointer}
        made.append(from_record({**record, "status": status[0] if status else ("superseded" if pointer else "active")}))
    return made


def troubles(found: list[Fact], elsewhere: tuple[str, ...] = ()) -> list[tuple[int, str]]:
    return [(broken.position, broken.trouble) for broken in breaks(found, elsewhere)]


def test_a_sound_chain() -> None:
    assert troubles(facts(("a", "b"), ("b", "c"), ("c", None))) == []


def test_each_kind_of_break() -> None:
    assert troubles(facts(("a", "b"), ("b", "a"), ("c", "a"))) == [(0, "cycle"), (1, "cycle")]
    assert troubles(facts(("a", "a"))) == [(0, "cycle")]
    assert troubles(facts(("a", "gone"))) == [(0, "dangling")]
    assert troubles(facts(("a", "b", "active"), ("b", None))) == [(0, "active-with-pointer")]
    assert troubles(facts(("a", None, "superseded"))) == [(0, "superseded-without")]


def test_a_pointer_may_lead_to_another_file() -> None:
    assert troubles(facts(("a", "people/kim:kim-001")), ("kim-001",)) == []


@pytest.mark.parametrize("start", ["a", "b", "c"])
def test_history_forward_and_back_from_anywhere(start: str) -> None:
    found = history(facts(("c", None), ("a", "b"), ("b", "c"), ("x", None)), start)
    assert [fact.id for fact in found] == ["a", "b", "c"]


def test_history_of_joined_chains_and_circles_ends() -> None:
    assert [f.id for f in history(facts(("a", "c"), ("b", "c"), ("c", None)), "c")] == ["a", "b", "c"]
    assert sorted(f.id for f in history(facts(("a", "b"), ("b", "a")), "a")) == ["a", "b"]
    assert [f.id for f in history(facts(("a", "gone")), "a")] == ["a"]


def test_a_long_chain_is_no_recursion() -> None:
    chain = facts(*((str(i), str(i + 1)) for i in range(20_000)), ("20000", None))
    assert troubles(chain) == []
    assert len(history(chain, "10000")) == 20_001


def test_ids_are_never_used_again() -> None:
    assert next_ids(facts(("jane-001", None), ("jane-007", None)), "jane", 2) == ["jane-008", "jane-009"]
    assert next_ids(facts(("person-kim-041", None)), "kim") == ["kim-042"]
    assert next_ids([], "jane") == ["jane-001"]
    assert next_ids(facts(("note-1767225600000", None), ("jane-001", None)), "jane") == ["jane-002"]

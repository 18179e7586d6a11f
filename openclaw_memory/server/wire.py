"""An answer as plain JSON types and back, exactly."""

from __future__ import annotations

from typing import Any

from openclaw_memory.retrieval.hits import Answer, Freshness, Hit


def to_wire(answer: Answer) -> dict[str, Any]:
    """`answer` as JSON types."""
    return {
        "hits": [{**hit._asdict(), "explain": dict(hit.explain)} for hit in answer.hits],
        "fresh": answer.fresh._asdict(),
        "legs": answer.legs,
        "notes": answer.notes,
    }


def from_wire(found: dict[str, Any]) -> Answer:
    """What `to_wire` was given."""
    fresh = {**found["fresh"], "notes": tuple(found["fresh"]["notes"])}
    return Answer(
        tuple(Hit(**hit) for hit in found["hits"]), Freshness(**fresh), tuple(found["legs"]), tuple(found["notes"])
    )

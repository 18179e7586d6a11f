"""The record type is what typing.NamedTuple is, for everything that we use of it."""

from __future__ import annotations

import copy
import pickle
from typing import Any, NamedTuple

import pytest

from openclaw_memory.record import Record


class Ours(Record):
    path: str
    lines: tuple[int, ...] = ()
    about: str | None = None

    @property
    def shout(self) -> str:
        return self.path.upper()


class Theirs(NamedTuple):
    path: str
    lines: tuple[int, ...] = ()
    about: str | None = None


def both(make: Any) -> tuple[Any, Any]:
    """What `make` gives for each of the two types, an error as its type."""

    def tried(kind: type) -> Any:
        try:
            return make(kind)
        except (TypeError, ValueError, AttributeError) as error:
            return TypeError if isinstance(error, ValueError) else type(error)

    return tried(Ours), tried(Theirs)


@pytest.mark.parametrize(
    "make",
    [
        lambda kind: kind("a"),
        lambda kind: kind("a", (1,), about="x"),
        lambda kind: kind(path="a", about="x"),
        lambda kind: kind(),
        lambda kind: kind("a", nothing=1),
        lambda kind: kind("a", (), None, 4),
        lambda kind: kind("a")._replace(lines=(2, 3)),
        lambda kind: kind("a")._replace(nothing=1),
        lambda kind: kind("a")._asdict(),
        lambda kind: kind("a")[0:2],
        lambda kind: hash(kind("a", (1, 2))),
        lambda kind: sorted([kind("b"), kind("a")]),
        lambda kind: kind._fields,
        lambda kind: kind.__match_args__,
        lambda kind: repr(kind("a")).split("(", 1)[1],
        lambda kind: setattr(kind("a"), "path", "b"),
        lambda kind: setattr(kind("a"), "other", "b"),
        lambda kind: kind("a").__dict__,
    ],
)
def test_as_named_tuple(make: Any) -> None:
    ours, theirs = both(make)
    assert ours == theirs


def test_is_itself() -> None:
    one = Ours("a", (1,))
    assert one.shout == "A"
    assert pickle.loads(pickle.dumps(one)) == one
    assert type(copy.deepcopy(one)) is Ours
    assert repr(one) == "Ours(path='a', lines=(1,), about=None)"
    match one:
        case Ours(path, lines):
            assert (path, lines) == ("a", (1,))


def test_a_default_must_come_last() -> None:
    with pytest.raises(TypeError, match="without a default"):
        type(Record)("Wrong", (Record,), {"__annotations__": {"a": "int", "b": "int"}, "a": 1})

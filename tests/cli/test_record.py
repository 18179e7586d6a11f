"""The record type is what typing.NamedTuple is, for everything that we use of it."""

from __future__ import annotations

import copy
import pickle
from typing import Any, NamedTuple

import pytest

from openclaw_memory import record
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


def tried(make: Any, kind: type) -> Any:
    """What `make` gives for a type, an error as its type."""
    try:
        return make(kind)
    except (TypeError, ValueError, AttributeError) as error:
        return TypeError if isinstance(error, ValueError) else type(error)


def another() -> type[Ours]:
    """A type as `Ours` that was not used yet."""
    names = {"__annotations__": Ours.__annotations__, **Ours._field_defaults}
    return type(Record)("Ours", (Record,), names)


@pytest.mark.parametrize(
    "make",
    [
        lambda kind: kind("a"),
        lambda kind: kind("a", (1,), about="x"),
        lambda kind: kind(path="a", about="x"),
        lambda kind: kind(),
        lambda kind: kind("a", nothing=1),
        lambda kind: kind("a", (), None, 4),
        lambda kind: kind("a", path="b"),
        lambda kind: kind(nothing=1, about="x", lines=()),
        lambda kind: kind(*"abc"),
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
    seldom, often = another(), another()
    for _ in range(2 * record._FEW):
        often("a")
    assert ("__new__" in vars(seldom), "__new__" in vars(often)) == (False, True)
    assert tried(make, seldom) == tried(make, often) == tried(make, Theirs)


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

"""`Record`: an immutable tuple with named fields, as typing.NamedTuple, at a tenth of the price at start.

A hook makes some fifty such classes before it does anything. NamedTuple compiles a constructor for each, used or
not, and importing `typing` costs another 4 ms. This one compiles a constructor only for what is made often.
A type checker sees NamedTuple itself. Imports nothing but the C helper that reads a field.
"""

from __future__ import annotations

__all__ = ["TYPE_CHECKING", "Record"]

TYPE_CHECKING = False  # a checker takes it for true, by its name; typing's own would import typing
if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:
    from _collections import _tuplegetter  # the C helper that namedtuple uses

    _FEW = 8
    """Instances that are made without a constructor of their own: compiling it takes as long."""
    _made: dict[type, int] = {}
    _new = tuple.__new__

    class _Named(type):
        """Turns the annotated names of a class body into fields of a tuple, and their values into defaults."""

        def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body.pop(field) for field in fields if field in body}
            if any(late not in defaults for late in fields[len(fields) - len(defaults) :]):
                raise TypeError(f"{name}: a field without a default follows one that has it")
            getters = {field: _tuplegetter(at, "") for at, field in enumerate(fields)}
            names = {"__slots__": (), "__match_args__": fields, "_fields": fields, "_field_defaults": defaults}
            return super().__new__(mcs, name, bases, {**body, **getters, **names})

    class Record(tuple, metaclass=_Named):
        """Base of a record: `class Point(Record): x: int; y: int = 0`."""

        def __new__(cls, /, *values, **named):
            fields = cls._fields
            made = _made[cls] = _made.get(cls, 0) + 1
            if made <= _FEW and named.keys().isdisjoint(fields[: len(values)]):
                given = {**cls._field_defaults, **dict(zip(fields, values, strict=False)), **named}
                if len(given) == len(fields) >= len(values) and given.keys() >= set(fields):
                    return _new(cls, map(given.__getitem__, fields))
            compiled = cls.__new__ = _constructor(cls)  # which also says what is wrong with the arguments
            return compiled(cls, *values, **named)

        def _replace(self, /, **named):
            """A copy with other values for the fields named. Raises TypeError for a name that is no field."""
            return type(self)(**{**self._asdict(), **named})

        def _asdict(self):
            """The fields by name."""
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):  # for pickle and copy
            return tuple(self)

        def __repr__(self) -> str:
            shown = ", ".join(f"{field}={value!r}" for field, value in self._asdict().items())
            return f"{type(self).__name__}({shown})"

    def _constructor(cls: type[Record]):
        """What makes an instance: compiled, because a check makes ten thousand of some records."""
        names = ", ".join(cls._fields)
        source = f"lambda _cls, {names}: _new(_cls, ({names},))" if names else "lambda _cls: _new(_cls, ())"
        made = eval(source, {"_new": _new})  # the names are identifiers: they stood as fields in a class
        made.__defaults__ = tuple(cls._field_defaults.values()) or None
        made.__name__, made.__qualname__ = "__new__", f"{cls.__qualname__}.__new__"
        return made

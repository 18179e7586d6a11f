"""Names of a package that are imported when they are first asked for: a hook pays only for what it calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def late(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """A module `__getattr__` for `package`: `homes` gives each name the module of the package it lives in."""

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get

"""What a call does where one allocation in it fails, whichever it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

Given = TypeVar("Given")


def failures(make: Callable[[], Given], run: Callable[[Given], object]) -> int:
    """How many times `run(make())` raised MemoryError: with each of its first allocations failing, later with some.

    Fails where it raises something else, gives what it does not give with memory, or cannot be called again.
    """
    testcapi = pytest.importorskip("_testcapi", reason="this Python cannot make memory fail")
    wanted = repr(run(make()))
    found = unharmed = number = 0
    while unharmed < 3:  # the interpreter can do without some
        given = make()
        testcapi.set_nomemory(number, number + 1)
        try:
            try:
                result = run(given)
            finally:
                testcapi.remove_mem_hooks()
        except MemoryError:
            found, unharmed = found + 1, 0
            run(given)
        else:
            unharmed += 1
            assert repr(result) == wanted
        number += 1 + number // 10
    return found

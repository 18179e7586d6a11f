"""A progress bar on a terminal, on standard error; nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tick = Callable[[int, int], None]


@contextmanager
def bar(what: str) -> Iterator[Tick | None]:
    """A function that is called with (done, total), or None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None)

        def tick(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total)

        yield tick

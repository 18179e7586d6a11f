"""A workspace's files against a plain dict: transactions, undo and redo in any order, and edits by hand in between."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from openclaw_memory.errors import FormatError, WorkspaceError
from openclaw_memory.workspace import Change, Workspace, operations, transact, undo
from tests.scaffold.wild import FAST

PATHS = ["MEMORY.md", "memory/a.md", "memory/people/b.md", "memory/people/c/summary.md", "odd\n🏠.md"]
CONTENTS = st.sampled_from([None, b"", b"x", b"xy", b"xyz\r\n", b"\xff\0"])

Files = dict[str, bytes]


class Machine(RuleBasedStateMachine):
    """`files` is what must be on disk; `history` holds (before, after) of each operation by its number."""

    def __init__(self) -> None:
        super().__init__()
        self.ws = Workspace(Path(tempfile.mkdtemp(dir=FAST)))
        self.files: Files = {}
        self.history: dict[int, tuple[Files, Files]] = {}

    def teardown(self) -> None:
        shutil.rmtree(self.ws.root)

    @rule(wanted=st.dictionaries(st.sampled_from(PATHS), CONTENTS, min_size=1))
    def write(self, wanted: dict[str, bytes | None]) -> None:
        changes = [Change(path, self.files.get(path), data) for path, data in wanted.items()]
        before = dict(self.files)
        outcome = transact(self.ws, "write", lambda: changes, allow_shrink=True)
        self.files = {path: data for path, data in {**self.files, **wanted}.items() if data is not None}
        if outcome.operation:
            touched = {change.path for change in outcome.changes}
            self.history[outcome.operation] = (only(before, touched), only(self.files, touched))
        else:
            assert before == self.files

    @rule(path=st.sampled_from(PATHS), data=st.sampled_from([b"by hand", b"xy"]))
    def edit_by_hand(self, path: str, data: bytes) -> None:
        (self.ws.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.ws.root / path).write_bytes(data)
        self.files[path] = data

    @rule(newest=st.booleans(), number=st.integers(1, 12))
    def take_back(self, newest: bool, number: int) -> None:
        before = dict(self.files)
        try:
            outcome = undo(self.ws, None if newest else number)
        except (FormatError, WorkspaceError):
            return  # changed since, taken back already, or nothing there: then nothing may have changed
        undone = (
            next(o for o in operations.history(self.ws) if o.number == outcome.operation) if outcome.changes else None
        )
        if undone is None:
            return
        assert undone.undoes is not None
        touched = {change.path for change in outcome.changes}
        old, _ = self.history[undone.undoes]
        self.files = {path: data for path, data in self.files.items() if path not in touched} | only(old, touched)
        self.history[undone.number] = (only(before, touched), only(self.files, touched))

    @invariant()
    def disk_is_as_the_model(self) -> None:
        found = {path.relative_to(self.ws.root).as_posix(): path for path in self.ws.root.rglob("*") if path.is_file()}
        on_disk = {name: path.read_bytes() for name, path in found.items() if not name.startswith(".openclaw-memory/")}
        assert on_disk == self.files


def only(files: Files, paths: set[str]) -> Files:
    return {path: data for path, data in files.items() if path in paths}


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)

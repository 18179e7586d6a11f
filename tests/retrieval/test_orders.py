"""An index that grew in any order is the one that is built from nothing: every row that a search can see."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory.retrieval.update import update
from openclaw_memory.workspace import Workspace
from tests.retrieval.test_update import dump, rebuilt

NAMES = st.sampled_from(["a.md", "b.md", "people/c.md", "people/d.md", "2031-05-08.md", "people/x/items.json"])
TEXTS = st.sampled_from(
    [
        "",
        "# Heron\n\n- set-up of the dock\n- flushPelican in May\n",
        "# Heron\n\n- set-up of the dock\n- a mill\n\n## More\n\nThe dock again.\n",
        "---\ntags: [mill, dock]\ntitle: Mill\n---\n\nNothing but words.\n" * 3,
        "| a | b |\n|---|---|\n| heron | 7 |\n\n```\ncode of the heron\n```\n",
        '[{"id": "x-001", "fact": "The heron moved.", "status": "active"}]',
    ]
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, TEXTS),
        st.tuples(st.just("delete"), NAMES, st.just("")),
        st.tuples(st.just("move"), NAMES, NAMES),
        st.tuples(st.just("update"), st.just(""), st.just("")),
    ),
    max_size=14,
)


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_any_order_of_changes(steps: list[tuple[str, str, str]]) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        (root / "MEMORY.md").write_text("# Memory\n")
        (root / "memory/people/x").mkdir(parents=True)
        ws = Workspace(root)
        for what, name, more in steps:
            path = root / "memory" / name
            if what == "write":
                path.write_text(more)
            elif what == "delete":
                path.unlink(missing_ok=True)
            elif what == "move" and path.is_file():
                path.rename(root / "memory" / more)
            else:
                update(ws)
        update(ws)
        assert dump(ws) == rebuilt(ws)
    finally:
        shutil.rmtree(root)

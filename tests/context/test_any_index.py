"""Whatever stands in an index and in a message, a context comes of it, inside its budget, and nothing is skipped."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_memory.config import Config
from openclaw_memory.config.model import ContextConfig
from openclaw_memory.context import build, receipt, render
from openclaw_memory.tokens import count
from openclaw_memory.workspace import Workspace

WORDS = ["ana", "tom", "c++", "咖啡", "x", "e-mail", "👤", "são", "catalogs", "각"]
FILES = ["memory/people/ana.md", "memory/people/tom.md", "memory/gone.md", "memory/people/", "MEMORY.md", "../x.md"]

lines = st.one_of(
    st.builds(
        lambda path, words: f"- [N]({path}): text <!-- trigger: {', '.join(words)} -->",
        st.sampled_from(FILES),
        st.lists(st.sampled_from(WORDS), max_size=3),
    ),
    st.builds(lambda path: f"- {path}", st.sampled_from(FILES)),
    st.builds(lambda a, b: f"| {a} | {b} |", st.sampled_from(FILES + WORDS), st.sampled_from(FILES + WORDS)),
    st.sampled_from(
        [
            "## Active Context",
            "## People",
            "# Memory",
            "",
            "```",
            "~~~~",
            "<!--",
            "-->",
            "|---|---|",
            "| What | Triggers |",
        ]
    ),
    st.text(max_size=12),
)
messages = st.one_of(st.none(), st.text(max_size=20), st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join))
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@relaxed
@given(
    text=st.lists(lines, max_size=15).map("\n".join),
    message=messages,
    caps=st.tuples(st.integers(1, 4000), st.integers(0, 6)),
    eol=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_index_and_message(root, text, message, caps, eol):
    (root / "MEMORY.md").write_bytes(text.replace("\n", eol).replace("\0", "").encode("utf-8", "surrogatepass"))
    budget, drilldowns = caps
    ws = Workspace(root, Config(context=ContextConfig(max_drilldowns=drilldowns, budget_tokens=budget)))
    context = build(ws, message)
    assert build(ws, message) == context
    assert context.size.tokens <= budget
    assert count(render(context)) <= max(budget, 250)
    assert sum(file.kind == "active" for file in context.loaded) <= 3
    assert sum(file.kind == "drill-down" for file in context.loaded) <= drilldowns
    told = [file.path for file in (*context.loaded, *context.left_out) if file.kind != "index"]
    assert len(told) == len(set(told))
    assert receipt(context)["text"] == render(context)

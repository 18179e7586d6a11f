from openclaw_memory.index import details, parse

INDEX = """\
# Memory
## Active Context
- memory/a.md <!-- trigger: alpha -->
## People
- [A](memory/a.md): boss (triggers: "Ana", chief) <!-- trigger: ana; leader --> <!-- rev: 3f9a1c -->
- B
  lives here: memory/b.md, keywords: beta
  - Triggers: bravo, second
- memory/c.md, memory/d.md: both <!-- trigger: pair -->

| Who | Where | Triggers |
|---|---|---|
| E | `memory/e.md` | echo / eco, "E" |
"""


def test_the_triggers_alone_are_those_of_the_whole_reading():
    index = parse(INDEX, {f"memory/{name}.md" for name in "abcde"})
    mentions = [mention for entry in index.entries for mention in entry.mentions]
    assert len(mentions) == 6
    alone = [details.read_triggers(index.document, mention) for mention in mentions]
    assert alone == [details.read(index.document, mention).triggers for mention in mentions]
    assert index.by_path["memory/e.md"].triggers == ("echo", "eco", "E")


def test_a_word_that_could_say_none_is_a_trigger_in_a_list_and_in_a_comment():
    index = parse(
        "- [T](memory/t.md) <!-- trigger: Tom, none, 空, 👤 -->\n- [E](memory/e.md) <!-- trigger: empty -->\n\n"
        "| Who | Where | Triggers |\n|---|---|---|\n| A | memory/a.md | Tom |\n| B | memory/b.md | *(none yet)* |\n"
        "| C | memory/c.md | — |\n| D | memory/d.md | todo, tea, — |\n",
        {f"memory/{name}.md" for name in "abcdet"},
    )
    assert {path[-4]: entry.triggers for path, entry in index.by_path.items()} == {
        "t": ("Tom", "none", "空", "👤"),
        "e": ("empty",),
        "a": ("Tom",),
        "b": (),
        "c": (),
        "d": ("todo", "tea"),
    }

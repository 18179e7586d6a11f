"""`tasks:` blocks as people write them: keys, quotes, flow style, lists, breaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.heartbeat.yamltasks import read_tasks

BLOCK = """\
tasks:
- {name: flow, interval: 2h, prompt: "a, b"}
- "name": quoted
  'interval': "daily"
  prompt: >
    folded
    text
- name: nested
  times:
    - 09:00
    - 17:30
  prompt: x
- name: cronny
  cron: "0 9 * * 1-5"
  prompt: p # comment
- name: off
  enabled: false
  interval: 1h
  prompt: x
- every: 4 heartbeats
  do: curate
- name: thirty
  interval: every thirty minutes
  activeHours: 08:00-20:00
  days: [mon, wed, fri]
  prompt: 'it''s due'
  budget: 90s

- Backup (`0 3 * * *`)
## After
"""


def read(text: str) -> list[tuple[str, str, str]]:
    tasks, _, _ = read_tasks(text.split("\n"), 0, "H.md")
    return [(task.name, str(task.schedule), task.text) for task in tasks]


def test_every_way_of_writing_a_task_is_read() -> None:
    assert read(BLOCK) == [
        ("flow", "every 2 h", "a, b"),
        ("quoted", "daily", "folded text"),
        ("nested", "daily, at 09:00, 17:30", "x"),
        ("cronny", "Mon–Fri at 09:00", "p"),
        ("off", "off", "x"),
        ("curate", "every 4 beats", "curate"),
        ("thirty", "every 30 min, Mon/Wed/Fri, 08:00–20:00", "it's due"),
        ("Backup", "daily, at 03:00", "Backup (`0 3 * * *`)"),
    ]
    tasks, problems, last = read_tasks(BLOCK.split("\n"), 0, "H.md")
    assert problems == [] and last == 29 and tasks[6].budget == 90


@pytest.mark.parametrize(
    ("entry", "line", "says"),
    [
        ("- name: a\n  prompt: x\n  interval: soon", 4, "soon"),
        ("- name: a\n  prompt: x\n  interval: 0", 4, "interval of 0"),
        ("- name: a\n  prompt: x\n  budget: long", 4, "no length of time"),
        ("- name: a\n  prompt: x\n  name: b", 4, "comes twice"),
        ("- name: a\n  prompt: x\n  interval: 1h\n  what is this", 5, "not `key: value`"),
        ("- name: a\n  interval: 1h", 2, "no prompt"),
        ("- name: a\n  prompt: x\n  run: rm -rf /", 4, "not obeyed"),
        ("- name: a\n  prompt: x\n  at: 25:99", 4, "no schedule"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_the_task_stays(entry: str, line: int, says: str) -> None:
    tasks, problems, _ = read_tasks(f"tasks:\n{entry}".split("\n"), 0, "H.md")
    assert [task.name for task in tasks] == ["a"]
    assert [(problem.line, says in problem.message) for problem in problems] == [(line, True)]


def test_a_comment_at_the_left_edge_ends_nothing_and_a_heading_does() -> None:
    text = "tasks:\n  - name: a\n    prompt: x\n# - name: b\n  - name: c\n    prompt: y\n# Heading\ntext\n"
    tasks, _, last = read_tasks(text.split("\n"), 0, "H.md")
    assert [task.name for task in tasks] == ["a", "c"] and last == 6


@given(st.text(alphabet="- :|>'\"{}[],#\nabname0\t", max_size=120))
def test_no_text_breaks_the_reader(text: str) -> None:
    lines = f"tasks:\n{text}".split("\n")
    tasks, problems, last = read_tasks(lines, 0, "H.md")
    assert 1 <= last <= len(lines) and all(1 <= task.line <= task.last <= last for task in tasks)
    assert all(1 <= problem.line <= last for problem in problems)


@pytest.mark.parametrize(
    ("lines", "found", "line", "message"),
    [
        ("- name three\n  interval: 1h", ("name three", "every 1 h", "name three"), 2, "taken for the name"),
        ("- name: a\n  interval: 1h\n  prompt: [x, y", ("a", "every 1 h", "x, y"), 4, "`[` is opened and not closed"),
        ('- name: a\n  prompt: "x\n  interval: 1h', ("a", "every 1 h", "x"), 3, "a quote is opened"),
    ],
)
def test_a_broken_line_is_named_and_costs_no_other(
    lines: str, found: tuple[str, str, str], line: int, message: str
) -> None:
    text = f"tasks:\n{lines}\n- name: next\n  interval: 2h\n  prompt: ['[', \"]\"]"
    assert [read(text)[0], read(text)[1][:2]] == [found, ("next", "every 2 h")]
    _, (problem,), _ = read_tasks(text.split("\n"), 0, "H.md")
    assert (problem.code, problem.line) == ("OM408", line) and message in problem.message

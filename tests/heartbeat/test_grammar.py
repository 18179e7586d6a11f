"""Heartbeat files in every dialect: which lines are tasks, when, and what the rest is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.heartbeat.grammar import parse
from openclaw_memory.heartbeat.model import Plan

W16 = """\
# Checks
> text may stand here
tasks:

  - name: inbox
    interval: 30m
    runAt: "07:00"
    prompt: |
      Look for mail.
      - item inside the prompt
      Log to memory/$(date +%F).md
    notes: unknown field
  # - name: off
  #   interval: 1h
  - name: inbox
    interval: 90
    prompt: "second with the same name"
interval: 5m
"""
W17 = """\
## Weekly (Monday)
- review notes
### 📊 Site check (every 10 minutes, 8AM-9PM only)
- ping
## Each heartbeat
1. inbox
2. **Tidy (every 2nd heartbeat)** — dead links
## Every 4 heartbeats
- curate
"""


def told(plan: Plan) -> dict[str, str]:
    return {task.name: str(task.schedule) for task in plan.tasks}


def test_tasks_in_yaml_keep_their_prompt_and_their_order() -> None:
    plan = parse(W16)
    first, second = plan.tasks
    assert first.text == "Look for mail.\n- item inside the prompt\nLog to memory/$(date +%F).md"
    assert first.schedule.times == (420,) and (first.line, first.last) == (5, 12)
    assert second.schedule.seconds == 90 * 60 and second.text == "second with the same name"
    assert [problem.code for problem in plan.problems] == ["OM402", "OM409"]


def test_headings_give_schedules_and_own_words_beat_them() -> None:
    assert told(parse(W17)) == {
        "review notes": "Mon",
        "ping": "every 10 min, 08:00–21:00",
        "inbox": "each beat",
        "Tidy": "every 2 beats",
        "curate": "every 4 beats",
    }


def test_other_languages_are_read_and_nothing_is_dropped() -> None:
    plan = parse(
        "### 🧹 清理（每 3 天一次）\n- 旧文件\n## 每次心跳必做\n- 看邮件\n- 毎日 9:00 に確認\n"
        "## Проверки (каждый heartbeat)\n- почта\n- Städning: måndagar 06:00\n- что-то\n"
        "## Verificações (a cada 2 horas)\n- email\n"
    )
    assert [str(task.schedule) for task in plan.tasks] == [
        "every 3 d", "each beat", "daily, at 09:00", "each beat", "Mon at 06:00", "each beat", "every 2 h",
    ]  # fmt: skip


def test_a_numbered_procedure_is_one_task() -> None:
    plan = parse(
        "# Handover\n## 1. Who am I\nRead SOUL.md\n## 2. What\n- a\n- b\n## 3. Hand over\ntext\n## Later (daily)\n- x\n"
    )
    assert told(plan) == {"Handover": "each beat", "x": "daily"}
    assert plan.tasks[0].text.startswith("## 1. Who am I") and plan.tasks[0].text.endswith("text")


def test_numbered_sections_with_schedules_are_sections() -> None:
    plan = parse("## 1. Mail (hourly)\n- inbox\n## 2. Notes (daily)\n- fold\n## 3. News (weekly)\n- read\n")
    assert told(plan) == {"inbox": "every 1 h", "fold": "daily", "read": "weekly"}


def test_code_in_a_fence_is_never_a_task() -> None:
    plan = parse("## Decision\n```\nIF hour == 9:\n  check mail every 5 minutes\nELSE\n```\n- real (daily)\n")
    assert told(plan) == {"real": "daily"}
    assert [note.kind for note in plan.notes] == ["code"]


def test_a_yaml_fence_that_holds_tasks_is_read() -> None:
    assert told(parse("```yaml\ntasks:\n  - name: a\n    interval: 1h\n    prompt: do a\n```\n- b\n")) == {
        "a": "every 1 h",
        "b": "each beat",
    }


def test_a_table_of_schedules_is_tasks_and_any_other_table_is_not() -> None:
    plan = parse("| When | Job |\n|---|---|\n| 20:15 Thu | backup |\n| `*/30 * * * *` | ping |\n| sometimes | nap |\n")
    assert [task.name for task in plan.tasks] == ["backup", "ping", "nap"]
    assert [problem.code for problem in plan.problems] == ["OM401"]
    assert parse("| Name | Phone |\n|---|---|\n| Ana | 12 |\n").tasks == ()


def test_a_rotation_belongs_to_its_list() -> None:
    plan = parse("# HEARTBEAT\nRotate through these, pick 2 each time:\n- mail\n- calendar\n- weather\n")
    assert {task.rotate for task in plan.tasks} == {("heartbeat", 2)}


def test_what_was_done_is_no_task() -> None:
    plan = parse("## Achievements today\n- Deployed x\n## 2026-03-02\n- 14:05 did a thing\n- [x] done\n- ~~old~~\n")
    assert plan.tasks == ()
    assert [note.kind for note in plan.notes] == ["log", "log", "done", "off"]


def test_a_long_log_holds_no_tasks() -> None:
    lines = [f"- Looked at number {number} and wrote what was found" for number in range(1500)]
    text = "# Heartbeat\n" + "\n".join(lines)
    assert len(text) > 70_000
    assert parse(text).tasks == ()
    assert told(parse(text + "\n- mail (hourly)\n")) == {"mail": "every 1 h"}


def test_each_way_of_an_empty_file_has_no_tasks_but_headings_can_be_tasks() -> None:
    empty = [
        "---\ntitle: x\n---\n# Head\n## Other\n",
        "<!-- nothing\nhere -->\n",
        "```markdown\n# c\n```\n",
        "- [ ]\n",
        "# Heartbeat\n## Related\n- [docs](x)\n",
        "",
    ]
    assert all(parse(text).tasks == () for text in empty)
    (task,) = parse("# Check mail hourly\n").tasks
    assert task.only_heading and str(task.schedule) == "every 1 h"


def test_items_below_an_item_inherit_or_belong_to_it() -> None:
    plan = parse(
        "- **Every 2 hours:**\n  - mail\n  - calendar\n- Do the thing\n  with more\n  - nested\n"
        "- Other\n  - news hourly\n"
    )
    assert told(plan) == {
        "mail": "every 2 h",
        "calendar": "every 2 h",
        "Do the thing": "each beat",
        "news": "every 1 h",
    }
    assert plan.tasks[2].text == "Do the thing\n  with more\n  - nested"
    assert [(line, title, str(given)) for line, title, given in plan.headings] == [(1, "Every 2 hours:", "every 2 h")]


def test_what_to_answer_is_policy() -> None:
    plan = parse("If nothing needs attention, reply HEARTBEAT_OK.\n\n- mail\n")
    assert plan.answer == "HEARTBEAT_OK" and plan.speaks and len(plan.tasks) == 1
    assert not parse("- mail\n- Never answer HEARTBEAT_OK, write a haiku\n").speaks


TEMPLATE = """\
**Things to check (rotate through these, 2-4 times per day):**

- **Emails** - Any urgent unread messages?
- **Calendar** - Upcoming events in next 24-48h?

**When to reach out:**

- Important email arrived
- Calendar event coming up (<2h)

**When to stay quiet (HEARTBEAT_OK):**

- Late night (23:00-08:00) unless urgent
- You just checked <30 minutes ago

**Proactive work:**

- Review MEMORY.md (every few days)
"""


def test_when_to_speak_is_policy_and_no_task() -> None:
    plan = parse(TEMPLATE)
    assert told(plan) == {
        "Emails": "daily, at 00:00, 12:00",
        "Calendar": "daily, at 00:00, 12:00",
        "Review MEMORY.md": "every 3 d",
    }
    assert [(note.line, note.last) for note in plan.notes if note.kind == "policy"] == [(6, 9), (11, 14)]
    assert plan.problems == () and plan.answer == "HEARTBEAT_OK" and plan.quiet is None


@pytest.mark.parametrize(
    "said",
    [
        "When to reach out", "When NOT to interrupt", "When to stay quiet", "Wann melden", "Wann du dich nicht melden",
        "Cuándo avisar", "Quando falar", "Quand se taire", "Когда молчать", "何时打扰", "いつ連絡するか",
    ],
)  # fmt: skip
def test_conditions_of_speaking_in_every_language(said: str) -> None:
    for form in ("## {}\n- late at night\n- busy\n", "{}:\n- late at night\n\n## x\n", "- {}: late at night\n"):
        plan = parse(form.format(said) + "## Each beat\n- mail\n")
        assert [task.name for task in plan.tasks] == ["mail"], form
        assert [note.kind for note in plan.notes] == ["policy"]


def test_when_to_do_something_is_a_task() -> None:
    assert told(parse("## When to run backups (daily)\n- backup\n")) == {"backup": "daily"}
    assert told(parse("- When to renew: the passport (yearly)\n")) == {"When to renew": "yearly"}


def test_a_broken_entry_is_named_by_line_and_the_rest_is_read() -> None:
    plan = parse(
        'tasks:\n  - name: a\n    prompt: "open\n  - name: b\n    interval: 1h\n    prompt: fine\n'
        "## After\n- c (daily)\n"
    )
    assert told(plan) == {"a": "each beat", "b": "every 1 h", "c": "daily"}
    assert [(problem.code, problem.line) for problem in plan.problems] == [("OM408", 3)]


def test_a_name_keeps_its_brackets_and_is_never_empty() -> None:
    plan = parse("- night (hourly, 22:00-02:00)\n- mail (work)\n- (see [1])\n- daily\n- **2 h** (urgent)\n")
    assert [task.name for task in plan.tasks] == ["night", "mail (work)", "see [1]", "daily", "urgent"]


def test_no_line_is_dropped() -> None:
    plan = parse(W16)
    assert [(note.kind, note.line, note.last) for note in plan.notes] == [
        ("context", 2, 2), ("comment", 13, 14), ("context", 18, 18),
    ]  # fmt: skip
    plan = parse("text\n<details>\n- a\n</details>\n| x | y |\n|---|---|\n| 1 | 2 |\n---\nmore\n===\n- b\n")
    lines = {n for one in (*plan.tasks, *plan.notes) for n in range(one.line, one.last + 1)}
    assert lines >= {1, 2, 3, 4, 5, 11}


def test_a_task_that_slipped_is_a_task_and_is_told() -> None:
    plan = parse("tasks:\n  - name: a\n    days:\n    - mon\n    prompt: x\n\t- name: b\n\t  prompt: y\n  - [z\n")
    assert [(task.name, task.text) for task in plan.tasks] == [("a", "x"), ("b", "y"), ("z", "[z")]
    assert [(p.code, p.line) for p in plan.problems if p.code == "OM408"] == [("OM408", 6), ("OM408", 8)]


def test_a_step_may_be_left_out_of_a_procedure() -> None:
    assert [task.name for task in parse("# Go\n## 1. a\nx\n## 2. b\ny\n## 4. c\nz\n## 6. d\n").tasks] == ["Go"]


def test_a_command_in_the_file_is_not_obeyed() -> None:
    plan = parse("tasks:\n  - name: a\n    interval: 1h\n    prompt: x\n    run: rm -rf /\n")
    assert plan.tasks[0].kind == "prompt" and plan.problems[0].code == "OM409"


def test_every_line_end_gives_the_same_plan() -> None:
    for text in (W16, W17):
        unix, windows = parse(text), parse("\ufeff" + text.replace("\n", "\r\n"))
        assert [(t.name, t.schedule, t.line) for t in unix.tasks] == [
            (t.name, t.schedule, t.line) for t in windows.tasks
        ]


@given(st.text(alphabet="-#*>|` \n:abtasks0123(every)日每", max_size=200))
def test_no_text_breaks_the_grammar(text: str) -> None:
    plan = parse(text)
    count = text.count("\n") + 1
    assert all(1 <= task.line <= task.last <= count for task in plan.tasks)

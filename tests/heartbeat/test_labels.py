"""Amounts of time without "every": as labels they are schedules, elsewhere they are asked about, in every language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.heartbeat.grammar import parse
from openclaw_memory.heartbeat.lexer import tokens
from openclaw_memory.heartbeat.model import Plan
from openclaw_memory.heartbeat.words import PHRASES

# Each language: what to do, and for each reading the amounts that have it.
LANGUAGES: dict[str, tuple[str, dict[str, str]]] = {
    "en": (
        "read the mail",
        {
            "every 90 min": "~90 minutes | 1½ hours | 1h 30m",
            "every 4 h": "4+ hours | at least 4 hours | min. 4h | 4 hours or more | > 4h",
            "every 2 d": "2-3 days | 2 to 3 days | 2 or 3 days | couple of days | every 2 or 3 days",
            "every 2 h": "approx 2h | about every 2 hours | between 2 and 3 hours",
            "every 3 h": "Every few hours | a few hours",
            "every 30 min": "30m | half an hour | 30 min – 1 hour",
            "every 14 d": "2 weeks",
            "every 90 d": "3 months",
            "every 4 beats": "4 heartbeats",
            "every 2 beats": "2–3 beats",
            "every 1 h": "an hour",
            "every 15 min": "every quarter hour",
            "Mon the first of the month": "first Monday of the month",
            "yearly": "every year",
        },
    ),
    "pt": (
        "ler o correio",
        {
            "every 90 min": "~90 minutos",
            "every 2 d": "2-3 dias | 2 a 3 dias",
            "every 2 h": "a cada 2 horas | cerca de 2 horas | aprox. 2 h",
            "every 3 h": "algumas horas",
            "every 4 h": "4+ horas | mais de 4 horas",
            "every 4 beats": "a cada 4 batimentos",
            "every 30 min": "meia hora",
            "daily, at 09:00": "às 9 horas",
        },
    ),
    "es": (
        "leer el correo",
        {
            "every 90 min": "~90 minutos",
            "every 2 d": "2-3 días | 2 a 3 días | cada 2 a 3 días",
            "every 2 h": "aproximadamente 2 horas",
            "every 3 h": "unas horas",
            "every 4 h": "más de 4 horas | mínimo 4 horas",
            "every 3 beats": "cada 3 latidos",
            "every 30 min": "media hora",
            "daily, at 09:00": "a las 9 horas",
            "Mon the first of the month": "el primer lunes del mes",
        },
    ),
    "de": (
        "Briefe lesen",
        {
            "every 90 min": "ca. 90 Min. | alle anderthalb Stunden",
            "every 2 d": "2-3 Tage | 2 bis 3 Tage | alle 2 oder 3 Tage",
            "every 2 h": "etwa 2 Stunden",
            "every 3 h": "paar Stunden",
            "every 4 h": "mindestens 4 Std. | 4 Stunden oder mehr",
            "every 4 beats": "4 Herzschläge",
            "every 30 min": "halbe Stunde",
            "day 1 of the month": "am 1. des Monats",
            "every 15 min": "jede Viertelstunde",
        },
    ),
    "fr": (
        "lire le courrier",
        {
            "every 90 min": "environ 90 minutes",
            "every 2 d": "2-3 jours | 2 à 3 jours",
            "every 2 h": "toutes les 2 à 3 heures",
            "every 3 h": "quelques heures",
            "every 4 h": "plus de 4 heures | au moins 4 heures",
            "each beat": "à chaque heartbeat",
            "every 4 beats": "4 battements",
            "every 30 min": "une demi-heure",
            "daily, at 09:30": "9 h 30",
            "every 15 min": "un quart d'heure",
        },
    ),
    "ru": (
        "читать почту",
        {
            "every 90 min": "~90 минут | полтора часа",
            "every 2 d": "2-3 дня | 2 или 3 дня | через день",
            "every 2 h": "примерно 2 часа | около 2 часов",
            "every 3 h": "несколько часов",
            "every 4 h": "более 4 часов",
            "every 4 beats": "4 удара",
            "every 30 min": "полчаса",
            "daily, at 09:00": "каждый день в 9 часов",
            "each beat, 09:00–18:00": "с 9 до 18 часов",
        },
    ),
    "zh": (
        "看邮件",
        {
            "every 90 min": "约90分钟",
            "every 2 d": "2-3天 | 2到3天",
            "every 3 h": "几个小时",
            "every 4 h": "4小时以上 | 至少4小时",
            "every 2 h": "大约2小时",
            "every 30 min": "半小时",
            "every 1 d": "二十四小时",
            "every 3 d": "三天",
            "every 4 beats": "4次心跳",
        },
    ),
    "ja": (
        "メールを読む",
        {
            "every 90 min": "約90分 | 90分ほど",
            "every 2 d": "2〜3日",
            "every 3 h": "数時間",
            "every 4 h": "4時間以上 | 少なくとも4時間",
            "every 3 d": "2日おき",
            "every 2 h": "2時間おき",
            "every 4 beats": "4回の心拍ごと",
            "every 30 min": "30分毎",
        },
    ),
    "sv": (
        "läs posten",
        {
            "every 2 h": "ungefär 2 timmar",
            "every 2 d": "2 till 3 dagar",
            "every 3 h": "några timmar",
        },
    ),
}
LABELS = {
    "a colon": "- {label}: {job}\n",
    "a dash": "- {label} — {job}\n",
    "bold": "- **{label}** {job}\n",
    "bold with a colon": "- **{label}:** {job}\n",
    "brackets": "- {job} ({label})\n",
    "brackets before": "- ({label}) {job}\n",
    "a bold name": "- **{job} ({label})** and more\n",
    "the heading": "## {label}\n- {job}\n",
    "a name in the heading": "## Post ({label})\n- {job}\n",
    "the heading's colon": "## Post: {label}\n- {job}\n",
    "the item above": "- {label}:\n  - {job}\n",
    "a cell": "| When | What |\n|---|---|\n| {label} | {job} |\n",
    "a field": 'tasks:\n  - name: {job}\n    every: "{label}"\n    prompt: {job}\n',
}
AMOUNTS = [
    (language, amount, meaning)
    for language, (_, readings) in LANGUAGES.items()
    for meaning, amounts in readings.items()
    for amount in amounts.split(" | ")
]


def asked(plan: Plan) -> list[str]:
    return [problem.message for problem in plan.problems if problem.code == "OM401"]


@pytest.mark.parametrize("form", LABELS)
def test_a_label_is_a_schedule_in_every_form_and_language(form: str) -> None:
    wrong = []
    for language, label, meaning in AMOUNTS:
        job = LANGUAGES[language][0]
        plan = parse(LABELS[form].format(label=label, job=job))
        read = [(str(task.schedule), task.name) for task in plan.tasks] + asked(plan)
        if read != [(meaning, job)]:
            wrong.append((label, read))
    assert wrong == []


def test_a_late_hour_is_a_time_of_the_day_and_in_a_field_a_length() -> None:
    (label,) = parse("- 14h: mail\n").tasks
    (field,) = parse("tasks:\n  - name: a\n    every: 14h\n    prompt: b\n").tasks
    assert (str(label.schedule), str(field.schedule)) == ("daily, at 14:00", "every 14 h")


def test_the_end_of_hours_that_are_not_read_is_no_time_of_the_day() -> None:
    plan = parse("## Revisar el correo lunes 8h-20h\n- x\n")
    assert [str(task.schedule) for task in plan.tasks] == ["each beat"] and asked(plan)


LOOSE = {
    "en": (
        "summarise the last {amount}",
        ["24 hours", "2-3 days", "90 minutes", "half an hour", "2 weeks", "few days"],
    ),
    "pt": ("resumir as últimas {amount}", ["24 horas", "2-3 semanas", "algumas horas"]),
    "es": ("resumir las últimas {amount}", ["24 horas", "2-3 semanas", "unas horas"]),
    "de": ("fasse die vergangenen {amount} zusammen", ["24 Stunden", "2-3 Tage", "90 Minuten"]),
    "fr": ("résumer les {amount} écoulées", ["24 heures", "2 à 3 semaines", "90 minutes"]),
    "ru": ("итоги за прошедшие {amount} кратко", ["24 часа", "2-3 дня", "несколько часов"]),
    "zh": ("总结过去{amount}的邮件", ["24小时", "三天", "几个小时"]),
    "ja": ("過去{amount}をまとめる", ["24時間", "2〜3日", "数時間"]),
}
UNREAD = [(text.format(amount=amount), amount) for text, amounts in LOOSE.values() for amount in amounts]


@pytest.mark.parametrize(("text", "amount"), UNREAD)
def test_an_amount_that_is_no_label_is_asked_about_unless_something_else_gives_the_schedule(
    text: str, amount: str
) -> None:
    plan = parse(f"- {text}\n")
    assert [str(task.schedule) for task in plan.tasks] == ["each beat"]
    (message,) = asked(plan)
    assert amount in message and message.endswith("is not read as how often; it runs each beat")
    plan = parse(f"## Daily\n- {text}\n")
    assert [str(task.schedule) for task in plan.tasks] == ["daily"] and asked(plan) == []


UNITS = [
    "h",
    " h",
    "m",
    "d",
    " hours",
    " min",
    " Tage",
    " semanas",
    " jours",
    " часа",
    "小时",
    "時間",
    " beats",
    " años",
]


@given(
    st.sampled_from(["", "read ", "почта ", "看", "mail, ", "the last ", "in ", "max ", "up to "]),
    st.integers(1, 99),
    st.sampled_from(["", "-99", "+", ".5"]),
    st.sampled_from(UNITS),
    st.sampled_from(["", ": mail", " mail", " — x", ", then x", ") x", " late"]),
)
def test_no_amount_is_ever_dropped(before: str, number: int, more: str, unit: str, after: str) -> None:
    """Whatever stands around it: the task has a schedule of its own, or is asked about."""
    plan = parse(f"- {before}{number}{more}{unit}{after}\n")
    (task,) = plan.tasks
    assert task.origin == "own" or asked(plan), task


@pytest.mark.parametrize(
    ("text", "schedule", "said"),
    [
        ("- Meeting at 15:00 with Bob\n", "each beat", "“15:00”"),
        ("- Ask Kim on Monday about the invoice\n", "each beat", "“Monday”"),
        ("- Look at it in the morning light\n", "each beat", "“morning”"),
        ("- mail\n  - only from the last 2 hours\n", "each beat", "“2 hours”"),
        ("## Mail\nAnswer within 2 hours.\n", "each beat", "“2 hours”"),
        ("## Mail within 2 hours\n- read it\n", "each beat", "“2 hours”"),
        ("Answer within 2 hours.\n", "each beat", "“2 hours”"),
        ("tasks:\n  - name: a\n    prompt: mail every 2 hours\n", "each beat", "“every 2 hours” in its prompt"),
        ("- 9h: mail\n", "every 9 h", "“9h” may be an hour of the day"),
        ("- daily 2 hours: mail\n", "daily", "“2 hours” beside it is not read"),
        ("- Review notes (10 min)\n", "each beat", "“10 min”"),
        ("- mail (max 2h)\n", "each beat", "“2h”"),
        ("- 3日: 掃除\n", "each beat", "“3日”"),
        ("| When | What |\n|---|---|\n| 9-18 hours | mail |\n| daily | x |\n", "each beat", "“9-18 hours”"),
    ],
)
def test_what_may_be_meant_otherwise_is_told_with_the_schedule_taken(text: str, schedule: str, said: str) -> None:
    plan = parse(text)
    (message,) = asked(plan)
    assert said in message and message.endswith(f"it runs {schedule}")
    assert str(plan.tasks[0].schedule) == schedule


def test_an_amount_behind_a_task_gives_way_to_the_heading_and_a_label_does_not() -> None:
    plan = parse("## Weekly (Sunday)\n- Deep review (45 min)\n- 2 hours: mail\n- Backup (4+ hours)\n")
    assert [str(task.schedule) for task in plan.tasks] == ["Sun", "every 2 h", "every 4 h"]
    assert asked(plan) == ["“45 min” may be how long it takes; it runs Sun"]


def test_a_column_of_lengths_is_no_column_of_schedules() -> None:
    rows = "|---|---|\n| mail | 45 min |\n| news | 2 h |\n"
    assert [str(task.schedule) for task in parse(f"| Task | Interval |\n{rows}").tasks] == ["every 45 min", "every 2 h"]
    assert parse(f"| Task | Duration |\n{rows}").tasks == ()
    inherited = parse(f"## Daily\n| Tarea | Duración |\n{rows}").tasks
    assert [(task.name, str(task.schedule)) for task in inherited] == [("mail", "daily"), ("news", "daily")]


def test_a_doubt_below_a_heading_names_the_headings_schedule() -> None:
    plan = parse("## Daily\n- look around periodically\n")
    assert asked(plan) == ["“periodically” gives no time that can be counted; it runs daily"]


def test_a_task_that_says_each_beat_is_not_asked() -> None:
    assert asked(parse("- Each heartbeat: summarise the last 24 hours\n")) == []
    assert asked(parse("- summarise the last 24 hours (each beat)\n")) == []


@pytest.mark.parametrize("text", ["read `logs/24h.md`", "check 3 items", "say hello to the sun", "- [ ]", "3 checks"])
def test_what_is_no_time_is_not_asked_about(text: str) -> None:
    assert asked(parse(f"- {text}\n")) == []


def test_a_task_of_a_quote_has_a_name() -> None:
    (task,) = parse("- > 4h: mail\n").tasks
    assert (task.name, str(task.schedule)) == ("mail", "every 4 h")


def test_words_of_a_phrase_keep_their_place() -> None:
    """The lexer joins them in place, so what they mean is no longer than they are."""
    assert all(len(word) <= len(phrase) for phrase, word in PHRASES)
    for phrase, _ in PHRASES:
        assert all(token.end <= len(phrase) for token in tokens(phrase))

"""Schedules in words: what each phrase means, in nine languages, and what is no schedule."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.heartbeat.phrases import read

UNDERSTOOD = {
    # beats
    "Tidy (every 2nd heartbeat)": "every 2 beats",
    "Each heartbeat": "each beat",
    "every 4 beats": "every 4 beats",
    "once per heartbeat": "each beat",
    "a cada 4 heartbeats": "every 4 beats",
    "a cada batimento": "each beat",
    "cada 3 latidos": "every 3 beats",
    "bei jedem 2. Heartbeat": "every 2 beats",
    "alle 4 Herzschläge": "every 4 beats",
    "à chaque heartbeat": "each beat",
    "tous les 3 battements": "every 3 beats",
    "Проверки (каждый heartbeat)": "each beat",
    "каждые 4 удара": "every 4 beats",
    "每次心跳必做": "each beat",
    "每4次心跳": "every 4 beats",
    "4 回の心拍ごと": "every 4 beats",
    "varje hjärtslag": "each beat",
    # intervals, ranges
    "Site check (every 10 minutes, 8AM-9PM only)": "every 10 min, 08:00–21:00",
    "every 2–3 days": "every 2 d",
    "every ~90 minutes": "every 90 min",
    "every 1h30": "every 90 min",
    "every few hours": "every 3 h",
    "every half hour": "every 30 min",
    "every other day": "every 2 d",
    "Check X only if 4+ hours since last": "every 4 h",
    "清理（每 3 天一次）": "every 3 d",
    "每隔3天": "every 3 d",
    "3日ごとに掃除": "every 3 d",
    "Verificações (a cada 2 horas)": "every 2 h",
    "cada 2 horas": "every 2 h",
    "jede Stunde": "every 1 h",
    "toutes les 2 heures": "every 2 h",
    "раз в 2 часа": "every 2 h",
    "каждые 3 дня": "every 3 d",
    "var 3:e dag": "every 3 d",
    "varannan dag": "every 2 d",
    "hourly": "every 1 h",
    # times a day and clock lists
    "Mail (2-4x/day)": "daily, at 00:00, 12:00",
    "twice a day": "daily, at 00:00, 12:00",
    "dos veces al día": "daily, at 00:00, 12:00",
    "2 раза в день": "daily, at 00:00, 12:00",
    "每天两次": "daily, at 00:00, 12:00",
    "1日2回": "daily, at 00:00, 12:00",
    "毎日 9:00 に確認": "daily, at 09:00",
    "tous les jours à 9h30": "daily, at 09:30",
    "todos los días a las 9:00": "daily, at 09:00",
    "todo dia às 8h": "daily, at 08:00",
    "täglich um 9 Uhr": "daily, at 09:00",
    "Report (下午3点半)": "daily, at 15:30",
    "Check mail at 9:00": "daily, at 09:00",
    "every day at 24:00": "daily, at 00:00",
    "noon": "daily, at 12:00",
    "every 3 days at 09:00": "every 3 d, 09:00–24:00",
    "every other Monday at 9:00": "every 14 d, Mon, 09:00–24:00",
    # weekdays, months
    "Weekly (Monday)": "Mon",
    "Städning: måndagar 06:00": "Mon at 06:00",
    "segunda-feira às 9h": "Mon at 09:00",
    "毎週月曜日 午前9時": "Mon at 09:00",
    "每周一 9点": "Mon at 09:00",
    "по понедельникам в 9:00": "Mon at 09:00",
    "le lundi à 9h": "Mon at 09:00",
    "los lunes": "Mon",
    "montags": "Mon",
    "20:15 Thu": "Thu at 20:15",
    "weekdays at 8:30am": "Mon–Fri at 08:30",
    "每周一次": "weekly",
    "once a week": "weekly",
    "first Monday of the month": "Mon the first of the month",
    "monthly on the 15th": "day 15 of the month",
    "last day of the month": "the last day of the month",
    # windows
    "Morning (7-9 AM)": "daily, 07:00–09:00",
    "22:00-06:00 every hour": "every 1 h, 22:00–06:00",
    "API (hourly, 22:00–24:00)": "every 1 h, 22:00–24:00",
    "werktags 9-17 Uhr jede Stunde": "every 1 h, Mon–Fri, 09:00–17:00",
    "du lundi au vendredi de 9h à 18h": "each beat, Mon–Fri, 09:00–18:00",
    "с 9:00 до 18:00 каждый час": "every 1 h, 09:00–18:00",
    "8点到18点": "each beat, 08:00–18:00",
    "Monday to Friday 9:00-17:00": "each beat, Mon–Fri, 09:00–17:00",
    "Montag bis Freitag 9:00-17:00 jede Stunde": "every 1 h, Mon–Fri, 09:00–17:00",
    "lunes a viernes 9:00-17:00": "each beat, Mon–Fri, 09:00–17:00",
    "от 9:00 до 18:00": "each beat, 09:00–18:00",
    "first Monday of the month 9:00-18:00": "Mon the first of the month, 09:00–18:00",
    "Mail (first Monday of the month, 8h-20h)": "Mon the first of the month, 08:00–20:00",
    "between 9 and 17": "each beat, 09:00–17:00",
    "毎朝": "daily, 06:00–12:00",
    "(paused)": "off",
    "Every 15 min during business hours": "every 15 min, Mon–Fri, 09:00–17:00",
    "On Friday, send the report": "Fri",
    "Nightly at 2am": "daily, at 02:00",
    "Monatlich am 1.": "day 1 of the month",
    "Mo-Fr 9-17 Uhr": "each beat, Mon–Fri, 09:00–17:00",
    "Jeden Morgen": "daily, 06:00–12:00",
    "Cada pocas horas": "every 3 h",
    "Dia sim, dia não": "every 2 d",
    "Un jour sur deux": "every 2 d",
    "При каждом heartbeat": "each beat",
    "Три раза в неделю": "every 56 h",
    "每隔几个小时": "every 3 h",
    "每晚10点": "daily, at 22:00",
    "每月1号": "day 1 of the month",
    "4回ごと": "every 4 beats",
    "2日に1回": "every 2 d",
    "週3回": "every 56 h",
    "毎月1日": "day 1 of the month",
}


@pytest.mark.parametrize(("text", "meaning"), UNDERSTOOD.items())
def test_a_phrase_means_what_a_reader_takes_it_for(text: str, meaning: str) -> None:
    assert str(read(text).schedule) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "review the daily notes",
        "Meeting at 15:00 with Bob",
        "max 5 emails per day",
        "tokens per day under 20k",
        "summarise the last 24 hours",
        "Review notes (10 min)",
        "prepare Monday's agenda",
        "read memory/2026-03-02.md",
        "check 3 to 5 items",
        "reply within 2 hours",
        "Stay quiet between 23:00 and 08:00",
        "Nothing outside 9:00-17:00",
        "If it's after 23:00, stay silent",
        "Ask Kim on Monday about the invoice",
        "Version 1.2.3 from 10 to 12",
        "If >8h since you said anything, say hello",
        "each task needs an owner",
        "总结过去24小时",
        "until 18:00",
        "Answer until 18:00",
        "Fasse die letzten 24 Stunden zusammen",
    ],
)
def test_words_about_time_that_are_no_schedule_stay_text(text: str) -> None:
    assert read(text).schedule is None


def test_a_clock_list_wins_over_an_interval_and_the_contradiction_is_named() -> None:
    reading = read("every 2 hours: 9AM, 1PM, 5PM")
    assert reading.schedule is not None and reading.schedule.times == (540, 780, 1020)
    assert reading.contradictions == ("every 2 h and at 09:00, 13:00, 17:00: the times are taken",)


@pytest.mark.parametrize("text", ["every 0 minutes", "every 0 beats"])
def test_nothing_can_be_due_every_zero(text: str) -> None:
    reading = read(text)
    assert str(reading.schedule) == "each beat" and reading.doubts


def test_vague_words_are_doubts_and_no_schedule() -> None:
    for text in ("periodically check mail", "every now and then", "定期的に確認"):
        assert read(text).schedule is None and read(text).doubts


@pytest.mark.parametrize("unit", ["hours", "beats", "times a day", "times a week", "days"])
def test_numbers_without_end_are_no_bug(unit: str) -> None:
    for number in ("9" * 400, "0." + "0" * 400 + "1", "1.5"):
        read(f"every {number} {unit}")
        read(f"{number} {unit}")


def test_an_interval_of_ages_is_bounded() -> None:
    reading = read("every 10000000000 days")
    assert reading.schedule is not None and reading.schedule.seconds == 3650 * 86400


def test_rotation_is_seen_with_its_count() -> None:
    assert read("Rotate through these, pick 2 each time:").rotate == 2
    assert read("Things to check (rotate through these, 2-4 times per day)").rotate == 1
    assert read("Rotate logs weekly").rotate == 0


@pytest.mark.parametrize(
    "text", ["check at 9:00 and then mon ", "1 - 2 , ", "每天9点看邮件", "a-", "a/", "never 9:00 ", "1 2 3 4 5 * "]
)
def test_a_line_without_end_is_read_in_no_time(text: str) -> None:
    began = time.process_time()
    read(text * 20_000)
    assert time.process_time() - began < 1


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    reading = read(text, heading=len(text) % 2 == 0)
    assert all(0 <= start <= end <= len(reading.text) for start, end in reading.spans)

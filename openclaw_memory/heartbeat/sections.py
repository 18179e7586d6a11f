"""The sections of a heartbeat file: what each heading says of time, and which are steps of a procedure. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from openclaw_memory.heartbeat.naming import STEP, is_log_title, is_reference_title
from openclaw_memory.heartbeat.phrases import Reading, read
from openclaw_memory.heartbeat.plain import plain
from openclaw_memory.heartbeat.schedule import Schedule
from openclaw_memory.markdown import Block


class Section:
    """A heading (None: above the first) with the blocks below it, and the reading whose schedule it gives them."""

    def __init__(self, heading: Block | None, reading: Reading, inherited: Reading, rotate: int) -> None:
        self.heading = heading
        self.title = plain(heading.text) if heading else ""
        self.level = heading.level if heading else 0
        self.is_log = not reading.schedule and is_log_title(self.title)
        self.is_reference = is_reference_title(self.title)
        self.reading = reading
        self.inherited = inherited
        self.rotate = rotate
        self.blocks: list[Block] = []

    @property
    def given(self) -> Schedule | None:
        """The schedule of what stands below it."""
        return self.inherited.schedule


def plain_line(text: str) -> str:
    """A line as `read` wants it: comments, link targets and code marks gone, bold kept (it sets words apart)."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S) if "<!--" in text else text
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text) if "](" in text else text
    return text.replace("`", "").replace("\n", " ")


def heading_reading(block: Block) -> Reading:
    """What a heading says. A date in it is when something was: it gives no schedule."""
    reading = read(plain_line(block.text), heading=True)
    return Reading(reading.text) if reading.schedule and reading.schedule.dates else reading


def procedure(sections: Sequence[Section]) -> list[Section]:
    """The steps of a numbered procedure (`## 1. … ## 6.`, three or more, without schedules); [] where there is none."""
    steps: list[Section] = []
    for section in sections:
        deeper = bool(steps) and section.level > steps[0].level
        if deeper or (not section.reading.schedule and _is_next_step(section, steps)):
            steps.append(section)
        elif _count(steps) < 3:
            steps = [section] if _is_next_step(section, []) and not section.reading.schedule else []
        else:
            break
    return [] if _count(steps) < 3 or any(_has_schedule(section) for section in steps) else steps


def _count(steps: list[Section]) -> int:
    return sum(1 for section in steps if section.level == steps[0].level)


def _is_next_step(section: Section, steps: list[Section]) -> bool:
    """Whether the heading carries a number that comes next (one may be left out); the first one is 0 or 1."""
    step = STEP.match(section.title)
    if not step:
        return False
    before = next((STEP.match(one.title) for one in reversed(steps) if one.level == steps[0].level), None)
    return int(step[1]) > int(before[1]) if before else int(step[1]) <= 1


def _has_schedule(section: Section) -> bool:
    return any(block.kind == "item" and read(plain_line(block.text)).schedule for block in section.blocks)

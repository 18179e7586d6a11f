"""Tables of a heartbeat file: a column of schedules makes its rows tasks. Pure."""

from __future__ import annotations

import re

from openclaw_memory.heartbeat.fields import read_cell
from openclaw_memory.heartbeat.phrases import Reading
from openclaw_memory.heartbeat.plain import plain
from openclaw_memory.markdown import Block
from openclaw_memory.record import Record

_EMPTY = re.compile(
    r"[-–—*_()\s]*(?:none|none yet|n/?a|keine|ninguno|nenhum|aucun|нет|无|なし)?[-–—*_()\s.]*", re.IGNORECASE
)

_LENGTH = re.compile(
    r"\b(?:duration|takes|effort|estimate\w*|length|dauer|dura\w+|durée|aufwand|esfuerzo|esforço|длительность|tid)\b"
    r"|时长|耗时|所要時間",
    re.IGNORECASE,
)
"""The title of a column that says how long something takes, which is not how often."""


class Row(Record):
    """A row that is a task."""

    line: int
    name: str
    text: str
    reading: Reading


def read_table(block: Block, inherits: bool) -> list[Row] | None:
    """The rows as tasks; None for a table that is none (no schedules in it, and none to inherit).

    A row without a schedule, in a table that has some, inherits or runs each beat like any line.
    """
    rows = list(block.numbered_rows)
    readings = [[read_cell(plain(cell)) for cell in cells] for _, cells in rows]
    timed = {at for line in readings for at, reading in enumerate(line) if reading.whole and reading.schedule}
    timed -= {at for at, title in enumerate(block.rows[0]) if _LENGTH.search(title)}
    if not timed and not inherits:
        return None
    column = max(timed, key=lambda at: sum(at < len(line) and line[at].whole for line in readings), default=-1)
    found: list[Row] = []
    for (number, cells), line in zip(rows, readings, strict=True):
        others = [plain(cell) for at, cell in enumerate(cells) if at != column and not _EMPTY.fullmatch(plain(cell))]
        if others:
            reading = line[column] if 0 <= column < len(line) else Reading("")
            if reading.text and not reading.schedule and not reading.doubts and not _EMPTY.fullmatch(reading.text):
                reading = Reading(reading.text, doubts=(f"“{reading.text}” gives no time that can be counted",))
            found.append(Row(number, others[0], " — ".join(others), reading))
    return found

"""The README's generated tables: between `<!-- table: NAME -->` and `<!-- end table -->`, one function a table.

python -m tests.readme.tables --write     renew them
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from openclaw_memory.cli.commands import COMMANDS
from openclaw_memory.rules import RULES

README = Path(__file__).resolve().parents[2] / "README.md"
TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end table -->)", re.S)


def rows(header: str, lines: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table; a pipe inside a cell is escaped."""
    columns = header.count("|") + 1
    body = ("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return "\n".join([f"| {header} |", "|" + "---|" * columns, *body]) + "\n"


def commands() -> str:
    """Every command with its line of help."""
    return rows("command | does", ((f"`{name}`", summary) for name, (_, summary) in COMMANDS.items()))


def codes() -> str:
    """Every rule of `check`."""
    return rows(
        "code | name | default | meaning", ((r.code, f"`{r.name}`", r.severity, r.summary) for r in RULES.values())
    )


TABLES: dict[str, Callable[[], str]] = {"commands": commands, "codes": codes}


def renewed(text: str) -> str:
    """`text` with every table made anew."""
    return TABLE.sub(lambda m: m[1] + TABLES[m[2]]() + m[3], text)


if __name__ == "__main__" and "--write" in sys.argv:
    README.write_text(renewed(README.read_text("utf-8")), "utf-8")

"""The README's generated tables: between `<!-- table: NAME -->` and `<!-- end table -->`, one function a table.

python -m tests.readme.tables --write     renew them
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from openclaw_memory.cli.commands import COMMANDS
from openclaw_memory.rules import RULES

README = Path(__file__).resolve().parents[2] / "README.md"
SCHEMA = README.parent / "openclaw_memory" / "config" / "schema.json"
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


def settings() -> str:
    """Every key of openclaw-memory.yaml."""
    return rows("key | default | meaning", _keys(json.loads(SCHEMA.read_text("utf-8")), ""))


def _keys(schema: dict[str, Any], prefix: str) -> Iterator[tuple[str, ...]]:
    for name, one in schema["properties"].items():
        if "properties" in one:
            yield from _keys(one, f"{prefix}{name}.")
        elif "x-unused" not in one:
            trust = " (needs trust)" if one.get("x-trust") else ""
            yield f"`{prefix}{name}`", f"`{json.dumps(one.get('default'))}`", one.get("description", "") + trust


TABLES: dict[str, Callable[[], str]] = {"commands": commands, "codes": codes, "settings": settings}


def renewed(text: str) -> str:
    """`text` with every table made anew."""
    return TABLE.sub(lambda m: m[1] + TABLES[m[2]]() + m[3], text)


if __name__ == "__main__" and "--write" in sys.argv:
    README.write_text(renewed(README.read_text("utf-8")), "utf-8")

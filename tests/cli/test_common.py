from __future__ import annotations

import json

import pytest

from openclaw_memory.cli import common

VALUES = {
    "text": 'a "quoted" \n\t\\ line', "empty": [{}, [], "", None], "deep": [[1, [2.5, True]], {"a": {"b": -1}}],
    "tuple": ("x", 1), "雪": "naïve 🏴", "keys": {1: "one", "two": 2},
}  # fmt: skip


def test_json_is_printed_as_the_library_indents_it(capsys: pytest.CaptureFixture[str]) -> None:
    common.print_json(VALUES)
    printed = capsys.readouterr().out
    assert printed == json.dumps({"version": 1, **VALUES}, ensure_ascii=False, indent=2) + "\n"


def test_a_path_that_is_no_utf8_is_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    common.print_json({"path": "memory/\udcff.md"})
    assert '"path": "memory/\\udcff.md"' in capsys.readouterr().out

import re
from pathlib import Path

from tests.readme import blocks, tables


def test_every_console_block_prints_what_the_readme_says(tmp_path: Path):
    text = blocks.README.read_text("utf-8")
    wrong = [
        f"$ {step.command}\n--- said\n{step.output}--- got\n{got}"
        for step, got in blocks.play(text, tmp_path)
        if not blocks.matches(step.output, got)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_tables_are_up_to_date():
    text = tables.README.read_text("utf-8")
    assert set(tables.TABLES) <= {m[2] for m in tables.TABLE.finditer(text)}
    assert tables.renewed(text) == text


def test_the_comparison_can_fail():
    assert blocks.matches("a\n...\nz\n", "a\nb\nc\nz\n")
    assert blocks.matches("at 2026-01-02 [3f9a1c]\n", "at 2027-05-06 [00ff00]\n")
    assert not blocks.matches("a\n", "b\n")
    assert not blocks.matches("a\n...\nz\n", "a\nb\n")


def test_there_are_exactly_two_setup_commands():
    text = blocks.README.read_text("utf-8")
    assert len(re.findall(r"^```sh\n[^\n]+\n```$", text, re.M)) == len(re.findall(r"^```sh$", text, re.M)) == 2

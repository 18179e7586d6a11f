import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory import config
from tests.readme import blocks, tables


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", blocks.README.read_text("utf-8"), re.M | re.S)


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


@pytest.mark.parametrize("code", fenced("python"))
def test_the_python_examples_run(code: str, cli, tmp_path: Path):
    pytest.importorskip("llama_index.core", reason="the extra [retrieval] is not installed")
    assert cli("init", str(tmp_path / "agent")).returncode == 0
    environment = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", [text for text in fenced("yaml") if text.startswith("version: 1")])
def test_the_configs_are_valid(text: str):
    assert config.parse(text.encode(), "openclaw-memory.yaml").warnings is not None


def test_every_block_is_of_a_kind_that_is_tested_or_plain_text():
    kinds = set(re.findall(r"^```(\w*)$", blocks.README.read_text("utf-8"), re.M)) - {""}
    assert kinds <= {"sh", "console", "python", "yaml", "text", "markdown"}

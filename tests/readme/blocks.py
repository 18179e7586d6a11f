"""The README's `console` blocks: run those of a section in order in a folder of its own, compare or renew their output.

A block holds `$ command` lines, each followed by what it prints (a command goes on after a trailing backslash).
Dates, times, hashes, durations and whether indexing is compiled are compared as kinds; `...` alone on a line stands for
any lines.

    python -m tests.readme.blocks --write     renew the output of every block that differs
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
KINDS = (
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\b\d\d:\d\d(?::\d\d)?\b"), "TIME"),
    (re.compile(r"\b[\d.]+ ?(?:ms|s)\b"), "DURATION"),
    (re.compile(r"^indexing runs (?:compiled|in plain Python.*\n.*)$", re.M), "INDEXING"),
    (re.compile(r"(?<=committed )[0-9a-f]{10}\b|\b(?=[a-f]*\d)[0-9a-f]{6,40}\b"), "HASH"),
)


@dataclass(frozen=True)
class Step:
    """One command of a block and what the README says it prints."""

    command: str
    output: str


def sections(text: str) -> list[str]:
    """`text` cut before each heading of level 2; what stands in a fence is no heading."""
    parts, fenced = [""], False
    for line in text.splitlines(keepends=True):
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            parts.append("")
        parts[-1] += line
    return parts


def steps(block: str) -> Iterator[Step]:
    """The steps of a block's body."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        match = re.match(r"((?:.*\\\n)*.*)\n?", part)
        assert match
        yield Step(match[1], part[match.end() :])


def normal(text: str) -> list[str]:
    """`text` with what differs between two honest runs replaced by its kind."""
    for pattern, kind in KINDS:
        text = pattern.sub(kind, text)
    return [line.rstrip() for line in text.splitlines()]


def matches(said: str, got: str) -> bool:
    """Whether output `got` is what the README says; `...` alone on a line stands for any lines."""
    lines = [".*" if line == "..." else re.escape(line) for line in normal(said)]
    pattern = "\n".join(lines).replace("\n.*\n", "(?:\n.*)*\n")
    return re.fullmatch(pattern, "\n".join(normal(got)), re.S if "..." in said else 0) is not None


class Shell:
    """Runs commands one after the other; the working directory carries over, all else is fresh each time."""

    def __init__(self, folder: Path) -> None:
        self.folder = self.cwd = folder
        bin_ = folder / ".bin"
        bin_.mkdir(parents=True)
        shim = bin_ / "openclaw-memory"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m openclaw_memory "$@"\n')
        shim.chmod(0o755)
        self.env = {
            **os.environ,
            "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(folder / ".home"),
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "100",
            "TZ": "UTC",
            "OPENCLAW_MEMORY_NO_SERVER": "1",
        }
        (folder / ".home").mkdir()
        (folder / ".home" / ".gitconfig").write_text("[user]\n\tname = Ana\n\temail = ana@example.com\n")

    def run(self, command: str) -> str:
        """What `command` prints, both streams together."""
        mark = self.folder / ".cwd"
        done = subprocess.run(
            ["bash", "-c", f"{command}\nstatus=$?; pwd > '{mark}'; exit $status"],
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self.cwd = Path(mark.read_text().strip())
        return done.stdout.replace(str(self.folder), "~").replace(str(ROOT), "...")


def play(text: str, folder: Path) -> Iterator[tuple[Step, str]]:
    """Each step of the README `text` with its real output, run below the empty `folder`."""
    for number, section in enumerate(sections(text)):
        shell = Shell(folder / str(number))
        for block in BLOCK.finditer(section):
            for step in steps(block[1]):
                yield step, shell.run(step.command)


def renewed(text: str, folder: Path) -> str:
    """`text` with the output of every step that differs replaced by the real one."""

    def block(shell: Shell, match: re.Match[str]) -> str:
        out = []
        for step in steps(match[1]):
            got = shell.run(step.command)
            same = matches(step.output, got)
            body = step.output if same else got if got.endswith("\n") or not got else got + "\n"
            out.append(f"$ {step.command}\n{body}")
        return f"```console\n{''.join(out)}```"

    def section(number: int, part: str) -> str:
        shell = Shell(folder / str(number))
        return BLOCK.sub(lambda found: block(shell, found), part)

    return "".join(section(number, part) for number, part in enumerate(sections(text)))


if __name__ == "__main__" and "--write" in sys.argv:
    with tempfile.TemporaryDirectory() as name:
        README.write_text(renewed(README.read_text("utf-8"), Path(name)), "utf-8")

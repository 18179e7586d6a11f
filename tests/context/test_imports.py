"""What a session start imports: it is waited for."""

import json
import os
import subprocess
import sys

import pytest

HEAVY = {
    "asyncio", "email", "git", "hashlib", "http", "jsonschema", "llama_index", "numpy", "pydantic", "rich", "secrets",
    "sqlite3", "subprocess", "tempfile", "torch", "unittest", "yaml",
}  # fmt: skip
CODE = """
import io, json, sys
from openclaw_memory.cli.main import main
real, sys.stdout = sys.stdout, io.StringIO()
main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)), file=real)
"""


def imported(root, *words):
    command = [sys.executable, "-c", CODE, "context", "--message", "ana and tom", *words]
    return set(json.loads(subprocess.run(command, cwd=root, capture_output=True, check=True).stdout))


def test_nothing_heavy(root):
    assert imported(root) & HEAVY == set()


def test_nor_with_a_config_that_only_has_comments(root):
    (root / "openclaw-memory.yaml").write_text("version: 1\n# context:\n#   max_drilldowns: 5\n")
    assert imported(root) & HEAVY == set()


def test_yaml_and_sqlite_where_there_is_something_for_them(root):
    (root / "memory/people/ana.md").write_text("---\ntriggers: [x]\n---\n")
    assert imported(root, "--session", "s") & HEAVY == {"sqlite3", "yaml"}


@pytest.mark.parametrize("words", [(), ("--message", "tom, ana, loja; e commerce"), ("--format", "openclaw")])
def test_the_bytes_do_not_depend_on_hash_seeds(root, words):
    outputs = {
        subprocess.run(
            [sys.executable, "-m", "openclaw_memory", "context", *words],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "2", "random")
    }
    assert len(outputs) == 1

"""What the hook of a commit that is as it should be imports: every commit waits for it."""

from __future__ import annotations

import json
import sys

from tests.check.conftest import Lab

HEAVY = {
    "argparse", "ast", "asyncio", "dataclasses", "datetime", "git", "hashlib", "inspect", "json", "jsonschema",
    "llama_index", "numpy", "pathlib", "pydantic", "rich", "shlex", "sqlite3", "subprocess", "tempfile", "torch",
    "typing", "urllib", "yaml", "openclaw_memory.index.draft", "openclaw_memory.retrieval", "openclaw_memory.knowledge",
}  # fmt: skip
CODE = """
import sys
from openclaw_memory.cli.main import main
code, loaded = main(["hook", "pre-commit"]), sorted(sys.modules)
import json
print(json.dumps(loaded))
sys.exit(code)
"""


def test_nothing_heavy(lab: Lab) -> None:
    lab.write("openclaw-memory.yaml", "version: 1\n# index:\n#   active_cap: 3\n")
    lab.write("memory/people/ana.md", "# Ana\n\nplays chess\n")
    lab.write("MEMORY.md", "# Memory\n\n## People\n\n- [Ana](memory/people/ana.md): chess <!-- trigger: ana -->\n")
    lab.git("add", "-A")
    done = lab.run(sys.executable, "-c", CODE)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) & HEAVY == set()

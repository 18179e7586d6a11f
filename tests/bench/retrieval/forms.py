"""What the forms of a query cost in a process that stays, beside plain words: milliseconds of CPU, by words alone.

    python tests/bench/retrieval/forms.py CORPUS WORK

CORPUS is a folder of Markdown; its own headings give the words. Each form is asked in turns with the others, and the
least of the rounds counts for each query, which neighbours change least.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import time
from pathlib import Path

from openclaw_memory.retrieval import collections
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.update import update
from openclaw_memory.server.engine import Engine
from openclaw_memory.workspace import Workspace

CONFIG = "version: 1\nmemory:\n  includeDefaultMemory: false\nretrieval:\n  embedder: none\n"
FORMS = {
    "plain words": "{0} {1}",
    "a phrase": '"{0} {1}" {2}',
    "words left out": "{0} {1} -{2}",
    "a phrase left out": '{0} -"{1} {2}"',
    "a beginning": "{0} {1:.4}*",
    "path:": "{0} {1} path:{2:.3}",
    "tag:": "{0} {1} tag:{2}",
    "kind:": "{0} {1} kind:note",
    "before:": "{0} {1} before:2040",
    "a filter alone": "path:{0:.3}",
    "a typo": "{0}x {1}",
    "three lines": "lex: {0} {1}\nlex: {2}\nlex: {1} {2}",
    "a long question": "how do I find out what {0} {1} {2} does when {3} and {4} or {5} {6} {7} {8} {9} are not there",
}
QUERIES = 20


def headings(corpus: Path) -> list[str]:
    """Words of neighbouring places in headings, from the same files each time."""
    files = sorted(corpus.rglob("*.md"))
    some = random.Random(4).sample(files, min(len(files), 400))
    found = [line for file in some for line in re.findall(r"^#+ (.*)$", file.read_text(errors="replace"), re.MULTILINE)]
    return [word for line in found for word in re.findall(r"[^\W\d_]{4,}", line)]


def main() -> None:
    """Measure and print one line a form."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    root = (args.work / "forms").resolve()
    root.mkdir(parents=True, exist_ok=True)
    (root / "openclaw-memory.yaml").write_text(CONFIG)
    ws = Workspace(root)
    if not any(one.root == args.corpus.resolve() for one in collections.load(ws).all):
        collections.add(ws, args.corpus.resolve(), "corpus")
    update(ws)
    words = headings(args.corpus)
    starts = random.Random(5).sample(range(len(words) - 10), QUERIES)
    asked = {name: [form.format(*words[at : at + 10]) for at in starts] for name, form in FORMS.items()}
    engine = Engine(root)
    engine.load()
    times: dict[str, list[float]] = {query: [] for queries in asked.values() for query in queries}
    hits = dict.fromkeys(times, 0)
    for _ in range(args.rounds + 1):
        for query, spent in times.items():
            before = time.process_time()
            hits[query] = len(engine.query(query, Options(limit=10)).hits)
            spent.append(1000 * (time.process_time() - before))
    for name, queries in asked.items():
        least = [min(times[query][1:]) for query in queries]  # the first round fills what is remembered
        found = sum(hits[query] for query in queries)
        print(f"{name:18} median {statistics.median(least):5.2f} ms, most {max(least):5.2f} ms, {found:4} hits")


if __name__ == "__main__":
    main()

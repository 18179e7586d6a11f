"""Ranking quality on the data sets that lie beside the project; prints one table.

    OPENCLAW_MEMORY_SHARED=../shared python tests/bench/retrieval/quality.py locomo faquad qmd
    ... quality.py locomo --embedder local          words and meaning together
    ... quality.py docs --docs CORPUS     CORPUS and CORPUS.queries.json: `make_corpus.py SRC CORPUS eval`

All numbers are on the handed half (DEV), which weights were chosen on.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import statistics
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from openclaw_memory.config.model import RetrievalConfig
from openclaw_memory.retrieval import aliases, collections, store, vectors
from openclaw_memory.retrieval.embedders import Embedder, load
from openclaw_memory.retrieval.fuse import fuse
from openclaw_memory.retrieval.hits import ATOM_BITS, CHUNK_BITS, Candidate
from openclaw_memory.retrieval.lexicon import NUMBER
from openclaw_memory.retrieval.query import parse
from openclaw_memory.retrieval.scope import Scope
from openclaw_memory.retrieval.update import update
from openclaw_memory.retrieval.variants import found_by_names, meant_by_names, variants
from openclaw_memory.workspace import Workspace

CHECKOUT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("OPENCLAW_MEMORY_SHARED", CHECKOUT.parent / "shared"))
DATA = SHARED / "data"
DEPTH = 60
_LEG_DEPTH = 200
_NICKNAMES = ("Zork", "Pipka")
_PEOPLE = "people/"
_SPEAKER = re.compile(r"^- ([A-Z]\w+):", re.MULTILINE)


class Passage(NamedTuple):
    """A result as the scorer wants it."""

    path: str
    start_line: int
    end_line: int


class Folder:
    """One folder of Markdown, indexed below a scratch folder."""

    def __init__(self, root: Path, scratch: Path, embedder: Embedder | None = None) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        (scratch / "openclaw-memory.yaml").write_text("version: 1\nmemory:\n  includeDefaultMemory: false\n")
        ws = Workspace(scratch)
        collections.add(ws, root, "data")
        update(ws)
        if embedder is not None:
            vectors.embed(ws, embedder)
        self._embedder = embedder
        self._db = store._reader(store.path_in(ws.state_dir))
        assert self._db is not None
        self._paths = dict(self._db.execute("SELECT id, path FROM files"))

    def find(self, question: str, depth: int = DEPTH) -> list[Passage]:
        """The best passages for a question."""
        assert self._db is not None
        query = parse(question)
        renamed = variants(query, aliases.known(self._db, ["data"], [query]))
        found = found_by_names(self._db, query, renamed, Scope(), _LEG_DEPTH if self._embedder else depth)
        if self._embedder is not None:
            from openclaw_memory.retrieval.dense import dense

            also = [one.passage for one in found]
            sense = dense(self._db, self._embedder.embed_query(question), Scope(), _LEG_DEPTH, also)
            vectors_of_names = [(one, self._embedder.embed_query(one.query.text)) for one in renamed]
            found = fuse(found, meant_by_names(self._db, sense, found, vectors_of_names, Scope()))
        return [self._passage(one) for one in found[:depth]]

    def _passage(self, one: Candidate) -> Passage:
        assert self._db is not None
        chunk, place = one.passage >> ATOM_BITS, one.passage & ((1 << ATOM_BITS) - 1)
        (blob,) = self._db.execute("SELECT spans FROM chunks WHERE id = ?", (chunk,)).fetchone()
        spans = array(NUMBER, blob)
        return Passage(self._paths[chunk >> CHUNK_BITS], spans[2 * place], spans[2 * place + 1])


Asked = Callable[[str, str], str]


def _as_it_is(place: str, question: str) -> str:
    return question


def nicknames(scratch: Path, embedder: Embedder | None = None) -> dict[str, float]:
    """LoCoMo by nicknames of the two who speak, which a file of each gives and no note knows."""
    names: dict[str, dict[str, str]] = {}
    for folder in sorted((DATA / "locomo/dev").iterdir()):
        place = f"dev/{folder.name}"
        people = shutil.copytree(folder, scratch / "named/locomo" / place) / _PEOPLE
        people.mkdir()
        said = Counter(name for note in folder.rglob("*.md") for name in _SPEAKER.findall(note.read_text("utf-8")))
        names[place] = dict(zip((name for name, _ in said.most_common(2)), _NICKNAMES, strict=True))
        for name, nick in names[place].items():
            (people / f"{name.lower()}.md").write_text(f"---\naliases: [{nick}]\n---\n# {name}\n")

    def asked(place: str, question: str) -> str:
        return re.sub(r"\w+", lambda word: names[place].get(word[0], word[0]), question)

    return scored("locomo", scratch / "nicknames", embedder, scratch / "named", asked)


def scored(
    name: str, scratch: Path, embedder: Embedder | None = None, root: Path = DATA, asked: Asked = _as_it_is
) -> dict[str, float]:
    """A set in the layout of `data/README.md` below `root`, by its own scorer; percent. `asked` changes questions."""
    spec = importlib.util.spec_from_file_location("score", DATA / "score.py")
    assert spec is not None and spec.loader is not None
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    folders: dict[str, Folder] = {}
    run = {}
    for query in _lines(DATA / name / "queries_dev.jsonl"):
        place = query["workspace"]
        if query["relevant"]:
            if place not in folders:
                folders[place] = Folder(root / name / place, scratch / name / place.replace("/", "-"), embedder)
            found = folders[place].find(asked(place, query["question"]))
            run[query["qid"]] = [one._asdict() for one in found if not one.path.startswith(_PEOPLE)]
    _, total, _ = scorer.evaluate(str(DATA / name), run, "dev")
    wanted = ("file_recall@1", "file_recall@10", "file_ndcg@10", "line_recall@1", "line_rec@1000t")
    return {key: round(100 * total[key], 1) for key in wanted}


def ranked(cases: Sequence[tuple[str, Sequence[str]]], folder: Folder) -> dict[str, float]:
    """(query, parts of paths that answer it): hit@k, MRR@10 and milliseconds in the process."""
    ranks, times = [], []
    for question, expected in cases:
        started = time.perf_counter()
        found = list(dict.fromkeys(one.path for one in folder.find(question)))[:10]
        times.append(1000 * (time.perf_counter() - started))
        ranks.append(next((at for at, path in enumerate(found, 1) if any(part in path for part in expected)), 0))
    hits = {f"hit@{k}": sum(0 < rank <= k for rank in ranks) for k in (1, 3, 5)}
    mrr = sum(1 / rank for rank in ranks if rank) / max(1, len(ranks))
    return {"queries": len(ranks), **hits, "mrr@10": round(mrr, 4), "p50 ms": round(statistics.median(times), 1)}


def qmd(scratch: Path, embedder: Embedder | None = None) -> Iterator[tuple[str, dict[str, float]]]:
    """QMD's own 24 queries and its 25 deep ones."""
    data = json.loads((DATA / "qmd-eval/qmd-eval.json").read_bytes())
    folder = Folder(DATA / "qmd-eval/docs", scratch / "qmd", embedder)
    for name in data:
        if isinstance(data[name], list):
            yield f"qmd {name}", ranked([(one["query"], [one["expected"]]) for one in data[name]], folder)


def docs(corpus: Path, scratch: Path, embedder: Embedder | None = None) -> dict[str, float]:
    """The larger set: hints of a documentation, removed from its pages, must find them."""
    cases = json.loads(Path(f"{corpus}.queries.json").read_bytes())
    return ranked([(one["query"], one["expected"]) for one in cases], Folder(corpus, scratch / "docs", embedder))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text("utf-8").splitlines())


def main() -> None:
    """Measure the sets that are named and print them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="+", choices=("locomo", "faquad", "qmd", "docs", "nicknames"))
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--embedder", default="none")
    args = parser.parse_args()
    embedder = load(RetrievalConfig(embedder=args.embedder))
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets:
            if name == "qmd":
                for part, found in qmd(Path(folder), embedder):
                    print(part, found, flush=True)
            elif name == "nicknames":
                print(name, nicknames(Path(folder), embedder), flush=True)
            elif name == "docs":
                print(name, docs(args.docs, Path(folder), embedder), flush=True)
            else:
                print(name, scored({"faquad": "faquad_pt"}.get(name, name), Path(folder), embedder), flush=True)


if __name__ == "__main__":
    main()

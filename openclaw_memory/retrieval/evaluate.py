"""How well search does on a user's own queries, and how fast: hit@k, MRR and latency of the whole path.

Reads JSON lines, a JSON array, or an object with `queries` (QMD's bench files among them). An entry has `query` and
what should be found: `expected` or `expected_files` (a name as `get` takes it, a part of a path, or a list of them),
optionally `expected_in_top_k`.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from openclaw_memory import fsio
from openclaw_memory.errors import UsageError
from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.options import Options

if TYPE_CHECKING:
    from openclaw_memory.retrieval.hits import Answer
    from openclaw_memory.workspace import Workspace

DEPTH = 10
_CUTS = (1, 3, 5, 10)


class Case(Record):
    """A query and the names of the files that answer it; `where` it stands: `FILE:LINE`."""

    id: str
    query: str
    expected: tuple[str, ...]
    top: int = DEPTH
    where: str = ""


class Outcome(Record):
    """A case, the rank (from 1) of the first file that answers it (0 for none), and the seconds it took."""

    case: Case
    rank: int
    seconds: float
    found: tuple[str, ...]


class Result(Record):
    """All outcomes, and sentences about expected files that the index does not have, which no search can find."""

    outcomes: tuple[Outcome, ...]
    unknown: tuple[str, ...] = ()

    def hit(self, cut: int) -> float:
        """The share of queries answered in the first `cut` files."""
        return sum(0 < one.rank <= cut for one in self.outcomes) / max(1, len(self.outcomes))

    @property
    def mrr(self) -> float:
        """The mean of 1 / rank."""
        return sum(1 / one.rank for one in self.outcomes if one.rank) / max(1, len(self.outcomes))

    @property
    def missed(self) -> list[Outcome]:
        """Cases that were not answered within their own depth."""
        return [one for one in self.outcomes if not 0 < one.rank <= one.case.top]

    def milliseconds(self) -> dict[str, float]:
        """Median and 95th percentile."""
        times = sorted(one.seconds * 1000 for one in self.outcomes) or [0.0]
        return {"p50": round(statistics.median(times), 2), "p95": round(times[int(len(times) * 0.95)], 2)}

    def to_json(self) -> dict[str, object]:
        """The numbers, and every case that was missed."""
        return {
            "queries": len(self.outcomes),
            **{f"hit@{cut}": round(self.hit(cut), 4) for cut in _CUTS},
            "mrr@10": round(self.mrr, 4),
            "ms": self.milliseconds(),
            "missed": [
                {"id": one.case.id, "query": one.case.query, "expected": one.case.expected, "found": one.found[:3]}
                for one in self.missed
            ],
            "unknown": self.unknown,
        }


def cases(path: Path) -> list[Case]:
    """The cases of a file. Raises UsageError naming what is wrong with which entry."""
    text = fsio.read(path).decode("utf-8", "replace")
    try:
        entries = _entries(text)
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {error}", "write one {'query', 'expected'} object a line") from error
    if not entries:
        raise UsageError(f"{path} holds no queries", "write one {'query', 'expected'} object a line")
    return [_case(f"{path}:{line}", at, entry) for at, (line, entry) in enumerate(entries, 1)]


def _entries(text: str) -> list[tuple[int, Any]]:
    """Each entry, and the line where it begins."""
    try:
        loaded = json.loads(text)
    except ValueError:
        return [(at, json.loads(line)) for at, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = loaded.get("queries", [loaded]) if isinstance(loaded, dict) else loaded
    if not isinstance(found, list) or found == [loaded]:
        return [(1, loaded)]
    return list(zip(_lines(text, len(found)), found, strict=True))


def _lines(text: str, count: int) -> Iterator[int]:
    """The lines where the `count` entries of the list begin that `text` is, or has as its `queries`."""
    at = text.index("[", max(0, text.find('"queries"') if text.lstrip().startswith("{") else 0)) + 1
    for _ in range(count):
        while text[at] in " \t\r\n,":
            at += 1
        yield text.count("\n", 0, at) + 1
        at = json.JSONDecoder().raw_decode(text, at)[1]


def _case(where: str, at: int, entry: Any) -> Case:
    wanted = entry.get("expected", entry.get("expected_files")) if isinstance(entry, dict) else None
    if not wanted or "query" not in entry:
        raise UsageError(f"{where} has no `query` or no `expected`", "give both")
    query, top = entry["query"], entry.get("expected_in_top_k", DEPTH)
    expected = tuple(wanted) if isinstance(wanted, list) else (wanted,)
    if not all(isinstance(text, str) and text for text in (query, *expected)):
        raise UsageError(f"{where}: `query` and `expected` are texts", "expected may be a list of them")
    if not isinstance(top, int) or top < 1:
        raise UsageError(f"{where}: `expected_in_top_k` is {json.dumps(top)}", "write a number from 1 on")
    return Case(str(entry.get("id", at)), query, expected, top, where)


def evaluate(
    ws: Workspace,
    found: Sequence[Case],
    searcher: Callable[[Workspace, str, Options], Answer],
    collections: tuple[str, ...] = (),
) -> Result:
    """Run every case through `searcher`; the index is brought up to date before the first one only."""
    from openclaw_memory.retrieval.expected import Expected

    expected = Expected(ws)
    outcomes = []
    for at, case in enumerate(found):
        options = Options(limit=DEPTH, collections=collections, by_file=True)
        started = time.perf_counter()
        answer = searcher(ws, case.query, options._replace(budget=0.0) if at else options)
        seconds = time.perf_counter() - started
        wanted = frozenset().union(*map(expected.places, case.expected))
        ranks = (rank for rank, hit in enumerate(answer.hits, 1) if expected.place(hit) in wanted)
        outcomes.append(Outcome(case, next(ranks, 0), seconds, tuple(hit.path for hit in answer.hits)))
    unknown = (
        f"{case.where}: the index has no file {name!r}"
        for case in found
        for name in case.expected
        if not expected.places(name)
    )
    return Result(tuple(outcomes), tuple(unknown))

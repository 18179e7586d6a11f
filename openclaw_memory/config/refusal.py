"""Turns what is wrong with a config into one ConfigError that names lines and the keys that were probably meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from openclaw_memory.config.lines import Path
from openclaw_memory.config.validate import Problem
from openclaw_memory.errors import ConfigError
from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def refusal(found: list[Problem], line_of: Callable[[Path], int], schema: dict[str, Any], where: str) -> ConfigError:
    """One error for all problems, in the order of their lines, each wrong key with the one that was probably meant."""
    ordered = sorted((line_of(problem.path), problem) for problem in found)
    hints = [nearest(problem, schema) for _, problem in ordered]
    several = len(list(filter(None, hints))) > 1  # then each line carries its own
    told = [f" ({hint})" if hint and several else "" for hint in hints]
    lines = [f"{where}:{line}: {_sentence(one)}{more}" for (line, one), more in zip(ordered, told, strict=True)]
    hint = "" if several else "".join(hints)
    return ConfigError("\n".join(lines), hint or "every key stands, commented, in the file that `init` writes")


def nearest(problem: Problem, schema: dict[str, Any]) -> str:
    """The key that was probably meant: in the same block, else anywhere in the schema; empty for a known key."""
    if not problem.known:
        return ""
    import difflib

    wrong, block = str(problem.path[-1]), problem.path[:-1]
    if near := difflib.get_close_matches(wrong, problem.known, 1):
        return f"did you mean `{dotted((*block, near[0]))}`?"
    names = {name.rpartition(".")[2]: name for name in key_names(schema)}
    if near := difflib.get_close_matches(wrong, names, 1, 0.75):
        return f"did you mean `{names[near[0]]}`?"
    return f"known here: {', '.join(problem.known)}"


def key_names(node: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """The dotted name of each key of the schema, e.g. `index.path`, deepest blocks included."""
    for key, child in node.get("properties", {}).items():
        yield prefix + key
        yield from key_names(child, f"{prefix}{key}.")


def dotted(path: Path) -> str:
    """`("memory", "paths", 0, "path")` as `memory.paths[0].path`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def _sentence(problem: Problem) -> str:
    return problem.message if problem.known or not problem.path else f"`{dotted(problem.path)}` {problem.message}"

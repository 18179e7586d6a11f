"""Where the workspaces of a repository are: found by names in trees, never on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

CONFIG, INDEX, MEMORY = "openclaw-memory.yaml", "MEMORY.md", "memory"


def workspaces(paths: Collection[str], gone: Iterable[str] = ()) -> list[str]:
    """The folders that are workspaces, as prefixes ("" for the top, else with a slash at their end), sorted.

    `paths` are those of the judged tree, `gone` those that it deletes: a workspace that loses its index is one.
    A workspace is a folder with a config, or with an index beside `memory/`. An index inside the `memory/` of
    another workspace is a second index and makes none. Where there is no other, a top with either of the two is one
    (the index is missing, or git ignores `memory/`).
    """
    everything = [*paths, *gone]
    marked = [path for path in everything if path.endswith((CONFIG, INDEX))]
    found = {folder for path in marked if (folder := _folder(path, CONFIG)) is not None}
    bare = {folder for path in marked if (folder := _folder(path, INDEX)) is not None} - found
    for folder in sorted(bare, key=len):
        inside = any(folder.startswith(f"{outer}{MEMORY}/") for outer in found)
        if not inside and _has_memory(folder, everything):
            found.add(folder)
    if not found and any(
        path == INDEX or (path.startswith(f"{MEMORY}/") and path.endswith(".md")) for path in everything
    ):
        return [""]
    return sorted(found)


def inner(prefix: str, prefixes: Sequence[str]) -> tuple[str, ...]:
    """The workspaces that lie inside the one at `prefix`."""
    return tuple(other for other in prefixes if other != prefix and other.startswith(prefix))


def _folder(path: str, name: str) -> str | None:
    """The folder of a file called `name`; None for other files."""
    return path[: -len(name)] if path == name or path.endswith(f"/{name}") else None


def _has_memory(folder: str, paths: Sequence[str]) -> bool:
    start = f"{folder}{MEMORY}/"
    return any(path.startswith(start) or path == start[:-1] for path in paths)

"""Which line of a config each value stands in. Imports nothing."""

from __future__ import annotations

Path = tuple[str | int, ...]


class Lines(dict[Path, int]):
    """1-based line of each value by its path, e.g. `("index", "path")`; a parent's line where a path is unknown."""

    def near(self, path: Path) -> int:
        """The line of `path`, else of its nearest known parent."""
        while path and path not in self:
            path = path[:-1]
        return self.get(path, 1)

"""HTML comments inside a text: where they stand and what they say."""

from __future__ import annotations

import re
from typing import NamedTuple

_COMMENT = re.compile(r"<!--(.*?)-->", re.S)


class Comment(NamedTuple):
    """One `<!-- body -->` from offset `start` to `end`; `body` is trimmed."""

    start: int
    end: int
    body: str


def comments(text: str) -> list[Comment]:
    """The closed HTML comments of `text`, in order."""
    return [Comment(match.start(), match.end(), match[1].strip()) for match in _COMMENT.finditer(text)]

"""A context in parts that a host takes whole.

Claude Code (seen with 2.1.197) puts a hook's text into the prompt up to 10,000 UTF-16 units and shows the first 2,000
of a longer one; the cap holds for each hook by itself, and the order of hooks is not fixed. So each part is complete:
whole files where they fit, and marked ranges of lines of a file that does not. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from openclaw_memory.context import Context, LeftOut, Loaded, render
from openclaw_memory.tokens import count, utf16_units

CAP = 10_000
_SPARE = 100  # for the mark of a range, and the line end that is printed


def split(context: Context, most: int, cap: int = CAP) -> list[Context]:
    """`context` as at most `most` contexts whose text has at most `cap` UTF-16 units; what does not get in is named."""
    parts: list[list[Loaded]] = [[]]
    left_out = list(context.left_out)
    for file in context.loaded:
        for piece in _pieces(context, file, cap):
            if _fits(context, [*parts[-1], piece], (), cap):
                parts[-1].append(piece)
            elif len(parts) < most:
                parts.append([piece])
            else:
                left_out.append(_left(piece, most, cap))
    while left_out and not _fits(context, parts[-1], left_out, cap) and (len(parts) < most or parts[-1]):
        if len(parts) < most:
            parts.append([])
        else:
            left_out.append(_left(parts[-1].pop(), most, cap))
    made = [context._replace(loaded=tuple(files), left_out=()) for files in parts]
    return [*made[:-1], made[-1]._replace(left_out=tuple(left_out))]


def join(parts: Sequence[Context]) -> Context:
    """What the parts of a split show, as one context."""
    return parts[-1]._replace(loaded=tuple(file for part in parts for file in part.loaded))


def _fits(context: Context, files: Sequence[Loaded], left_out: Sequence[LeftOut], cap: int) -> bool:
    part = context._replace(loaded=tuple(files), left_out=tuple(left_out))
    return utf16_units(render(part)) <= cap - _SPARE


def _pieces(context: Context, file: Loaded, cap: int) -> Iterator[Loaded]:
    """The file, or where it does not fit, ranges of its lines; a line that is too long by itself is cut."""
    if _fits(context, [file], (), cap):
        yield file
        return
    room = cap - 2 * _SPARE - utf16_units(render(context._replace(loaded=(file._replace(text=""),), left_out=())))
    held: list[tuple[int, str]] = []
    size = 0
    for number, line in enumerate(file.text.removesuffix("\n").split("\n"), 1):
        for chunk in _chunks(line + "\n", room // 2):
            units = utf16_units(chunk)
            if size + units > room:
                yield _range(file, held)
                held, size = [], 0
            held.append((number, chunk))
            size += units
    yield _range(file, held)


def _chunks(line: str, width: int) -> Iterator[str]:
    for at in range(0, len(line), width):
        yield line[at : at + width]


def _range(file: Loaded, held: list[tuple[int, str]]) -> Loaded:
    mark = f"[lines {held[0][0]} to {held[-1][0]}]\n"
    return file._replace(text=mark + "".join(chunk for _, chunk in held))


def _left(piece: Loaded, most: int, cap: int) -> LeftOut:
    lines = piece.text.partition("\n")[0].strip("[]") + ": " if piece.text.startswith("[lines ") else ""
    takes = f"{most} x {cap:,}" if most > 1 else f"{cap:,}"
    return LeftOut(
        piece.path, piece.kind, f"{lines}over the {takes} characters that the host takes", piece.hits, count(piece.text)
    )

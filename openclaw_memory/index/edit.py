"""Single edits of the index: pure functions from a parsed index to its new text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from openclaw_memory.errors import UsageError
from openclaw_memory.index.draft import Draft
from openclaw_memory.index.forms import Words
from openclaw_memory.index.model import Index


def add(index: Index, path: str, words: Words = Words()) -> str:  # noqa: B008  # an empty, frozen value
    """The text with an entry for `path`; where it has one, that entry gets the triggers and words it lacks."""
    draft = Draft(index)
    entry = index.entry(path)
    if entry is None or all(mention.active for mention in entry.mentions):
        draft.add(path, words)
        return draft.text
    draft.add_triggers(path, words.triggers)
    if words.about:
        draft.set_about(path, words.about)
    if words.importance is not None:
        draft.set_importance(path, words.importance)
    if words.rev:
        draft.set_rev(path, words.rev)
    return draft.text


def remove(index: Index, path: str) -> str:
    """The text without the entry of `path`, all of its lines. Raises UsageError where there is none."""
    draft = Draft(index)
    draft.remove(path)
    return draft.text


def set_rev(index: Index, path: str, rev: str | None) -> str:
    """The text with the rev of `path` set, or taken away."""
    draft = Draft(index)
    draft.set_rev(path, rev)
    return draft.text


def set_triggers(index: Index, path: str, words: Iterable[str]) -> str:
    """The text with the triggers of `path` set."""
    draft = Draft(index)
    draft.set_triggers(path, words)
    return draft.text


def set_about(index: Index, path: str, about: str) -> str:
    """The text with what it says of `path` set."""
    draft = Draft(index)
    draft.set_about(path, about)
    return draft.text


def set_importance(index: Index, path: str, importance: int | None) -> str:
    """The text with the importance of `path` set, or taken away."""
    draft = Draft(index)
    draft.set_importance(path, importance)
    return draft.text


def activate(
    index: Index,
    path: str,
    *,
    cap: int = 3,
    coldest: Callable[[Sequence[str]], str] | None = None,
    name: str = "",
) -> str:
    """The text with `path` in Active Context, called `name` where no entry names it.

    Raises UsageError where `cap` files stand there already; names the one that `coldest` chooses to rotate out.
    """
    if path in index.active:
        return index.text
    if len(index.active) >= cap:
        cold = coldest(index.active) if coldest else index.active[-1]
        raise UsageError(
            f"Active Context holds {len(index.active)} of at most {cap} files: {', '.join(index.active)}",
            f"the coldest is {cold}; take it out first: openclaw-memory active rm {cold}",
        )
    draft = Draft(index)
    draft.activate(path, name)
    return draft.text


def deactivate(index: Index, path: str) -> str:
    """The text without `path` in Active Context. Raises UsageError where it does not stand there."""
    if path not in index.active:
        raise UsageError(f"{path} is not in Active Context", "`openclaw-memory active list` shows what is")
    draft = Draft(index)
    draft.deactivate(path)
    return draft.text

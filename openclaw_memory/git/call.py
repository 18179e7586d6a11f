"""What the git process above a hook was told to do: git tells a hook nothing of `--amend`, its arguments do."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from openclaw_memory.record import Record

_MAKERS = frozenset({"commit", "merge", "pull", "rebase", "cherry-pick", "revert", "am", "citool", "stash"})
# git(1): options of git itself that take the next argument
_GIT_VALUES = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"}
)
# git-commit(1): every long option, for abbreviations; those that take a value
_VALUES = frozenset(
    {"author", "cleanup", "date", "file", "fixup", "message", "pathspec-from-file", "reedit-message"}
    | {"reuse-message", "squash", "template", "trailer"}
)
_FLAGS = frozenset(
    {"ahead-behind", "all", "allow-empty", "allow-empty-message", "amend", "branch", "dry-run", "edit", "gpg-sign"}
    | {"include", "interactive", "long", "no-post-rewrite", "no-verify", "null", "only", "patch", "porcelain"}
    | {"pathspec-file-nul", "post-rewrite", "quiet", "reset-author", "short", "signoff", "status"}
    | {"untracked-files", "verbose", "verify"}
)
_SHORT_VALUES, _SHORT_REST = "mFCct", "Su"


class Call(Record):
    """The nearest git command that makes a commit: its verb ("commit", "merge", ...) and whether it amends."""

    verb: str
    amend: bool


def call_of(ancestors: Iterable[Sequence[str]]) -> Call | None:
    """The command that makes the commit, from the argument lists of the processes above, nearest first.

    None when none of them is such a command: the check was called by hand, or the processes cannot be seen.
    """
    for argv in ancestors:
        verb, rest = _verb(argv)
        if verb in _MAKERS:
            return Call(verb, verb == "commit" and amends(rest))
    return None


def _verb(argv: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The git sub-command of a process and its arguments; "" when it is not git."""
    if not argv:
        return "", ()
    program = os.path.basename(argv[0].replace("\\", "/")).removesuffix(".exe")
    if program.startswith("git-"):
        return program[4:], argv[1:]
    if program != "git":
        return "", ()
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in _GIT_VALUES else 1
    return (argv[at], argv[at + 1 :]) if at < len(argv) else ("", ())


def amends(args: Sequence[str]) -> bool:
    """Whether `git commit ARGS` amends: bundled and abbreviated options, values and `--` read as git does."""
    found, words = False, iter(args)
    for word in words:
        if word in ("--", "--end-of-options"):
            break
        if word.startswith("--"):
            name, attached, _ = word[2:].partition("=")
            option = _long(name)
            if option in _VALUES and not attached:
                next(words, None)
            elif option in ("amend", "no-amend"):
                found = option == "amend"
        elif word.startswith("-") and _short_wants_next(word[1:]):
            next(words, None)
    return found


def _long(name: str) -> str:
    """The option that `name` is, or is an unambiguous beginning of; "no-" in front of it kept."""
    known = _VALUES | _FLAGS
    if name in known:
        return name
    if name.startswith("no-") and name[3:]:
        return "no-" + _long(name[3:])
    fitting = [option for option in known if option.startswith(name)]
    return fitting[0] if len(fitting) == 1 else name


def _short_wants_next(letters: str) -> bool:
    """Whether a bundle of short options ends in one whose value is the next argument."""
    for at, letter in enumerate(letters):
        if letter in _SHORT_REST:
            return False
        if letter in _SHORT_VALUES:
            return at == len(letters) - 1
    return False

"""git as the rules need it: plumbing in subprocesses, bytes and `-z`, the caller's environment kept.

Paths are `str` decoded with surrogateescape, posix, relative to the top of the repository's work tree.
Nothing here knows what a workspace is. GitPython is imported by `porcelain` alone, and only when it is called.
"""

from openclaw_memory.git.call import Call, call_of
from openclaw_memory.git.objects import Objects, TooLarge, rev6
from openclaw_memory.git.process import LOCAL_ENV, clean_env
from openclaw_memory.git.repo import Commit, Repo
from openclaw_memory.git.trees import Blob, Delta, Listing

__all__ = [
    "LOCAL_ENV",
    "Blob",
    "Call",
    "Commit",
    "Delta",
    "Listing",
    "Objects",
    "Repo",
    "TooLarge",
    "call_of",
    "clean_env",
    "rev6",
]

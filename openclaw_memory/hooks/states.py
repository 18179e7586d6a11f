"""What is installed, what is not, and what was installed and is bypassed: facts for `hooks status` and `doctor`.

Reads only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from openclaw_memory.errors import GitError
from openclaw_memory.hooks import attributes, git, repository, shims, slots
from openclaw_memory.hooks.repository import Repository
from openclaw_memory.hooks.slots import Slot

State = Literal["installed", "missing", "bypassed", "broken"]


@dataclass(frozen=True)
class HookState:
    """One hook of one host. `bypassed`: ours is there but the host does not run it; `broken`: it runs and fails."""

    host: str
    name: str
    state: State
    detail: str = ""
    fix: str = ""

    def to_json(self) -> dict[str, object]:
        """The state as plain JSON types."""
        return asdict(self)


def git_status(root: Path, merged: Sequence[str] = ()) -> list[HookState]:
    """The git hooks and the merge driver of the repository that holds `root`; `merged` are the patterns of the files
    that the driver is for (default: `attributes.patterns()`)."""
    try:
        repo = repository.find(root)
    except GitError as error:
        return [HookState("git", "repository", "missing", error.message, error.hint)]
    return [*(_hook(repo, name) for name in slots.HOOKS), _driver(repo, root, merged or attributes.patterns())]


def _hook(repo: Repository, name: str) -> HookState:
    state, detail = next(_judge(repo, name))
    fix = slots.by_hand(repo.hooks / name) if repo.foreign_hooks else "openclaw-memory hooks install git"
    return HookState("git", name, state, detail, "" if state == "installed" else fix)


def _judge(repo: Repository, name: str) -> Iterator[tuple[State, str]]:
    """The first answer counts."""
    slot = slots.slot_of(repo, name)
    if slot.kind == "called":
        runs = slots.executable(slot.path)
        yield ("installed", f"{slot.path} calls it") if runs else ("broken", f"{slot.path} is not executable")
    if repo.foreign_hooks:
        yield _elsewhere(repo, name, f"core.hooksPath names {repo.hooks}, which is not of this repository")
    there = slots.content(slot.path) or b""
    if slot.kind == "block":
        if not shims.has_block(there):
            yield _elsewhere(repo, name, f"core.hooksPath names {repo.hooks}" if repo.shares_hooks else "")
        yield _script(repo.scripts / name, f"a block in {slot.path}")
    if not shims.is_ours(there):
        yield _replaced(repo, slot)
    yield _script(slot.path, _where(slot))


def _where(slot: Slot) -> str:
    below = ", below the pre-commit framework" if slot.kind == "legacy" else ""
    chained = f", after {slot.previous.name}" if slot.previous.exists() else ""
    return f"{slot.path}{below}{chained}"


def _script(path: Path, where: str) -> tuple[State, str]:
    there = slots.content(path)
    if there is None:
        return "broken", f"{where}, but {path} is missing"
    if not slots.executable(path):
        return "broken", f"{path} is not executable, so git skips it"
    python = shims.interpreter(there)
    if python is None or not slots.executable(python):
        return "broken", f"{where}, but its Python is gone: {python}"
    return "installed", where


def _replaced(repo: Repository, slot: Slot) -> tuple[State, str]:
    if slot.previous.exists():
        return "bypassed", f"{slot.path} was replaced after the install"
    return _elsewhere(repo, slot.name, "another hook took its place")


def _elsewhere(repo: Repository, name: str, why: str) -> tuple[State, str]:
    for path in slots.places(repo.common / "hooks", name):
        if shims.is_ours(slots.content(path) or b""):
            return "bypassed", f"{path} is there, but {why}"
    return "missing", why if repo.foreign_hooks else ""


def _driver(repo: Repository, root: Path, merged: Sequence[str]) -> HookState:
    script = repo.scripts / "merge-driver"
    state, detail = _script(script, str(script))
    if not repository.config(root, git.DRIVER) or not script.exists():
        state, detail = "missing", "git merges the index and the facts line by line"
    elif state == "installed":
        given = repository.attributes(root, "merge", [attributes.sample(pattern) for pattern in merged])
        lacking = [pattern for pattern, value in zip(merged, given, strict=True) if value != attributes.DRIVER]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            state, detail = "bypassed", f".gitattributes does not give {lacking[0]}{more} merge={attributes.DRIVER}"
    return HookState(
        "git", "merge-driver", state, detail, "" if state == "installed" else "openclaw-memory hooks install git"
    )

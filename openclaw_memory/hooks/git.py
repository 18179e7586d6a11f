"""`hooks install git`: the shims of pre-commit and pre-merge-commit, chained with what is there, and the merge driver.

Where a hook goes depends on who else wants the place:

- a script of git's own hooks folder is renamed and our shim calls it first, unless it asks for its own name;
- below the pre-commit framework our shim is `NAME.legacy`, which the framework runs and keeps;
- that one, and a script that the repository shares (husky, `.githooks`: no path of this machine may be committed),
  gets a block that calls the shim in `.git/openclaw-memory/`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from openclaw_memory.errors import GitError
from openclaw_memory.hooks import repository, shims
from openclaw_memory.hooks.repository import Repository
from openclaw_memory.hooks.slots import HOOKS, Slot, by_hand, content, executable, notes, places, slot_of
from openclaw_memory.hooks.steps import GitConfig, Move, Remove, Report, Step, Write, carry_out

DRIVER = "merge.openclaw-memory.driver"
DRIVER_COMMAND = 'sh "$(git rev-parse --git-common-dir)/openclaw-memory/merge-driver" %O %A %B %P'


def install_git(root: Path, *, dry_run: bool = False) -> Report:
    """Install the hooks and the merge driver in the repository that holds `root`; nothing to do when they are there.

    Raises GitError (no repository, a bare one, hooks that other repositories share) and WriteError.
    """
    repo = repository.find(root)
    slots = [slot_of(repo, name) for name in HOOKS]
    driver = list(_install_driver(repo))
    try:
        steps = [step for slot in slots for step in _install(repo, slot)]
    except GitError:
        carry_out("git", driver, dry_run=dry_run)  # that place is ours alone
        raise
    said = [note for slot in slots for note in notes(repo, slot)]
    return carry_out("git", [*steps, *driver], said, dry_run=dry_run)


def uninstall_git(root: Path, *, dry_run: bool = False) -> Report:
    """Take the hooks and the merge driver away again; scripts that were there come back as they were."""
    repo = repository.find(root)
    steps = [step for name in HOOKS for step in _uninstall(repo, name)]
    if repository.config(root, DRIVER):
        steps.append(GitConfig(repo.top, DRIVER, None))
    for name in (*HOOKS, "merge-driver"):
        if (path := repo.scripts / name).is_file():
            steps.append(Remove(path, within=repo.common))
    return carry_out("git", steps, dry_run=dry_run)


def _install(repo: Repository, slot: Slot) -> Iterator[Step]:
    if slot.kind == "called":
        return
    if repo.foreign_hooks:
        raise GitError(
            f"core.hooksPath names {repo.hooks}, outside this repository: its hooks run in other repositories too",
            f"{by_hand(*(repo.hooks / name for name in HOOKS))} (they pass where there is no workspace), "
            "or set core.hooksPath for this repository alone",
        )
    yield from _install_block(repo, slot) if slot.kind == "block" else _install_shim(slot)


def _install_shim(slot: Slot) -> Iterator[Step]:
    there = content(slot.path)
    if there is not None and not shims.is_ours(there):
        yield from _set_aside(slot, there)
    yield from _write_script(slot.path, shims.hook(slot.name))


def _set_aside(slot: Slot, there: bytes) -> Iterator[Step]:
    """Move the script that is in our place away; a tool that wrote its own again over ours leaves the same twice."""
    if content(slot.previous) == there:
        yield Remove(slot.path)
    elif os.path.lexists(slot.previous):
        raise GitError(
            f"{slot.path} was replaced after openclaw-memory was installed, and {slot.previous.name} is still there",
            f"keep the one you want as {slot.path.name}, remove the other, and run this again",
        )
    else:
        yield Move(slot.path, slot.previous)


def _install_block(repo: Repository, slot: Slot) -> Iterator[Step]:
    there = content(slot.path)
    is_husky = slot.path.parent != repo.hooks
    if there is not None and not is_husky and not executable(slot.path):
        raise GitError(f"{slot.path} is not executable, so git skips it", f"chmod +x '{slot.path}', or remove it")
    wanted = None if slot.path.is_symlink() else shims.with_block(there, slot.name)
    if wanted is None:
        raise GitError(f"{slot.path} is no shell script of its own that a block could be added to", by_hand(slot.path))
    if wanted != there:
        yield Write(slot.path, wanted, 0o755 if there is None else None)
    yield from _write_script(repo.scripts / slot.name, shims.hook(slot.name))


def _install_driver(repo: Repository) -> Iterator[Step]:
    yield from _write_script(repo.scripts / "merge-driver", shims.merge_driver())
    if repository.config(repo.top, DRIVER) != DRIVER_COMMAND:
        yield GitConfig(
            repo.top, "merge.openclaw-memory.name", "join two indexes or two lists of facts, entry by entry"
        )
        yield GitConfig(repo.top, DRIVER, DRIVER_COMMAND)


def _write_script(path: Path, script: bytes) -> Iterator[Step]:
    if content(path) != script or not executable(path):
        yield Write(path, script, 0o755)


def _uninstall(repo: Repository, name: str) -> Iterator[Step]:
    """Look in every place where an install of ours may have put it, whatever was installed above us since."""
    folders = {repo.common / "hooks"} | (set() if repo.foreign_hooks else {repo.hooks})
    for folder in sorted(folders):
        ours = [path for path in places(folder, name) if shims.is_ours(content(path) or b"")]
        yield from (Remove(path) for path in ours)
        place = ours[0] if ours else folder / name
        if os.path.lexists(previous := folder / (name + shims.PREVIOUS)) and (ours or not os.path.lexists(place)):
            yield Move(previous, place)
    if not repo.foreign_hooks:
        yield from _remove_block(slot_of(repo, name).path)


def _remove_block(path: Path) -> Iterator[Step]:
    there = content(path)
    if there is None or not shims.has_block(there):
        return
    rest = shims.without_block(there)
    yield Remove(path) if rest is None else Write(path, rest)

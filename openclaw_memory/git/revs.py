"""Revs of many work-tree files at little cost: git knows the clean ones, only the others are hashed."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable

from openclaw_memory.errors import GitError
from openclaw_memory.git.objects import Objects, rev6
from openclaw_memory.git.process import run, to_bytes, to_text
from openclaw_memory.git.repo import Repo


def worktree_revs(root: str | os.PathLike[str], paths: Iterable[str]) -> dict[str, str]:
    """The rev of each of `paths` (relative to the folder `root`) as git would store the file now, filters applied.

    Files that do not exist, folders and sockets are left out. Outside a repository, and where git cannot be
    used, the bytes are taken as they are.
    """
    folder = os.path.realpath(root)
    wanted = list(paths)
    try:
        repo = Repo.find(folder)
    except GitError:
        return plain_revs(folder, wanted)
    prefix = repo.prefix(folder)
    found = _revs(repo, [prefix + path for path in wanted])
    return {path: found[prefix + path] for path in wanted if prefix + path in found}


def plain_revs(root: str, paths: Iterable[str]) -> dict[str, str]:
    """The revs of `paths` below `root` with no filter applied: what they are outside a repository."""
    found = {}
    for path in paths:
        data = _plain(os.path.join(root, path))
        if data is not None:
            found[path] = rev6(data)
    return found


def _plain(name: str) -> bytes | None:
    """A file's bytes, a symlink's target; None for what git does not store."""
    try:
        mode = os.lstat(name).st_mode
        if stat.S_ISLNK(mode):
            return os.fsencode(os.readlink(name))
        if stat.S_ISREG(mode):
            with open(name, "rb") as file:
                return file.read()
    except OSError:
        return None
    return None


def _revs(repo: Repo, paths: list[str]) -> dict[str, str]:
    clean = _clean(repo)
    known = {path: clean[path] for path in paths if path in clean}
    links, files = _split(repo.top, [path for path in paths if path not in known])
    if repo.format == "sha1":
        revs = {path: oid[:6] for path, oid in known.items()}
        return {**revs, **links, **{path: oid[:6] for path, oid in _hash(repo, files).items()}}
    with repo.objects() as objects:
        revs = {path: rev6(objects.raw(oid)) for path, oid in known.items()}
    return {**revs, **links, **_stored(repo, files)}


def _clean(repo: Repo) -> dict[str, str]:
    """Tracked path to blob id, for those whose file is what the index says (flags that hide changes not trusted)."""
    dirty = set(to_text(repo.run("diff-files", "--name-only", "-z", "--ignore-submodules=all")).split("\0"))
    found = {}
    for record in to_text(repo.run("ls-files", "-s", "-v", "-z")).split("\0")[:-1]:
        head, path = record.split("\t", 1)
        tag, mode, oid, stage = head.split(" ")
        if tag == "H" and stage == "0" and mode != "160000" and path not in dirty:
            found[path] = oid
    return found


def _split(top: str, paths: list[str]) -> tuple[dict[str, str], list[str]]:
    """The revs of the symlinks among `paths`, and the regular files, which git has to hash."""
    links, files = {}, []
    for path in paths:
        name = os.path.join(top, path)
        if os.path.islink(name):
            links[path] = rev6(os.fsencode(os.readlink(name)))
        elif os.path.isfile(name):
            files.append(path)
    return links, files


def _hash(repo: Repo, paths: list[str], *options: str) -> dict[str, str]:
    """Blob ids of work-tree files, through the clean filters."""
    plain = [path for path in paths if "\n" not in path and not path.startswith('"')]
    found = {}
    if plain:
        data = b"".join(to_bytes(path) + b"\n" for path in plain)
        oids = repo.run("hash-object", *options, "--stdin-paths", data=data).decode().split()
        found = dict(zip(plain, oids, strict=True))
    for path in set(paths) - set(plain):
        with open(os.path.join(repo.top, path), "rb") as file:
            data = file.read()
        found[path] = repo.run("hash-object", *options, f"--path={path}", "--stdin", data=data).decode().strip()
    return found


def _stored(repo: Repo, paths: list[str]) -> dict[str, str]:
    """SHA-1 revs in a repository of another format: the cleaned content goes through a throw-away object store."""
    if not paths:
        return {}
    with tempfile.TemporaryDirectory() as scratch:
        env = {**repo.env, "GIT_OBJECT_DIRECTORY": scratch}
        aside = Repo(repo.top, repo.format, repo.shallow, env)
        oids = _hash(aside, paths, "-w")
        with Objects(repo.top, env) as objects:
            return {path: rev6(objects.raw(oid)) for path, oid in oids.items()}


def stored(root: str | os.PathLike[str], path: str, data: bytes) -> bytes:
    """`data` as git would store it at `path` below `root` (clean filters applied), without writing an object.

    Outside a repository the bytes come back as they are.
    """
    try:
        repo = Repo.find(root)
    except GitError:
        return data
    with tempfile.TemporaryDirectory() as scratch:
        env = {**repo.env, "GIT_OBJECT_DIRECTORY": scratch}
        where = repo.prefix(root) + path
        oid = run(("hash-object", "-w", f"--path={where}", "--stdin"), repo.top, env, data).decode().strip()
        with Objects(repo.top, env) as objects:
            return objects.raw(oid)

"""Rules on the index itself (OM105 to OM118, OM120), judged where it changed or a detail file did."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterator

from openclaw_memory.check.digest import LONG
from openclaw_memory.check.view import View
from openclaw_memory.findings import Finding, finding
from openclaw_memory.index import Entry, Index, Reference
from openclaw_memory.index.details import stem
from openclaw_memory.index.triggers import split

PROSE_LINES = 8  # lines of a section that name no file, over which it is content rather than an introduction
_SHARED = "leave it, or take the trigger out of all entries but one"
_SHORTER = "move what is not an entry into detail files, or entries into an archive"
SHRUNK_FROM, SHRUNK_TO = 5, 0.5  # an index of so many entries has shrunk when so large a part of them is lost


def references(view: View) -> Iterator[Finding]:
    """OM105 to OM107: every file that the index names exists, under this very name, and only once."""
    if view.index is None or not view.concerned:
        return
    dead = [reference for reference in view.index.references if reference.status == "dead"]
    ignored = view.tree.ignored([reference.path for reference in dead if reference.path]) if dead else {}
    for reference in dead:
        yield _dead(view, reference, ignored.get(reference.path, ""))
    for reference in view.index.references:
        if reference.status == "wrong-case":
            name = reference.path or reference.candidates[0]
            message = f"{reference.target} is called {name}: names that differ in case are different files"
            yield _at(view, "OM106", reference.line, message, view.mend(name))
        elif reference.status == "ambiguous" and view.is_new(reference.line):
            yield _ambiguous(view, reference)
        elif reference.status == "ok" and len(reference.candidates) > 1 and view.is_new(reference.line):
            yield _ambiguous(view, reference)._replace(severity="info")


def _dead(view: View, reference: Reference, rule: str) -> Finding:
    target, path = reference.target, reference.path
    message, fix = f"{target} does not exist", _gone(view, reference)
    twin = _twin(view, path)
    if rule:
        message += f" for git, which ignores it ({rule})"
        fix = view.subject.git("add -f --", path) or f"take {target} out of the ignored files and git add it"
    elif path in view.moves:
        message = f"{target} is moved to {view.moves[path]}{_here(view)}"
        fix = view.mend(path)
    elif (view.changes or {}).get(path) == "D":
        message = f"{target} is deleted{_here(view)}"
    elif path and view.tree.left_out(path):
        message, fix = f"{target} is not in this commit, but on disk", _taken_in(view, path)
    elif twin:
        message += f"; {twin} has the same letters in another Unicode form"
        fix = view.command("index", "mv", path, twin)
    return _at(view, "OM105", reference.line, message, fix)


def _taken_in(view: View, path: str) -> str:
    """How a file that is only on disk gets into the commit; `git commit PATH` takes nothing but what it names."""
    if posixpath.basename(os.environ.get("GIT_INDEX_FILE", "")).startswith("next-index-"):
        every = view.command("index", "sync", "--commit", add=False)
        return f"name {view.at(path)} in the commit too, after git add; or commit all detail files: {every}"
    return view.subject.git("add", path) or "git add that file"


def _here(view: View) -> str:
    return "" if view.changes is None else " in this commit"


def _gone(view: View, reference: Reference) -> str:
    """How a reference to no file ends: its entry goes; what a sentence says is for a person to change."""
    if not reference.entry:
        return f"take {reference.target} out of the line, or write that file"
    if reference.path in view.changed_details:
        return view.mend(reference.path)
    return view.command("index", "rm", reference.path)


def _twin(view: View, target: str) -> str:
    """The file that differs from `target` in its Unicode normal form only (NFD on a disk, NFC from a keyboard)."""
    if target.isascii():
        return ""
    from unicodedata import normalize

    wanted = normalize("NFC", target)
    return next((path for path in view.tree.paths if not path.isascii() and normalize("NFC", path) == wanted), "")


def _ambiguous(view: View, reference: Reference) -> Finding:
    names = ", ".join(reference.candidates)
    chosen = f"{reference.path} is taken" if reference.path and reference.status == "ok" else "none is taken"
    message = f"{reference.target} fits {names}; {chosen}"
    meant = reference.path if reference.status == "ok" else _likeliest(view, reference)
    return _at(view, "OM107", reference.line, message, view.command("index", "relink", reference.target, meant))


def _likeliest(view: View, reference: Reference) -> str:
    """The candidate that lies where the index's other paths lead from, most of them first."""
    entries = view.index.entries if view.index else []
    bases = Counter(mention.base for entry in entries for mention in entry.mentions if mention.status == "ok")
    tried = [base for base, _ in bases.most_common()] + [posixpath.dirname(view.index_path), "", "memory"]
    places = (posixpath.normpath(posixpath.join(base, reference.target)) for base in tried)
    return next((path for path in places if path in reference.candidates), reference.candidates[0])


def triggers(view: View) -> Iterator[Finding]:
    """OM108 and OM109: an entry says when to read its file, and no two say the same."""
    if view.index is None or not view.index_changed:
        return
    for entry in view.index.entries:
        silent = entry.exists and not entry.triggers and not entry.is_folder and not entry.active
        if silent and view.is_new(entry.main.line):
            yield _at(view, "OM108", entry.main.line, f"{entry.path} has no trigger", _trigger_fix(view, entry))
    for word, entries in view.index.shared_triggers().items():
        line = max(entry.main.line for entry in entries)
        if any(view.is_new(entry.main.line) for entry in entries):
            names = ", ".join(entry.path for entry in entries)
            yield _at(view, "OM109", line, f"the trigger “{word}” belongs to {names}: it loads all of them", _SHARED)


def _trigger_fix(view: View, entry: Entry) -> str:
    words = split(entry.name.lower(), cell=False) or split(stem(entry.path), cell=False)
    options = ([f"--trigger={word}"] if word.startswith("-") else ["--trigger", word] for word in words)
    return view.command("index", "add", entry.path, *(part for option in options for part in option))


def size(view: View) -> Iterator[Finding]:
    """OM110 to OM112: the index fits what a session start may cost, and what the host loads of it."""
    if view.text is None or view.index is None or not view.index_changed:
        return
    limits = view.config.index
    count, exact = _tokens(view.text, limits.target_tokens, limits.max_tokens)
    if count > limits.max_tokens:
        told = f"{'' if exact else 'over '}{count:,} tokens long ({_lengths(view.text)})"
        message = f"the index is {told}, the limit is {limits.max_tokens:,}"
        yield _at(view, "OM110", 0, message, _SHORTER)
    elif count > limits.target_tokens:
        told = f"{count:,} tokens long ({_lengths(view.text)})"
        message = f"the index is {told}, the target is {limits.target_tokens:,}"
        yield _at(view, "OM111", 0, message, _SHORTER)
    yield from _host(view, view.text, view.index)


def _lengths(text: str) -> str:
    """The other two lengths that are counted by: characters are UTF-16 code units, as hosts cut by them."""
    from openclaw_memory import tokens

    size = len(text.encode("utf-8", "surrogateescape"))
    return f"{tokens.utf16_units(text):,} characters, {size:,} bytes"


def _tokens(text: str, target: int, most: int) -> tuple[int, bool]:
    """The tokens of `text` and True; where bytes or words decide already, a bound and False: a hook is waited for."""
    if len(text) <= target and len(text.encode("utf-8", "surrogateescape")) <= target:
        return 0, False  # a token is a byte or more
    words = len(text.split()) if len(text) > LONG else 0
    if words > 2 * most:
        return words, False  # a word is a token or more
    from openclaw_memory import tokens

    return tokens.count(text), True


def _host(view: View, text: str, index: Index) -> Iterator[Finding]:
    from openclaw_memory.check import caps

    profile = caps.PROFILES[view.config.profile]
    cut = caps.cut(text, profile, view.index_path)
    if cut is None:
        return
    lost = [path for path, lines in _places(view, index) if all(map(cut.hides, lines))]
    names = ", ".join(lost[:20]) + (f" and {len(lost) - 20} more" if len(lost) > 20 else "")
    count = {0: "no entry is lost", 1: "1 entry is lost: "}.get(len(lost), f"{len(lost)} entries are lost: ")
    message = f"{profile.name} cuts the index from line {cut.first} to {cut.last} ({cut.why}); {count}{names}"
    yield finding("OM112", view.index_path, cut.first, message, _SHORTER)


def _places(view: View, index: Index) -> list[tuple[str, list[int]]]:
    """Every entry's path and the lines it stands on, in the order of the file."""
    found = [(entry.path, [view.number(mention.line) for mention in entry.mentions]) for entry in index.entries]
    return sorted([*found, *((path, [line]) for line, path in view.plain)], key=lambda place: place[1])


def active(view: View) -> Iterator[Finding]:
    """OM113 and OM120: few files are always loaded, and none of them is archived or cold."""
    if view.index is None or not view.index_changed:
        return
    listed, cap = view.index.active, view.config.index.active_cap
    idle = dict(_idle(view, listed))
    if len(listed) <= cap and not idle:
        return
    rest = [path for path in listed if path not in idle]
    fix = view.command("active", "rm", *idle, *rest[cap:])  # one command for all of them
    if len(listed) > cap:
        message = f"Active Context holds {len(listed)} files, the cap is {cap}: {', '.join(listed)}"
        yield _at(view, "OM113", _active_line(view.index, listed[-1]), message, fix)
    for path, why in idle.items():
        yield _at(view, "OM120", _active_line(view.index, path), f"{path} is in Active Context and {why}", fix)


def _idle(view: View, listed: list[str]) -> Iterator[tuple[str, str]]:
    """(path, why) of those files of Active Context that are archived or cold."""
    cold = _cold(view) if listed else frozenset()
    for path in listed:
        if view.layout.archive_of(path) or _archived(view, path):
            yield path, "archived"
        elif path in cold:
            yield path, "cold"


def _active_line(index: Index, path: str) -> int:
    entry = index.by_path[path]
    return next((mention.line for mention in entry.mentions if mention.active), entry.main.line)


def _archived(view: View, path: str) -> bool:
    """Whether the file's own front matter says `status: archived`."""
    if path not in view.tree.paths or view.tree.link(path) is not None:
        return False
    from openclaw_memory import markdown

    text = markdown.decode(view.tree.read(path))
    return text.lstrip("\ufeff").startswith("---") and markdown.scan(text).front_matter.get("status") == "archived"


def _cold(view: View) -> frozenset[str]:
    """The files that `memory/decay.json` calls cold, as last folded."""
    from openclaw_memory.facts import temperatures

    if temperatures.PATH not in view.tree.paths:
        return frozenset()
    files = temperatures.parse(view.tree.read(temperatures.PATH)).files()
    return frozenset(path for path, heat in files.items() if heat == "cold")


def content(view: View) -> Iterator[Finding]:
    """OM114: what is known stands in detail files; only preferences, and what is active, stand in the index itself."""
    if view.index is None or not view.index_changed:
        return
    for section in view.index.sections:
        line = section.section.line
        if (
            section.kind in ("preferences", "active")
            or section.prose <= PROSE_LINES
            or section.entries
            or not view.is_new(line)
        ):
            continue
        message = f"“{section.section.title}” holds {section.prose} lines of content that belong in a detail file"
        stage = [] if view.changes is None else ["--stage"]
        yield _at(view, "OM114", line, message, view.command("migrate", "--apply", *stage, add=False))


def shrank(view: View) -> Iterator[Finding]:
    """OM115: the index did not lose most of its entries while their files are still there."""
    if view.index is None or view.old is None or not view.index_changed:
        return
    there = [entry.path for entry in view.old.entries if entry.path in view.tree.paths]
    lost = [path for path in there if not view.lists(path)]
    before = len({*there, *(path for _, path in view.plain)})
    emptied = bool(lost) and not (view.text or "").strip()
    if emptied or (before >= SHRUNK_FROM and len(lost) > before * SHRUNK_TO):
        since = "this commit" if view.changes is not None else "the last commit"
        message = f"the index lost {len(lost)} of {before} entries with {since}; their files are still there"
        yield _at(view, "OM115", 0, message, view.restore())


def two_indexes(view: View) -> Iterator[Finding]:
    """OM116: there is one index; the host loads one of two."""
    wanted = (view.index_path, "MEMORY.md", "memory.md", "memory/MEMORY.md", "memory/memory.md")
    found = [path for path in dict.fromkeys(wanted) if path in view.tree.paths]
    touched = view.changes is None or any(path in view.changes for path in found)
    if len(found) > 1 and touched:
        others = " and ".join(path for path in found if path != view.index_path)
        message = f"{others} is a second index beside {view.index_path}: the host loads one of them"
        yield finding("OM116", found[1], 0, message, "merge the two by hand and delete one")


def remains(view: View) -> Iterator[Finding]:
    """OM117 and OM118: nothing of the template is left, and no open fence hides entries."""
    if view.index is None or not view.index_changed:
        return
    for row in view.index.placeholders:
        if view.is_new(row.line):
            yield _at(
                view, "OM117", row.line, f"a row of the template was left: {row.text[:60]}", "fill it in or delete it"
            )
    fence = view.index.document.unclosed_fence or view.index.document.unclosed_comment
    if fence is not None:
        kind = "fence" if fence.kind == "fence" else "comment"
        count = len(view.index.hidden)
        rows = f"{count} index row" + ("" if count == 1 else "s")
        end = fence.marker if kind == "fence" else "-->"
        yield _at(
            view, "OM118", fence.first, f"unclosed {kind} at line {fence.first} hides {rows}", f"close it with {end}"
        )


RULES = (references, triggers, size, active, content, shrank, two_indexes, remains)


def _at(view: View, code: str, line: int, message: str, fix: str = "") -> Finding:
    return finding(code, view.index_path, view.number(line), message, fix)

"""Rules on files one by one (OM5, OM6): conflict markers, symlinks, ignored memory, bytes, secrets, hidden text.

Orders in facts are the facts' own rules' (`knowledge.factrules`), which know each fact's source.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

from openclaw_memory import markdown, safety
from openclaw_memory.check.digest import LONG
from openclaw_memory.check.view import View
from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.findings import Finding, finding
from openclaw_memory.git import TooLarge
from openclaw_memory.patterns import pattern

# Files at the root that hosts load; the first tell the model what to do on purpose.
_ORDERS_WELCOME = frozenset({"AGENTS.md", "SOUL.md", "CLAUDE.md", "BOOTSTRAP.md", "IDENTITY.md", "HEARTBEAT.md"})
_LOADED = _ORDERS_WELCOME | {"USER.md", "TOOLS.md", "MEMORY.md"}
_FACTS = ("items.json", "items.yaml", "items.yml", "items.jsonl")
_NO_TEXT = "memory is text: move it out of the memory folders"
MOST_NAMED = 20  # files that one line names
_START, _END = pattern(r"<{7}(?: |$)"), pattern(r">{7}(?: |$)")


def index_symlink(view: View) -> Iterator[Finding]:
    """OM502: the index is a file of the workspace. In a commit a symlink is only a name, so it is refused there."""
    if view.link_problem and view.concerned:
        yield finding("OM502", view.index_path, 0, f"{view.index_path} is {view.link_problem}", _file_instead(view))


def _file_instead(view: View) -> str:
    """How the index becomes a file of its own: by what the symlink leads to, else by the last commit's."""
    if view.leads_out(view.index_path):
        return "put a file of its own there: what lies outside may not be meant for the repository"
    path, aside = view.at(view.index_path), view.at(f"{view.index_path}.new")
    if view.index_link_fits:
        return view.subject.shell(["cp", path, aside], ["mv", aside, path], ["git", "add", path])
    if view.old_text is not None and view.old_text != view.index_link:
        return view.restore()
    return f"{view.subject.shell(['rm', path])} && {view.command('index', 'sync')}"


def ignored(view: View) -> Iterator[Finding]:
    """OM503: no memory file is ignored by git (a work tree is judged; in a commit such files are dead references)."""
    if view.tree.kind != "worktree":
        return
    rules: dict[str, list[str]] = {}
    for path, rule in view.tree.ignored([*view.details, view.index_path]).items():
        rules.setdefault(rule, []).append(path)
    for rule, paths in rules.items():
        others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        message = f"git ignores {paths[0]}{others} ({rule}): no commit protects them"
        protect = view.subject.git("add -f --", *paths) if len(paths) <= MOST_NAMED else ""
        yield finding("OM503", paths[0], 0, message, protect or "take the rule out of the file named, and git add them")


def contents(view: View) -> Iterator[Finding]:
    """OM501, OM504 and OM6 in every memory file that is judged."""
    for path in view.subject.judged(lambda path: _is_memory(view, path)):
        if view.tree.link(path) is not None or view.tree.alien(path):
            continue
        try:
            data = view.tree.read(path)
        except TooLarge as error:
            yield finding("OM504", path, 0, error.message, "split it; no session can load it")
            continue
        except OpenClawMemoryError as error:
            yield finding("OM504", path, 0, error.message, error.hint or _NO_TEXT)
            continue
        yield from _file(view, path, data)


def _is_memory(view: View, path: str) -> bool:
    if path.endswith(".md"):
        return (
            path in _LOADED
            or view.layout.is_detail(path)
            or path == view.index_path
            or view.layout.is_daily(path) is not None
        )
    return path.endswith(_FACTS) and path.rpartition("/")[2] in _FACTS


def _file(view: View, path: str, data: bytes) -> Iterator[Finding]:
    if b"\0" in data:
        yield finding("OM504", path, 0, f"{path} is binary", _NO_TEXT)
        return
    if len(data) > LONG and view.changes is not None:
        data = _news(view, path, data)
    text = markdown.decode(data)
    if not text.isascii():
        yield from _encoding(path, text)
    if b"<<<<<<<" in data and b">>>>>>>" in data and path.endswith(".md"):  # of facts OM209 tells
        yield from _conflicts(path, text)
    yield from _safety(view, path, text)


def _news(view: View, path: str, data: bytes) -> bytes:
    """A long file with the lines emptied that the commit leaves as they were; read line by line, for it is long."""
    before = view.tree.before(path)
    if before is None:
        return data
    known = frozenset(BytesIO(before))
    return b"".join(b"\n" if line in known else line for line in BytesIO(data))


def _encoding(path: str, text: str) -> Iterator[Finding]:
    at = next((at for at, char in enumerate(text) if "\udc80" <= char <= "\udcff"), -1)
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        yield finding("OM504", path, line, "bytes that are not UTF-8", "save the file as UTF-8")


def _conflicts(path: str, text: str) -> Iterator[Finding]:
    """Both markers at the start of a line, outside of code that shows them."""
    document = markdown.scan(text)
    shown = {
        number
        for block in document.blocks
        if block.kind in ("fence", "indented_code") and block.closed
        for number in range(block.first, block.last + 1)
    }
    lines = [line for line in document.lines if line.number not in shown]
    start = next((line.number for line in lines if _START.match(line.text)), 0)
    if start and any(_END.match(line.text) for line in lines):
        yield finding(
            "OM501", path, start, "merge conflict markers", "choose what is right, delete the markers, git add it"
        )


def _safety(view: View, path: str, text: str) -> Iterator[Finding]:
    for hit in safety.secrets(text):
        message = f"{hit.kind} ({hit.shown}): whoever reads the memory has it"
        yield finding("OM601", path, hit.line, message, "take it out and revoke it; write where it is kept instead")
    if path not in _ORDERS_WELCOME and path.endswith(".md"):
        for hit in safety.instructions(text, foreign=_foreign(text)):
            message = f"{hit.kind}: a model that loads this file may obey it"
            yield finding("OM602", path, hit.line, message, "rewrite it as a statement, or delete it")
    for hit in safety.hidden(text):
        yield finding("OM603", path, hit.line, f"{hit.kind} ({hit.shown})", "delete the line and type it again")


def _foreign(text: str) -> bool:
    """Whether the file's front matter names a source outside the conversation."""
    if not text.lstrip("\ufeff").startswith("---"):
        return False
    return safety.untrusted(str(markdown.scan(text).front_matter.get("source", "")))


RULES = (index_symlink, ignored, contents)

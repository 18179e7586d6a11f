"""What a grown workspace looks like: its index, folders, notes, links and language, found by looking and counting.

Reads; decides nothing and writes nothing.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from openclaw_memory import fsio, markdown
from openclaw_memory.index import Index, parse
from openclaw_memory.index.words import folder_kind, heading_kind
from openclaw_memory.workspace.layout import KINDS, ROOTS

INDEXES = ("MEMORY.md", "memory/MEMORY.md", "memory/INDEX.md", "INDEX.md", "memory/index.md", "memory.md")
_SKIP = {"node_modules", "__pycache__", "venv"}
_MOST_FILES = 50_000
_NUMBERED = re.compile(r"^\d{1,2}[-_. ]+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.md\Z")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}[-_ ].+\.md\Z")
_DUMP = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*# Session\b|\*\*Session (?:Key|ID)\*\*")
_LANGUAGE_WORDS = {
    "pt": "não uma para com são está você também foi isso quando reunião",
    "es": "una para con está también cuando los las reunión qué más pero",
    "de": "und nicht ist ein eine mit für auch wenn wird über noch",
    "fr": "une pour avec est pas dans aussi quand les des réunion sont",
    "en": "the and with for when this that not is was of to",
    "it": "una per con anche quando non della sono gli che più",
    "nl": "het een voor met niet ook wanneer zijn wordt naar",
    "sv": "och inte med för även när det som är ett",
}


class Survey:
    """The workspace at `root`, counted. Paths are posix, relative to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = sorted(self._walk(""))

    def _walk(self, folder: str) -> Iterator[str]:
        """Every Markdown file that is not below a dot folder; symlinks are not followed."""
        found = 0
        folders = [folder]
        while folders and found < _MOST_FILES:
            here = folders.pop()
            with os.scandir(self.root / here) as entries:
                for entry in entries:
                    rel = here + entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if not entry.name.startswith(".") and entry.name not in _SKIP:
                            folders.append(f"{rel}/")
                    elif entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                        found += 1
                        yield rel

    @cached_property
    def indexes(self) -> list[str]:
        """The files that may be the index, the one the host loads first."""
        return [path for path in INDEXES if path in self.files or (self.root / path).is_symlink()]

    @cached_property
    def index(self) -> Index:
        """The index, parsed; an empty one where there is none or it cannot be read."""
        path = self.indexes[0] if self.indexes else "MEMORY.md"
        full = self.root / path
        text = markdown.decode(fsio.read(full)) if full.is_file() else ""
        return parse(text, self.files, index_path=path)

    @cached_property
    def folders(self) -> Counter[str]:
        """How many Markdown files lie in each folder or below it."""
        counts: Counter[str] = Counter()
        for path in self.files:
            parts = path.split("/")[:-1]
            counts.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
        return counts

    @cached_property
    def layout(self) -> str:
        """The layout whose folders hold the most files; where there is none, the one whose root is there."""
        counts = {name: sum(self.folders[folder] for folder in kinds.values()) for name, kinds in KINDS.items()}
        counts |= {name: counts[name] + sum(self.folders[root] for root in roots) for name, roots in ROOTS.items()}
        return max(counts, key=lambda name: counts[name])

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Folders of a kind that are not where the layout has them: `{people: memory/pessoas}`."""
        found: dict[str, str] = {}
        for folder in sorted(self.folders, key=lambda folder: (folder.count("/"), -self.folders[folder], folder)):
            kind = _kind(folder.rpartition("/")[2])
            inside = any(folder.startswith(f"{other}/") for other in found.values())
            if kind and not inside and kind not in found and self._is_memory(folder):
                found[kind] = folder
        usual = KINDS[self.layout]
        return {
            kind: folder for kind, folder in found.items() if folder != usual[kind] and not self.folders[usual[kind]]
        }

    def _is_memory(self, folder: str) -> bool:
        """Whether a folder is one of memory: below a memory root, or named by the index."""
        top = folder.split("/")[0]
        return top in ("memory", "life", "knowledge", "para") or bool(_NUMBERED.match(top)) or self._is_indexed(folder)

    def _is_indexed(self, folder: str) -> bool:
        return any(entry.exists and entry.path.startswith(f"{folder}/") for entry in self.index.entries)

    @cached_property
    def roots(self) -> list[str]:
        """Top folders outside memory whose files the index lists, or that belong to a numbered tree of PARA."""
        tops = {entry.path.split("/")[0] for entry in self.index.entries if entry.exists and "/" in entry.path}
        covered = {folder.split("/")[0] for folder in (*KINDS[self.layout].values(), *self.kinds.values())}
        if any(_NUMBERED.match(folder) for folder in self.kinds.values()):
            tops |= {folder for folder in self.folders if "/" not in folder and _NUMBERED.match(folder)}
            covered = {top for top in covered if not _NUMBERED.match(top)} | set(self.kinds.values())
        return sorted(tops - covered - {"memory"})

    @cached_property
    def daily(self) -> list[str]:
        """The folders that hold notes named by a day, most notes first."""
        counts = Counter(path.rpartition("/")[0] for path in self.files if _DAY.match(path.rpartition("/")[2]))
        plain = Counter({re.sub(r"(/\d{2,4}){1,2}\Z", "", folder): count for folder, count in counts.items()})
        decisions = self.kinds.get("decisions", KINDS[self.layout]["decisions"])
        return [
            folder
            for folder, count in plain.most_common()
            if folder and folder != decisions and (count > 1 or folder == "memory")
        ]

    @cached_property
    def dumps(self) -> list[str]:
        """Globs of conversations that the host dumped into memory under a date and a subject."""
        dated = [path for path in self.files if _DATED.match(path.rpartition("/")[2])]
        dumped = {path for path in dated if self._is_dump(path)}
        folders = Counter(path.rpartition("/")[0] for path in dumped)
        day = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
        whole = {folder for folder in folders if all(p in dumped for p in dated if p.rpartition("/")[0] == folder)}
        rest = sorted(path for path in dumped if path.rpartition("/")[0] not in whole)
        return [f"{folder}/{day}-*.md" for folder in sorted(whole)] + rest

    def _is_dump(self, path: str) -> bool:
        with open(self.root / path, "rb") as file:
            return bool(_DUMP.search(file.read(400)))

    @cached_property
    def link_base(self) -> str:
        """What links in the index are relative to: `root`, `file`, `memory`, or `auto` where it has several."""
        folder = self.index.path.rpartition("/")[0]
        bases = Counter(mention.base for entry in self.index.entries for mention in entry.mentions if entry.exists)
        if len(bases) != 1:
            return "auto"
        base = next(iter(bases))
        return "root" if base == "" else "file" if base == folder else "memory" if base == "memory" else "auto"

    @cached_property
    def form(self) -> str:
        """The commonest form of an entry: `item`, `row` or `line`; empty without entries."""
        forms = Counter(mention.form for entry in self.index.entries for mention in entry.mentions)
        return forms.most_common(1)[0][0] if forms else ""

    @cached_property
    def language(self) -> str:
        """The language of the index's headings, else of its text; empty where that cannot be told."""
        told = Counter(language for section in self.index.sections if (language := section.language))
        if told:
            return told.most_common(1)[0][0]
        words = Counter(re.findall(r"[^\W\d_]+", self.index.text.casefold()))
        scores = {lang: sum(words[word] for word in known.split()) for lang, known in _LANGUAGE_WORDS.items()}
        best = max(scores, key=lambda lang: scores[lang])
        return best if scores[best] > 4 else ""

    @cached_property
    def profile(self) -> str:
        """The host, by the files that only it reads; `openclaw` where nothing tells."""
        has = {path for path in ("AGENTS.md", "SOUL.md", "HEARTBEAT.md", "CLAUDE.md") if path in self.files}
        return "claude" if has == {"CLAUDE.md"} else "openclaw"


def _kind(name: str) -> str:
    """The kind that a folder's name says, in any language we know: `01-Projetos` is `projects`."""
    plain = _NUMBERED.sub("", name)
    kind = folder_kind(plain)
    if kind not in KINDS["para"]:
        kind = heading_kind(plain)[0]
    kind = {"archive": "archives"}.get(kind, kind)
    return kind if kind in KINDS["para"] else ""

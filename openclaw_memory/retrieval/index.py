"""One batch of changes to the index: files come, go and move, in the caller's transaction.

Knows files as (collection, path, text); what is on disk is `scan`'s business, when to commit is `update`'s.
"""

from __future__ import annotations

import sqlite3
from array import array
from itertools import islice

from openclaw_memory.errors import RetrievalError
from openclaw_memory.record import Record
from openclaw_memory.retrieval import aliases, dates, heats
from openclaw_memory.retrieval.chunks import Chunk, Page
from openclaw_memory.retrieval.hits import CHUNK_BITS
from openclaw_memory.retrieval.identity import Stat
from openclaw_memory.retrieval.lexicon import ASKS, BETWEEN, LABELLED, NUMBER, SIZE, Lexicon
from openclaw_memory.retrieval.paths import stored
from openclaw_memory.retrieval.postings import MOST_FILES, Postings, block_of, terms_in
from openclaw_memory.retrieval.store import set_meta

_LONGEST_LABEL, _WORDS_OF_LABEL = 40, 3  # `- **Jane Doe**: ...`
_TAGS = ("tags", "tag", "aliases", "alias", "triggers", "keywords")
_AT_ONCE = 200_000
"""Characters that are analysed together: most of their spellings are the same."""
_DATES = ("date", "created", "day", "updated")


class Source(Record):
    """A file to index."""

    collection: str
    path: str
    stat: Stat
    hash: str
    kind: str
    page: Page
    problem: str = ""


class Batch:
    """Changes to one index. Not to be used after an error: roll back and start again."""

    def __init__(self, db: sqlite3.Connection, lexicon: Lexicon) -> None:
        self._db = db
        self._lexicon = lexicon
        self._postings = Postings(db)
        self._drafts: list[_Draft] = []
        self._drafted = 0
        self._first = self._next = (db.execute("SELECT MAX(id) FROM files").fetchone()[0] or 0) + 1

    @property
    def is_full(self) -> bool:
        """Whether the next new file begins a block of postings: writing a block twice costs more than twice."""
        return self._next > self._first and block_of(self._next) > block_of(self._next - 1)

    def add(self, source: Source) -> int:
        """Index a file that has no row yet; its number."""
        number = self._new_id()
        self._put(number, source, embedded=0)
        return number

    def replace(self, file: int, source: Source, same_text: bool = False) -> None:
        """Index a file anew under its old number; with `same_text` (it only moved) its vectors stay."""
        row = self._db.execute("SELECT embedded, title, date FROM files WHERE id = ?", (file,)).fetchone()
        about = describe(source)
        keep = bool(same_text and row and row[1:] == (about.title, about.date))  # a model reads the title too
        self.drop(file, keep_vectors=keep)
        self._put(file, source, embedded=row[0] if keep else 0)

    def touch(self, file: int, stat: Stat) -> None:
        """The file was looked at and says the same."""
        values = (stat.size, stat.mtime_ns, stat.inode, stat.racy, file)
        self._db.execute("UPDATE files SET size = ?, mtime_ns = ?, inode = ?, racy = ? WHERE id = ?", values)

    def problem(self, file: int, problem: str) -> None:
        """The file cannot be read now; what is indexed of it stays."""
        self._db.execute("UPDATE files SET problem = ? WHERE id = ?", (problem, file))

    def drop(self, file: int, keep_vectors: bool = False) -> None:
        """Forget a file."""
        low, high = file << CHUNK_BITS, (file + 1) << CHUNK_BITS
        row = self._db.execute("SELECT head FROM files WHERE id = ?", (file,)).fetchone()
        terms = terms_in(row[0]) if row else set()
        for head, body in self._db.execute("SELECT head, terms FROM chunks WHERE id >= ? AND id < ?", (low, high)):
            terms |= terms_in(head) | terms_in(body)
        self._postings.drop(file, terms)
        self._db.execute("DELETE FROM chunks WHERE id >= ? AND id < ?", (low, high))
        self._db.execute("DELETE FROM names WHERE file = ?", (file,))
        self._db.execute("DELETE FROM facts WHERE chunk >= ? AND chunk < ?", (low, high))
        self._db.execute("DELETE FROM files WHERE id = ?", (file,))
        if not keep_vectors:
            self._db.execute("DELETE FROM embedded WHERE passage >= ? AND passage < ?", (low << 6, high << 6))
            self._db.execute("DELETE FROM abouts WHERE file = ?", (file,))

    def save(self) -> None:
        """Write what was collected; before the commit."""
        self._write()
        self._lexicon.save()
        self._postings.save()
        size = self._db.execute("SELECT CAST(TOTAL(chunks) AS INTEGER), COUNT(*) FROM files").fetchone()
        set_meta(self._db, "size", f"{size[0]} {size[1]}")
        self._db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")

    def _new_id(self) -> int:
        number, self._next = self._next, self._next + 1
        if number < MOST_FILES:
            return number
        self._next = MOST_FILES
        self._write()
        query = "SELECT id + 1 FROM files WHERE id + 1 NOT IN (SELECT id FROM files) AND id + 1 < ? LIMIT 1"
        row = self._db.execute(query, (MOST_FILES,)).fetchone()
        if row is None:
            raise RetrievalError(
                f"more than {MOST_FILES:,} files are searched", "remove a collection, or narrow its mask"
            )
        return int(row[0])

    def _put(self, file: int, source: Source, embedded: int) -> None:
        draft = _draft(file, source, embedded)
        self._drafts.append(draft)
        self._drafted += sum(map(len, draft.texts))
        if self._drafted > _AT_ONCE:
            self._write()

    def _write(self) -> None:
        """Index the files that wait: what they say is analysed together."""
        said = iter(self._lexicon.encode([text for draft in self._drafts for text in draft.texts]))
        files, chunks, facts, names = [], [], [], []
        for draft in self._drafts:
            file, page, about = draft.file, draft.source.page, draft.about
            file_head, *texts = islice(said, len(draft.texts))
            heads, bodies = texts[::2], texts[1::2]
            rows = zip(page.chunks, draft.headings, heads, bodies, strict=True)
            for number, (chunk, heading, head, body) in enumerate(rows, file << CHUNK_BITS):
                spans = array(NUMBER, [at for atom in chunk.atoms for at in atom[:2]])
                chunks.append((number, " > ".join(heading), head, spans, body, chunk.weight))
                if chunk.fact is not None:
                    facts.append((number, *heats.kept(chunk.fact)))
            self._postings.add(file, bodies, heads, file_head)
            tokens = sum(map(len, bodies)) // SIZE
            names += [(file, place, *name) for place, name in enumerate(about.names)]
            source, stat = draft.source, draft.source.stat
            files.append((
                file, source.collection, stored(source.path), stat.size, stat.mtime_ns, stat.inode, stat.racy,
                source.hash, about.title, about.date, source.kind, about.tags, about.extra, source.problem,
                len(page.chunks), tokens, draft.embedded, file_head,
            ))  # fmt: skip
        self._db.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?)", chunks)
        self._db.executemany("INSERT INTO names VALUES (?, ?, ?, ?)", names)
        self._db.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?)", facts)
        self._db.executemany(f"INSERT INTO files VALUES ({', '.join('?' * 18)})", files)
        self._drafts.clear()
        self._drafted = 0
        self._lexicon.trim()


class _Draft(Record):
    """A file that waits to be written, and its texts: what it is, then the headings and the atoms of each chunk."""

    file: int
    source: Source
    embedded: int
    about: About
    headings: list[list[str]]
    texts: list[str]


def _draft(file: int, source: Source, embedded: int) -> _Draft:
    about = describe(source)
    above = [headings(chunk, about) for chunk in source.page.chunks]
    texts = [head_of(source.path, about)]
    for heading, chunk in zip(above, source.page.chunks, strict=True):
        texts += (" ".join(heading), "".join([_marked(atom.text) for atom in chunk.atoms]))
    return _Draft(file, source, embedded, about, above, texts)


def _marked(text: str) -> str:
    """An atom's text with the marks of what it is, ready to be encoded with others."""
    label = text.find(":", 0, _LONGEST_LABEL)
    marks = LABELLED if label > 0 and text.count(" ", 0, label) <= _WORDS_OF_LABEL else ""
    return text + marks + ASKS + BETWEEN if text.endswith("?") else text + marks + BETWEEN


class About(Record):
    """What a file says it is."""

    title: str
    date: str
    tags: str
    extra: str
    names: aliases.Names


def describe(source: Source) -> About:
    """Title (front matter, else first heading, else the name), date (name, else front matter), tags, status."""
    front = source.page.front
    name = source.path.rpartition("/")[2]
    title = front.get("title") or front.get("name")
    if not isinstance(title, str) or not title.strip():
        title = source.page.heading or name.rpartition(".")[0] or name
    day = dates.date_in(name) or next((dates.date_in(str(front[key])) for key in _DATES if key in front), "")
    tags = " ".join(dict.fromkeys(tag for key in _TAGS for tag in _texts(front.get(key))))
    extra = " ".join(text for key in ("about", "description", "summary", "status") for text in _texts(front.get(key)))
    names = aliases.names_of(front, _clean(title), source.path, source.kind)
    return About(_clean(title), day, _clean(tags), _clean(extra)[:500], names)


def head_of(path: str, about: About) -> str:
    """The words that are said of a whole file: title, tags, path and date."""
    return f"{about.title} {about.tags} {_words_of(path)} {dates.words(about.date)}"


def headings(chunk: Chunk, about: About) -> list[str]:
    """What stands above a chunk, without the title, which is said of the whole file."""
    return [name for name in chunk.heading if name != about.title]


def _texts(value: object) -> list[str]:
    if isinstance(value, list | tuple):
        return [str(part) for part in value if part is not None]
    return [] if value is None or isinstance(value, dict) else [str(value)]


def _clean(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").split())


def _words_of(path: str) -> str:
    return path.rpartition(".")[0].replace("/", " ")

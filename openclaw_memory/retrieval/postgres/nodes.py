"""A file as LlamaIndex nodes, one a passage, and back to what a search shows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from openclaw_memory.record import TYPE_CHECKING, Record
from openclaw_memory.retrieval.analyse import terms_of
from openclaw_memory.retrieval.heats import kept
from openclaw_memory.retrieval.index import About, Source, head_of, headings
from openclaw_memory.retrieval.postgres.database import token
from openclaw_memory.retrieval.postings import WHOLE
from openclaw_memory.retrieval.windows import Window, about, windows

if TYPE_CHECKING:
    from llama_index.core.schema import TextNode

    from openclaw_memory.retrieval.chunks import Page
    from openclaw_memory.retrieval.postgres.database import Database


Vector = list[float]
Shown = dict[str, Any]
"""What a search shows of a passage: `first` and `last` line, `heading`, `passage`; of a fact, what `heats` kept."""


def version(digest: str, shared: bool) -> str:
    """What tells the passages of one state of a file from those of another."""
    return f"w{digest[:16]}{'s' if shared else 'p'}"


BODY, HEADING, FILE = "b", "h", "f"
"""What a word begins with: it stands in the text, in the headings above, or in what is said of the whole file."""
_LONGEST = 500


def words(sign: str, text: str) -> str:
    """The terms of `text` as words that a text index takes whole, whatever their script or signs."""
    found = terms_of(text)
    return " ".join(dict.fromkeys(word(sign, term) for term in (*found.main, *found.extra)))


def word(sign: str, term: str) -> str:
    """One term as such a word: PostgreSQL's parser would cut `c++`, drop emoji and not know bigrams.

    The beginning of a term is the beginning of its word, and `term` gives the term back.
    """
    return sign + term.encode("utf-8", "surrogatepass")[:_LONGEST].hex()


def term(word: str) -> str:
    """The inverse of `word`."""
    return bytes.fromhex(word[1:]).decode("utf-8", "replace")


def name(doc: str, version: str, chunk: int, atom: int) -> str:
    """The id of a node: its document, the state of that, and the place of the passage in it."""
    return f"{doc}-{version}-{chunk}-{atom}"


def parts(name: str) -> tuple[str, str, int, int]:
    """The inverse of `name`."""
    doc, state, chunk, atom = name.split("-")
    return doc, state, int(chunk), int(atom)


def folder(collection: str) -> str:
    """A collection's name as filters take it."""
    return token(collection)


class Passage(Record):
    """One passage: its place, what a model reads, what the text index holds, and what a search shows of it."""

    chunk: int
    atom: int
    embedded: str
    words: str
    shown: Shown

    @property
    def key(self) -> str:
        """What names the text that a model reads."""
        return hashlib.blake2b(self.embedded.encode("utf-8", "replace"), digest_size=12).hexdigest()


def passages(page: Page, source: Source, told: About) -> list[Passage]:
    """The passages of a page, and one that stands for the whole of it where it says what it is about.

    Words of headings stand in the first passage below them, those of the file in its first one.
    """
    found: list[Passage] = []
    for window in windows(page, told.title):
        text = [words(BODY, window.atom.text)]
        if not window.at:
            text.append(words(HEADING, " ".join(headings(window.chunk, told))))
        if not found:
            text.append(words(FILE, head_of(source.path, told)))
        found.append(Passage(window.place, window.at, window.text, " ".join(text), _shown(window)))
    if found and not told.date:  # a day for a title says nothing
        found.append(Passage(WHOLE, 0, about(page, told.title), "", {}))
    return found


def _shown(window: Window) -> Shown:
    fact = window.chunk.fact
    return {
        "first": window.atom.first,
        "last": window.atom.last,
        "heading": " > ".join(window.chunk.heading),
        "passage": window.atom.text,
        **({"fact": list(kept(fact))} if fact else {}),
    }


def nodes(
    database: Database, doc: str, shared: bool, file: dict[str, str], made: Iterable[tuple[Passage, Vector]]
) -> list[TextNode]:
    """The nodes of a file from its passages and their vectors; `file` says collection, path, title, hash."""
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode

    state = version(file["hash"], shared)
    whole = {"owner": database.owner, "workspace": database.workspace, "agent": database.agent, **file}
    out = []
    for passage, vector in made:
        node = TextNode(
            id_=name(doc, state, passage.chunk, passage.atom),
            text=passage.words,
            embedding=vector,
            metadata={**whole, "shared": "yes" if shared else "no", "key": passage.key, **passage.shown},
        )
        node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=doc)
        out.append(node)
    return out

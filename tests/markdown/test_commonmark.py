"""The scanner agrees with markdown-it-py (CommonMark and GitHub's tables), block by block."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from openclaw_memory.markdown import Document, scan

SHARED = Path(os.environ.get("OPENCLAW_MEMORY_SHARED") or Path(__file__).parents[2].parent / "shared")
PARSER = MarkdownIt("commonmark").enable("table")
LEAVES = {"heading_open": "heading", "fence": "fence", "code_block": "indented_code", "hr": "rule", "table_open": "table"}

Seen = tuple[str, int, str]
"""(kind, first line, what tells it apart)"""


def expected(text: str) -> list[Seen]:
    """The leaf blocks and list items of the reference parser."""
    found: list[Seen] = []
    tokens = PARSER.parse(text)
    for at, token in enumerate(tokens):
        first = token.map[0] + 1 if token.map else 0
        if token.type in LEAVES:
            found.append((LEAVES[token.type], first, _detail(token)))
        elif token.type == "html_block":
            found.append(("html", first, ""))
        elif token.type == "list_item_open":
            found.append(("item", first, token.markup))
        elif token.type == "paragraph_open":
            found.append(("text", first, tokens[at + 1].content.split("\n")[0].strip()[:1]))
    return sorted(found)


def _detail(token: Token) -> str:
    if token.type == "fence":
        return token.info.strip(" \t")
    return token.tag if token.type == "heading_open" else ""


def ours(document: Document) -> list[Seen]:
    """The same of our scan: an item with text is an item and a paragraph, as the reference has it."""
    found: list[Seen] = []
    for block in document.blocks:
        if block.kind in ("blank", "front_matter"):
            continue
        if block.kind == "item":
            found.append(("item", block.first, block.marker[-1]))
        if block.kind in ("paragraph", "quote") or (block.kind == "item" and block.text):
            box = "[" if block.checked is not None else ""
            found.append(("text", block.first, (box + block.text.strip())[:1]))
        elif block.kind in ("comment", "html"):
            found.append(("html", block.first, ""))
        elif block.kind == "heading":
            found.append(("heading", block.first, f"h{block.level}"))
        elif block.kind != "item":
            found.append((block.kind, block.first, block.info if block.kind == "fence" else ""))
    return sorted(found)

"""The one reader of Markdown: a lossless line scanner, links, and edits that keep every other byte.

Pure functions over text; imports nothing of ours but `errors`, and no Markdown library (that costs 33 ms on a hook).
"""

from openclaw_memory.markdown.codec import decode, encode
from openclaw_memory.markdown.comments import Comment, comments, without_comments
from openclaw_memory.markdown.document import Block, Document, Line, Section, split_lines
from openclaw_memory.markdown.edit import delete_lines, insert_after, replace_lines
from openclaw_memory.markdown.links import Link, document_links, links, looks_like_path
from openclaw_memory.markdown.scanner import scan
from openclaw_memory.markdown.tables import Cell, cells, is_delimiter, split_row

__all__ = [
    "Block",
    "Cell",
    "Comment",
    "Document",
    "Line",
    "Link",
    "Section",
    "cells",
    "comments",
    "decode",
    "delete_lines",
    "document_links",
    "encode",
    "insert_after",
    "is_delimiter",
    "links",
    "looks_like_path",
    "replace_lines",
    "scan",
    "split_lines",
    "split_row",
    "without_comments",
]

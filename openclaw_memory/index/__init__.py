"""MEMORY.md as an index: what it lists, and edits that change only the lines they mean to change.

Reads by `markdown`'s scanner; pure but for `operations`. Imports no command, check or retrieval.
"""

from openclaw_memory.index.model import Entry, Hidden, Index, IndexSection, Mention, Placeholder, Reference
from openclaw_memory.index.parse import parse
from openclaw_memory.index.resolve import Resolved, Resolver
from openclaw_memory.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openclaw_memory.index.described import Described, describe, offered_triggers
    from openclaw_memory.index.draft import Draft, check_writable
    from openclaw_memory.index.edit import (
        activate,
        add,
        deactivate,
        remove,
        set_about,
        set_importance,
        set_rev,
        set_triggers,
    )
    from openclaw_memory.index.forms import Words
    from openclaw_memory.index.move import Relinker

_EDITS = ("activate", "add", "deactivate", "remove")
_SETS = ("set_about", "set_importance", "set_rev", "set_triggers")
_HOMES = {
    **dict.fromkeys(("Described", "describe", "offered_triggers"), "described"),
    **dict.fromkeys((*_EDITS, *_SETS), "edit"),
    **dict.fromkeys(("Draft", "check_writable"), "draft"),
    "Words": "forms",
    "Relinker": "move",
}
__getattr__ = late(__name__, _HOMES)

__all__ = [
    "Described",
    "Draft",
    "Entry",
    "Hidden",
    "Index",
    "IndexSection",
    "Mention",
    "Placeholder",
    "Reference",
    "Relinker",
    "Resolved",
    "Resolver",
    "Words",
    "activate",
    "add",
    "check_writable",
    "deactivate",
    "describe",
    "offered_triggers",
    "parse",
    "remove",
    "set_about",
    "set_importance",
    "set_rev",
    "set_triggers",
]

"""The tools of the MCP server for a LlamaIndex agent: `OpenClawMemoryToolSpec(folder).to_tool_list()`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from llama_index.core.tools.tool_spec.base import BaseToolSpec

from openclaw_memory.agents.nodes import workspace_at
from openclaw_memory.errors import OpenClawMemoryError
from openclaw_memory.server.engine import Engine
from openclaw_memory.server.tools import call
from openclaw_memory.workspace import Workspace


class OpenClawMemoryToolSpec(BaseToolSpec):
    """Search, read, load context, note and add facts. Each answers a JSON string; an error is an answer, too."""

    spec_functions = ["memory_search", "memory_get", "memory_context", "memory_note", "memory_fact"]  # noqa: RUF012 - theirs

    def __init__(self, workspace: Workspace | Path | str) -> None:
        self._engine = Engine(workspace_at(workspace).root)

    def memory_search(self, query: str, max_results: int = 6) -> str:
        """Search the memory by words and meaning; run it before saying that something is not known."""
        return self._call("memory_search", query=query, maxResults=max_results)

    def memory_get(self, path: str, first_line: int = 1, lines: int = 120) -> str:
        """Read a memory file, or some of its lines; path is one that memory_search gave, or a day."""
        return self._call("memory_get", path=path, **{"from": first_line, "lines": lines})

    def memory_context(self, message: str = "") -> str:
        """What a session should start with, and the files that the message calls for."""
        return self._call("memory_context", **({"message": message} if message else {}))

    def memory_note(self, text: str) -> str:
        """Append to the day's note."""
        return self._call("memory_note", text=text)

    def memory_fact(self, text: str, entity: str = "", supersedes: str = "") -> str:
        """Add a lasting fact about an entity (like people/jane), or one in place of the fact `supersedes`."""
        given = {"entity": entity, "supersedes": supersedes}
        return self._call("memory_fact", text=text, **{key: value for key, value in given.items() if value})

    def _call(self, name: str, **arguments: Any) -> str:
        try:
            return json.dumps(call(self._engine, name, arguments))
        except OpenClawMemoryError as error:
            return json.dumps({"error": error.message, "hint": error.hint})

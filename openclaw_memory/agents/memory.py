"""A memory block for LlamaIndex's `Memory`: what the last user message calls for, inside a token budget. Stateless."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory.memory import BaseMemoryBlock
from pydantic import Field, PrivateAttr

from openclaw_memory.agents.nodes import address, workspace_at
from openclaw_memory.knowledge import notes
from openclaw_memory.retrieval.options import Options
from openclaw_memory.retrieval.output import valid
from openclaw_memory.server.engine import Engine
from openclaw_memory.tokens import count
from openclaw_memory.workspace import Workspace


class OpenClawMemoryBlock(BaseMemoryBlock[str]):
    """`OpenClawMemoryBlock(workspace=folder)`: reads by search; writes what is flushed to it into the day's note.

    `budget` bounds what it gives, in tokens; `write` false makes it read only. Nothing is kept between calls.
    """

    name: str = "openclaw_memory"
    budget: int = Field(default=1500, ge=0)
    limit: int = Field(default=8, ge=1)
    write: bool = True
    _engine: Engine = PrivateAttr()

    def __init__(self, workspace: Workspace | Path | str, **data: Any) -> None:
        super().__init__(**data)
        self._engine = Engine(workspace_at(workspace).root)

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        asked = next((one.content for one in reversed(messages or []) if one.role == MessageRole.USER), None)
        return await asyncio.to_thread(self._recall, asked) if asked else ""

    def _recall(self, asked: str) -> str:
        """The best passages, each below its address, as many as fit the budget whole."""
        parts: list[str] = []
        left = self.budget
        for hit in self._engine.query(asked, Options(limit=self.limit)).hits:
            part = f"[{address(hit)}]\n{valid(hit.snippet)}"
            left -= count(part) + 1
            if left < 0:
                break
            parts.append(part)
        return "\n\n".join(parts)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        said = [f"{one.role.value}: {one.content}" for one in messages if one.content]
        if said and self.write:
            await asyncio.to_thread(self._note, "\n".join(said))

    def _note(self, text: str) -> None:
        ws = self._engine.workspace
        notes.note(ws, text, ws.now())

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Whole passages are dropped, the weakest first; None when none is left."""
        parts = content.split("\n\n[")
        parts = [parts[0], *(f"[{part}" for part in parts[1:])]
        dropped = 0
        while parts and dropped < tokens_to_truncate:
            dropped += count(parts.pop())
        return "\n\n".join(parts) or None

"""The tools an agent is given, as plain functions: name, JSON Schema of the arguments, and what each answers.

`memory_search` and `memory_get` have the schemas, results and statuses of OpenClaw's own tools of these names, so an
agent that knows those knows ours. No MCP here: `server.mcp` serves them, and the LlamaIndex tool spec wraps them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from openclaw_memory.errors import UsageError
from openclaw_memory.record import Record
from openclaw_memory.server import reading, writing
from openclaw_memory.server.engine import Engine

Arguments = Mapping[str, Any]
Result = dict[str, Any]


class Tool(Record):
    """One tool: `schema` is a JSON Schema of an object, `run` takes arguments that fit it."""

    name: str
    description: str
    schema: Mapping[str, Any]
    run: Callable[[Engine, Arguments], Result]
    writes: bool = False

    def to_json(self) -> dict[str, object]:
        """The tool as MCP lists it."""
        return {"name": self.name, "description": self.description, "inputSchema": self.schema}


def _object(required: list[str], **properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _text(description: str, **more: object) -> dict[str, object]:
    return {"type": "string", "description": description, **more}


def _count(description: str) -> dict[str, object]:
    return {"type": "integer", "minimum": 1, "description": description}


_CORPUS = {"type": "string", "enum": ["memory", "wiki", "all", "sessions"]}

TOOLS: tuple[Tool, ...] = (
    Tool(
        "memory_search",
        "Search the memory by words and meaning. Run it before saying that something is not known. "
        "Results name a file and its lines; read them with memory_get.",
        _object(
            ["query"],
            query=_text("what to look for", minLength=1),
            maxResults=_count("at most this many results"),
            minScore={"type": "number", "description": "leave weaker results out, 0 to 1"},
            corpus=_CORPUS,
        ),
        reading.search,
    ),
    Tool(
        "memory_get",
        "Read a memory file, or some of its lines.",
        {
            **_object(
                ["path"],
                path=_text("a path or address that memory_search gave, or a day like 2026-03-02", minLength=1),
                lines=_count("how many lines (default 120)"),
                corpus={"type": "string", "enum": ["memory", "wiki", "all"]},
            ),
        },
        reading.get,
    ),
    Tool(
        "memory_context",
        "What a session should start with: the index, Active Context and the files that the message calls for.",
        _object([], message=_text("what the person said"), session=_text("the session's name: only what is new")),
        reading.context,
    ),
    Tool(
        "memory_note",
        "Append to the day's note.",
        _object(["text"], text=_text("what to note", minLength=1), at=_text("the moment it is about, ISO 8601")),
        writing.note,
        writes=True,
    ),
    Tool(
        "memory_fact",
        "Add a lasting fact about an entity, or one that takes the place of an older fact.",
        _object(
            ["text"],
            text=_text("the fact, one sentence", minLength=1),
            entity=_text("like people/jane; not needed with supersedes"),
            supersedes=_text("the id of the fact that is no longer true, like people/jane:jane-001"),
            category=_text("relationship, milestone, status, preference or context"),
            source=_text("where it is from"),
        ),
        writing.fact,
        writes=True,
    ),
)
TOOLS[1].schema["properties"]["from"] = _count("the first line (default 1)")  # a keyword in Python

BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}


def call(engine: Engine, name: str, arguments: Arguments) -> Result:
    """What the tool `name` answers. Raises UsageError for an unknown tool or arguments that do not fit its schema."""
    import jsonschema

    tool = BY_NAME.get(name)
    if tool is None:
        raise UsageError(f"there is no tool {name!r}", f"the tools are {', '.join(BY_NAME)}")
    error = next(iter(jsonschema.Draft202012Validator(tool.schema).iter_errors(arguments)), None)
    if error is not None:
        where = ".".join(str(step) for step in error.absolute_path) or "arguments"
        raise UsageError(f"{name}: {where}: {error.message}", "see the tool's schema")
    return tool.run(engine, arguments)

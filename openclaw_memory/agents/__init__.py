"""The memory for LlamaIndex programs: retrievers, a vector store, agent tools, a memory block, a reader.

Thin classes over the plain functions that the command line uses, so both give the same results. A name is imported
when it is first asked for: LlamaIndex takes more than a second to import. Nothing here touches `Settings`, and no
default of LlamaIndex's (a cloud model) is ever reached.
"""

from openclaw_memory.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openclaw_memory.agents.memory import OpenClawMemoryBlock
    from openclaw_memory.agents.reader import OpenClawReader
    from openclaw_memory.agents.retrievers import HybridRetriever, LexicalRetriever, VectorRetriever
    from openclaw_memory.agents.store import SQLiteHybridVectorStore
    from openclaw_memory.agents.tools import OpenClawMemoryToolSpec

__getattr__ = late(
    __name__,
    {
        "HybridRetriever": "retrievers",
        "LexicalRetriever": "retrievers",
        "VectorRetriever": "retrievers",
        "SQLiteHybridVectorStore": "store",
        "OpenClawMemoryToolSpec": "tools",
        "OpenClawMemoryBlock": "memory",
        "OpenClawReader": "reader",
    },
)

__all__ = [
    "HybridRetriever",
    "LexicalRetriever",
    "OpenClawMemoryBlock",
    "OpenClawMemoryToolSpec",
    "OpenClawReader",
    "SQLiteHybridVectorStore",
    "VectorRetriever",
]

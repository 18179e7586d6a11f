"""The LlamaIndex classes against the plain functions they stand for, and an agent that uses them."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason="the extra [retrieval] is not installed")
np = pytest.importorskip("numpy")

from llama_index.core import VectorStoreIndex  # noqa: E402 - after the skips
from llama_index.core.agent.workflow import ReActAgent  # noqa: E402
from llama_index.core.base.llms.types import ChatMessage, CompletionResponse, LLMMetadata  # noqa: E402
from llama_index.core.llms import CustomLLM  # noqa: E402
from llama_index.core.memory import Memory  # noqa: E402
from llama_index.core.schema import QueryBundle, TextNode  # noqa: E402
from llama_index.core.vector_stores.types import (  # noqa: E402
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from openclaw_memory.agents import (  # noqa: E402
    HybridRetriever,
    LexicalRetriever,
    OpenClawMemoryBlock,
    OpenClawMemoryToolSpec,
    OpenClawReader,
    SQLiteHybridVectorStore,
    VectorRetriever,
)
from openclaw_memory.errors import UsageError  # noqa: E402
from openclaw_memory.retrieval import hybrid, search  # noqa: E402
from openclaw_memory.retrieval.documents import get as documents_get  # noqa: E402
from openclaw_memory.retrieval.embedders import load  # noqa: E402
from openclaw_memory.retrieval.embedders.choose import installed  # noqa: E402
from openclaw_memory.retrieval.embedders.llama import LocalEmbedding  # noqa: E402
from openclaw_memory.retrieval.options import Options  # noqa: E402
from openclaw_memory.retrieval.update import update  # noqa: E402
from openclaw_memory.retrieval.vectors import embed  # noqa: E402
from openclaw_memory.workspace import Workspace  # noqa: E402
from tests.retrieval import aliases  # noqa: E402

NOTES = {
    "boiler": "# Boiler\n\n- Ruth services the boiler every October.\n- It stands in the cellar.\n",
    "deploy": "# Deploys\n\nDeploys go out on Tuesdays.\n\nNever on Fridays.\n",
    "pets": "# Pets\n\nThe cat is called Pixel and hates the vacuum cleaner.\n",
}


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n")
    for name, text in NOTES.items():
        (root / "memory" / f"{name}.md").write_text(text)
    return Workspace(root)


@pytest.fixture
def embedded(ws: Workspace) -> Workspace:
    if not installed("local"):
        pytest.skip("the extra [local] is not installed")
    model = load(ws.config.retrieval)
    assert model is not None
    update(ws)
    embed(ws, model)
    return ws


QUERIES = ["who services the boiler?", "deploys on fridays", "what does the cat hate", "zzz"]


@pytest.mark.parametrize("text", QUERIES)
def test_retrievers_give_what_the_plain_functions_give(embedded: Workspace, text: str):
    for retriever, plain in (
        (LexicalRetriever, search.search),
        (VectorRetriever, hybrid.vsearch),
        (HybridRetriever, hybrid.query),
    ):
        made = retriever(embedded, limit=4)
        hits = plain(embedded, text, Options(limit=4)).hits
        expected = [(f"{hit.file}#L{hit.start_line}-L{hit.end_line}", hit.snippet, hit.score) for hit in hits]
        nodes = made.retrieve(text)
        assert [(one.node.node_id, one.node.get_content(), one.score) for one in nodes] == expected
        later = asyncio.run(made.aretrieve(QueryBundle(text)))
        assert [one.node.node_id for one in later] == [name for name, _, _ in expected]


@pytest.fixture
def called(tmp_path: Path) -> Workspace:
    """Embedded, and of people who have several names."""
    if not installed("local"):
        pytest.skip("the extra [local] is not installed")
    ws = aliases.write(tmp_path)
    model = load(ws.config.retrieval)
    assert model is not None
    update(ws)
    embed(ws, model)
    return ws


@pytest.mark.parametrize("text", ["what did JD approve", "Ken's glazes", "bob umbrella", "LH blocked"])
def test_other_names_count_alike_for_programs_and_commands(called: Workspace, text: str):
    test_retrievers_give_what_the_plain_functions_give(called, text)


def test_the_store_finds_by_other_names(called: Workspace):
    asked = VectorStoreQuery(query_str="JD crane", similarity_top_k=3, mode=VectorStoreQueryMode.TEXT_SEARCH)
    found = SQLiteHybridVectorStore(called).query(asked).nodes or ()
    assert "Jane Doe approved the repainting of the crane" in found[0].get_content()


def test_facts_of_one_line_and_pieces_of_a_long_one_are_nodes_of_their_own(ws: Workspace):
    facts = [
        {"id": f"shop-{n}", "fact": f"The shop sells {what} bread"} for n, what in enumerate(("rye", "corn", "oat"))
    ]
    (ws.root / "memory" / "items.json").write_text(json.dumps(facts))
    (ws.root / "memory" / "long.md").write_text("# Long\n\n" + " ".join(f"bread{n} avocet" for n in range(2000)) + "\n")
    store, documents = SQLiteHybridVectorStore(ws), OpenClawReader(ws.root).load_data()
    for text, path, least in (("bread", "items.json", 3), ("avocet", "long.md", 10)):
        hits = [hit for hit in search.search(ws, text, Options(limit=50)).hits if hit.path == path]
        nodes = [one.node for one in LexicalRetriever(ws, limit=50).retrieve(text) if one.node.metadata["path"] == path]
        assert [one.get_content() for one in nodes] == [hit.snippet for hit in hits]
        assert len({one.node_id for one in nodes}) == len(nodes) >= least
        for one in nodes:
            assert [held.node_id for held in store.get_nodes([one.node_id])] == [one.node_id]
            assert documents_get(ws, one.node_id).first == one.metadata["start_line"]
        assert {one.node_id for one in nodes} <= {one.doc_id for one in documents}
    ids = [f"qmd://memory/items.json#L1-L1{part}" for part in ("", ".64", ".128")]
    assert [one.doc_id for one in documents if one.metadata["path"] == "items.json"] == ids
    assert [one.get_content() for one in store.get_nodes(ids[1:])] == [
        "The shop sells corn bread (active)",
        "The shop sells oat bread (active)",
    ]
    assert ["corn" in one.text for one in documents if one.doc_id in ids] == [False, True, False]


def test_what_is_not_utf8_in_texts_and_names_is_carried_by_json(ws: Workspace):
    with open(os.fsencode(ws.root / "memory") + b"/p\xe3o.md", "wb") as file:
        file.write(b"# P\xe3o\n\n- the gadwall eats p\xe3o\n")
    documents = [one for one in OpenClawReader(ws.root).load_data() if "gadwall" in one.text]
    nodes = [one.node for one in LexicalRetriever(ws).retrieve("gadwall")]
    for one in (*documents, *nodes):
        assert json.loads(one.model_dump_json())["metadata"]["path"] == "p%E3o.md"
        assert one.get_content() in ("- the gadwall eats p?o", "- the gadwall eats p\ufffdo")
        assert one.node_id == "qmd://memory/p%E3o.md#L3-L3"
        assert documents_get(ws, one.node_id).first == 3
    store = SQLiteHybridVectorStore(ws)
    assert [one.node_id for one in store.get_nodes(filters=only("path", "p%E3o.md"))] == [nodes[0].node_id]
    assert [one.node_id for one in store.get_nodes([nodes[0].node_id])] == [nodes[0].node_id]


def test_a_name_may_look_like_lines(ws: Workspace):
    (ws.root / "memory" / "#List #L3-L4.md").write_text("# List\n\nmilk and avocets\n")
    (node,) = (one.node for one in LexicalRetriever(ws).retrieve("avocets"))
    assert node.node_id == "qmd://memory/#List #L3-L4.md#L3-L3"
    assert SQLiteHybridVectorStore(ws).get_nodes([node.node_id])[0].get_content() == "milk and avocets"


def test_a_vector_index_over_the_store_never_asks_for_a_default_model(embedded: Workspace):
    model = load(embedded.config.retrieval)
    assert model is not None
    store = SQLiteHybridVectorStore(embedded)
    index = VectorStoreIndex.from_vector_store(store, embed_model=LocalEmbedding(model))
    nodes = index.as_retriever(similarity_top_k=2).retrieve("who looks after the heating?")
    assert nodes[0].node.metadata["path"] == "boiler.md"
    hybrids = index.as_retriever(similarity_top_k=3, vector_store_query_mode="hybrid").retrieve("boiler October")
    assert hybrids[0].node.metadata["path"] == "boiler.md"
    assert hybrids[0].node.metadata["start_line"] == 3


def only(key: str, value: Any, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=operator)])


def test_filters_narrow_before_ranking(ws: Workspace):
    for number in range(60):
        (ws.root / "memory" / f"noise{number}.md").write_text(f"# Noise {number}\n\nboiler boiler boiler {number}\n")
    store = SQLiteHybridVectorStore(ws)
    query = VectorStoreQuery(query_str="boiler", similarity_top_k=1, mode=VectorStoreQueryMode.TEXT_SEARCH)
    query.filters = only("path", "boiler.md")
    assert [node.metadata["path"] for node in store.query(query).nodes] == ["boiler.md"]
    query.filters = only("path", ["pets.md", "boiler.md"], FilterOperator.IN)
    assert [node.metadata["path"] for node in store.query(query).nodes] == ["boiler.md"]
    query.filters = only("path", "o'b; DROP TABLE files")
    assert store.query(query).nodes == []
    query.filters = only("colour", "red")
    with pytest.raises(UsageError, match="colour"):
        store.query(query)


def test_the_store_keeps_vectors_for_passages_and_lets_them_go(ws: Workspace):
    store = SQLiteHybridVectorStore(ws)
    nodes = store.get_nodes(filters=only("path", "boiler.md"))
    assert [node.node_id for node in nodes] == ["qmd://memory/boiler.md#L3-L3", "qmd://memory/boiler.md#L4-L4"]
    for node, vector in zip(nodes, ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), strict=True):
        node.embedding = vector
    assert store.add(nodes) == [node.node_id for node in nodes]
    query = VectorStoreQuery(query_embedding=[0.1, 0.9, 0.0], similarity_top_k=1)
    assert store.query(query).ids == ["qmd://memory/boiler.md#L4-L4"]
    store.delete_nodes(["qmd://memory/boiler.md#L4-L4"])
    assert store.query(query).ids != ["qmd://memory/boiler.md#L4-L4"]
    store.delete("qmd://memory/boiler.md")
    assert store.query(query).ids == []
    assert (
        store.get_nodes(["qmd://memory/boiler.md#L3-L3"])[0].get_content()
        == "- Ruth services the boiler every October."
    )


def test_text_that_is_in_no_file_is_refused(ws: Workspace):
    store = SQLiteHybridVectorStore(ws)
    with pytest.raises(UsageError, match="no passage of the index"):
        store.add([TextNode(text="floating", embedding=[1.0, 0.0])])


def test_the_reader_gives_every_line_once_with_its_number(ws: Workspace):
    documents = OpenClawReader(ws.root).load_data()
    lines = {(one.metadata["path"], one.metadata["start_line"]): one.text for one in documents}
    assert lines[("boiler.md", 3)] == "- Ruth services the boiler every October."
    assert lines[("deploy.md", 5)] == "Never on Fridays."
    whole = OpenClawReader(workspace=str(ws.root), passages=False).load_data()
    assert {one.metadata["path"]: one.text for one in whole}["pets.md"] == NOTES["pets"]


def test_the_memory_block_recalls_inside_its_budget_and_keeps_nothing(ws: Workspace):
    block = OpenClawMemoryBlock(ws, budget=200)
    asked = [ChatMessage(role="user", content="who services the boiler?")]
    recalled = asyncio.run(block.aget(asked))
    assert "Ruth services the boiler" in recalled
    assert asyncio.run(OpenClawMemoryBlock(ws, budget=0).aget(asked)) == ""
    other = asyncio.run(block.aget([ChatMessage(role="user", content="what is the cat called?")]))
    assert "Pixel" in other
    assert "boiler" not in other
    assert asyncio.run(block.aget([])) == ""
    assert asyncio.run(block.atruncate(recalled, 10_000)) is None


def test_what_leaves_short_term_memory_goes_into_the_days_note(ws: Workspace):
    asyncio.run(OpenClawMemoryBlock(ws).aput([ChatMessage(role="user", content="The kiln cracked.")]))
    note = next((ws.root / "memory").glob("????-??-??.md"))
    assert "user: The kiln cracked." in note.read_text()
    memory = Memory.from_defaults(session_id="s", memory_blocks=[OpenClawMemoryBlock(ws, write=False)])
    memory.put(ChatMessage(role="user", content="what happened to the kiln?"))
    assert "kiln cracked" in str(memory.get()[0].content)


class Scripted(CustomLLM):
    """A model that follows a script: it searches, reads the first hit, and answers with what it read."""

    prompts: list[str] = []  # noqa: RUF012 - pydantic copies it for each instance

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted")

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        self.prompts.append(prompt)
        seen = re.findall(r"Observation: (.*)", prompt.split("Who services")[-1])  # after the system prompt
        if not seen:
            text = 'Thought: I look.\nAction: memory_search\nAction Input: {"query": "boiler service"}'
        elif len(seen) == 1:
            found = re.search(r'"path": "([^"]+)", "startLine": (\d+)', prompt)
            assert found
            asked = json.dumps({"path": found[1], "first_line": int(found[2]), "lines": 1})
            text = f"Thought: I read.\nAction: memory_get\nAction Input: {asked}"
        else:
            line = re.findall(r'"text": "([^"]*)"', prompt)[-1]
            text = f"Thought: I can answer.\nAnswer: {line}"
        return CompletionResponse(text=text)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        yield self.complete(prompt)


def test_an_agent_finds_what_the_workspace_knows(ws: Workspace):
    model = Scripted()
    agent = ReActAgent(tools=OpenClawMemoryToolSpec(ws).to_tool_list(), llm=model, streaming=False)

    async def ask() -> str:
        return str(await agent.run("Who services the boiler, and when?"))

    assert "Ruth services the boiler every October" in asyncio.run(ask())
    assert len(model.prompts) == 3


def test_a_tools_error_is_an_answer(ws: Workspace):
    tools = {tool.metadata.name: tool for tool in OpenClawMemoryToolSpec(ws).to_tool_list()}
    assert set(tools) == {"memory_search", "memory_get", "memory_context", "memory_note", "memory_fact"}
    answer = json.loads(str(tools["memory_fact"](text="floating")))
    assert "needs an entity" in answer["error"]


def test_importing_the_package_imports_no_llama_index():
    code = "import sys, openclaw_memory.agents; print('llama_index' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

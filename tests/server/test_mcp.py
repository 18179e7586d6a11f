import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

anyio = pytest.importorskip("anyio", reason="the extra [mcp] is not installed")
pytest.importorskip("mcp", reason="the extra [mcp] is not installed")

from mcp import ClientSession, StdioServerParameters  # noqa: E402 - after the skip
from mcp.client.stdio import stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

from openclaw_memory.retrieval.embedders.choose import installed  # noqa: E402
from openclaw_memory.retrieval.report import status  # noqa: E402
from openclaw_memory.retrieval.update import update  # noqa: E402
from openclaw_memory.server.mcp import token_of  # noqa: E402
from openclaw_memory.workspace import Workspace  # noqa: E402
from tests.waiting import LONG, soon  # noqa: E402


@pytest.fixture
def workspace(cli, tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    assert cli("init", str(root)).returncode == 0
    people = root / "memory" / "people"
    people.mkdir(exist_ok=True)
    (people / "jane.md").write_text("# Jane Doe\n\n- Jane runs the foundry in Leeds.\n" + "- more\n" * 300)
    assert cli("index", "add", "memory/people/jane.md", "--trigger", "jane", cwd=root).returncode == 0
    return root


def talk(root: Path, *flags: str, calls: Any) -> Any:
    """What `calls(session)` gives, over a real server process on stdio."""

    async def go() -> Any:
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "openclaw_memory", "mcp", "-w", str(root), *flags], env=dict(os.environ)
        )
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await calls(session)

    return anyio.run(go)


def test_search_then_get(workspace: Path):
    async def calls(session: ClientSession) -> Any:
        found = await session.call_tool("memory_search", {"query": "who runs the foundry?"})
        first = found.structured_content["results"][0]
        read = await session.call_tool("memory_get", {"path": first["path"], "from": first["startLine"], "lines": 1})
        return first, read.structured_content, json.loads(read.content[0].text)

    first, read, text = talk(workspace, calls=calls)
    assert first["path"] == "memory/people/jane.md"
    assert first["startLine"] == 3
    assert first["citation"] == "memory/people/jane.md#L3-L3"
    assert first["snippet"].endswith("Source: memory/people/jane.md#L3-L3")
    assert 0 < first["score"] <= 1
    assert read["status"] == "ok"
    assert read["text"].startswith("- Jane runs the foundry in Leeds.")
    assert read["nextFrom"] == 4
    assert text == read


def test_get_in_each_of_its_states(workspace: Path):
    async def calls(session: ClientSession) -> Any:
        async def get(**arguments: Any) -> Any:
            return (await session.call_tool("memory_get", arguments)).structured_content

        return (
            await get(path="memory/people/jane.md"),
            await get(path="memory/people/nobody.md"),
            await get(path="2031-01-01"),
            [await get(path=path) for path in ("../../etc/passwd", "/etc/passwd", "openclaw-memory.yaml")],
        )

    whole, missing, to_come, refused = talk(workspace, calls=calls)
    assert (whole["lines"], whole["truncated"], whole["nextFrom"]) == (120, True, 121)
    assert whole["text"].endswith("[More content available. Use from=121 to continue.]")
    assert missing["status"] == to_come["status"] == "not_found"
    assert {(one["status"], one["code"], one["text"]) for one in refused} == {("error", "MEMORY_PATH_NOT_ALLOWED", "")}


def test_reads_are_counted(workspace: Path, cli):
    async def calls(session: ClientSession) -> Any:
        await session.call_tool("memory_get", {"path": "memory/people/jane.md"})

    talk(workspace, calls=calls)
    assert cli("decay", cwd=workspace).returncode == 0
    decay = json.loads((workspace / "memory" / "decay.json").read_text())
    assert "memory/people/jane.md" in json.dumps(decay)


def test_context_note_and_fact(workspace: Path):
    async def calls(session: ClientSession) -> Any:
        context = await session.call_tool("memory_context", {"message": "ask jane", "session": "s1"})
        noted = await session.call_tool("memory_note", {"text": "The kiln was repaired.", "at": "2026-03-02T09:30"})
        fact = await session.call_tool("memory_fact", {"entity": "people/jane", "text": "Jane prefers tea."})
        reference = fact.structured_content["fact"]
        newer = await session.call_tool("memory_fact", {"supersedes": reference, "text": "Jane prefers coffee."})
        return context.structured_content, noted.structured_content, reference, newer.structured_content["fact"]

    context, noted, old, new = talk(workspace, calls=calls)
    assert "memory/people/jane.md" in [one["path"] for one in context["files"]]
    assert noted["path"] == "memory/2026-03-02.md"
    assert "The kiln was repaired." in (workspace / noted["path"]).read_text()
    assert (old, new) == ("people/jane:jane-001", "people/jane:jane-002")


def test_wrong_calls_are_tool_errors_that_say_what_is_wrong(workspace: Path):
    async def calls(session: ClientSession) -> Any:
        return [
            await session.call_tool(name, arguments)
            for name, arguments in (
                ("memory_search", {}),
                ("memory_search", {"query": "x", "maxResults": 0}),
                ("memory_search", {"query": "x", "colour": "red"}),
                ("memory_fact", {"text": "floating"}),
                ("memory_forget", {"all": True}),
            )
        ]

    results = talk(workspace, calls=calls)
    for result in results:
        assert result.is_error
        assert "hint:" in result.content[0].text
    assert "there is no tool 'memory_forget' here" in results[-1].content[0].text


def test_transcripts_are_what_was_added_as_transcripts(workspace: Path, cli, tmp_path: Path):
    (tmp_path / "chats").mkdir()
    event = {"type": "message", "message": {"role": "user", "content": "I saw a wryneck"}}
    (tmp_path / "chats" / "a.jsonl").write_text(json.dumps(event) + "\n")
    corpora = (None, "memory", "sessions", "all")

    async def calls(session: ClientSession) -> Any:
        found = {}
        for corpus in corpora:
            arguments = {"query": "wryneck"} | ({"corpus": corpus} if corpus else {})
            found[corpus] = (await session.call_tool("memory_search", arguments)).structured_content
        return found

    assert "no transcripts" in talk(workspace, calls=calls)["sessions"]["error"]
    assert cli("collection", "add", str(tmp_path / "chats"), "--transcripts", cwd=workspace).returncode == 0
    found = talk(workspace, calls=calls)
    said = {
        corpus: [one["source"] for one in found[corpus]["results"] if "wryneck" in one["snippet"]] for corpus in corpora
    }
    assert said == {None: [], "memory": [], "sessions": ["sessions"], "all": ["sessions"]}


def test_read_only_has_no_tool_that_writes(workspace: Path):
    async def calls(session: ClientSession) -> Any:
        listed = await session.list_tools()
        refused = await session.call_tool("memory_note", {"text": "x"})
        return {tool.name for tool in listed.tools}, refused.is_error

    names, refused = talk(workspace, "--read-only", calls=calls)
    assert names == {"memory_search", "memory_get", "memory_context"}
    assert refused


@pytest.mark.skipif(not installed("local"), reason="the extra [local] is not installed")
def test_missing_vectors_are_computed_while_nobody_asks(workspace: Path, cli):
    assert cli("update", cwd=workspace).returncode == 0
    ws = Workspace(workspace)
    assert status(ws).passages_without_vector

    async def calls(session: ClientSession) -> None:
        await session.list_tools()
        with anyio.fail_after(LONG):
            while status(ws).passages_without_vector:
                await anyio.sleep(0.1)

    talk(workspace, calls=calls)


def test_resources_are_the_index_and_the_details_and_nothing_else(workspace: Path):
    async def calls(session: ClientSession) -> Any:
        listed = (await session.list_resources()).resources
        index = await session.read_resource("memory:///MEMORY.md")
        with pytest.raises(Exception, match="no resource"):
            await session.read_resource("memory:///../../etc/passwd")
        return {str(one.uri) for one in listed}, index.contents[0].text

    uris, index = talk(workspace, calls=calls)
    assert {"memory:///MEMORY.md", "memory:///memory/people/jane.md"} <= uris
    assert index == (workspace / "MEMORY.md").read_text().rstrip("\n")


def test_a_resource_is_whole_and_a_line_that_get_cuts_is_said_to_be(workspace: Path):
    long = "word " * 4000
    (workspace / "memory/people/jane.md").write_text(f"# Jane\n\n{long}\n\nthe end\n")
    (workspace / "memory/people/eve.md").write_text(long)

    async def calls(session: ClientSession) -> Any:
        resource = await session.read_resource("memory:///memory/people/jane.md")
        read = [
            (
                await session.call_tool("memory_get", {"path": f"memory/people/{name}.md", "from": first})
            ).structured_content
            for name, first in (("jane", 3), ("eve", 1))
        ]
        return resource.contents[0].text, *read

    whole, jane, eve = talk(workspace, calls=calls)
    assert whole == f"# Jane\n\n{long}\n\nthe end"
    for read, line in ((jane, 3), (eve, 1)):
        assert f"[Line {line} goes on for 8,000 more characters.]" in read["text"]
        assert read["truncated"] is True
    assert jane["nextFrom"] == 4
    assert "nextFrom" not in eve


def test_what_is_no_utf8_ends_no_session(workspace: Path):
    name = os.fsencode(workspace / "memory" / "people") + b"/jos\xe9.md"
    with open(name, "wb") as file:
        file.write(b"# Jos\xe9\n\n- caf\xe9 with a smew\n")

    async def calls(session: ClientSession) -> Any:
        found = await session.call_tool("memory_search", {"query": "smew"})
        uri = next(one.uri for one in (await session.list_resources()).resources if "jos" in str(one.uri))
        return found.structured_content["results"][0]["snippet"], (await session.read_resource(uri)).contents[0].text

    snippet, text = talk(workspace, calls=calls)
    assert "caf? with a smew" in snippet
    assert text == "# Jos?\n\n- caf? with a smew"


def test_what_search_prints_get_reads_whatever_the_name_is_made_of(workspace: Path):
    folder = os.fsencode(workspace / "memory" / "people")
    for name in (b"jos\xe9.md", b"100% %41 #1.md", "caf\u00e9 \U0001f427.md".encode()):
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"# Bird\n\n- a smew called " + str(len(name)).encode() + b"\n")

    async def calls(session: ClientSession) -> Any:
        found = (await session.call_tool("memory_search", {"query": "smew", "maxResults": 9})).structured_content
        return [
            (one, (await session.call_tool("memory_get", {"path": one["path"]})).structured_content)
            for one in found["results"]
        ]

    pairs = talk(workspace, calls=calls)
    assert len(pairs) == 3
    for one, read in pairs:
        assert (read["status"], read["path"]) == ("ok", one["path"])
        assert one["snippet"].partition("\n")[0] in read["text"]
        assert "?" not in one["path"] and one["path"] in one["citation"]


def test_results_say_whose_word_they_are(workspace: Path, cli, tmp_path: Path):
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "a.md").write_text("# A\n\n- The foundry of others.\n")
    assert cli("collection", "add", str(tmp_path / "handbook"), "--name", "handbook", cwd=workspace).returncode == 0

    async def calls(session: ClientSession) -> Any:
        found = await session.call_tool("memory_search", {"query": "foundry", "maxResults": 9})
        return {one["path"]: one["provenance"] for one in found.structured_content["results"]}

    told = talk(workspace, calls=calls)
    jane = (workspace / "memory/people/jane.md").stat().st_mtime_ns // 1_000_000
    assert told["memory/people/jane.md"] == {"originClass": "agent", "sessionKind": "interactive", "observedAt": jane}
    assert told["qmd://handbook/a.md"]["originClass"] == "untrusted"


def test_get_reads_the_files_that_the_host_allows_beside_the_memory(workspace: Path, tmp_path: Path):
    (workspace / "USER.md").write_text("# User\n\n- Prefers short answers.\n")
    (tmp_path / "secret.md").write_text("secret")
    (workspace / "DREAMS.md").symlink_to(tmp_path / "secret.md")
    (workspace / "SOUL.md").write_text("# Soul\n")

    async def calls(session: ClientSession) -> Any:
        names = ("USER.md", "dreams.md", "DREAMS.md", "SOUL.md")
        return [(await session.call_tool("memory_get", {"path": name})).structured_content for name in names]

    user, missing, link, soul = talk(workspace, calls=calls)
    assert (user["status"], user["lines"]) == ("ok", 3)
    assert "short answers" in user["text"]
    assert missing["status"] == "not_found"
    assert (link["status"], link["text"]) == ("error", "")
    assert soul["code"] == "MEMORY_PATH_NOT_ALLOWED"


def test_all_schemas_together_stay_small(cli):
    printed = json.loads(cli("mcp", "--print-tools").stdout)["tools"]
    assert len(json.dumps(printed, separators=(",", ":"))) < 5000
    assert {tool["name"] for tool in printed} >= {"memory_search", "memory_get", "memory_context"}


def test_standard_output_is_frames_only_and_the_server_ends_with_its_client(workspace: Path):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    hello["params"] = {  # type: ignore[assignment]
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    search = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
    search["params"] = {"name": "memory_search", "arguments": {"query": "foundry"}}  # type: ignore[assignment]
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    server = subprocess.Popen(
        [sys.executable, "-m", "openclaw_memory", "mcp", "-w", str(workspace)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    frames = []
    for message, answered in ((hello, True), (ready, False), (search, True)):
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        if answered:
            frames.append(json.loads(server.stdout.readline()))
    server.stdin.close()
    rest = server.stdout.read()
    assert server.wait(LONG) == 0
    assert [frame["id"] for frame in frames] == [1, 2]
    assert rest == ""


@pytest.mark.skipif(not installed("local"), reason="the extra [local] is not installed")
def test_a_client_may_go_while_vectors_are_computed(workspace: Path):
    for number in range(40):
        text = f"# N {number}\n\n" + f"- a line about {number}\n\n" * 40
        (workspace / f"memory/people/n{number}.md").write_text(text)
    ws = Workspace(workspace)
    update(ws)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    search = {"name": "memory_search", "arguments": {"query": "a line"}}
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": search},
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "openclaw_memory", "mcp", "-w", str(workspace)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None and server.stdout is not None
    for one in calls:
        server.stdin.write(json.dumps(one) + "\n")
        server.stdin.flush()
    assert [json.loads(server.stdout.readline())["id"] for _ in range(2)] == [1, 2]
    every = status(ws).passages_without_vector
    assert soon(lambda: 0 < status(ws).passages_without_vector < every)
    _, said = server.communicate(timeout=LONG)
    assert (server.returncode, said) == (0, "")


@pytest.fixture
def http(workspace: Path) -> Iterator[tuple[str, str]]:
    server = subprocess.Popen(
        [sys.executable, "-m", "openclaw_memory", "mcp", "--http", "--port", "0", "-w", str(workspace)],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    line = server.stderr.readline()
    url = line.split()[1].rstrip(";")
    yield url, (workspace / ".openclaw-memory" / "mcp-token").read_text()
    server.terminate()
    server.wait(LONG)


def test_http_with_the_token(http: tuple[str, str]):
    import httpx2 as httpx

    url, token = http

    async def go() -> Any:
        async with (
            httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=LONG) as client,
            streamable_http_client(url, http_client=client) as streams,
            ClientSession(*streams[:2]) as session,
        ):
            await session.initialize()
            return (await session.call_tool("memory_search", {"query": "foundry"})).structured_content

    assert anyio.run(go)["results"][0]["path"] == "memory/people/jane.md"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": "Basic {token}"}, 401),
        ({"Authorization": "bearer {token}", "Origin": "null"}, 403),
        ({"Authorization": "Bearer {token}", "Origin": "http://evil.example"}, 403),
        ({"Authorization": "Bearer {token}", "Host": "evil.example"}, 421),
    ],
)
def test_http_refuses_strangers(http: tuple[str, str], headers: dict[str, str], status: int):
    import urllib.error
    import urllib.request

    url, token = http
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(url, body, {k: v.format(token=token) for k, v in sent.items()})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=LONG)
    assert refused.value.code == status


def test_the_token_is_its_owners_only(http: tuple[str, str], workspace: Path):
    assert (workspace / ".openclaw-memory" / "mcp-token").stat().st_mode & 0o777 == 0o600


def test_one_token_is_made_whatever_was_left_of_another(workspace: Path):
    ws = Workspace(workspace)
    kept = ws.state_dir / "mcp-token"
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: token_of(ws), range(16)))
    assert tokens == {kept.read_text()}
    kept.write_text("")
    kept.chmod(0o644)
    assert len(token_of(ws)) > 40
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_taken_port_is_said(http: tuple[str, str], workspace: Path, cli):
    port = http[0].split(":")[2].split("/")[0]
    done = cli("mcp", "--http", "--port", port, "-w", str(workspace))
    assert done.returncode == 2
    assert f"port {port} cannot be taken" in done.stderr

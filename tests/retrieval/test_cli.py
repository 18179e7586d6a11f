from __future__ import annotations

import csv
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest

from openclaw_memory.cli.main import main
from openclaw_memory.retrieval import collections
from openclaw_memory.workspace import Workspace

Out = pytest.CaptureFixture[str]


def run(ws: Workspace, *words: str) -> int:
    return main([words[0], *words[1:], "--workspace", str(ws.root)])


def test_json_rows(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "search", "green", "tea", "--json") == 0
    (row, *_) = json.loads(capsys.readouterr().out)
    assert set(row) == {
        "file",
        "collection",
        "path",
        "startLine",
        "endLine",
        "line",
        "title",
        "heading",
        "score",
        "snippet",
        "context",
        "id",
    }
    assert row["file"] == "qmd://memory/people/jane.md"
    assert "docid" not in row


@pytest.mark.parametrize("flag", ["--json", "--csv", "--xml", "--md", "--files"])
def test_machine_formats_are_pure_even_with_odd_text(ws: Workspace, capsys: Out, flag: str) -> None:
    (ws.root / 'memory/a"b<c>&, d.md').write_text('# T "x" <y>\n\nodd whydah ]]> & "quoted", <tag>\n')
    assert run(ws, "search", "whydah", flag) == 0
    out = capsys.readouterr().out
    if flag == "--json":
        assert json.loads(out)
    elif flag == "--csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert rows[0]["file"] == 'qmd://memory/a"b<c>&, d.md'
    elif flag == "--xml":
        assert ElementTree.fromstring(f"<r>{out}</r>")[0].get("title") == 'T "x" <y>'
    else:
        assert "whydah" in out or flag == "--files"


def test_nothing_found(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "search", "zzzz") == 0
    assert capsys.readouterr().out == "No results found.\n"
    assert run(ws, "search", "zzzz", "--json") == 0
    assert json.loads(capsys.readouterr().out) == []


def test_the_envelope_says_how_fresh(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "search", "tea", "--envelope") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["version"] == 1
    assert told["index"] == {"state": "fresh", "pending": 0, "notes": []}
    assert told["results"]


@pytest.mark.parametrize(
    "words",
    [["search", "x", "--glob"], ["search", "x", "--jsn"], ["search", "x", "-n", "0"], ["update", "--all"]]
    + [["search", "x", "--min-score", bad] for bad in ("2", "-0.1", "nan", "x")]
    + [["get", "jane", "-l", "0"], ["get", "jane", "--from", "-4"], ["watch", "--debounce", "-5"]]
    + [["multi-get", "jane", "--max-bytes", "0"], ["mcp", "--http", "--port", "99999"]],
)
def test_unknown_flags_are_errors(ws: Workspace, words: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        run(ws, *words)
    assert error.value.code == 2


@pytest.mark.parametrize("words", [["embed", "--seconds"], ["serve", "--idle"]])
@pytest.mark.parametrize("wrong", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_is_above_nothing_and_ends(ws: Workspace, words: list[str], wrong: str, capsys: Out) -> None:
    with pytest.raises(SystemExit):
        run(ws, *words, wrong)
    assert f"{wrong!r} is no number of seconds" in capsys.readouterr().err


def test_flags_of_qmd(ws: Workspace, capsys: Out) -> None:
    assert (
        run(
            ws,
            "search",
            "tea",
            "-c",
            "memory-root",
            "-c",
            "memory",
            "-n",
            "1",
            "--min-score",
            "0",
            "--all",
            "--line-numbers",
            "--full",
            "--no-update",
        )
        == 0
    )
    run(ws, "update")
    capsys.readouterr()
    assert run(ws, "search", "tea", "--full", "--line-numbers", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["body"].startswith("1: # Jane Doe\n2: ")


def test_an_unknown_collection_is_an_error(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "search", "tea", "-c", "nope") == 2
    assert "memory-root" in capsys.readouterr().err


def test_a_batch(ws: Workspace, tmp_path: Path, capsys: Out) -> None:
    batch = tmp_path / "queries.jsonl"
    batch.write_text('{"id": "a", "query": "green tea"}\n\n{"id": 2, "query": "zzzz"}\n')
    assert run(ws, "search", "--batch", str(batch)) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["id"], line["status"], len(line["results"])) for line in lines] == [("a", "ok", 1), (2, "ok", 0)]
    for wrong in ("nothing", '{"query": null}', '{"query": ["tea"]}', '{"id": 1}', "[1]"):
        batch.write_text(wrong)
        assert run(ws, "search", "--batch", str(batch)) == 2
        assert "queries.jsonl:1" in capsys.readouterr().err
    batch.write_bytes(b'\xef\xbb\xbf{"id": 1, "query": "green tea"}\r\n')
    assert run(ws, "search", "--batch", str(batch)) == 0
    assert json.loads(capsys.readouterr().out)["id"] == 1
    batch.write_text('{"id": 1, "query": "half \\ud83d green tea"}\n{"id": 2, "query": "tea"}')
    assert run(ws, "search", "--batch", str(batch)) == 0
    assert [len(json.loads(line)["results"]) for line in capsys.readouterr().out.splitlines()] == [1, 1]
    batch.write_text('{"query": "tea"}')
    assert run(ws, "search", "--batch", str(batch), "more", "words") == 2


def test_collections(ws: Workspace, tmp_path: Path, capsys: Out) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.txt").write_text("the text jacana\n")
    assert run(ws, "collection", "add", str(other), "--name", "texts", "--mask", "*.txt,*.md") == 0
    assert "4 new" in capsys.readouterr().out
    assert run(ws, "search", "jacana", "--files") == 0
    assert "qmd://texts/x.txt" in capsys.readouterr().out
    assert run(ws, "collection", "rename", "texts", "words") == 0
    for bad in ("a/b", "", " ", ".x", "a\nb", "memory"):
        assert run(ws, "collection", "rename", "words", bad) == 2
    assert run(ws, "collection", "exclude", "words") == 0
    capsys.readouterr()
    assert run(ws, "search", "jacana", "--json") == 0
    assert json.loads(capsys.readouterr().out) == []
    assert run(ws, "search", "jacana", "-c", "words", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == 1
    assert run(ws, "collection", "list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["included"]) for one in listed] == [
        ("words", False),
        ("memory-root", True),
        ("memory", True),
    ]
    assert {"path", "pattern", "mask"} <= set(listed[0])
    assert run(ws, "collection", "remove", "words") == 0
    capsys.readouterr()
    assert run(ws, "collection", "show", "words") == 2
    assert "'words' does not exist" in capsys.readouterr().err, "older hosts look for these words"
    assert run(ws, "collection", "add", str(other), "--name", "memory") == 2
    assert "collection 'memory' already exists" in capsys.readouterr().err, "and for these"


def test_a_collection_of_the_layout_is_excluded_when_it_is_removed(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "collection", "remove", "memory") == 0
    assert capsys.readouterr().out.startswith("collection excluded: memory ")
    assert run(ws, "collection", "show", "memory") == 0
    assert "included: False" in capsys.readouterr().out
    assert run(ws, "collection", "include", "memory") == 0


def test_a_wrong_folder_is_an_error_before_anything_is_kept(ws: Workspace, tmp_path: Path, capsys: Out) -> None:
    assert run(ws, "collection", "add", str(tmp_path / "nothing"), "--name", "n") == 2
    with pytest.raises(SystemExit):
        run(ws, "collection", "add")
    assert not (ws.root / ".openclaw-memory/collections.json").exists()


def test_a_mask_that_can_fit_nothing_is_an_error(ws: Workspace, tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "other").mkdir()
    for mask in (",", " , ", "../*.md", "**/*.md,a/../../b.md", "/etc/*.conf"):
        assert run(ws, "collection", "add", str(tmp_path / "other"), "--mask", mask) == 2
        assert repr(mask) in capsys.readouterr().err
    assert run(ws, "collection", "add", str(tmp_path / "other"), "--mask", "a..b.md,...*/*.md") == 0
    (ws.root / "openclaw-memory.yaml").write_text("memory:\n  paths: [{path: memory, name: m, pattern: '../*.md'}]\n")
    assert run(ws, "search", "tea") == 0
    assert "'../*.md' leads out of the folder" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["collection", "add", ""], ["search", "tea", "-w", ""], ["eval", ""], ["init", ""]])
def test_an_empty_name_is_not_the_current_folder(words: list[str], capsys: Out) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "the name is empty" in capsys.readouterr().err


def test_collections_and_notes_that_are_changed_at_once_all_count(ws: Workspace, tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(8)]
    for name in names:
        (tmp_path / name).mkdir()
    calls = [["collection", "add", str(tmp_path / name), "--no-index"] for name in names]
    calls += [["context-note", "add", f"memory/{name}", name] for name in names]
    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(lambda words: run(ws, *words), calls)) == {0}
    held = collections.read(ws)
    assert {one.name for one in held.collections} == {one.text for one in held.notes} == set(names)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda name: run(ws, "collection", "remove", name), names))
    assert collections.read(ws).collections == ()


def test_a_note_on_a_folder_that_is_not_there_is_said(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "context-note", "add", "memory/peeple", "friends") == 0
    assert "there is no" in capsys.readouterr().err
    assert run(ws, "context-note", "add", "memory/people", "friends") == 0
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter any folder")
def test_a_state_folder_that_cannot_be_entered_is_an_error(ws: Workspace, capsys: Out) -> None:
    ws.state_dir.chmod(0)
    try:
        for words in (["search", "tea"], ["ls"], ["get", "jane"], ["status"], ["note", "hello"]):
            assert run(ws, *words) == 2
            assert "ermission denied" in capsys.readouterr().err
    finally:
        ws.state_dir.chmod(0o755)


@pytest.mark.parametrize("flag", ["--md", "--csv", "--xml"])
def test_whole_files_are_whole_in_every_format(ws: Workspace, capsys: Out, flag: str) -> None:
    assert run(ws, "search", "tea", "--full", "--line-numbers", flag) == 0
    assert "1: # Jane Doe\n2: \n3: - Drinks green tea.\n4: - Works" in capsys.readouterr().out


def test_bytes_that_are_no_text_are_json_for_any_reader(ws: Workspace, capsys: Out) -> None:
    (ws.root / "memory/raw.md").write_bytes(b"the raw \xff whydah\n")
    for words in (["search", "whydah", "--full"], ["get", "memory/raw.md"], ["multi-get", "memory/raw.md"]):
        assert run(ws, *words, "--json") == 0
        out = capsys.readouterr().out
        assert "the raw ? whydah" in out
        assert "\\ud" not in out


def test_notes_are_shown_with_results(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "context-note", "add", "qmd://memory/people", "who is who") == 0
    assert run(ws, "search", "green tea", "--json") == 0
    assert json.loads(capsys.readouterr().out.partition("\n")[2])[0]["context"] == "who is who"
    assert run(ws, "context-note", "add", "/", "all of it") == 0
    assert "/  all of it\n" in capsys.readouterr().out
    assert run(ws, "search", "green tea", "--json") == 0
    assert json.loads(capsys.readouterr().out)[0]["context"] == "all of it\nwho is who"
    assert run(ws, "context-note", "rm", "/") == 0
    assert run(ws, "context-note", "add", "memory", " ") == 2
    assert run(ws, "context-note", "rm", "memory/people") == 0
    assert run(ws, "context-note", "rm", "memory/people") == 2


def test_get_counts_as_an_access(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "get", "memory/people/jane.md:3:1", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["status"], told["text"], told["from"], told["to"]) == ("ok", "- Drinks green tea.", 3, 3)
    journal = (ws.root / ".openclaw-memory/access.jsonl").read_text()
    assert json.loads(journal)["path"] == "memory/people/jane.md"
    assert run(ws, "get", "2031-01-01", "--json") == 0
    assert json.loads(capsys.readouterr().out)["status"] == "not_found"
    assert run(ws, "get", "nobody") == 2


def test_multi_get_names_what_it_leaves_out(ws: Workspace, capsys: Out) -> None:
    (ws.root / "memory/large.md").write_text("word " * 9000)
    run(ws, "update")
    capsys.readouterr()
    assert run(ws, "multi-get", "memory/**/*.md", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["path"] for one in told["documents"]] == ["2031-05-08.md", "people/jane.md"]
    assert "10,240" in told["skipped"][0]["why"]
    assert run(ws, "multi-get", "jane, nobody", "--files") == 0
    told = capsys.readouterr()
    assert [line.split(",")[1] for line in told.out.splitlines()] == ["qmd://memory/people/jane.md"]
    assert "skipped nobody: no document is called 'nobody'" in told.err
    assert run(ws, "multi-get", "jane,2031-05-08", "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["file"] for row in rows] == ["qmd://memory/people/jane.md", "qmd://memory/2031-05-08.md"]
    assert rows[0]["text"].startswith("# Jane Doe\n")
    for nothing in ("*.nothing", "nobody", ""):
        assert run(ws, "multi-get", nothing) == 2


def test_lines_behind_the_end_are_said_to_be(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "get", "memory/people/jane.md:99") == 0
    assert capsys.readouterr() == ("", "qmd://memory/people/jane.md has 4 lines\n")


def test_ls_status_cleanup(ws: Workspace, capsys: Out) -> None:
    assert run(ws, "status") == 0
    assert "none yet" in capsys.readouterr().out
    run(ws, "update")
    capsys.readouterr()
    assert run(ws, "ls", "memory/people", "--json") == 0
    assert [one["path"] for one in json.loads(capsys.readouterr().out)["files"]] == ["people/jane.md"]
    (ws.root / "memory/new.md").write_text("x")
    assert run(ws, "status", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["state"], told["files"], told["vectors"]) == ("stale", 3, 0)
    assert [one["pending"] for one in told["collections"]] == [0, 1]
    assert run(ws, "cleanup", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["after"] <= told["before"]


def test_bench_indexes_first_and_says_where_there_is_nothing(ws: Workspace, tmp_path: Path, capsys: Out) -> None:
    assert run(ws, "bench", "-n", "2", "--json") == 0
    assert json.loads(capsys.readouterr().out)["queries"] == 2
    (tmp_path / "none").mkdir()
    (tmp_path / "none/openclaw-memory.yaml").write_text("version: 1\n")
    assert main(["bench", "--workspace", str(tmp_path / "none")]) == 2


def test_eval_and_bench(ws: Workspace, tmp_path: Path, capsys: Out) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"query": "green tea", "expected": "jane.md"}\n{"query": "zzzz", "expected": "jane.md"}\n')
    assert run(ws, "eval", str(cases), "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["hit@1"], told["mrr@10"], told["missed"][0]["query"]) == (0.5, 0.5, "zzzz")
    assert run(ws, "bench", "--json") == 0
    assert json.loads(capsys.readouterr().out)["queries"] == 3
    asks = '{"query": "x", "expected": "y", "expected_in_top_k": %s}'
    others = ('{"query": 5, "expected": "y"}', '{"query": "x", "expected": {"a": 1}}', asks % '"z"', asks % "0")
    for wrong in ('{"query": "x"}', "", "[]", *others):
        cases.write_text(wrong)
        assert run(ws, "eval", str(cases)) == 2


def test_citations(ws: Workspace, capsys: Out) -> None:
    (ws.root / "openclaw-memory.yaml").write_text("version: 1\nmemory:\n  citations: 'on'\n")
    assert run(ws, "search", "green tea", "--json") == 0
    assert json.loads(capsys.readouterr().out)[0]["snippet"].endswith("Source: memory/people/jane.md#L3-L3")


def test_an_index_that_is_not_there_is_never_just_nothing_found(ws: Workspace, capsys: Out) -> None:
    for verb in ("search", "query"):
        assert run(ws, verb, "tea", "--no-update") == 0
        assert "nothing is indexed yet" in capsys.readouterr().err
    assert run(ws, "search", "tea", "--no-update", "--envelope") == 0
    assert "nothing is indexed yet" in json.loads(capsys.readouterr().out)["index"]["notes"][0]


def test_one_hit_is_one_line_and_xml_is_xml_whatever_was_written(ws: Workspace, capsys: Out) -> None:
    (ws.root / "memory/odd\nname.md").write_text("a \x01 whydah \x0b here\n")
    run(ws, "context-note", "add", "memory", 'said "so"')
    run(ws, "context-note", "add", "memory/odd", "more")
    capsys.readouterr()
    assert run(ws, "search", "whydah", "--files") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith('qmd://memory/odd%0Aname.md,"said ""so"""')
    assert run(ws, "search", "whydah", "--xml") == 0
    assert "whydah" in (ElementTree.fromstring(capsys.readouterr().out).text or "")


def test_a_missing_folder_is_an_error_of_update_and_keeps_its_rows(ws: Workspace, tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away/a.md").write_text("the jacana\n")
    assert run(ws, "collection", "add", str(tmp_path / "away")) == 0
    (tmp_path / "away").rename(tmp_path / "gone")
    assert run(ws, "update") == 1
    assert "skipped: away: " in capsys.readouterr().out
    (tmp_path / "gone").rename(tmp_path / "away")
    assert run(ws, "update") == 0
    assert "0 new" in capsys.readouterr().out


def test_operators_that_no_file_fits_are_said_to_be(ws: Workspace, capsys: Out) -> None:
    for verb in ("search", "query"):
        assert run(ws, verb, "tea kind:nothing", "--json") == 0
        told = capsys.readouterr()
        assert json.loads(told.out) == []
        assert "no file fits the operators" in told.err

"""`index` and `active` on real workspaces, in processes of their own, with real git."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

INDEX = """# Memory

## Active Context

## People

- [Ana](memory/people/ana.md): boss <!-- trigger: ana -->
"""


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, newline="")


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    write(tmp_path, "openclaw-memory.yaml", "version: 1\n")
    write(tmp_path, "MEMORY.md", INDEX)
    write(tmp_path, "memory/people/ana.md", "# Ana\n")
    write(
        tmp_path,
        "memory/people/ken.md",
        "---\ntriggers: [ken, sensei]\nabout: teacher\n---\n# Ken Sato\nsee [a](ana.md)\n",
    )
    write(
        tmp_path, "memory/projects/loja.md", "# Loja online\n[k](../people/ken.md#x) `memory/people/ken.md` [[ken]]\n"
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "start")
    return tmp_path


def rev(root: Path, path: str) -> str:
    return git(root, "hash-object", path)[:6]


def index(root: Path) -> str:
    return (root / "MEMORY.md").read_bytes().decode()


def test_sync_adds_orphans_with_what_they_say_of_themselves_and_then_has_nothing_to_do(ws: Path, cli: Run) -> None:
    done = cli("index", "sync")
    assert done.returncode == 0, done.stderr
    ana, ken, loja = (rev(ws, f"memory/{name}.md") for name in ("people/ana", "people/ken", "projects/loja"))
    assert index(ws) == INDEX.replace("ana -->", f"ana --> <!-- rev: {ana} -->") + (
        f"- [Ken Sato](memory/people/ken.md): teacher <!-- trigger: ken, sensei --> <!-- rev: {ken} -->\n"
        "\n## Projects\n\n"
        f"- [Loja online](memory/projects/loja.md) <!-- trigger: loja online, loja --> <!-- rev: {loja} -->\n"
    )
    before = (ws / "MEMORY.md").stat()
    again = cli("index", "sync")
    assert again.stdout == "nothing to change\n"
    assert (ws / "MEMORY.md").stat().st_mtime_ns == before.st_mtime_ns


def test_sync_follows_a_changed_file_and_says_what_it_did(ws: Path, cli: Run) -> None:
    cli("index", "sync", "--commit")
    write(ws, "memory/people/ana.md", "---\ntriggers: [chief]\nabout: leads the shop\n---\n# Ana\n")
    told = json.loads(cli("index", "sync", "--json", "--commit").stdout)
    assert (told["version"], told["updated"], told["added"]) == (1, ["memory/people/ana.md"], [])
    [line] = [line for line in index(ws).splitlines() if "ana.md" in line]
    assert line == (
        "- [Ana](memory/people/ana.md): leads the shop <!-- trigger: ana, chief -->"
        f" <!-- rev: {rev(ws, 'memory/people/ana.md')} -->"
    )
    assert set(git(ws, "show", "--name-only", "--format=").split()) == {"MEMORY.md", "memory/people/ana.md"}


def test_sync_drops_what_git_proves_deleted_and_keeps_what_nothing_proves(ws: Path, cli: Run) -> None:
    cli("index", "sync", "--commit")
    (ws / "MEMORY.md").write_text(index(ws) + "- [Never](memory/projects/never.md)\n")
    (ws / "memory/projects/loja.md").unlink()
    told = json.loads(cli("index", "sync", "--json").stdout)
    assert (told["dropped"], told["dead"]) == (["memory/projects/loja.md"], ["memory/projects/never.md"])
    assert "loja" not in index(ws) and "never.md" in index(ws)


def test_sync_follows_a_renamed_file_with_its_words(ws: Path, cli: Run) -> None:
    cli("index", "sync", "--commit")
    (ws / "memory/people/ana").mkdir()
    (ws / "memory/people/ana.md").rename(ws / "memory/people/ana/summary.md")
    told = json.loads(cli("index", "sync", "--json").stdout)
    assert told["moved"] == [{"from": "memory/people/ana.md", "to": "memory/people/ana/summary.md"}]
    assert "- [Ana](memory/people/ana/summary.md): boss <!-- trigger: ana -->" in index(ws)


def test_sync_leaves_what_leads_out_and_does_the_rest(
    ws: Path, cli: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("# Secret\n")
    (ws / "memory/people/ana.md").unlink()
    (ws / "memory/people/ana.md").symlink_to(outside)
    write(ws, "memory/people/new.md", "# New\n")
    done = cli("index", "sync", cwd=ws)
    assert "added    memory/people/new.md" in done.stdout
    assert f"left     memory/people/ana.md leads out of the workspace, to {outside}" in done.stdout
    text = (ws / "MEMORY.md").read_text()
    assert "- [Ana](memory/people/ana.md): boss <!-- trigger: ana -->\n" in text
    assert "memory/people/new.md" in text
    assert done.returncode == 1
    assert json.loads(cli("index", "sync", "--json", cwd=ws).stdout)["left"][0]["path"] == "memory/people/ana.md"


def test_sync_without_revs_adds_none(ws: Path, cli: Run) -> None:
    write(ws, "openclaw-memory.yaml", "version: 1\nindex:\n  revs: false\n")
    assert cli("index", "sync").returncode == 0
    assert "rev:" not in index(ws)


def test_revs_are_of_the_content_as_git_stores_it(ws: Path, cli: Run) -> None:
    write(ws, ".gitattributes", "*.md text eol=crlf\n")
    write(ws, "memory/people/ana.md", "# Ana\r\nmore\r\n")
    cli("index", "sync")
    stored = subprocess.run(
        ["git", "hash-object", "--stdin"], input=b"# Ana\nmore\n", cwd=ws, capture_output=True, check=True
    ).stdout.decode()[:6]
    assert f"trigger: ana --> <!-- rev: {stored} -->" in index(ws)


def test_add_takes_words_from_the_call_and_the_rest_from_the_file(ws: Path, cli: Run) -> None:
    done = cli("index", "add", "memory/people/ken.md", "--trigger", "k s", "--trigger", "先生", "--commit")
    assert done.returncode == 0, done.stderr
    assert "- [Ken Sato](memory/people/ken.md): teacher <!-- trigger: k s, 先生 -->" in index(ws)
    again = cli("index", "add", "memory/people/ken.md", "--trigger", "k s")
    assert again.stdout == "nothing to change\n"
    assert cli("index", "add", "memory/people/ken.md", "--trigger", "third", "--about", "a teacher").returncode == 0
    assert "(memory/people/ken.md): a teacher <!-- trigger: k s, 先生, third -->" in index(ws)


@pytest.mark.parametrize("word", ["a,b", "a;b", "x --> y", "一、二", "a\nb", "  "])
def test_a_trigger_that_cannot_be_written_is_refused(ws: Path, cli: Run, word: str) -> None:
    done = cli("index", "add", "memory/people/ken.md", "--trigger", word)
    assert done.returncode == 2
    assert "trigger" in done.stderr
    assert index(ws) == INDEX


@pytest.mark.parametrize(
    ("path", "said"),
    [("memory/people/nobody.md", "does not exist"), ("../x.md", "not inside"), ("MEMORY.md", "the index itself")],
)
def test_what_cannot_be_added_is_told(ws: Path, cli: Run, path: str, said: str) -> None:
    done = cli("index", "add", path)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert index(ws) == INDEX


def test_rm_shows_every_line_of_the_entry(ws: Path, cli: Run) -> None:
    text = INDEX.replace("## Active Context\n", "## Active Context\n\n- memory/people/ana.md\n")
    write(
        ws,
        "MEMORY.md",
        text + "\n## Quick Reference\n\n| Who | File | Triggers |\n|--|--|--|\n| Ana | memory/people/ana.md | a |\n",
    )
    done = cli("index", "rm", "ana")
    assert done.stdout.splitlines()[:3] == [
        "MEMORY.md:5: - memory/people/ana.md",
        "MEMORY.md:9: - [Ana](memory/people/ana.md): boss <!-- trigger: ana -->",
        "MEMORY.md:15: | Ana | memory/people/ana.md | a |",
    ]
    assert "ana.md" not in index(ws)
    assert (ws / "memory/people/ana.md").exists()


def test_a_commit_of_what_was_brought_up_to_date_before_is_told(ws: Path, cli: Run) -> None:
    cli("index", "sync")
    done = cli("index", "sync", "--commit")
    assert done.stdout == f"MEMORY.md is up to date ({git(ws, 'rev-parse', 'HEAD')[:10]})\n"
    assert git(ws, "status", "--porcelain") == ""
    assert cli("index", "sync", "--commit").stdout == "nothing to change\n"


def test_a_name_that_no_line_can_hold(ws: Path, cli: Run) -> None:
    path = "memory/people/a\rb\nc.md"
    write(ws, path, "no title\n")
    assert r"? memory/people/a\rb\nc.md  not in the index: openclaw-memory index sync" in cli("index", "list").stdout
    assert cli("index", "sync").returncode == 0
    assert "- [A b c](memory/people/a%0Db%0Ac.md) <!-- trigger: a b c -->" in index(ws)
    assert r"memory/people/a\rb\nc.md is now" in cli("index", "mv", path, "memory/people/abc.md").stdout


def test_mv_takes_every_link_along(ws: Path, cli: Run) -> None:
    cli("index", "sync", "--commit")
    done = cli("index", "mv", "memory/people/ken.md", "memory/people/ken/summary.md", "--commit")
    assert done.returncode == 0, done.stderr
    assert (ws / "memory/projects/loja.md").read_text() == (
        "# Loja online\n[k](../people/ken/summary.md#x) `memory/people/ken/summary.md` [[summary]]\n"
    )
    assert (ws / "memory/people/ken/summary.md").read_text().endswith("see [a](../ana.md)\n")
    assert not (ws / "memory/people/ken.md").exists()
    for path in ("memory/people/ken/summary.md", "memory/projects/loja.md"):
        assert f"<!-- rev: {rev(ws, path)} -->" in index(ws)
    assert git(ws, "status", "--porcelain") == ""
    assert cli("index", "sync").stdout == "nothing to change\n"


def test_mv_refuses_to_overwrite_and_leaves_everything(ws: Path, cli: Run) -> None:
    done = cli("index", "mv", "memory/people/ken.md", "memory/people/ana.md")
    assert (done.returncode, "exists already" in done.stderr) == (2, True)
    assert git(ws, "status", "--porcelain") == ""


def test_mv_brings_a_file_that_changed_up_to_date(ws: Path, cli: Run) -> None:
    cli("init")
    cli("index", "sync", "--commit")
    write(ws, "memory/people/ken.md", "# Ken, again\n")
    done = cli("index", "mv", "memory/people/ken.md", "memory/people/kenji.md", "--commit")
    assert done.returncode == 0, done.stderr
    assert f"<!-- rev: {rev(ws, 'memory/people/kenji.md')} -->" in index(ws)


def test_mv_after_the_fact_rewrites_the_links_once(ws: Path, cli: Run) -> None:
    (ws / "memory/people/ana.md").rename(ws / "memory/people/anna.md")
    assert cli("index", "mv", "memory/people/ana.md", "memory/people/anna.md").returncode == 0
    assert "(memory/people/anna.md)" in index(ws)
    again = cli("index", "mv", "memory/people/ana.md", "memory/people/anna.md")
    assert (again.returncode, "memory/people/ana.md does not exist, and no link names it" in again.stderr) == (2, True)


def test_mv_of_a_folder_takes_all_files_in_it(ws: Path, cli: Run) -> None:
    write(ws, "memory/people/data.json", "[]\n")
    assert cli("index", "mv", "memory/people", "memory/folk").returncode == 0
    assert sorted(path.name for path in (ws / "memory/folk").iterdir()) == ["ana.md", "data.json", "ken.md"]
    assert "(memory/folk/ana.md)" in index(ws)


def test_active_context_takes_files_only(ws: Path, cli: Run) -> None:
    done = cli("active", "add", "memory/people")
    assert (done.returncode, "memory/people/ is a folder" in done.stderr) == (2, True)
    assert git(ws, "status", "--porcelain") == ""


def test_a_fourth_active_file_is_refused_and_the_coldest_named(ws: Path, cli: Run) -> None:
    for name in ("a", "b", "c", "d"):
        write(ws, f"memory/projects/{name}.md", f"# {name}\n")
    folded = [
        {"path": f"memory/projects/{name}.md", "last_accessed": day, "access_count": 1, "temperature": heat}
        for name, day, heat in (("a", "2026-03-09", "hot"), ("b", "2026-01-02", "cold"), ("c", "2026-03-01", "warm"))
    ]
    write(ws, "memory/decay.json", json.dumps(folded))
    for name in ("a", "b", "c"):
        assert cli("active", "add", f"memory/projects/{name}.md").returncode == 0
    full = cli("active", "add", "memory/projects/d.md")
    assert full.returncode == 2
    assert "the coldest is memory/projects/b.md" in full.stderr
    assert cli("active", "rm", "memory/projects/b.md").returncode == 0
    assert cli("active", "add", "memory/projects/d.md").returncode == 0
    assert json.loads(cli("active", "list", "--json").stdout) == {
        "version": 1,
        "active": [f"memory/projects/{name}.md" for name in ("a", "c", "d")],
        "cap": 3,
    }


def test_dry_run_prints_the_diff_and_writes_nothing(ws: Path, cli: Run) -> None:
    done = cli("index", "add", "memory/people/ken.md", "--dry-run")
    assert "+- [Ken Sato](memory/people/ken.md)" in done.stdout
    assert git(ws, "status", "--porcelain") == ""


def test_an_unclosed_fence_refuses_every_write_and_says_why(ws: Path, cli: Run) -> None:
    write(ws, "MEMORY.md", INDEX + "\n```bash\necho hi\n| Loja | `memory/projects/loja.md` | loja |\n")
    done = cli("index", "add", "memory/people/ken.md")
    assert done.returncode == 2
    assert "MEMORY.md:9: the code fence opened here is never closed and hides 1 index row" in done.stderr
    write(ws, "MEMORY.md", "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n")
    assert "merge conflict markers" in cli("index", "sync").stderr


def test_list_marks_active_dead_and_orphans(ws: Path, cli: Run) -> None:
    write(ws, "MEMORY.md", INDEX + "- [Gone](memory/gone.md)\n")
    cli("active", "add", "memory/people/ana.md")
    listed = cli("index", "list").stdout.splitlines()
    assert listed[0] == "* memory/people/ana.md  [ana]  boss"
    assert "! memory/gone.md" in listed
    assert "? memory/people/ken.md  not in the index: openclaw-memory index add memory/people/ken.md" in listed
    told = json.loads(cli("index", "list", "--json").stdout)
    assert told["orphans"] == ["memory/people/ken.md", "memory/projects/loja.md"]


def test_crlf_bom_and_a_missing_last_newline_survive(ws: Path, cli: Run) -> None:
    write(ws, "MEMORY.md", "\ufeff# Memory\r\n\r\n## People\r\n| Ana | memory/people/ana.md | ana |")
    assert cli("index", "add", "memory/people/ken.md").returncode == 0
    lines = (ws / "MEMORY.md").read_bytes().split(b"\r\n")
    assert lines[:4] == [b"\xef\xbb\xbf# Memory", b"", b"## People", b"| Ana | memory/people/ana.md | ana |"]
    assert lines[4].startswith(b"| Ken Sato | memory/people/ken.md | ken, sensei ") and lines[5:] == [b""]


def test_eight_writers_at_once_lose_no_edit(ws: Path) -> None:
    names = [f"w{number}" for number in range(8)]
    for name in names:
        write(ws, f"memory/resources/{name}.md", f"# {name}\n")
    command = [sys.executable, "-m", "openclaw_memory", "index", "add"]
    running = [
        subprocess.Popen(
            [*command, f"memory/resources/{name}.md", "--trigger", f"t {name}"], cwd=ws, stderr=subprocess.PIPE
        )
        for name in names
    ]
    assert [process.communicate()[1] for process in running] == [b""] * 8
    text = index(ws)
    assert all(f"(memory/resources/{name}.md) <!-- trigger: t {name} -->" in text for name in names)
    assert text.count("## Resources") == 1
    assert text.startswith(INDEX)


def test_a_file_that_is_no_text_is_listed_and_holds_nothing_up(ws: Path, cli: Run) -> None:
    (ws / "memory/people/photo.md").write_bytes(b"\xff\xd8\0\0")
    done = cli("index", "sync", "-w", str(ws))
    assert done.returncode == 0, done.stderr
    assert (
        f"- [Photo](memory/people/photo.md) <!-- trigger: photo --> <!-- rev: {rev(ws, 'memory/people/photo.md')}"
        in (index(ws))
    )
    assert "memory/people/ken.md" in index(ws)
    assert cli("index", "add", "memory/people/photo.md", "-w", str(ws), "--trigger", "foto").returncode == 0
    assert "trigger: photo, foto" in index(ws)
    assert "OM504" in cli("check", "-w", str(ws)).stdout


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("- [Ana]: memory/people/ana.md", "- [Ken Sato]: memory/people/ken.md — teacher"),
        ("- “Ana”: memory/people/ana.md", "- “Ken Sato”: memory/people/ken.md — teacher"),
        ("- *Ana* → `memory/people/ana.md`", "- *Ken Sato* → `memory/people/ken.md` — teacher"),
        ("- 👤 **Ana**: memory/people/ana.md", "- **Ken Sato**: memory/people/ken.md — teacher"),
        ("- Ana (boss): memory/people/ana.md", "- Ken Sato: memory/people/ken.md — teacher"),
    ],
)
def test_a_new_line_keeps_both_ends_of_the_mark_around_the_label(ws: Path, cli: Run, line: str, new: str) -> None:
    write(ws, "MEMORY.md", f"# Memory\n\n## People\n\n{line}\n")
    assert cli("index", "add", "memory/people/ken.md", "-w", str(ws)).returncode == 0
    added = index(ws).splitlines()[5]
    assert added.partition(" <!--")[0] == new


def test_names_that_no_terminal_shows_are_told_on_one_line(ws: Path, cli: Run) -> None:
    write(ws, "memory/people/a\nb.md", "# AB\n")
    assert "memory/people/a\\nb.md" in cli("index", "list", "-w", str(ws)).stdout
    assert "added    memory/people/a\\nb.md\n" in cli("index", "sync", "-w", str(ws)).stdout

"""The merge of two indexes, entry by entry: as a function, under random edits, and through real git."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory import hooks, index
from openclaw_memory.hooks.merge import merge
from tests.realgit import git

BASE = """\
# Memory

Read the entry, then its file.

## Active Context

- memory/projects/backstage.md

## People

- [Ana](memory/people/ana.md): my boss <!-- trigger: ana, boss --> <!-- rev: aaaaaa -->
- [Bob](memory/people/bob.md): plays chess <!-- trigger: bob --> <!-- rev: bbbbbb -->

## Projects

- [Backstage](memory/projects/backstage.md): service catalog <!-- trigger: backstage --> <!-- rev: cccccc -->
"""
ANA = "- [Ana](memory/people/ana.md): my boss <!-- trigger: ana, boss --> <!-- rev: aaaaaa -->\n"
BOB = "- [Bob](memory/people/bob.md): plays chess <!-- trigger: bob --> <!-- rev: bbbbbb -->\n"
CY = "- [Cy](memory/people/cy.md): sings <!-- trigger: cy --> <!-- rev: dddddd -->\n"
DI = "- [Di](memory/people/di.md): paints <!-- trigger: di --> <!-- rev: eeeeee -->\n"


def clean(base: str, ours: str, theirs: str) -> str:
    merged = merge(base, ours, theirs)
    assert merged.conflicts == 0, merged.text
    return merged.text


def test_entries_added_in_the_same_place_join_ours_first() -> None:
    ours, theirs = BASE.replace(BOB, BOB + CY), BASE.replace(BOB, BOB + DI)
    assert clean(BASE, ours, theirs) == BASE.replace(BOB, BOB + CY + DI)


def test_the_same_entry_added_by_both_is_there_once() -> None:
    ours, theirs = BASE.replace(BOB, BOB + CY), BASE.replace(ANA, CY + ANA)
    assert clean(BASE, ours, theirs) == theirs
    assert clean(BASE, ours, ours.replace(CY, CY + DI)) == ours.replace(CY, CY + DI)


def test_neighbours_changed_by_different_sides_join() -> None:
    ours, theirs = BASE.replace("my boss", "my old boss"), BASE.replace("plays chess", "plays go")
    assert clean(BASE, ours, theirs) == ours.replace("plays chess", "plays go")


def test_a_deletion_beside_a_change_and_an_addition() -> None:
    ours, theirs = BASE.replace(ANA, ""), BASE.replace(BOB, CY + BOB.replace("chess", "go"))
    assert clean(BASE, ours, theirs) == BASE.replace(ANA + BOB, CY + BOB.replace("chess", "go"))


def test_text_changed_on_both_sides_is_shown_not_chosen() -> None:
    ours, theirs = BASE.replace("chess", "go"), BASE.replace("chess", "checkers")
    merged = merge(BASE, ours, theirs)
    assert merged.conflicts == 1
    assert merged.text == BASE.replace(
        BOB,
        f"<<<<<<< ours\n{BOB.replace('chess', 'go')}=======\n{BOB.replace('chess', 'checkers')}>>>>>>> theirs\n",
    )


@pytest.mark.parametrize("swap", [False, True])
def test_deleted_here_and_changed_there_is_shown(swap: bool) -> None:
    sides = (BASE.replace(BOB, ""), BASE.replace("chess", "go"))
    merged = merge(BASE, *(sides[::-1] if swap else sides))
    assert merged.conflicts == 1
    changed = BOB.replace("chess", "go")
    both = (changed, "") if swap else ("", changed)
    assert f"<<<<<<< ours\n{both[0]}=======\n{both[1]}>>>>>>> theirs\n" in merged.text


def test_triggers_changed_on_one_side_and_rev_on_the_other_join() -> None:
    ours, theirs = BASE.replace("trigger: bob", "trigger: bob, robert"), BASE.replace("bbbbbb", "123456")
    assert clean(BASE, ours, theirs) == ours.replace("bbbbbb", "123456")
    assert clean(BASE, theirs, ours) == ours.replace("bbbbbb", "123456")


def test_a_file_changed_on_both_sides_loses_its_rev_and_is_named() -> None:
    merged = merge(BASE, BASE.replace("bbbbbb", "111111"), BASE.replace("bbbbbb", "222222"))
    assert merged.conflicts == 0
    assert merged.text == BASE.replace(" <!-- rev: bbbbbb -->", "")
    assert merged.unsynced == ("memory/people/bob.md",)


def test_the_same_new_rev_stays() -> None:
    ours = BASE.replace("bbbbbb", "111111")
    assert clean(BASE, ours, ours.replace("my boss", "her boss")) == ours.replace("my boss", "her boss")


def test_revs_added_by_one_side_while_the_other_rewrites() -> None:
    bare = BASE.replace(" <!-- rev: bbbbbb -->", "")
    assert clean(bare, BASE, bare.replace("chess", "go")) == BASE.replace("chess", "go")


def test_an_entry_moved_by_one_side_and_changed_by_the_other() -> None:
    ours = BASE.replace(BOB, "").replace("## Projects\n\n", f"## Projects\n\n{BOB}")
    theirs = BASE.replace("chess", "go").replace(ANA, ANA + CY)
    assert clean(BASE, ours, theirs) == ours.replace("chess", "go").replace(ANA, ANA + CY)


def test_text_around_entries_merges_as_git_merges_text() -> None:
    ours = BASE.replace("Read the entry", "First read the entry")
    theirs = BASE.replace("## People\n", "## People I know\n").replace(BOB, BOB + CY)
    assert clean(BASE, ours, theirs) == ours.replace("## People\n", "## People I know\n").replace(BOB, BOB + CY)


def test_text_changed_on_both_sides_is_a_conflict_of_these_lines_only() -> None:
    ours = BASE.replace("Read the entry", "Read one entry").replace(BOB, BOB + CY)
    theirs = BASE.replace("Read the entry", "Read each entry").replace(BOB, BOB + DI)
    merged = merge(BASE, ours, theirs)
    assert merged.conflicts == 1
    conflict = (
        "<<<<<<< ours\nRead one entry, then its file.\n=======\nRead each entry, then its file.\n>>>>>>> theirs\n"
    )
    assert conflict in merged.text
    assert BOB + CY + DI in merged.text


def test_new_sections_with_the_same_heading_join() -> None:
    tail = "\n## Decisions\n\n"
    d1, d2 = "- memory/decisions/one.md\n", "- memory/decisions/two.md\n"
    assert clean(BASE, BASE + tail + d1, BASE + tail + d2) == BASE + tail + d1 + d2


def test_tables_and_crlf() -> None:
    head = "| Name | File | Triggers |\r\n|---|---|---|\r\n"
    ana, bob = "| Ana | memory/people/ana.md | ana, boss |\r\n", "| Bob | `memory/people/bob.md` | bob |\r\n"
    cy, di = "| Cy | memory/people/cy.md | cy |\r\n", "| Di | [d](memory/people/di.md) | di |\r\n"
    base = head + ana + bob
    assert clean(base, base + cy, base + di) == base + cy + di
    assert (
        clean(base, head + bob + cy, base.replace("| bob |", "| bob, rob |"))
        == head + bob.replace("| bob |", "| bob, rob |") + cy
    )


def test_a_row_added_to_a_table_whose_columns_the_other_side_changed_is_shown() -> None:
    base = "| Name | File | Triggers |\n|---|---|---|\n| Ana | memory/people/ana.md | ana |\n"
    ours = "| File | Name | Triggers |\n|---|---|---|\n| memory/people/ana.md | Ana | ana |\n"
    row = "| Bob | memory/people/bob.md | bob |\n"
    for sides in ((ours, base + row), (base + row, ours)):
        merged = merge(base, *sides)
        assert merged.conflicts == 1
        assert row in merged.text and "<<<<<<< ours" in merged.text
    assert clean(base, base + row, base.replace("ana |\n", "ana, boss |\n")).endswith(row)


def test_one_side_changes_all_line_ends() -> None:
    ours, theirs = BASE.replace("\n", "\r\n"), BASE.replace(BOB, BOB + CY)
    assert clean(BASE, ours, theirs) == theirs.replace("\n", "\r\n")
    assert clean(BASE, theirs, ours) == theirs.replace("\n", "\r\n")


def test_a_missing_final_line_end_stays_missing() -> None:
    base = BASE.removesuffix("\n")
    assert clean(base, base.replace(ANA, ANA + CY), base.replace(BOB, BOB + DI)) == base.replace(ANA, ANA + CY).replace(
        BOB, BOB + DI
    )


def test_bom_odd_bytes_and_text_that_looks_like_markers() -> None:
    base = "\ufeff" + BASE.replace("Read the entry", "<<<<<<< \udcff ======= the entry\n========\n>>>>>>>>>> x")
    ours, theirs = base.replace(BOB, BOB + CY), base.replace(ANA, ANA + DI)
    assert clean(base, ours, theirs) == base.replace(BOB, BOB + CY).replace(ANA, ANA + DI)


def test_without_a_base() -> None:
    merged = merge("", BASE, BASE.replace(BOB, BOB + CY))
    assert merged.conflicts == 0
    assert merged.text == BASE.replace(BOB, BOB + CY)
    assert merge("", "", "") == ("", 0, ())


# Random edits: what each side does to entries of a small world, in lists or tables, with LF or CRLF.

NAMES = [f"p{number}" for number in range(6)]
Entries = dict[str, tuple[str, str]]  # name -> (about, rev)
words = st.sampled_from(["red", "green", "blue"])
revs = st.sampled_from(["", "111111", "222222", "333333"])
worlds = st.dictionaries(st.sampled_from(NAMES), st.tuples(words, revs), max_size=6)


def show(world: Entries, *, table: bool, eol: str) -> str:
    lines = ["# Index", "", "Some prose.", "", "## People", ""]
    lines += ["| Name | File | About |", "|---|---|---|"] if table else []
    for name, (about, rev) in sorted(world.items()):
        mark = f" <!-- rev: {rev} -->" if rev else ""
        path = f"memory/people/{name}.md"
        lines.append(f"| {name} | {path} | {about}{mark} |" if table else f"- [{name}]({path}): {about}{mark}")
    return eol.join([*lines, "", "## Preferences", "", "Tea, not coffee.", ""])


@settings(max_examples=150, deadline=None)
@given(worlds, worlds, worlds, st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_random_edits(base: Entries, ours: Entries, theirs: Entries, table: bool, eol: str) -> None:
    texts = [show(world, table=table, eol=eol) for world in (base, ours, theirs)]
    merged = merge(*texts)
    expected, conflicts = model(base, ours, theirs)
    assert merged.conflicts == len(conflicts), merged.text
    if conflicts:
        assert all(merged.text.count(f"memory/people/{name}.md") >= 1 for name in conflicts)
        return
    parsed = index.parse(merged.text, ())
    assert {entry.name: (entry.about.strip(), entry.rev or "") for entry in parsed.entries} == expected
    assert show(expected, table=table, eol=eol).splitlines()[:6] == merged.text.splitlines()[:6]
    assert sorted(merged.text.splitlines(keepends=True)) == sorted(
        show(expected, table=table, eol=eol).splitlines(keepends=True)
    )


def model(base: Entries, ours: Entries, theirs: Entries) -> tuple[Entries, set[str]]:
    """What the rules say, entry by entry."""
    expected: Entries = {}
    conflicts: set[str] = set()
    for name in {*base, *ours, *theirs}:
        o, a, b = base.get(name), ours.get(name), theirs.get(name)
        if a is None or b is None:
            there = a or b
            if there is not None and o is None:
                expected[name] = there
            elif there is not None and there != o:
                conflicts.add(name)
            continue
        before = o or (None, None)
        if a[0] != b[0] and before[0] not in (a[0], b[0]):
            conflicts.add(name)
            continue
        about = b[0] if a[0] == before[0] else a[0]
        before_rev = (o[1] or None) if o else None
        left, right = a[1] or None, b[1] or None
        rev = left if left == right or right == before_rev else right if left == before_rev else None
        expected[name] = (about, rev or "")
    return expected, conflicts


lines = st.lists(
    st.sampled_from(
        [
            ANA,
            BOB,
            CY,
            DI,
            "## People\n",
            "prose\n",
            "\n",
            "- memory/x.md\n",
            "  - nested\n",
            "| a | memory/t.md |\n",
            "|---|---|\n",
            "```\n",
            "- a: memory/x.md, memory/y.md\n",
        ]
    ),
    max_size=12,
).map("".join)


@settings(max_examples=200, deadline=None)
@given(lines, lines)
def test_one_side_alone_always_wins(base: str, ours: str) -> None:
    assert merge(base, ours, base) == (ours, 0, ())
    assert merge(base, base, ours) == (ours, 0, ())
    assert merge(base, ours, ours) == (ours, 0, ())


@settings(max_examples=200, deadline=None)
@given(lines, lines, lines)
def test_no_path_that_a_side_added_is_lost(base: str, ours: str, theirs: str) -> None:
    text = merge(base, ours, theirs).text
    for side in (ours, theirs):
        for path in {e.path for e in index.parse(side, ()).entries} - {e.path for e in index.parse(base, ()).entries}:
            assert path in text


# Through real git.


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = tmp_path / "it's a repo"
    git(tmp_path, "init", "-q", str(path))
    (path / ".gitattributes").write_text("MEMORY.md merge=openclaw-memory\n")
    (path / "MEMORY.md").write_text(BASE)
    git(path, "add", "-A")
    git(path, "commit", "-qm", "base")
    hooks.install_git(path)
    return path


def side(repo: Path, text: str, name: str = "side") -> None:
    git(repo, "switch", "-qc", name)
    (repo / "MEMORY.md").write_text(text)
    git(repo, "commit", "-qnam", name)
    git(repo, "switch", "-q", "main")


@pytest.mark.parametrize("how", ["merge", "rebase", "cherry-pick"])
def test_git_joins_two_indexes(repo: Path, how: str) -> None:
    side(repo, BASE.replace(BOB, BOB + CY))
    (repo / "MEMORY.md").write_text(BASE.replace(BOB, BOB + DI))
    git(repo, "commit", "-qnam", "ours")
    git(repo, *(["merge", "--no-edit", "--no-verify"] if how == "merge" else [how]), "side")
    text = (repo / "MEMORY.md").read_text()
    assert text in (BASE.replace(BOB, BOB + DI + CY), BASE.replace(BOB, BOB + CY + DI))
    assert git(repo, "status", "--porcelain").stdout == ""


def test_git_joins_in_a_linked_worktree(repo: Path, tmp_path: Path) -> None:
    side(repo, BASE.replace(BOB, BOB + CY))
    git(repo, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked tree"))
    linked = tmp_path / "linked tree"
    (linked / "MEMORY.md").write_text(BASE.replace(BOB, BOB + DI))
    git(linked, "commit", "-qnam", "ours")
    git(linked, "merge", "--no-edit", "--no-verify", "side")
    assert (linked / "MEMORY.md").read_text() == BASE.replace(BOB, BOB + DI + CY)


def test_git_stops_at_a_true_conflict_and_says_what_lost_its_rev(repo: Path) -> None:
    side(repo, BASE.replace("chess", "go").replace("aaaaaa", "111111"))
    (repo / "MEMORY.md").write_text(BASE.replace("chess", "checkers").replace("aaaaaa", "222222"))
    git(repo, "commit", "-qnam", "ours")
    done = git(repo, "merge", "--no-edit", "side", ok=False)
    assert done.returncode == 1
    assert "memory/people/ana.md" in done.stderr
    assert "openclaw-memory index sync" in done.stderr
    text = (repo / "MEMORY.md").read_text()
    assert "<<<<<<< ours" in text and "checkers" in text and "go" in text
    assert "rev: 111111" not in text and "rev: 222222" not in text
    assert git(repo, "ls-files", "-u").stdout


def test_git_merges_line_by_line_where_our_python_is_gone(repo: Path) -> None:
    driver = repo / ".git/openclaw-memory/merge-driver"
    driver.write_text(driver.read_text().replace("\npython=", "\npython=/nowhere"))
    side(repo, BASE.replace("chess", "go"))
    (repo / "MEMORY.md").write_text(BASE.replace("chess", "checkers"))
    git(repo, "commit", "-qnam", "ours")
    done = git(repo, "merge", "--no-edit", "side", ok=False)
    assert done.returncode == 1
    assert "line by line" in done.stderr
    assert "<<<<<<< ours" in (repo / "MEMORY.md").read_text()


@pytest.mark.parametrize("content", [b"\0\0binary", b"\xff\xfe not utf-8\n"])
def test_git_loses_nothing_of_an_index_that_is_no_text(repo: Path, content: bytes) -> None:
    git(repo, "switch", "-qc", "side")
    (repo / "MEMORY.md").write_bytes(content)
    git(repo, "commit", "-qnam", "side")
    git(repo, "switch", "-q", "main")
    (repo / "MEMORY.md").write_text(BASE.replace("chess", "checkers"))
    git(repo, "commit", "-qnam", "ours")
    assert git(repo, "merge", "--no-edit", "side", ok=False).returncode == 1
    assert b"checkers" in (repo / "MEMORY.md").read_bytes()
    assert git(repo, "ls-files", "-u").stdout

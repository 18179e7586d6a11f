"""The rule itself, in real commits: what git refuses, what it lets through, and what is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from openclaw_memory.git import rev6

from .conftest import Lab, codes


def test_both_in_one_commit(lab: Lab) -> None:
    lab.base().write("memory/c.md", "gamma\n").append("MEMORY.md", "- [C](memory/c.md): gamma <!-- trigger: c -->\n")
    lab.git("add", "-A")
    done = lab.commit()
    assert done.returncode == 0 and done.stderr == ""


def test_detail_alone_is_refused(lab: Lab) -> None:
    lab.base().append("memory/a.md", "more\n").git("add", "-A")
    done = lab.commit()
    assert (done.returncode, codes(done)) == (1, ["OM101"])
    assert "memory/a.md:1: OM101 memory/a.md changes in this commit and MEMORY.md does not" in done.stderr
    assert "fix: openclaw-memory check --staged --fix" in done.stderr
    assert "commit refused: 1 error" in done.stderr


def test_index_changed_on_disk_only(lab: Lab) -> None:
    lab.base().append("memory/a.md", "more\n").git("add", "-A")
    lab.append("MEMORY.md", "- more\n")
    assert codes(lab.commit()) == ["OM101"]


def test_disk_does_not_count(lab: Lab) -> None:
    lab.base().write("memory/c.md", "c\n").append("MEMORY.md", "- [C](memory/c.md): c <!-- trigger: c -->\n")
    lab.git("add", "-A")
    lab.write("MEMORY.md", "scratch\n")
    (lab.root / "memory/b.md").unlink()
    assert lab.commit().returncode == 0


def test_new_detail_that_is_not_listed(lab: Lab) -> None:
    lab.base().write("memory/c.md", "c\n").append("MEMORY.md", "Some words.\n").git("add", "-A")
    done = lab.commit()
    assert codes(done) == ["OM104"]
    assert "fix: openclaw-memory index add memory/c.md && git add MEMORY.md" in done.stderr


@pytest.mark.parametrize("keep", [True, False])
def test_deleted_detail(lab: Lab, keep: bool) -> None:
    lab.base().git("rm", "-q", "memory/a.md")
    if not keep:
        lab.write("MEMORY.md", lab.read("MEMORY.md").replace("- [A](memory/a.md): alpha\n", "")).git("add", "-A")
    done = lab.commit()
    assert codes(done) == (["OM105", "OM101"] if keep else [])
    assert done.returncode == int(keep)
    if keep:
        assert "MEMORY.md:3: OM105 memory/a.md is deleted in this commit" in done.stderr
        assert "fix: openclaw-memory check --staged --fix" in done.stderr


def test_rename_is_a_deletion_and_an_addition(lab: Lab) -> None:
    lab.base().git("mv", "memory/a.md", "memory/z.md")
    assert codes(lab.commit()) == ["OM105", "OM101", "OM104"]


def test_mode_alone_is_no_change(lab: Lab) -> None:
    lab.base()
    (lab.root / "memory/a.md").chmod(0o755)
    lab.git("add", "-A")
    assert lab.commit().returncode == 0


def test_type_change_is_one(lab: Lab) -> None:
    lab.base()
    (lab.root / "memory/a.md").unlink()
    (lab.root / "memory/a.md").symlink_to("b.md")
    lab.git("add", "-A")
    assert codes(lab.commit()) == ["OM101"]
    lab.write("MEMORY.md", lab.read("MEMORY.md").replace("alpha\n", f"alpha <!-- rev: {rev6(b'b.md')} -->\n")).git(
        "add", "-A"
    )
    assert lab.commit().returncode == 0


def test_moves_over_the_border_of_memory(lab: Lab) -> None:
    lab.base()
    (lab.root / "notes").mkdir()
    lab.git("mv", "memory/a.md", "notes/a.md")
    assert codes(lab.commit()) == ["OM105", "OM101"]
    lab.write("MEMORY.md", lab.read("MEMORY.md").replace("memory/a.md", "notes/a.md")).git("add", "-A")
    assert lab.commit().returncode == 0
    lab.git("mv", "notes/a.md", "memory/a.md")
    assert {"OM104", "OM105"} <= set(codes(lab.commit()))


def test_file_becomes_a_folder(lab: Lab) -> None:
    lab.base().git("rm", "-q", "memory/a.md")
    lab.write("memory/a/summary.md", "alpha\n").git("add", "-A")
    assert {"OM104", "OM105"} <= set(codes(lab.commit()))
    lab.write("MEMORY.md", lab.read("MEMORY.md").replace("memory/a.md", "memory/a/summary.md")).git("add", "-A")
    assert lab.commit().returncode == 0
    lab.git("rm", "-rq", "memory/b.md")
    lab.write("memory/b.md/x.md", "x\n").git("add", "-A")
    assert {"OM104", "OM105"} <= set(codes(lab.commit()))


def test_files_that_are_no_details(lab: Lab) -> None:
    lab.base()
    for path in ("memory/2026-03-01.md", "memory/README.md", "memory/people/.gitkeep", "notes.txt", "memory/x.json"):
        lab.write(path, "plain\n")
    lab.git("add", "-A")
    assert lab.commit().returncode == 0


def test_first_commit(lab: Lab) -> None:
    lab.write("memory/a.md", "a\n").git("add", "-A")
    assert codes(lab.commit()) == ["OM119", "OM101"]
    lab.write("MEMORY.md", "- [A](memory/a.md): a <!-- trigger: a -->\n").git("add", "-A")
    assert lab.commit().returncode == 0


def test_empty_commits(lab: Lab) -> None:
    assert lab.commit("--allow-empty", "-m", "x").returncode == 0
    lab.base()
    assert lab.commit("--allow-empty", "-m", "x").returncode == 0


def test_config_that_names_another_index(lab: Lab) -> None:
    lab.base().write("openclaw-memory.yaml", "version: 1\nindex: {path: INDEX.md}\n").git("add", "-A")
    assert codes(lab.commit()) == ["OM119"]
    lab.git("mv", "MEMORY.md", "INDEX.md")
    assert lab.commit().returncode == 0


def test_index_deleted(lab: Lab) -> None:
    lab.base().git("rm", "-q", "MEMORY.md")
    done = lab.commit()
    assert codes(done) == ["OM119"]
    assert "there is no MEMORY.md, and 2 detail files that it has to name" in done.stderr
    lab.git("rm", "-q", "-r", "memory")
    assert lab.commit().returncode == 0


def test_entry_dropped_while_its_file_stays(lab: Lab) -> None:
    lab.base().write("MEMORY.md", "# Index\n\n- [A](memory/a.md): alpha\n").git("add", "-A")
    done = lab.commit()
    assert done.returncode == 0
    assert "OM104 warning: the commit takes memory/b.md out of MEMORY.md and leaves the file" in done.stderr


# -- revs --------------------------------------------------------------------------------------------------


def test_stale_rev_although_the_index_changed(lab: Lab) -> None:
    lab.base_with_revs().append("memory/a.md", "more\n").append("MEMORY.md", "\nMore words.\n").git("add", "-A")
    done = lab.commit()
    old, new = rev6(b"alpha\n"), rev6(b"alpha\nmore\n")
    assert codes(done) == ["OM102"]
    assert f"MEMORY.md:3: OM102 the entry of memory/a.md carries rev {old}, the file has {new}" in done.stderr


def test_right_rev_without_the_index_in_the_commit(lab: Lab) -> None:
    """After `index sync`, a partial commit of the index first and the file later is fine."""
    lab.base_with_revs().append("memory/a.md", "more\n")
    lab.write("MEMORY.md", lab.read("MEMORY.md").replace(rev6(b"alpha\n"), rev6(b"alpha\nmore\n")))
    assert lab.commit("-m", "index", "--", "MEMORY.md").returncode == 0
    assert lab.commit("-m", "file", "--", "memory/a.md").returncode == 0


def test_other_files_revs_are_not_judged(lab: Lab) -> None:
    lab.base_with_revs()
    lab.append("memory/b.md", "drift\n").land("drift past the hook")
    lab.append("memory/a.md", "more\n")
    lab.write("MEMORY.md", lab.read("MEMORY.md").replace(rev6(b"alpha\n"), rev6(b"alpha\nmore\n"))).git("add", "-A")
    assert lab.commit().returncode == 0
    assert codes(lab.check("--ignore", "OM108")) == ["OM102"]


def test_dropped_rev_is_reported(lab: Lab) -> None:
    lab.base_with_revs().write(
        "MEMORY.md", lab.read("MEMORY.md").replace(f" <!-- rev: {rev6(b'beta' + b'%c' % 10)} -->", "")
    )
    lab.git("add", "-A")
    done = lab.commit()
    assert done.returncode == 0
    assert "MEMORY.md:4: OM103 warning: the entry of memory/b.md had a rev and lost it" in done.stderr


def test_unlisted_file_deleted_where_revs_are_used(lab: Lab) -> None:
    lab.base_with_revs().write("memory/stray.md", "x\n").land().git("rm", "-q", "memory/stray.md")
    assert lab.commit().returncode == 0


def test_rev_in_a_sha256_repository_is_the_sha1_one(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "r").init("--object-format=sha256").base_with_revs()
    lab.append("memory/a.md", "more\n").git("add", "-A")
    assert codes(lab.commit()) == ["OM102"]
    lab.write("MEMORY.md", lab.read("MEMORY.md").replace(rev6(b"alpha\n"), rev6(b"alpha\nmore\n"))).git("add", "-A")
    assert lab.commit().returncode == 0


def test_rev_is_of_what_git_stores(lab: Lab) -> None:
    lab.write(".gitattributes", "*.md text eol=crlf\n").base_with_revs()
    lab.write("memory/a.md", "alpha\r\nmore\r\n")
    lab.write("MEMORY.md", lab.read("MEMORY.md").replace(rev6(b"alpha\n"), rev6(b"alpha\nmore\n"))).git("add", "-A")
    assert lab.commit().returncode == 0


# -- how commits are made ----------------------------------------------------------------------------------


def test_commit_a_and_include_and_only(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n")
    assert codes(lab.commit("-am", "x")) == ["OM101"]
    lab.append("MEMORY.md", "words\n")
    assert codes(lab.commit("-m", "x", "--only", "memory/a.md")) == ["OM101"]
    assert lab.commit("-m", "x", "-i", "memory/a.md", "MEMORY.md").returncode == 0


def test_commit_from_a_folder_with_a_relative_index(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n")
    done = lab.run("git", "-C", "memory", "commit", "-qam", "x")
    assert codes(done) == ["OM101"]


def test_commit_patch(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n").append("MEMORY.md", "words\n")
    assert codes(lab.run("git", "commit", "-q", "-p", "-m", "x", input="n\ny\n")) == ["OM101"]


def test_intent_to_add_is_not_in_the_commit(lab: Lab) -> None:
    lab.base().write("memory/c.md", "c\n").append("MEMORY.md", "- [C](memory/c.md)\n")
    lab.git("add", "-N", "memory/c.md")
    lab.git("add", "MEMORY.md")
    assert codes(lab.commit()) == ["OM105"]
    lab.git("reset", "-q", "--hard")
    lab.write("memory/e.md", "").append("MEMORY.md", "- [E](memory/e.md) <!-- trigger: e -->\n").git("add", "-A")
    assert lab.commit().returncode == 0
    lab.append("MEMORY.md", "words\n").git("add", "-A")
    assert lab.commit().returncode == 0
    lab.git("rm", "-q", "--cached", "memory/a.md")
    lab.git("add", "-N", "memory/a.md")
    assert codes(lab.commit()) == ["OM105", "OM101"]


AMENDS = [
    ["git", "commit", "-q", "--amend", "--no-edit"],
    ["git", "commit", "-q", "--am", "-C", "HEAD"],
    ["git", "-c", "core.editor=true", "fix"],
    ["git", "shell-fix"],
    ["sh", "-c", "git commit -q --amend -m --no-amend"],
]


@pytest.mark.parametrize("words", AMENDS, ids=" ".join)
def test_amend_is_judged_against_the_parent_of_head(lab: Lab, words: list[str]) -> None:
    lab.git("config", "alias.fix", "commit -q --amend --no-edit")
    lab.git("config", "alias.shell-fix", "!git commit -q --no-edit --amend")
    lab.base().write("memory/c.md", "1\n").append("MEMORY.md", "- [C](memory/c.md): c <!-- trigger: c -->\n").land()
    lab.write("memory/c.md", "2\n").git("add", "-A")
    assert lab.run(*words).returncode == 0
    lab.write("memory/c.md", "3\n").git("add", "-A")
    assert codes(lab.commit("-m", "--amend")) == ["OM101"]


def test_amend_that_takes_the_index_back(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n").append("MEMORY.md", "words\n").land()
    lab.git("checkout", "HEAD~1", "--", "MEMORY.md")
    assert codes(lab.commit("--amend", "--no-edit")) == ["OM101"]


def test_amend_of_the_first_commit(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n").git("add", "-A")
    assert lab.commit("--amend", "--no-edit").returncode == 0


def test_amend_in_a_shallow_clone_cannot_be_judged(lab: Lab, tmp_path: Path) -> None:
    lab.base().append("MEMORY.md", "words\n").land()
    lab.git("clone", "-q", "--depth=1", f"file://{lab.root}", str(tmp_path / "s"))
    shallow = Lab(tmp_path / "s")
    shallow.hook()
    shallow.append("memory/a.md", "1\n").git("add", "-A")
    done = shallow.commit("--amend", "--no-edit")
    assert done.returncode == 1 and "cannot judge" in done.stderr and "unshallow" in done.stderr


def test_hidden_processes_are_said(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n").git("add", "-A")
    done = lab.check("--staged", GIT_INDEX_FILE=str(lab.root / ".git/index"), GIT_DIR=str(lab.root / ".git"))
    assert "whether this commit amends one cannot be seen" in done.stdout


# -- merges ------------------------------------------------------------------------------------------------


def branches(lab: Lab) -> Lab:
    """Two branches that each add a detail file with its entry."""
    lab.base().git("checkout", "-q", "-b", "side")
    lab.write("memory/c.md", "c\n").append("MEMORY.md", "- [C](memory/c.md): c <!-- trigger: c -->\n").land("side")
    lab.git("checkout", "-q", "main")
    return lab


def test_clean_merge_is_exempt_from_co_change(lab: Lab) -> None:
    branches(lab).append("memory/a.md", "1\n").land("drift")
    lab.git("checkout", "-q", "side")
    assert lab.run("git", "merge", "-q", "--no-edit", "main").returncode == 0


def test_clean_merge_must_hold_the_tree_rules(lab: Lab) -> None:
    lab.base().git("checkout", "-q", "-b", "side")
    lab.write("memory/c.md", "c\n").land("index forgotten")
    lab.git("checkout", "-q", "main")
    lab.write("other.txt", "z\n").land()
    assert codes(lab.run("git", "merge", "-q", "--no-edit", "side")) == ["OM104"]


def test_resolved_merge(lab: Lab) -> None:
    branches(lab).write("memory/d.md", "d\n").append("MEMORY.md", "- [D](memory/d.md): d <!-- trigger: d -->\n").land()
    assert lab.run("git", "merge", "-q", "--no-edit", "side").returncode == 1
    assert "is not merged" in lab.check("--staged").stderr
    text = lab.read("MEMORY.md")
    lab.git("checkout", "-q", "--ours", "MEMORY.md")
    lab.git("add", "-A")
    assert codes(lab.commit("--no-edit")) == ["OM104"]
    lab.write("MEMORY.md", text).git("add", "-A")
    assert codes(lab.commit("--no-edit")) == ["OM501"]
    lines = [line for line in text.splitlines() if line[:1] not in "<=>"]
    lab.write("MEMORY.md", "\n".join(lines) + "\n").git("add", "-A")
    assert lab.commit("--no-edit").returncode == 0


def test_squash_merge_is_an_ordinary_commit(lab: Lab) -> None:
    lab.base().git("checkout", "-q", "-b", "side")
    lab.append("memory/a.md", "1\n").land("drift")
    lab.git("checkout", "-q", "main")
    lab.git("merge", "-q", "--squash", "side")
    assert codes(lab.commit()) == ["OM101"]


def test_amended_merge(lab: Lab) -> None:
    branches(lab).write("x.txt", "x").land()
    lab.git("merge", "-q", "--no-edit", "side")
    lab.append("memory/a.md", "1\n").git("add", "-A")
    assert lab.commit("--amend", "--no-edit").returncode == 0


# -- where workspaces are ----------------------------------------------------------------------------------


def test_several_workspaces_each_for_itself(lab: Lab) -> None:
    for name in ("one", "two"):
        lab.write(f"{name}/memory/a.md", "a\n").write(f"{name}/MEMORY.md", "- [A](memory/a.md): a\n")
    lab.land().append("one/memory/a.md", "1\n").append("two/MEMORY.md", "words\n").git("add", "-A")
    done = lab.commit()
    assert codes(done) == ["OM101"]
    assert "one/memory/a.md:1: OM101" in done.stderr
    assert "fix: openclaw-memory check --staged --fix --workspace one" in done.stderr


def test_workspace_inside_another(lab: Lab) -> None:
    lab.base().write("memory/old/openclaw-memory.yaml", "version: 1\n").write("memory/old/MEMORY.md", "# I\n").land()
    lab.write("memory/old/memory/x.md", "x\n").git("add", "-A")
    done = lab.commit()
    assert "memory/old/memory/x.md:1: OM104" in done.stderr
    assert done.stderr.count("OM104") == 1


def test_index_copy_inside_memory_is_no_workspace(lab: Lab) -> None:
    lab.base().write("memory/copy/memory/x.md", "x\n").write("memory/copy/MEMORY.md", "- [X](memory/x.md)\n")
    lab.git("add", "-A")
    assert "memory/copy/memory/x.md:1: OM104" in lab.commit().stderr


def test_config_is_read_from_the_staged_tree(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n").write("openclaw-memory.yaml", "version: 1\nindex: {co_change: off}\n")
    lab.git("add", "memory")
    assert codes(lab.commit()) == ["OM101"]
    lab.git("add", "-A")
    assert lab.commit().returncode == 0


@pytest.mark.parametrize("word", ["warn", '"off"'])
def test_co_change_can_be_softened(lab: Lab, word: str) -> None:
    lab.base().write("openclaw-memory.yaml", f"version: 1\nindex:\n  co_change: {word}\n").land()
    lab.append("memory/a.md", "1\n").git("add", "-A")
    done = lab.commit()
    assert done.returncode == 0
    assert codes(done) == (["OM101"] if word == "warn" else [])


def test_broken_config_blocks_and_says_why(lab: Lab) -> None:
    lab.base().write("openclaw-memory.yaml", "version: 1\nindx: {}\n").git("add", "-A")
    done = lab.commit()
    assert done.returncode == 1 and "indx" in done.stderr


def test_linked_worktree_and_submodule(lab: Lab, tmp_path: Path) -> None:
    lab.base().git("worktree", "add", "-q", str(tmp_path / "wt"))
    other = Lab(tmp_path / "wt").append("memory/a.md", "1\n")
    other.git("add", "-A")
    assert codes(other.commit()) == ["OM101"]
    outer = Lab(tmp_path / "outer").init()
    outer.git("submodule", "add", "-q", str(lab.root), "ws")
    inner = Lab(tmp_path / "outer/ws").append("memory/a.md", "1\n")
    inner.hook()
    inner.git("add", "-A")
    assert codes(inner.commit()) == ["OM101"]
    inner.git("commit", "-q", "--no-verify", "-m", "x")
    outer.git("add", "-A")
    assert outer.commit().returncode == 0


def test_memory_as_a_submodule_is_judged_at_the_link(lab: Lab, tmp_path: Path) -> None:
    sub = Lab(tmp_path / "sub").init().write("a.md", "a\n").land()
    lab.git("submodule", "add", "-q", str(sub.root), "memory")
    lab.write("MEMORY.md", "- [A](memory/a.md): a <!-- trigger: a -->\n").land()
    Lab(lab.root / "memory").append("a.md", "1\n").land()
    lab.git("add", "memory")
    assert codes(lab.commit()) == ["OM101"]
    lab.append("MEMORY.md", "words\n").git("add", "-A")
    lab.git("config", "diff.ignoreSubmodules", "all")
    assert lab.commit().returncode == 0


def test_symlinked_index_is_refused(lab: Lab) -> None:
    lab.base().write("docs/MEMORY.md", lab.read("MEMORY.md"))
    (lab.root / "MEMORY.md").unlink()
    for target, words in (
        ("docs/MEMORY.md", "git keeps the name"),
        ("gone.md", "does not exist"),
        ("/etc/x", "leads out"),
    ):
        (lab.root / "MEMORY.md").unlink(missing_ok=True)
        (lab.root / "MEMORY.md").symlink_to(target)
        lab.git("add", "-A")
        done = lab.commit()
        assert codes(done)[:1] == ["OM502"] and words in done.stderr


def test_odd_names(lab: Lab) -> None:
    lab.base()
    names = ["two words.md", "[a].md", "p(1).md", ":x.md", "*.md", "é🙂.md"]
    for name in names:
        lab.write(f"memory/{name}", "x\n")
    lines = [f"- [N](<memory/{name}>): x <!-- trigger: n{at} -->\n" for at, name in enumerate(names)]
    lab.append("MEMORY.md", "".join(lines)).git("add", "-A")
    done = lab.commit()
    assert done.returncode == 0, done.stderr
    lab.write("memory/new\nline.md", "x\n").append("MEMORY.md", "words\n").git("add", "-A")
    done = lab.commit()
    assert codes(done) == ["OM104"] and r"memory/new\nline.md:1: OM104" in done.stderr
    lab.git("reset", "-q", "--hard")
    lab.write(os.fsdecode(b"memory/\xff.md"), "x\n").append("MEMORY.md", "words\n").git("add", "-A")
    assert r"memory/\xff.md:1: OM104" in lab.commit().stderr


def test_other_unicode_form_and_other_case_are_hinted_at(lab: Lab) -> None:
    lab.base().write("memory/cafe\u0301.md", "x\n").append("MEMORY.md", "- [C](memory/caf\u00e9.md): c\n")
    lab.write("memory/Bob.md", "x\n").append("MEMORY.md", "- [Bob](memory/bob.md): c\n").git("add", "-A")
    done = lab.commit()
    assert "another Unicode form" in done.stderr
    assert "OM106 memory/bob.md is called memory/Bob.md" in done.stderr
    assert done.returncode == 1


def test_ignored_memory_is_named(lab: Lab) -> None:
    lab.write(".gitignore", "memory/\n").write("memory/a.md", "a\n").write("MEMORY.md", "- [A](memory/a.md)\n")
    lab.git("add", "-A")
    done = lab.commit()
    assert codes(done)[0] == "OM105"
    assert "for git, which ignores it (.gitignore:1: memory/)" in done.stderr


def test_folder_entry_covers_what_is_below(lab: Lab) -> None:
    lab.base().write("memory/archive/2025/x.md", "x\n")
    lab.append("MEMORY.md", "- [Archive of 2025](memory/archive/2025/): old things <!-- trigger: old -->\n").git(
        "add", "-A"
    )
    assert lab.commit().returncode == 0
    lab.append("memory/archive/2025/x.md", "y\n").git("add", "-A")
    assert lab.commit().returncode == 0


def test_binary_index_is_said_once(lab: Lab) -> None:
    lab.base_with_revs()
    (lab.root / "MEMORY.md").write_bytes(b"\x00\x01 words" * 9000)
    lab.git("add", "-A")
    refused = lab.commit()
    assert codes(refused) == ["OM504"]
    assert refused.stderr.endswith("commit refused: 1 error\n")

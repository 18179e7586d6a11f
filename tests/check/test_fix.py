"""`check --fix`: the printed fix is pasted and the commit goes through; other work stays as it is."""

from __future__ import annotations

import os
import re
import sys

from openclaw_memory.git import rev6

from .conftest import Lab, codes


def paste(lab: Lab, said: str) -> None:
    """Run the fix lines as a person would, in a shell, with this interpreter's command."""
    tools = lab.root.parent / "bin"
    tools.mkdir(exist_ok=True)
    (tools / "openclaw-memory").write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -m openclaw_memory \"$@\"\n")
    (tools / "openclaw-memory").chmod(0o755)
    for line in dict.fromkeys(re.findall(r"^ +fix: (.*)$", said, re.MULTILINE)):
        done = lab.run("sh", "-c", line, PATH=f"{tools}:{os.environ['PATH']}")
        left = (0, 1) if " check " in line else (0,)  # `check --fix` says what else is wrong
        assert done.returncode in left, (line, done.stdout, done.stderr)


def test_the_printed_fix_works_for_each_refusal(lab: Lab) -> None:
    lab.base_with_revs()
    lab.append("memory/a.md", "more\n").git("add", "-A")
    refused = lab.commit()
    assert codes(refused) == ["OM102"]
    paste(lab, refused.stderr)
    assert lab.commit().returncode == 0
    lab.write("memory/c.md", "# Gamma\n").git("add", "-A")
    refused = lab.commit()
    assert codes(refused) == ["OM101", "OM104"]
    paste(lab, refused.stderr)
    assert lab.commit().returncode == 0
    lab.git("rm", "-q", "memory/b.md")
    refused = lab.commit()
    assert codes(refused) == ["OM105", "OM101"] or codes(refused) == ["OM105"]
    paste(lab, refused.stderr.split("memory/b.md is deleted in this commit and")[0])
    assert lab.commit().returncode == 0
    assert codes(lab.check("--ignore", "OM108")) == []


def test_the_printed_fix_works_where_the_commit_takes_the_index_from_disk(lab: Lab) -> None:
    lab.base_with_revs().run("mv", "memory/a.md", "memory/z.md")
    lab.git("add", "-N", "memory/z.md")
    moved = lab.read("MEMORY.md").replace("memory/a.md): alpha", "memory/z.md): alpha <!-- trigger: a -->")
    lab.append("memory/z.md", "more\n").write("MEMORY.md", moved)
    for how in (("-a",), ("MEMORY.md", "memory/a.md", "memory/z.md")):
        refused = lab.commit("-m", "x", *how)
        assert codes(refused) == ["OM102"], how
    paste(lab, refused.stderr)
    assert lab.commit("-am", "x").returncode == 0


def test_entries_without_revs_get_one(lab: Lab) -> None:
    lab.base().append("memory/a.md", "more\n").git("add", "-A")
    paste(lab, lab.commit().stderr)
    assert lab.commit().returncode == 0
    assert lab.git("show", "--format=", "HEAD", "--", "MEMORY.md").count("\n+") == 2
    assert (
        f"- [A](memory/a.md): alpha <!-- rev: {rev6(b'alpha' + bytes([10]) + b'more' + bytes([10]))} -->"
        in lab.read("MEMORY.md")
    )


def test_unstaged_work_is_left_alone(lab: Lab) -> None:
    lab.base_with_revs().append("memory/a.md", "staged\n").git("add", "-A")
    lab.append("memory/a.md", "not staged\n").append("memory/b.md", "not staged\n")
    lab.write("MEMORY.md", lab.read("MEMORY.md").replace(": beta", ": my own words") + "\nnot staged\n")
    done = lab.check("--staged", "--fix")
    assert (done.returncode, done.stderr) == (0, "fixed: MEMORY.md (staged and on disk)\n")
    rev = rev6(b"alpha\nstaged\n")
    staged, disk = lab.git("show", ":MEMORY.md"), lab.read("MEMORY.md")
    assert rev in staged and "not staged" not in staged and ": beta" in staged
    assert rev in disk and disk.endswith("\nnot staged\n") and ": my own words" in disk
    assert lab.git("diff", "--cached", "--name-only").split() == ["MEMORY.md", "memory/a.md"]
    assert lab.commit().returncode == 0
    assert sorted(lab.git("diff", "--name-only").split()) == ["MEMORY.md", "memory/a.md", "memory/b.md"]


def test_moved_and_deleted_files(lab: Lab) -> None:
    lab.base_with_revs().git("mv", "memory/a.md", "memory/alpha.md")
    lab.git("rm", "-q", "memory/b.md")
    refused = lab.commit()
    assert (
        "memory/a.md is moved to memory/alpha.md in this commit\n    fix: openclaw-memory check --staged --fix"
        in refused.stderr
    )
    assert "index add" not in refused.stderr
    assert lab.check("--staged", "--fix").returncode == 0
    assert (
        lab.read("MEMORY.md")
        == f"# Index\n\n- [A](memory/alpha.md): alpha <!-- rev: {rev6(b'alpha' + bytes([10]))} -->\n"
    )
    assert lab.commit().returncode == 0


def test_wrong_case(lab: Lab) -> None:
    lab.base().git("mv", "-f", "memory/a.md", "memory/A.md")
    lab.append("MEMORY.md", "words\n").git("add", "-A")
    assert "OM106" in codes(lab.commit())
    lab.check("--staged", "--fix")
    assert "- [A](memory/A.md): alpha" in lab.read("MEMORY.md")
    assert lab.commit().returncode == 0


def test_dry_run_and_nothing_to_do(lab: Lab) -> None:
    lab.base_with_revs()
    assert lab.check("--staged", "--fix").stderr == ""
    lab.append("memory/a.md", "more\n").git("add", "-A")
    before = lab.git("ls-files", "-s")
    done = lab.check("--staged", "--fix", "--dry-run")
    assert done.stdout.count("\n+") == 2 and lab.git("ls-files", "-s") == before


def test_on_disk_alone(lab: Lab) -> None:
    lab.base_with_revs().append("memory/a.md", "more\n")
    done = lab.check("--fix", "--ignore", "OM108")
    assert done.returncode == 0 and "fixed: MEMORY.md (on disk)" in done.stderr
    assert rev6(b"alpha\nmore\n") in lab.read("MEMORY.md")
    assert lab.git("diff", "--cached", "--name-only") == ""


def test_crlf_and_filters_survive(lab: Lab) -> None:
    lab.write(".gitattributes", "*.md text eol=crlf\n").base_with_revs()
    lab.git("rm", "-q", "--cached", "MEMORY.md")
    (lab.root / "MEMORY.md").write_bytes((lab.root / "MEMORY.md").read_bytes().replace(b"\n", b"\r\n"))
    lab.land().write("memory/a.md", "alpha\r\nmore\r\n").git("add", "-A")
    assert lab.check("--staged", "--fix").returncode == 0
    assert "\r" not in lab.git("cat-file", "blob", ":MEMORY.md")
    assert lab.read("MEMORY.md").count("\r\n") == 4 and lab.git("diff", "--name-only") == ""
    assert lab.commit().returncode == 0


def test_locked_index_and_range(lab: Lab) -> None:
    lab.base_with_revs().append("memory/a.md", "more\n").git("add", "-A")
    (lab.root / ".git/index.lock").write_text("")
    done = lab.check("--staged", "--fix")
    assert done.returncode == 2 and "index.lock" in done.stderr
    assert lab.check("--fix", "--range", "HEAD~1..HEAD").returncode == 2


def test_partial_hunks(lab: Lab) -> None:
    """The rev is the one of the staged half of a file, not of the file on disk."""
    lab.base_with_revs().write("memory/a.md", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n").land()
    lab.check("--fix")
    lab.land().write("memory/a.md", "first\n1\n2\n3\n4\n5\n6\n7\n8\nlast\n")
    lab.run("git", "add", "-p", input="y\nn\n")
    lab.check("--staged", "--fix")
    assert rev6(b"first\n1\n2\n3\n4\n5\n6\n7\n8\n9\n") in lab.git("show", ":MEMORY.md")
    assert lab.commit().returncode == 0


_BROKEN = """# Memory

## Active Context

- memory/a.md
- memory/b.md
- memory/c.md
- memory/d.md
- memory/archive/old.md

## People

- [A](memory/A.md): alpha <!-- trigger: a --> <!-- rev: 000000 -->
- [B](memory/b.md): beta
- [Gone](<memory/it's gone.md>): no file <!-- trigger: gone -->
- [Name](path/to/file.md)
"""


def _break(lab: Lab) -> None:
    """Everything wrong at once that a command can mend, in names that a shell and a printer have to be told."""
    lab.base_with_revs()
    for name in ("c", "d", "archive/old", "it's $(new)", 'a "b" & c', "new\nline", "👩‍💻", "-n"):
        lab.write(f"memory/{name}.md", f"# {name.title()}\n")
    lab.land().write("MEMORY.md", _BROKEN)


def test_every_fix_of_a_broken_workspace_can_be_pasted(lab: Lab) -> None:
    _break(lab)
    for _ in range(4):
        paste(lab, lab.check().stdout)
    assert codes(lab.check("--ignore", "OM108,OM109")) == []
    entries = [line for line in lab.read("MEMORY.md").splitlines() if "memory/archive/old.md" in line]
    assert len(entries) == 1 and "trigger: archive/old" in entries[0]


def test_every_fix_of_a_refused_commit_can_be_pasted(lab: Lab) -> None:
    _break(lab)
    lab.append("memory/b.md", "more\n").write("memory/e\n.md", "# E\n").git("add", "-A")
    for _ in range(4):
        refused = lab.commit()
        if refused.returncode:
            paste(lab, refused.stderr)
    assert lab.commit("--allow-empty", "-m", "y").returncode == 0
    assert codes(lab.check("--range", "HEAD~1..HEAD", "--ignore", "OM108,OM109")) == []


def test_a_lost_index_comes_back(lab: Lab) -> None:
    lab.base_with_revs().write("openclaw-memory.yaml", "version: 1\n").land()
    before = lab.read("MEMORY.md")
    (lab.root / "MEMORY.md").unlink()
    paste(lab, lab.check().stdout)
    assert lab.read("MEMORY.md") == before
    lab.git("rm", "-q", "MEMORY.md")
    paste(lab, lab.commit().stderr)
    assert lab.read("MEMORY.md") == before and lab.git("status", "--porcelain") == ""


def test_what_no_command_can_mend_is_no_fix(lab: Lab) -> None:
    lab.base_with_revs()
    (lab.root / "memory/out.md").symlink_to("/etc/hostname")
    lab.append("memory/a.md", "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> z\n")
    said = lab.check("--ignore", "OM102,OM108").stdout
    assert codes(lab.check("--ignore", "OM102,OM108")) == ["OM501", "OM104"]
    assert "fix:" not in said and said.count("    by hand: ") == 2


def test_a_file_that_was_not_added_is_no_dead_entry(lab: Lab) -> None:
    lab.base_with_revs().write("memory/c.md", "gamma\n")
    lab.append("MEMORY.md", "- [C](memory/c.md): gamma <!-- trigger: c -->\n")
    for how, fix in (
        (("MEMORY.md",), "by hand: name memory/c.md in the commit too, after git add"),
        (("-a",), "fix: git add memory/c.md"),
    ):
        refused = lab.commit("-m", "x", *how)
        assert "OM105 memory/c.md is not in this commit, but on disk" in refused.stderr
        assert fix in refused.stderr
    paste(lab, refused.stderr)
    assert lab.commit("-am", "x").returncode == 0
    assert lab.check("--range", "HEAD~1..HEAD").returncode == 0


def test_no_rev_for_a_symlink_that_leads_out(lab: Lab) -> None:
    lab.base_with_revs().run("ln", "-sf", "/etc/hostname", "memory/a.md")
    lab.git("add", "-A")
    before = lab.read("MEMORY.md")
    for judged in (lab.check("--fix"), lab.check("--staged", "--fix")):
        assert codes(judged)[0] == "OM102"
        assert "by hand: put the file itself there: memory/a.md is a symlink that leads out" in judged.stdout
    assert lab.read("MEMORY.md") == before


def test_most_files_of_a_workspace_may_go(lab: Lab) -> None:
    names = [f"f{at}" for at in range(12)]
    for name in names:
        lab.write(f"memory/{name}.md", f"{name}\n").append("MEMORY.md", f"- [{name}](memory/{name}.md)\n")
    lab.land()
    lab.git("rm", "-q", *(f"memory/{name}.md" for name in names))
    paste(lab, lab.commit().stderr)
    assert lab.commit().returncode == 0 and lab.git("show", "HEAD:MEMORY.md") == ""


def test_the_only_entry_may_go(lab: Lab) -> None:
    lab.write("MEMORY.md", "- [Gone](memory/gone.md)\n").land()
    paste(lab, lab.check().stdout)
    assert lab.read("MEMORY.md") == "" and codes(lab.check()) == []

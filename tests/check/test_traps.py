"""What has fooled other readers of git: index formats, filters, user settings, environments, broken repositories."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from openclaw_memory.git import rev6

from .conftest import Lab, codes


def refused(lab: Lab) -> list[str]:
    """The codes for a commit of a changed detail file alone."""
    lab.append("memory/a.md", "more\n").git("add", "-A")
    done = lab.commit()
    assert done.returncode == 1, done.stderr
    return codes(done)


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("split", [False, True])
def test_index_versions(lab: Lab, version: str, split: bool) -> None:
    lab.base().git("update-index", "--index-version", version)
    if split:
        lab.git("update-index", "--split-index")
    assert refused(lab) == ["OM101"]


def test_sparse_index(lab: Lab) -> None:
    lab.base().write("src/s.txt", "s").land()
    lab.git("sparse-checkout", "init", "--cone", "--sparse-index")
    lab.git("sparse-checkout", "set", "src")
    assert "memory/\n" in lab.git("ls-files", "--sparse")
    lab.append("MEMORY.md", "words\n").git("add", "MEMORY.md")
    assert lab.commit().returncode == 0
    lab.append("MEMORY.md", "- [C](memory/c.md) <!-- trigger: c -->\n").git("add", "MEMORY.md")
    assert codes(lab.commit()) == ["OM105"]


@pytest.mark.parametrize(
    "setting",
    [
        "color.ui=always", "diff.external=/bin/false", "diff.noprefix=true", "diff.renames=copies",
        "diff.relative=true", "diff.mnemonicPrefix=true", "diff.ignoreSubmodules=all", "core.quotePath=true",
        "core.fileMode=false", "core.pager=false", "status.relativePaths=true", "core.ignoreCase=true",
        "core.precomposeUnicode=true", "diff.orderFile=/dev/null", "core.untrackedCache=true",
        "index.threads=2", "core.preloadIndex=false",
    ],
)  # fmt: skip
def test_user_settings(lab: Lab, setting: str) -> None:
    lab.base().git("config", "--global", *setting.split("="))
    assert refused(lab) == ["OM101"]


def test_symlinks_off(lab: Lab) -> None:
    lab.base().git("config", "core.symlinks", "false")
    oid = lab.run("git", "hash-object", "-w", "--stdin", input="a.md").stdout.strip()
    lab.git("update-index", "--add", "--cacheinfo", f"120000,{oid},memory/l.md")
    lab.write("memory/l.md", "a.md").append("MEMORY.md", "- [L](memory/l.md) <!-- trigger: l -->\n").git(
        "add", "MEMORY.md"
    )
    assert lab.commit().returncode == 0


def test_filtered_index(lab: Lab) -> None:
    """The staged blob is not what a person reads (git-crypt, LFS): it is smudged first."""
    for side in ("clean", "smudge"):
        lab.git("config", f"filter.rot.{side}", "tr a-zA-Z n-za-mN-ZA-M")
    lab.git("config", "filter.rot.required", "true")
    lab.write(".gitattributes", "MEMORY.md filter=rot\n").base()
    lab.write("memory/c.md", "c\n").append("MEMORY.md", "- [C](memory/c.md) <!-- trigger: c -->\n").git("add", "-A")
    assert "zrzbel/p.zq" in lab.git("cat-file", "blob", ":MEMORY.md")
    assert lab.commit().returncode == 0
    lab.git("config", "filter.rot.smudge", "no-such-program")
    lab.append("MEMORY.md", "words\n").git("add", "-A")
    done = lab.commit()
    assert done.returncode == 1 and "the program of this filter" in done.stderr


def test_filtered_detail_is_judged_by_what_git_stores(lab: Lab) -> None:
    lab.git("config", "filter.up.clean", "tr a-z A-Z")
    lab.write(".gitattributes", "memory/*.md filter=up\n").write("memory/a.md", "a\n")
    lab.write("MEMORY.md", f"- [A](memory/a.md) <!-- trigger: a --> <!-- rev: {rev6(b'A' + bytes([10]))} -->\n").git(
        "add", "-A"
    )
    assert lab.commit().returncode == 0
    assert lab.check().returncode == 0


def test_replaced_and_grafted_history(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n").append("MEMORY.md", "words\n").land()
    tree = lab.git("rev-parse", "HEAD^{tree}").strip()
    lone = lab.git("commit-tree", tree, "-m", "lone").strip()
    lab.git("replace", lab.git("rev-parse", "HEAD").strip(), lone)
    assert refused(lab) == ["OM101"]


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1"])
def test_names_do_not_depend_on_the_locale(lab: Lab, locale: str) -> None:
    env = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    lab.base().write("memory/é🙂.md", "x\n").append("MEMORY.md", "- [E](memory/é🙂.md): x <!-- trigger: e -->\n")
    lab.git("add", "-A")
    done = lab.commit(**env)
    assert done.returncode == 0, done.stderr
    lab.append("memory/é🙂.md", "y\n").git("add", "-A")
    done = lab.commit(**env)
    assert "memory/é🙂.md:1: OM101" in done.stderr


@pytest.mark.parametrize("name", ["GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_NOGLOB_PATHSPECS"])
def test_pathspec_settings(lab: Lab, name: str) -> None:
    lab.base().append("memory/a.md", "1\n").git("add", "-A")
    assert codes(lab.commit(**{name: "1"})) == ["OM101"]


def test_detached_head_and_orphan_branch(lab: Lab) -> None:
    lab.base().git("checkout", "-q", "--detach")
    assert refused(lab) == ["OM101"]
    lab.git("reset", "-q", "--hard")
    lab.git("checkout", "-q", "--orphan", "fresh")
    assert lab.commit().returncode == 0


def test_alternate_git_dir_and_work_tree(lab: Lab, tmp_path: Path) -> None:
    lab.base()
    (lab.root / ".git").rename(tmp_path / "store.git")
    env = {"GIT_DIR": str(tmp_path / "store.git"), "GIT_WORK_TREE": str(lab.root)}
    lab.append("memory/a.md", "1\n").git("add", "-A", **env)
    assert codes(lab.commit(**env)) == ["OM101"]


def test_separate_index_file(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n")
    lab.git("read-tree", "HEAD", GIT_INDEX_FILE="other-index")
    lab.git("add", "memory", GIT_INDEX_FILE="other-index")
    assert codes(lab.commit(GIT_INDEX_FILE="other-index")) == ["OM101"]
    assert lab.check("--staged").returncode == 0


def test_hooks_see_no_module_of_the_workspace(lab: Lab) -> None:
    lab.base()
    for name in ("re", "typing", "openclaw_memory", "yaml", "json"):
        lab.write(f"{name}.py", "raise SystemExit(0)\n")
    assert refused(lab) == ["OM101"]


def test_cherry_pick_revert_and_stash(lab: Lab) -> None:
    lab.base().git("checkout", "-q", "-b", "side")
    lab.append("memory/a.md", "1\n").land("drift")
    lab.git("checkout", "-q", "main")
    lab.git("cherry-pick", "-n", "side")
    assert codes(lab.commit()) == ["OM101"]
    lab.git("stash", "-q")
    assert lab.check("--staged").returncode == 0
    lab.git("stash", "pop", "-q", "--index")
    assert codes(lab.check("--staged")) == ["OM101"]


def test_no_repository_bare_and_broken(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "plain").write("MEMORY.md", "# I\n")
    hook = (sys.executable, "-P", "-m", "openclaw_memory", "hook", "pre-commit")
    done = lab.run(*hook)
    assert done.returncode == 2 and "in no git repository" in done.stderr and "hint:" in done.stderr
    bare = Lab(tmp_path / "bare.git")
    bare.root.mkdir()
    bare.git("init", "-q", "--bare")
    done = bare.run(*hook)
    assert done.returncode == 2 and "work tree" in done.stderr
    lab.init().base().append("memory/a.md", "1\n").git("add", "-A")
    (lab.root / ".git/index").write_bytes(b"DIRC\0\0\0\2\0\0\0\1garbage")
    done = lab.run(*hook)
    assert done.returncode == 2 and "hint:" in done.stderr


def test_head_without_its_object(lab: Lab) -> None:
    lab.base()
    oid = lab.git("rev-parse", "HEAD").strip()
    (lab.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    done = lab.run(sys.executable, "-P", "-m", "openclaw_memory", "hook", "pre-commit")
    assert done.returncode == 2 and "fsck" in done.stderr


def test_index_blob_missing(lab: Lab) -> None:
    lab.base().append("MEMORY.md", "words\n").git("add", "-A")
    oid = lab.git("rev-parse", ":MEMORY.md").strip()
    (lab.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    done = lab.run(sys.executable, "-P", "-m", "openclaw_memory", "hook", "pre-commit")
    assert done.returncode == 2 and "missing" in done.stderr


def test_git_absent(lab: Lab, tmp_path: Path) -> None:
    lab.base()
    done = lab.run(sys.executable, "-P", "-m", "openclaw_memory", "hook", "pre-commit", PATH=str(tmp_path))
    assert done.returncode == 2 and "not on the PATH" in done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="giving files away needs root")
def test_repository_of_somebody_else(lab: Lab) -> None:
    lab.base()
    os.chown(lab.root, 65534, 65534)
    os.chown(lab.root / ".git", 65534, 65534)
    done = lab.run(sys.executable, "-P", "-m", "openclaw_memory", "hook", "pre-commit")
    assert done.returncode == 2 and "safe.directory" in done.stderr


def test_index_is_a_folder_or_huge(lab: Lab) -> None:
    lab.write("memory/a.md", "a\n").write("MEMORY.md/x.md", "x\n").git("add", "-A")
    assert "OM119" in codes(lab.commit())
    lab.git("rm", "-rq", "--cached", "MEMORY.md")
    (lab.root / "MEMORY.md/x.md").unlink()
    (lab.root / "MEMORY.md").rmdir()
    lab.write("MEMORY.md", "x" * (50 << 20)).git("add", "-A")
    done = lab.commit()
    assert done.returncode == 1 and "larger than" in done.stderr


def test_unborn_branch_in_a_sha256_repository(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "r").init("--object-format=sha256")
    lab.write("memory/a.md", "a\n").git("add", "-A")
    assert codes(lab.commit()) == ["OM119", "OM101"]


def test_at_most_five_git_processes(lab: Lab, tmp_path: Path) -> None:
    """Counted by git itself (GIT_TRACE2_EVENT), for a commit that is let through."""
    lab.base_with_revs().append("memory/a.md", "more\n")
    lab.write("MEMORY.md", lab.read("MEMORY.md").replace(rev6(b"alpha\n"), rev6(b"alpha\nmore\n"))).git("add", "-A")
    trace = tmp_path / "trace"
    done = lab.run(sys.executable, "-P", "-m", "openclaw_memory", "hook", "pre-commit", GIT_TRACE2_EVENT=str(trace))
    assert done.returncode == 0, done.stderr
    assert 0 < trace.read_text().count('"event":"start"') <= 5

"""`check --range`: each commit against its own parent."""

from __future__ import annotations

from pathlib import Path

from .conftest import Lab, codes


def test_each_commit_is_judged_for_itself(lab: Lab) -> None:
    lab.base().append("memory/a.md", "1\n").land("drift")
    drift = lab.git("rev-parse", "HEAD").strip()
    lab.append("MEMORY.md", "words\n").land("index later")
    done = lab.check("--range", "HEAD~2..HEAD")
    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [
        f"commit {drift[:10]}",
        "memory/a.md:1: OM101 memory/a.md changes in this commit and MEMORY.md does not",
    ]
    assert lab.check("--range", "HEAD~1..HEAD").returncode == 0
    assert lab.check("--range", "HEAD~1..").returncode == 0


def test_root_merges_and_the_whole_history(lab: Lab) -> None:
    lab.write("memory/a.md", "a\n").land("no index")
    lab.write("MEMORY.md", "- [A](memory/a.md) <!-- trigger: a -->\n").land("index")
    lab.git("checkout", "-q", "-b", "side")
    lab.write("memory/b.md", "b\n").append("MEMORY.md", "- [B](memory/b.md) <!-- trigger: b -->\n").land("side")
    lab.git("checkout", "-q", "main")
    lab.write("x.txt", "x").land()
    lab.git("merge", "-q", "--no-edit", "side")
    done = lab.check("--range", "0" * 40 + "..HEAD")
    assert codes(done) == ["OM119", "OM101"]
    assert lab.check("--range", "HEAD^..HEAD").returncode == 0


def test_what_is_no_range_or_unknown(lab: Lab) -> None:
    lab.base()
    for span in ("HEAD", "HEAD...HEAD", f"--output={lab.root}/x..HEAD"):
        assert lab.check(f"--range={span}").returncode == 2
    assert not (lab.root / "x").exists()
    for span, unknown in (("nowhere..HEAD", "nowhere"), ("HEAD..b", "b"), ("a..b..c", "a"), ("HEAD~9..", "HEAD~9")):
        done = lab.check("--range", span)
        assert done.returncode == 2 and f"there is no commit {unknown} here\n  hint: check the name" in done.stderr


def test_shallow_history_is_an_error_and_no_pass(lab: Lab, tmp_path: Path) -> None:
    lab.base().append("memory/a.md", "1\n").land("drift")
    lab.git("clone", "-q", "--depth=1", f"file://{lab.root}", str(tmp_path / "s"))
    shallow = Lab(tmp_path / "s")
    done = shallow.check("--range", "0000000..HEAD")
    assert done.returncode == 2 and "shallow" in done.stderr
    assert shallow.check("--range", "HEAD~1..HEAD").returncode == 2
    assert shallow.check("--ignore", "OM108").returncode == 0


def test_only_the_workspace_asked_for(lab: Lab) -> None:
    for name in ("one", "two"):
        lab.write(f"{name}/memory/a.md", "a\n").write(f"{name}/MEMORY.md", "- [A](memory/a.md) <!-- trigger: a -->\n")
    lab.land().append("one/memory/a.md", "1\n").land()
    assert lab.check("--range", "HEAD~1..HEAD", "--workspace", "two").returncode == 0
    assert codes(lab.check("--range", "HEAD~1..HEAD", "--workspace", "one")) == ["OM101"]

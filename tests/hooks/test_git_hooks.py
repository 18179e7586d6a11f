"""`hooks install git` against real git: what runs, in which order, with which exit code, and what comes back."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_memory import hooks
from openclaw_memory.errors import GitError, WorkspaceError, WriteError
from openclaw_memory.hooks import shims
from openclaw_memory.hooks.slots import HOOKS

ROOT = Path(__file__).resolve().parents[2]


def git(cwd: Path, *words: str, ok: bool = True, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(["git", *words], cwd=cwd, capture_output=True, text=True, env=env)
    assert not ok or done.returncode == 0, done.stderr
    return done


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make(tmp_path / "r")


def make(path: Path) -> Path:
    """A workspace whose index names its one detail file, committed."""
    git(path.parent, "init", "-q", str(path))
    (path / "memory").mkdir()
    (path / "memory/a.md").write_text("# A\n\nalpha\n")
    (path / "MEMORY.md").write_text("# Index\n\n- [A](memory/a.md): alpha <!-- trigger: a -->\n")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "base")
    return path


def script(path: Path, text: str, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    path.chmod(mode)
    return path


def tree(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Every file below `folder` with its mode and bytes, symlinks as what they name."""
    return {
        str(path.relative_to(folder)): (
            stat.S_IMODE(path.lstat().st_mode),
            str(path.readlink()) if path.is_symlink() else path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def state(repo: Path) -> dict[str, tuple[int, bytes | str]]:
    return tree(repo / ".git" / "hooks") | {"config": (0, (repo / ".git/config").read_bytes())}


def drift(repo: Path) -> None:
    """Stage a change that the rule forbids: a detail file without its index."""
    with (repo / "memory/a.md").open("a") as file:
        file.write("more\n")
    git(repo, "add", "memory")


def test_the_shim_blocks_a_commit_that_breaks_the_rule(repo: Path) -> None:
    hooks.install_git(repo)
    drift(repo)
    done = git(repo, "commit", "-qm", "x", ok=False)
    assert done.returncode == 1
    assert "OM101" in done.stderr + done.stdout
    with (repo / "MEMORY.md").open("a") as file:
        file.write("\nnote\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "x")


def test_a_second_install_changes_nothing(repo: Path) -> None:
    script(repo / ".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n")
    assert hooks.install_git(repo).steps
    once = state(repo)
    assert hooks.install_git(repo).steps == ()
    assert state(repo) == once


def test_dry_run_touches_nothing(repo: Path) -> None:
    before = state(repo)
    assert len(hooks.install_git(repo, dry_run=True).steps) == 5
    assert state(repo) == before


@pytest.mark.parametrize("mode", [0o755, 0o700, 0o644])
@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 0", "#!/bin/sh\r\nexit 0\r\n", "#!/usr/bin/env python3\n", "\0ELF"])
def test_uninstall_restores_bytes_and_mode(repo: Path, text: str, mode: int) -> None:
    for name in HOOKS:
        script(repo / ".git/hooks" / name, text, mode)
    before = state(repo)
    hooks.install_git(repo)
    assert state(repo) != before
    hooks.uninstall_git(repo)
    assert state(repo) == before
    assert not (repo / ".git/openclaw-memory").exists()
    assert hooks.uninstall_git(repo).steps == ()


def test_uninstall_restores_a_symlink(repo: Path) -> None:
    script(repo / "tools/check.sh", "#!/bin/sh\necho linked >> fired\n")
    (repo / ".git/hooks").mkdir(exist_ok=True)
    (repo / ".git/hooks/pre-commit").symlink_to("../../tools/check.sh")
    before = state(repo)
    hooks.install_git(repo)
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    assert (repo / "fired").read_text() == "linked\n"
    hooks.uninstall_git(repo)
    assert state(repo) == before


def test_the_hook_that_was_there_runs_first_and_its_exit_code_counts(repo: Path) -> None:
    script(repo / ".git/hooks/pre-commit", '#!/bin/sh\necho "ran $# $GIT_INDEX_FILE" >> fired\nexit 7\n')
    hooks.install_git(repo)
    assert git(repo, "commit", "-q", "--allow-empty", "-m", "x", ok=False).returncode != 0
    assert (repo / "fired").read_text().startswith("ran 0 ")
    assert subprocess.run([repo / ".git/hooks/pre-commit"], cwd=repo, check=False).returncode == 7


def test_standard_input_and_arguments_reach_the_hook_that_was_there(repo: Path) -> None:
    script(repo / ".git/hooks/pre-commit", '#!/bin/sh\nread line; echo "$line/$1/$2" > fired; exit 3\n')
    hooks.install_git(repo)
    subprocess.run([repo / ".git/hooks/pre-commit", "a b", "*"], cwd=repo, input=b"in\n", check=False)
    assert (repo / "fired").read_text() == "in/a b/*\n"


def test_a_hook_without_the_bit_stays_silent_as_git_keeps_it(repo: Path) -> None:
    script(repo / ".git/hooks/pre-commit", "#!/bin/sh\necho ran >> fired\nexit 1\n", 0o644)
    hooks.install_git(repo)
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    assert not (repo / "fired").exists()


def test_merges_are_checked_too(repo: Path) -> None:
    hooks.install_git(repo)
    git(repo, "switch", "-qc", "side")
    (repo / "memory/b.md").write_text("# B\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qnm", "an orphan")
    git(repo, "switch", "-q", "main")
    git(repo, "commit", "-q", "--allow-empty", "-m", "y")
    done = git(repo, "merge", "--no-edit", "side", ok=False)
    assert done.returncode != 0
    assert "OM104" in done.stdout + done.stderr


def test_a_minimal_path_and_no_environment_are_enough(repo: Path, clean_environment: Path) -> None:
    hooks.install_git(repo)
    drift(repo)
    env = {"HOME": str(clean_environment), "PATH": f"{Path(shutil.which('git') or '').parent}:/usr/bin:/bin"}
    assert "OM101" in git(repo, "commit", "-qm", "x", ok=False, env=env).stderr


@pytest.mark.parametrize("name", ["json", "re", "argparse", "openclaw_memory", "yaml", "sitecustomize"])
def test_a_module_of_the_workspace_does_not_shadow_ours(repo: Path, name: str) -> None:
    hooks.install_git(repo)
    (repo / f"{name}.py").write_text('open("fired", "w").write("workspace code ran"); raise SystemExit(0)\n')
    drift(repo)
    env = {**os.environ, "PYTHONPATH": str(repo)}
    assert git(repo, "commit", "-qm", "x", ok=False, env=env).returncode == 1
    assert not (repo / "fired").exists()


def test_a_python_that_is_gone_blocks_and_says_what_to_do(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/it's gone/python")
    hooks.install_git(repo)
    done = git(repo, "commit", "-q", "--allow-empty", "-m", "x", ok=False)
    assert done.returncode == 1
    assert "/nowhere/it's gone/python" in done.stderr
    assert "hooks install git" in done.stderr
    monkeypatch.undo()
    hooks.install_git(repo)
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")


def test_a_package_that_is_gone_blocks_and_says_what_to_do(repo: Path) -> None:
    hooks.install_git(repo)
    path = repo / ".git/hooks/pre-commit"
    path.write_text(path.read_text().replace(f"package={ROOT}", "package=/nowhere"))
    done = git(repo, "commit", "-q", "--allow-empty", "-m", "x", ok=False)
    if "No module" not in done.stderr:
        pytest.skip("openclaw-memory is installed in this Python, so its folder is not needed")
    assert done.returncode == 1
    assert "hooks install" in done.stderr


@pytest.mark.parametrize("name", ["a b", "it's", 'q"q', "$(touch fired)", "`x`", "a\nb", "ünï", "back\\slash", "%A %O"])
def test_odd_paths(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make(tmp_path / name)
    python = repo / "venv" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("__PYVENV_LAUNCHER__", sys.executable)
    (python.parent / "pyvenv.cfg").unlink(missing_ok=True)
    hooks.install_git(repo)
    drift(repo)
    done = git(repo, "commit", "-qm", "x", ok=False)
    assert shims.interpreter((repo / ".git/hooks/pre-commit").read_bytes()) == python
    assert "Python is gone" not in done.stderr
    assert done.returncode == 1


def test_hooks_path_inside_the_repository_gets_a_block_without_paths_of_this_machine(repo: Path) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    theirs = script(repo / ".githooks/pre-commit", "#!/bin/bash\necho theirs >> fired\n", 0o755)
    before = tree(repo / ".githooks")
    hooks.install_git(repo)
    assert hooks.install_git(repo).steps == ()
    text = theirs.read_text()
    assert text.startswith("#!/bin/bash\n# >>> openclaw-memory >>>")
    assert sys.executable not in text
    assert str(repo) not in text
    drift(repo)
    assert "OM101" in git(repo, "commit", "-qm", "x", ok=False).stderr
    git(repo, "reset", "-q", "--hard")
    git(repo, "commit", "-q", "--allow-empty", "-m", "y")
    assert (repo / "fired").read_text() == "theirs\n"
    hooks.uninstall_git(repo)
    assert tree(repo / ".githooks") == before


def test_a_clone_without_the_tool_is_told_what_to_do(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    hooks.install_git(repo)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "hooks")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repo), str(clone))
    git(clone, "config", "core.hooksPath", ".githooks")
    env = {**os.environ, "PATH": "/usr/bin:/bin"}
    done = git(clone, "commit", "-q", "--allow-empty", "-m", "x", ok=False, env=env)
    assert done.returncode == 1
    assert "not set up in this clone" in done.stderr
    hooks.install_git(clone)
    git(clone, "commit", "-q", "--allow-empty", "-m", "x")


def test_husky_gets_the_block_in_the_script_that_husky_runs(repo: Path) -> None:
    stub = '#!/usr/bin/env sh\n. "${0%/*}/h"\n'
    runner = 'n=$(basename "$0")\ns=$(dirname "$(dirname "$0")")/$n\n[ ! -f "$s" ] && exit 0\nsh -e "$s" "$@"\n'
    for name in HOOKS:
        script(repo / ".husky/_" / name, stub)
    script(repo / ".husky/_/h", runner)
    script(repo / ".husky/pre-commit", "echo husky >> fired\n", 0o644)
    git(repo, "config", "core.hooksPath", ".husky/_")
    before = tree(repo / ".husky")
    hooks.install_git(repo)
    drift(repo)
    assert "OM101" in git(repo, "commit", "-qm", "x", ok=False).stderr
    git(repo, "reset", "-q", "--hard")
    git(repo, "commit", "-q", "--allow-empty", "-m", "y")
    assert (repo / "fired").read_text() == "husky\n"
    hooks.uninstall_git(repo)
    assert tree(repo / ".husky") == before


def test_a_shared_hook_in_another_language_is_refused_with_the_line_to_add(repo: Path) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    script(repo / ".githooks/pre-commit", "#!/usr/bin/env python3\nprint(1)\n")
    with pytest.raises(GitError, match="no shell script") as caught:
        hooks.install_git(repo)
    assert f"`openclaw-memory hook pre-commit || exit` to {repo / '.githooks/pre-commit'}" in caught.value.hint
    assert not (repo / ".githooks/pre-merge-commit").exists()


def test_a_shared_hook_that_git_skips_is_refused(repo: Path) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    script(repo / ".githooks/pre-commit", "#!/bin/sh\n", 0o644)
    with pytest.raises(GitError, match="not executable"):
        hooks.install_git(repo)


def test_a_relative_hooks_path_counts_from_the_top(repo: Path) -> None:
    git(repo, "config", "core.hooksPath", ".githooks")
    hooks.install_git(repo / "memory")
    assert shims.has_block((repo / ".githooks/pre-commit").read_bytes())


def test_inside_a_hook_of_another_repository(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = make(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    before = state(other)
    hooks.install_git(repo)
    assert state(other) == before
    assert shims.is_ours((repo / ".git/hooks/pre-commit").read_bytes())


def test_an_install_that_was_killed_half_way(repo: Path) -> None:
    script(repo / ".git/hooks/pre-commit", "#!/bin/sh\necho mine\n", 0o711)
    before = state(repo)
    hooks.install_git(repo, dry_run=True).steps[0].apply()
    assert not (repo / ".git/hooks/pre-commit").exists()
    hooks.uninstall_git(repo)
    assert state(repo) == before
    hooks.install_git(repo, dry_run=True).steps[0].apply()
    hooks.install_git(repo)
    hooks.uninstall_git(repo)
    assert state(repo) == before


def test_odd_things_in_the_place_of_a_hook(repo: Path) -> None:
    (repo / ".git/hooks").mkdir(exist_ok=True)
    (repo / ".git/hooks/pre-merge-commit").symlink_to("nowhere")
    before = state(repo)
    hooks.install_git(repo)
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    hooks.uninstall_git(repo)
    assert state(repo) == before
    (repo / ".git/hooks/pre-commit").mkdir()
    with pytest.raises(WorkspaceError, match="is a folder"):
        hooks.install_git(repo)


def test_a_config_that_cannot_be_written_says_what_was_done(repo: Path) -> None:
    (repo / ".git/config.lock").touch()
    with pytest.raises(GitError) as caught:
        hooks.install_git(repo)
    assert "done before that: write" in caught.value.hint
    (repo / ".git/config.lock").unlink()
    hooks.install_git(repo)
    assert hooks.install_git(repo).steps == ()


def test_hooks_of_every_repository_are_refused(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "--global", "core.hooksPath", str(tmp_path / "everywhere"))
    with pytest.raises(GitError, match="other repositories"):
        hooks.install_git(repo)
    assert not (tmp_path / "everywhere").exists()
    states = {state.name: state for state in hooks.git_status(repo)}
    assert states["pre-commit"].state == "missing"
    assert (
        f"`openclaw-memory hook pre-commit || exit` to {tmp_path / 'everywhere/pre-commit'}" in states["pre-commit"].fix
    )
    assert (repo / ".git/openclaw-memory/merge-driver").exists(), "the merge driver is ours alone"


def test_hooks_that_call_ours_by_themselves_are_left_alone(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "--global", "core.hooksPath", str(tmp_path / "everywhere"))
    for name in HOOKS:
        script(tmp_path / "everywhere" / name, f"#!/bin/sh\nopenclaw-memory hook {name} || exit\n")
    before = tree(tmp_path / "everywhere")
    hooks.install_git(repo)
    assert hooks.install_git(repo).steps == ()
    assert tree(tmp_path / "everywhere") == before
    states = {state.name: state.state for state in hooks.git_status(repo)}
    assert states["pre-commit"] == states["pre-merge-commit"] == "installed"
    hooks.uninstall_git(repo)
    assert tree(tmp_path / "everywhere") == before


DISPATCH = '#!/bin/sh\necho "$(basename "$0") in $(dirname "$0")" >> fired\n'


def test_a_script_that_asks_for_its_own_name_keeps_it(repo: Path) -> None:
    script(repo / ".git/hooks/pre-commit", DISPATCH)
    before = state(repo)
    hooks.install_git(repo)
    assert hooks.install_git(repo).steps == ()
    drift(repo)
    assert "OM101" in git(repo, "commit", "-qm", "x", ok=False).stderr
    git(repo, "reset", "-q", "--hard")
    git(repo, "commit", "-q", "--allow-empty", "-m", "y")
    assert (repo / "fired").read_text() == "pre-commit in .git/hooks\n"
    assert {state.state for state in hooks.git_status(repo) if state.name != "merge-driver"} == {"installed"}
    hooks.uninstall_git(repo)
    assert state(repo) == before


@pytest.mark.parametrize("text", [DISPATCH, "#!/usr/bin/env ruby\nhook = File.basename($0)\n"])
def test_a_dispatcher_that_cannot_be_renamed_or_edited_is_refused(repo: Path, text: str) -> None:
    script(repo / "tools/dispatch", text)
    (repo / ".git/hooks").mkdir(exist_ok=True)
    if "ruby" in text:
        shutil.copy(repo / "tools/dispatch", repo / ".git/hooks/pre-commit")
    else:
        (repo / ".git/hooks/pre-commit").symlink_to("../../tools/dispatch")
    before = tree(repo / ".git/hooks")
    with pytest.raises(GitError) as caught:
        hooks.install_git(repo)
    assert "`openclaw-memory hook pre-commit || exit`" in caught.value.hint
    assert tree(repo / ".git/hooks") == before
    assert (repo / "tools/dispatch").read_text() == text


def test_a_mention_in_a_comment_is_no_call(repo: Path) -> None:
    script(repo / ".git/hooks/pre-commit", "#!/bin/sh\n# openclaw-memory hook pre-commit\n")
    hooks.install_git(repo)
    drift(repo)
    assert "OM101" in git(repo, "commit", "-qm", "x", ok=False).stderr


def test_hooks_at_the_top_of_the_work_tree(repo: Path) -> None:
    git(repo, "config", "core.hooksPath", ".")
    hooks.install_git(repo)
    assert shims.has_block((repo / "pre-commit").read_bytes())


def test_a_tool_whose_configuration_calls_ours_is_left_alone(repo: Path) -> None:
    script(repo / ".git/hooks/pre-commit", "#!/bin/sh\nlefthook run pre-commit\n")
    (repo / "lefthook.yml").write_text("pre-commit:\n  jobs:\n    - run: openclaw-memory hook pre-commit\n")
    report = hooks.install_git(repo)
    assert any("runs it already" in note for note in report.notes)
    assert not shims.is_ours((repo / ".git/hooks/pre-commit").read_bytes())
    assert shims.is_ours((repo / ".git/hooks/pre-merge-commit").read_bytes())


def test_a_hooks_folder_that_is_a_symlink_out_of_the_repository_is_refused(repo: Path, tmp_path: Path) -> None:
    shutil.rmtree(repo / ".git/hooks")
    (tmp_path / "everywhere").mkdir()
    (repo / ".git/hooks").symlink_to(tmp_path / "everywhere")
    with pytest.raises(GitError, match="other repositories"):
        hooks.install_git(repo)


def test_a_hooks_folder_that_is_a_symlink_into_the_work_tree_is_shared(repo: Path) -> None:
    shutil.rmtree(repo / ".git/hooks")
    (repo / "tools").mkdir()
    (repo / ".git/hooks").symlink_to("../tools")
    hooks.install_git(repo)
    assert shims.has_block((repo / "tools/pre-commit").read_bytes())
    drift(repo)
    assert "OM101" in git(repo, "commit", "-qm", "x", ok=False).stderr


def test_linked_worktrees_share_the_hooks(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    hooks.install_git(tmp_path / "linked")
    assert shims.is_ours((repo / ".git/hooks/pre-commit").read_bytes())
    assert hooks.install_git(repo).steps == ()
    for place in (repo, tmp_path / "linked"):
        drift(place)
        assert "OM101" in git(place, "commit", "-qm", "x", ok=False).stderr


def test_a_submodule_has_hooks_of_its_own(repo: Path, tmp_path: Path) -> None:
    other = make(tmp_path / "other")
    git(repo, "submodule", "--quiet", "add", str(other), "sub")
    hooks.install_git(repo / "sub")
    assert shims.is_ours((repo / ".git/modules/sub/hooks/pre-commit").read_bytes())
    assert not (repo / ".git/hooks/pre-commit").exists()


def test_a_folder_below_the_top_installs_into_its_repository(repo: Path) -> None:
    hooks.install_git(repo / "memory")
    assert shims.is_ours((repo / ".git/hooks/pre-commit").read_bytes())


@pytest.mark.parametrize("made", ["bare", "none", "gitdir"])
def test_places_without_a_work_tree_are_refused(tmp_path: Path, made: str) -> None:
    place = tmp_path / "p"
    place.mkdir()
    if made != "none":
        git(place, "init", "-q", *(["--bare"] if made == "bare" else []))
    with pytest.raises(GitError) as caught:
        hooks.install_git(place / ".git" if made == "gitdir" else place)
    assert caught.value.hint


def test_git_that_is_absent(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo))
    with pytest.raises(GitError, match="not on the PATH"):
        hooks.install_git(repo)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_hooks_folder_that_cannot_be_written(repo: Path) -> None:
    folder = repo / ".git/hooks"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o555)
    try:
        with pytest.raises(WriteError):
            hooks.install_git(repo)
    finally:
        folder.chmod(0o755)


def test_a_hooks_path_that_is_a_file(repo: Path) -> None:
    (repo / "flat").write_text("")
    git(repo, "config", "core.hooksPath", "flat")
    with pytest.raises(WriteError):
        hooks.install_git(repo)


def test_a_tool_that_wrote_its_own_hook_over_ours(repo: Path) -> None:
    lefthook = "#!/bin/sh\nlefthook run pre-commit || true\n"
    script(repo / ".git/hooks/pre-commit", lefthook)
    assert any("lefthook" in note for note in hooks.install_git(repo).notes)
    script(repo / ".git/hooks/pre-commit", lefthook)
    hooks.install_git(repo)
    assert shims.is_ours((repo / ".git/hooks/pre-commit").read_bytes())
    script(repo / ".git/hooks/pre-commit", "#!/bin/sh\necho another\n")
    with pytest.raises(GitError, match="was replaced"):
        hooks.install_git(repo)


@pytest.mark.skipif(
    not shutil.which("pre-commit") and not Path(sys.executable).with_name("pre-commit").exists(),
    reason="needs the pre-commit framework",
)
class TestFramework:
    """The real pre-commit framework above and below our shim."""

    @pytest.fixture(autouse=True)
    def framework(self, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
        monkeypatch.delenv("PYTHONPATH")
        entry = "sh -c 'echo framework >> fired'"
        hook = f'{{id: other, name: o, language: system, entry: "{entry}", always_run: true, pass_filenames: false}}'
        (repo / ".pre-commit-config.yaml").write_text(f"repos:\n- repo: local\n  hooks:\n  - {hook}\n")
        git(repo, "add", "-A")
        git(repo, "commit", "-qnm", "config")

    def frame(self, repo: Path, *words: str) -> None:
        subprocess.run(["pre-commit", *words], cwd=repo, check=True, capture_output=True)

    def both_run(self, repo: Path) -> None:
        (repo / "fired").unlink(missing_ok=True)
        drift(repo)
        assert "OM101" in (done := git(repo, "commit", "-qm", "x", ok=False)).stderr + done.stdout
        assert (repo / "fired").read_text() == "framework\n"
        git(repo, "reset", "-q", "--hard")

    def test_installed_first(self, repo: Path) -> None:
        self.frame(repo, "install")
        before = state(repo)
        hooks.install_git(repo)
        self.both_run(repo)
        self.frame(repo, "install")
        assert hooks.install_git(repo).steps == ()
        self.both_run(repo)
        hooks.uninstall_git(repo)
        assert state(repo) == before

    def test_installed_after_us(self, repo: Path) -> None:
        script(repo / ".git/hooks/pre-commit", "#!/bin/sh\necho oldest >> old\n")
        hooks.install_git(repo)
        self.frame(repo, "install")
        assert hooks.install_git(repo).steps == ()
        self.both_run(repo)
        assert (repo / "old").read_text() == "oldest\n"
        self.frame(repo, "uninstall")
        assert hooks.install_git(repo).steps == ()
        hooks.uninstall_git(repo)
        assert (repo / ".git/hooks/pre-commit").read_text() == "#!/bin/sh\necho oldest >> old\n"

    def test_that_runs_our_hook_itself(self, repo: Path) -> None:
        with (repo / ".pre-commit-config.yaml").open("a") as file:
            file.write("  - {id: openclaw-memory, name: m, language: system, entry: 'false', always_run: true}\n")
        self.frame(repo, "install")
        report = hooks.install_git(repo)
        assert any("runs it already" in note for note in report.notes)
        assert not (repo / ".git/hooks/pre-commit.legacy").exists()

import pytest

from openclaw_memory.git import Call, call_of

AMENDS = [
    "git commit --amend",
    "git commit --am -q",
    "git commit --amen --no-edit",
    "git -C sub -c user.name=x commit -qam text --amend",
    "git --git-dir .git --work-tree . commit --amend",
    "/usr/lib/git-core/git commit --no-edit --amend",
    "git-commit --amend",
    "git commit -C HEAD --amend",
    "git commit --reuse-message HEAD --amend",
    "git commit --no-amend --amend",
    "git commit --fixup=amend:HEAD --amend",
    "git commit -Skey --amend",
    "git commit -uno --amend",
]
PLAIN = [
    "git commit",
    "git commit -m --amend",
    "git commit -am --amend",
    "git commit --message --amend",
    "git commit --mes --amend",
    "git commit --message=--amend",
    "git commit -q -- --amend",
    "git commit -F --amend",
    "git commit --amend --no-amend",
    "git commit --fixup=amend:HEAD",
    "git commit --a",
    "git -c alias.x=--amend commit",
]


@pytest.mark.parametrize("line", AMENDS)
def test_amend_is_seen(line: str) -> None:
    assert call_of([line.split()]) == Call("commit", True)


@pytest.mark.parametrize("line", PLAIN)
def test_values_and_paths_are_not_options(line: str) -> None:
    assert call_of([line.split()]) == Call("commit", False)


def test_nearest_command_that_commits_counts() -> None:
    above = ["sh .git/hooks/pre-commit", "git hook run pre-commit", "git commit --amend", "git fix", "bash"]
    assert call_of([line.split() for line in above]) == Call("commit", True)


def test_merge_inside_pull() -> None:
    assert call_of([["git", "merge", "FETCH_HEAD"], ["git", "pull"]]) == Call("merge", False)


@pytest.mark.parametrize("above", [[], [[]], [["bash"], ["login"]], [["git"]], [["git", "-C"]], [["legit", "commit"]]])
def test_no_command_that_commits(above: list[list[str]]) -> None:
    assert call_of(above) is None

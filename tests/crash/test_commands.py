"""A command that is killed at any system call leaves each file old or new; the next one puts the workspace right."""

import subprocess
import sys

import pytest

COMMAND = "import sys\nfrom openclaw_memory.cli.main import main\nbegin(); sys.exit(main({words!r}))"
INDEX = b"# Memory\n\n## People\n\n- [Ana](memory/people/ana.md): platform <!-- trigger: ana -->\n"


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "ws"
    (root / "memory/people").mkdir(parents=True)
    (root / "MEMORY.md").write_bytes(INDEX)
    for name in ("ana", "tom", "kim"):
        (root / f"memory/people/{name}.md").write_text(f"# {name.title()}\n")
    return root


def temps(root):
    return [str(path) for path in root.rglob("*") if "tmp" in path.suffix]


@pytest.mark.slow
def test_index_add(root, kills, cli):
    words = ["index", "add", "memory/people/tom.md", "--trigger", "tom"]
    assert cli(*words, "--dry-run", cwd=root).returncode == 0
    states = set()
    for call in kills(COMMAND.format(words=words), root):
        data = (root / "MEMORY.md").read_bytes()
        assert data == INDEX or (data.startswith(INDEX) and b"memory/people/tom.md" in data), call
        done = cli("index", "add", "memory/people/kim.md", "--trigger", "kim", cwd=root)
        assert done.returncode == 0, done.stderr
        after = (root / "MEMORY.md").read_bytes()
        assert after.startswith(INDEX), call
        assert b"memory/people/kim.md" in after, call
        assert temps(root) == [], call
        states.add(b"memory/people/tom.md" in data)
    assert states == {False, True}


def test_eight_writers_of_the_index_lose_no_edit(root, cli):
    names = [f"p{at}" for at in range(16)]
    for name in names:
        (root / f"memory/people/{name}.md").write_text(f"# {name}\n")
    script = (
        "import sys\nfrom openclaw_memory.cli.main import main\n"
        "for name in sys.argv[1:]:\n"
        "    assert main(['index', 'add', f'memory/people/{name}.md', '--trigger', name]) == 0\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, *names[at::8]], cwd=root) for at in range(8)]
    assert [writer.wait() for writer in writers] == [0] * 8
    text = (root / "MEMORY.md").read_text()
    assert [text.count(f"memory/people/{name}.md") for name in names] == [1] * 16
    assert text.startswith(INDEX.decode())
    assert temps(root) == []


@pytest.mark.slow
def test_a_new_entity_is_there_whole_or_not_at_all(root, kills, cli):
    """Two files in two folders: the next run, which has nothing to do with either, finishes or takes back both."""
    words = ["entity", "new", "people/zoe", "--about", "new here", "--trigger", "zoe"]
    states = set()
    for call in kills(COMMAND.format(words=words), root):
        done = cli("note", "a word", cwd=root)
        assert done.returncode == 0, (call, done.stderr)
        assert temps(root) == [], call
        listed = b"people/zoe" in (root / "MEMORY.md").read_bytes()
        made = [path for path in (root / "memory/people").rglob("*") if "zoe" in str(path) and path.is_file()]
        assert listed == bool(made), call
        states.add(listed)
    assert states == {False, True}

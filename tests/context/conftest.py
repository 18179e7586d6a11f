import pytest

from openclaw_memory.workspace import Workspace

INDEX = """\
# Memory

## Active Context

- memory/projects/backstage.md

## People

- [Ana](memory/people/ana.md): runs the platform <!-- trigger: ana, boss --> <!-- rev: 3f9a1c -->
- [Tom](memory/people/tom.md): archive <!-- trigger: tom, spreadsheet --> <!-- importance: 8 -->

## Projects

- [Backstage](memory/projects/backstage.md): service catalog <!-- trigger: backstage, catalog -->
- [Loja](memory/projects/loja.md): web shop <!-- trigger: loja, e-commerce, 咖啡 -->
"""

FILES = {
    "MEMORY.md": INDEX,
    "memory/people/ana.md": "# Ana\n\n- likes short answers\n",
    "memory/people/tom.md": "# Tom\n\n- keeps the spreadsheet\n",
    "memory/projects/backstage.md": "# Backstage\n\n- cut-over in March\n",
    "memory/projects/loja.md": "# Loja\n\n- sells coffee\n",
}


@pytest.fixture
def root(tmp_path):
    """The folder of a small workspace."""
    return write(tmp_path / "ws", FILES)


@pytest.fixture
def ws(root):
    return Workspace(root)


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


@pytest.fixture
def many(tmp_path):
    """Makes a workspace of `count` projects, `active` of them in Active Context, all with the trigger `tea`."""

    def make(count, *, active=0, config="", body="- a line\n", triggers="tea, topic{0}"):
        names = [f"memory/projects/p{at:02}.md" for at in range(count)]
        lines = [
            "# Memory",
            "",
            "## Active Context",
            "",
            *(f"- {name}" for name in names[:active]),
            "",
            "## Projects",
            "",
        ]
        lines += [
            f"- [P{at}]({name}): project <!-- trigger: {triggers.format(at)} -->" for at, name in enumerate(names)
        ]
        files = {"MEMORY.md": "\n".join(lines) + "\n", **{name: f"# {name}\n\n{body}" for name in names}}
        if config:
            files["openclaw-memory.yaml"] = "version: 1\n" + config
        return Workspace(write(tmp_path / "many", files))

    return make

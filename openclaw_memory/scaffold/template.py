"""The files that `init` writes: `workspace_template/`, filled in for one layout.

`{{layout}}`, `{{folders}}`, `{{builtins}}`, `{{merged}}` and `{{rev PATH}}` are the only things that are filled in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PurePath

from openclaw_memory import data
from openclaw_memory.config import FILE, Config
from openclaw_memory.git import rev6
from openclaw_memory.heartbeat import builtins
from openclaw_memory.hooks import attributes
from openclaw_memory.scaffold.config_text import set_keys
from openclaw_memory.workspace import Layout

INDEX = "MEMORY.md"
COMPANION = "memory/open-questions.md"  # a detail file: written only together with the index that lists it
KEEP = ".gitkeep"  # what makes git remember a folder that holds nothing yet
_REV = re.compile(rb"\{\{rev ([^}]+)\}\}")


def render(config: Config, existing: Callable[[str], bytes | None] = lambda path: None) -> dict[str, bytes]:
    """Path to content of each file of the template, for the layout and the folders of `config`.

    `existing` gives the bytes of a file that is there already and will be kept, so that its rev is the true one.
    """
    layout = Layout(config)
    folders = list(layout.kinds.values())
    files = {path: _fill(content, config.layout, layout) for path, content in _sources().items()}
    files |= {f"{folder}/{KEEP}": b"" for folder in folders}
    if config.layout != Config().layout:
        files[FILE] = set_keys(files[FILE].decode(), {"layout": config.layout}).encode()

    def rev(found: re.Match[bytes]) -> bytes:
        path = found[1].decode()
        return rev6(existing(path) or files[path]).encode()

    return {path: _REV.sub(rev, content) for path, content in files.items()}


def is_needless(root: Path, path: str) -> bool:
    """Whether `path` only keeps a folder that is there anyway."""
    return path.endswith(KEEP) and (root / path).parent.is_dir()


def _sources() -> dict[str, bytes]:
    root = data.folder("workspace_template")
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {_target(path.relative_to(root)): path.read_bytes() for path in files}


def _target(source: PurePath) -> str:
    """`dot.gitignore` is `.gitignore`: a real one would take effect in the checkout of this project."""
    return (
        source.with_name(source.name.removeprefix("dot")).as_posix()
        if source.name.startswith("dot.")
        else source.as_posix()
    )


def _fill(content: bytes, name: str, layout: Layout) -> bytes:
    words = {
        b"{{layout}}": name,
        b"{{folders}}": ", ".join(f"`{folder}`" for folder in layout.kinds.values()),
        b"{{merged}}": "\n".join(map(attributes.line, attributes.patterns(INDEX, layout.roots))),
        b"{{builtins}}": "\n".join(builtin.line for builtin in builtins.shipped()),
    }
    for mark, text in words.items():
        content = content.replace(mark, text.encode())
    return content

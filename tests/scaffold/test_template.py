from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from openclaw_memory import data, index
from openclaw_memory.cli.main import build_parser
from openclaw_memory.config import FILE, Config, parse, schema, yaml_values
from openclaw_memory.git import rev6
from openclaw_memory.scaffold import template
from openclaw_memory.scaffold.config_text import set_keys
from openclaw_memory.workspace import Layout

LAYOUTS = ["hierarchical", "para", "knowledge"]
CONFIG = (data.folder("workspace_template") / FILE).read_text()


def uncommented(text: str) -> str:
    """The config with every commented key switched on."""
    return re.sub(r"^# (?=\s*\w+:(\s|$))", "", text, flags=re.MULTILINE)


def names(node: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for key, child in node.get("properties", {}).items():
        if "x-unused" not in child and "$ref" not in child:
            yield prefix + key
            yield from names(child, f"{prefix}{key}.")


def paths(value: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for key, child in value.items():
        yield prefix + key
        if isinstance(child, dict):
            yield from paths(child, f"{prefix}{key}.")


def test_every_key_of_the_schema_stands_in_the_config_with_its_default() -> None:
    text = uncommented(CONFIG)
    assert parse(text.encode(), FILE) == Config()
    value, _ = yaml_values.load(text, FILE)
    assert list(paths(value)) == list(names(schema()))


def test_comments_of_the_config_are_the_descriptions_of_the_schema() -> None:
    for name, node in schema()["properties"].items():
        for key, child in {name: node, **node.get("properties", {})}.items():
            if "x-unused" not in child and "$ref" not in child and key != "version":
                assert child["description"] in CONFIG, (name, key)


def test_keys_are_set_in_place() -> None:
    text = set_keys(
        CONFIG, {"layout": "para", "index.active_cap": 2, "exclude": ["a b/**", "é"], "check.ignore": ["OM1"]}
    )
    config = parse(text.encode(), FILE)
    assert (config.layout, config.index.active_cap, config.exclude) == ("para", 2, ("a b/**", "é"))
    assert config.check.ignore == ("OM1",)
    assert "\nlayout: para  # which folder" in text
    assert len(text.splitlines()) == len(CONFIG.splitlines())
    with pytest.raises(KeyError):
        set_keys(CONFIG, {"index.nonsense": 1})


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_index_lists_every_detail_file_of_the_template_with_its_rev(layout: str) -> None:
    files = template.render(Config(layout=layout))
    details = [path for path in files if Layout(Config(layout=layout)).is_detail(path)]
    found = index.parse(files["MEMORY.md"].decode(), list(files))
    assert [entry.path for entry in found.entries] == details == ["memory/open-questions.md"]
    assert [entry.rev for entry in found.entries] == [rev6(files[path]) for path in details]
    assert found.active == []
    assert all(entry.triggers for entry in found.entries)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_is_left_to_fill_in(layout: str) -> None:
    files = template.render(Config(layout=layout))
    assert not [path for path, content in files.items() if b"{{" in content]
    assert parse(files[FILE], FILE).layout == layout
    assert {f"{folder}/.gitkeep" for folder in Layout(Config(layout=layout)).kinds.values()} <= set(files)
    assert f"`{Layout(Config(layout=layout)).folder_of('people')}`".encode() in files["AGENTS.md"]


def commands() -> list[str]:
    """Every command line that the template names."""
    text = "\n".join(content.decode() for content in template.render(Config()).values())
    return sorted(set(re.findall(r"openclaw-memory [a-z][^`\n]*(?=`)", text)))


@pytest.mark.parametrize("command", commands())
def test_every_command_of_the_template_is_one(command: str) -> None:
    words = shlex.split(command)[1:]
    build_parser(words[0]).parse_args(words)


def test_the_template_names_the_commands_an_agent_needs() -> None:
    named = {command.split()[1] for command in commands()}
    assert {"context", "search", "get", "note", "fact", "entity", "index", "active", "check", "trust"} <= named


def test_folders_of_the_config_are_the_ones_that_are_named_and_made() -> None:
    files = template.render(Config(kinds={"people": "memory/pessoas"}))
    assert "memory/pessoas/.gitkeep" in files
    assert "memory/people/.gitkeep" not in files
    assert b"`memory/pessoas`" in files["AGENTS.md"]

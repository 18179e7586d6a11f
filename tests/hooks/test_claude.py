"""`hooks install claude`: the settings keep every byte that is not ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory import data, hooks
from openclaw_memory.errors import FormatError
from openclaw_memory.hooks import claude, jsontext

KEPT = """\
{
    "permissions": {"allow": ["Bash(ls:*)",   "Read"]},
    "hooks": {
        "SessionStart": [
            {"matcher": "startup", "hooks": [{"type": "command", "command": "echo mine"}]}
        ],
        "Stop": []
    },

    "model" : "opus",
    "note": "ünï \\u00e9"
}
"""


def project(root: Path, text: str | None) -> Path:
    path = root / ".claude" / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is not None:
        path.write_bytes(text.encode())
    return path


def commands(path: Path, event: str) -> list[str]:
    entries = json.loads(path.read_text())["hooks"][event]
    return [hook["command"] for entry in entries for hook in entry["hooks"]]


def test_ours_stand_beside_what_is_there(tmp_path: Path) -> None:
    path = project(tmp_path, KEPT)
    hooks.install_claude(tmp_path)
    text = path.read_text()
    assert commands(path, "SessionStart")[0] == "echo mine"
    assert "hook session-start" in commands(path, "SessionStart")[1]
    assert "hook user-prompt" in commands(path, "UserPromptSubmit")[0]
    assert "hook pre-compact" in commands(path, "PreCompact")[0]
    for kept in ('{"allow": ["Bash(ls:*)",   "Read"]}', '"model" : "opus"', '"ünï \\u00e9"', '"Stop": []'):
        assert kept in text
    assert list(json.loads(text)) == ["permissions", "hooks", "model", "note"]
    removed = [line for line in KEPT.splitlines() if line not in text.splitlines()]
    assert [line.strip() for line in removed] == [
        '{"matcher": "startup", "hooks": [{"type": "command", "command": "echo mine"}]}',
        '"Stop": []',
    ]  # both got a comma


def test_a_second_install_changes_nothing_and_uninstall_gives_the_bytes_back(tmp_path: Path) -> None:
    path = project(tmp_path, KEPT)
    hooks.install_claude(tmp_path)
    once = path.read_bytes()
    assert hooks.install_claude(tmp_path).steps == ()
    assert path.read_bytes() == once
    hooks.uninstall_claude(tmp_path)
    assert path.read_text() == KEPT
    assert hooks.uninstall_claude(tmp_path).steps == ()


def test_a_new_file_goes_again(tmp_path: Path) -> None:
    hooks.install_claude(tmp_path)
    path = tmp_path / ".claude/settings.json"
    assert set(json.loads(path.read_text())["hooks"]) == set(claude.EVENTS)
    hooks.uninstall_claude(tmp_path)
    assert not path.exists()


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    assert [step.describe() for step in hooks.install_claude(tmp_path, dry_run=True).steps] == [
        f"write {tmp_path / '.claude/settings.json'}"
    ]
    assert not (tmp_path / ".claude").exists()


def test_user_settings(tmp_path: Path, clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks.install_claude(tmp_path, user=True)
    assert sys.executable in commands(clean_environment / ".claude/settings.json", "SessionStart")[0]
    assert not (tmp_path / ".claude").exists()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    hooks.install_claude(tmp_path, user=True)
    assert (tmp_path / "elsewhere/settings.json").exists()


def test_shared_settings_name_the_command_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "bin" / "openclaw-memory"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    assert hooks.install_claude(tmp_path).notes == ()
    assert commands(tmp_path / ".claude/settings.json", "SessionStart") == [
        "openclaw-memory hook session-start || true",
        "openclaw-memory hook session-start --part 2 || true",
        "openclaw-memory hook session-start --part 3 || true",
        "openclaw-memory hook session-start --part 4 || true",
    ]


def test_another_python_replaces_the_command_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project(tmp_path, KEPT)
    monkeypatch.setattr(sys, "executable", "/old venv/it's/python")
    hooks.install_claude(tmp_path)
    monkeypatch.undo()
    hooks.install_claude(tmp_path)
    assert "/old venv" not in path.read_text()
    assert len(commands(path, "SessionStart")) == 1 + len(claude.EVENTS["SessionStart"])
    hooks.uninstall_claude(tmp_path)
    assert path.read_text() == KEPT


def test_a_symlink_to_the_settings_is_followed(tmp_path: Path) -> None:
    path = project(tmp_path, None)
    (tmp_path / "dotfiles.json").write_text(KEPT)
    path.symlink_to("../dotfiles.json")
    hooks.install_claude(tmp_path)
    assert path.is_symlink()
    assert "hook session-start" in (tmp_path / "dotfiles.json").read_text()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{\n  // mine\n  "a": 1\n}', "line 2 holds a comment"),
        ('{\n  "a": 1, /* x */\n  "b": 2}', "line 2 holds a comment"),
        ('{"a": [1, 2,]}', "trailing comma"),
        ('{"a": 1', "line 1 is not JSON"),
        ("null", "the file is not a JSON object"),
        ("[]", "the file is not a JSON object"),
        ('{"hooks": []}', "`hooks` is not a JSON object"),
        ('{"hooks": {"SessionStart": {}}}', "`hooks.SessionStart` is not a list"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_edited_without_loss_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = project(tmp_path, text)
    with pytest.raises(FormatError, match=re.escape(why)) as caught:
        hooks.install_claude(tmp_path)
    assert caught.value.hint
    assert path.read_text() == text


def test_status(tmp_path: Path) -> None:
    assert {state.state for state in hooks.claude_status(tmp_path)} == {"missing"}
    hooks.install_claude(tmp_path)
    assert {state.state for state in hooks.claude_status(tmp_path)} == {"installed"}
    project(tmp_path, "{ // no\n}")
    assert [state.state for state in hooks.claude_status(tmp_path)] == ["broken"]


def test_hooks_that_are_switched_off(tmp_path: Path) -> None:
    path = project(tmp_path, '{"disableAllHooks": true}')
    hooks.install_claude(tmp_path)
    (first, *_) = hooks.claude_status(tmp_path)
    assert (first.state, first.detail) == ("bypassed", f"disableAllHooks is set in {path}")


def test_the_same_hooks_do_not_run_twice(tmp_path: Path) -> None:
    hooks.install_claude(tmp_path)
    assert any("twice" in note for note in hooks.install_claude(tmp_path, user=True).notes)
    hooks.uninstall_claude(tmp_path)
    report = hooks.install_claude(tmp_path)
    assert report.steps == ()
    assert "in every project already" in report.notes[0]
    assert not (tmp_path / ".claude/settings.json").exists()


def test_a_hook_that_only_mentions_us_is_not_ours(tmp_path: Path) -> None:
    theirs = '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo openclaw-memory"}]}]}}'
    path = project(tmp_path, theirs)
    hooks.install_claude(tmp_path)
    hooks.uninstall_claude(tmp_path)
    assert path.read_text() == theirs


def test_ours_in_an_entry_of_theirs_leaves_theirs(tmp_path: Path) -> None:
    ours, theirs = '{"command": "openclaw-memory hook pre-compact"}', '{"command": "x"}'
    both = f'{{"hooks": {{"PreCompact": [{{"matcher": "auto", "hooks": [{ours}, {theirs}]}}]}}}}'
    path = project(tmp_path, both)
    hooks.uninstall_claude(tmp_path)
    assert json.loads(path.read_text()) == {"hooks": {"PreCompact": [{"matcher": "auto", "hooks": [{"command": "x"}]}]}}


def test_a_command_never_ends_with_what_the_host_reads_as_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    hooks.install_claude(tmp_path)
    for event in claude.EVENTS:
        line = commands(tmp_path / ".claude/settings.json", event)[0]
        assert subprocess.run(["sh", "-c", line], cwd=tmp_path, input=b"{}", capture_output=True).returncode == 0


def test_the_plugin_layout_names_the_same_events() -> None:
    folder = data.folder("hooks") / "claude"
    assert json.loads((folder / ".claude-plugin/plugin.json").read_text())["name"] == "openclaw-memory"
    given_hooks = json.loads((folder / "hooks/hooks.json").read_text())["hooks"]
    assert {event: [hook["command"] for hook in entries[0]["hooks"]] for event, entries in given_hooks.items()} == {
        event: [claude.command(name, portable=True) for name in names] for event, names in claude.EVENTS.items()
    }


# Any JSON, in any layout.

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
hook_lists = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(st.fixed_dictionaries({"command": st.text(max_size=4)}), min_size=1, max_size=2)}
    ),
    min_size=1,
    max_size=2,
)
files = st.builds(
    lambda rest, hooks: {**rest, **({"hooks": hooks} if hooks else {})},
    st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), values, max_size=3),
    st.dictionaries(st.sampled_from([*claude.EVENTS, "Stop"]), hook_lists, max_size=3),
)


@settings(max_examples=150, deadline=None)
@given(
    files.filter(bool),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
)
def test_any_settings_come_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory,
    content: object,
    indent: int | str | None,
    eol: str,
    ascii: bool,
    bom: bool,
) -> None:
    root = tmp_path_factory.mktemp("p")
    text = ("\ufeff" if bom else "") + (json.dumps(content, indent=indent, ensure_ascii=ascii) + "\n").replace(
        "\n", eol
    )
    path = project(root, text)
    hooks.install_claude(root)
    after = json.loads(path.read_bytes().decode("utf-8-sig"))
    for event in claude.EVENTS:
        assert "hook " in after["hooks"][event][-1]["hooks"][-1]["command"]
    once = path.read_bytes()
    hooks.install_claude(root)
    assert path.read_bytes() == once
    hooks.uninstall_claude(root)
    assert path.read_bytes() == text.encode()


@settings(max_examples=100, deadline=None)
@given(values, st.sampled_from([None, 2]))
def test_the_tree_spans_what_json_reads(content: object, indent: int | None) -> None:
    text = json.dumps({"v": content}, indent=indent)
    node = jsontext.parse(text, "x").get("v")
    assert node is not None
    assert json.loads(text[node.start : node.end]) == content


def test_the_last_of_two_equal_keys_counts() -> None:
    text = '{"a": 1, "a": [2]}'
    node = jsontext.parse(text, "x").get("a")
    assert node is not None
    assert text[node.start : node.end] == "[2]"


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_settings_that_cannot_be_written(tmp_path: Path) -> None:
    path = project(tmp_path, KEPT)
    path.parent.chmod(0o555)
    try:
        with pytest.raises(Exception, match="cannot write"):
            hooks.install_claude(tmp_path)
    finally:
        path.parent.chmod(0o755)

"""`hooks install openclaw` with a stand-in for the host's command line. The real host: tests/e2e."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from openclaw_memory import hooks
from openclaw_memory.errors import OpenClawMemoryError, WorkspaceError

PACK, HOOK = "openclaw-memory-hooks", "openclaw-memory-context"
CLI = """\
#!/bin/sh
echo "$@" >> "$OPENCLAW_STATE_DIR/calls"
[ -e "$OPENCLAW_STATE_DIR/fail" ] && { echo "the reason" >&2; exit 1; }
case "$1 $2" in
"plugins install") mkdir -p "$OPENCLAW_STATE_DIR/hooks"; cp -R "$3" "$OPENCLAW_STATE_DIR/hooks/"
    echo '{"hooks": {"internal": {"enabled": true, "entries": {"openclaw-memory-context": {"enabled": true}},
        "installs": {"openclaw-memory-hooks": {}}}}}' > "$OPENCLAW_CONFIG_PATH";;
esac
"""


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "the state"
    folder.mkdir()
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(folder))
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(folder / "openclaw.json"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return folder


@pytest.fixture
def host(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder, with the command `openclaw` on PATH."""
    tool = tmp_path / "bin" / "openclaw"
    tool.parent.mkdir()
    tool.write_text(CLI)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    return state


def only_state() -> tuple[str, str]:
    (found,) = hooks.openclaw_status()
    return found.state, found.fix


def test_the_hosts_own_installer_gets_the_pack_with_our_interpreter(host: Path) -> None:
    hooks.install_openclaw()
    calls = (host / "calls").read_text().splitlines()
    assert calls == [f"plugins install {host}/openclaw-memory/{PACK} --force"]
    runtime = json.loads((host / "hooks" / PACK / HOOK / "runtime.json").read_text())
    assert runtime["command"] == sys.executable
    assert "-I" in runtime["args"]
    assert json.loads((host / "hooks" / PACK / "package.json").read_text())["openclaw"]["hooks"] == [f"./{HOOK}"]
    assert only_state() == ("installed", "")
    assert hooks.install_openclaw().steps == ()


def test_uninstall_disables_and_removes(host: Path) -> None:
    hooks.install_openclaw()
    hooks.uninstall_openclaw()
    assert (host / "calls").read_text().splitlines()[1:] == [
        f"config unset hooks.internal.entries.{HOOK}",
        f"config unset hooks.internal.installs.{PACK}",
        "config unset hooks.internal.enabled",
    ]
    assert only_state()[0] == "missing"
    assert not (host / "hooks" / PACK).exists()
    assert not (host / "openclaw-memory").exists()
    (host / "openclaw.json").write_text("{}")
    assert hooks.uninstall_openclaw().steps == ()


@pytest.mark.parametrize(
    ("before", "last"),
    [
        ('{"hooks": {"internal": {"enabled": true}}}', f"config unset hooks.internal.installs.{PACK}"),
        ('{"hooks": {"internal": {"enabled": false}}}', "config set hooks.internal.enabled false --strict-json"),
        ("{} // by hand", f"config unset hooks.internal.installs.{PACK}"),
    ],
)
def test_uninstall_sets_the_hosts_switch_back(host: Path, before: str, last: str) -> None:
    (host / "openclaw.json").write_text(before)
    hooks.install_openclaw()
    hooks.uninstall_openclaw()
    assert (host / "calls").read_text().splitlines()[-1] == last
    assert not (host / "openclaw-memory").exists()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('{"hooks": {"internal": {"enabled": true, "entries": {"openclaw-memory-context": {}}}}}', "installed"),
        ('{"hooks": {"internal": {"enabled": false, "entries": {"openclaw-memory-context": {}}}}}', "bypassed"),
        (
            '{"hooks": {"internal": {"enabled": true, "entries": {"openclaw-memory-context": {"enabled": false}}}}}',
            "bypassed",
        ),
        (
            "{hooks: {internal: {enabled: true, entries: {'openclaw-memory-context': {enabled: true}}}}} // x",
            "installed",
        ),
        ("{hooks: {internal: {enabled: true, entries: {'openclaw-memory-context': {enabled: false}}}}}", "bypassed"),
        ('{"hooks": []}', "bypassed"),
        ("", "bypassed"),
    ],
)
def test_enabled_or_not(host: Path, config: str, expected: str) -> None:
    hooks.install_openclaw()
    (host / "openclaw.json").write_text(config)
    assert only_state()[0] == expected


def test_without_the_command_line_it_goes_where_the_host_looks(state: Path) -> None:
    report = hooks.install_openclaw()
    assert (state / "hooks" / HOOK / "handler.js").is_file()
    assert (state / "hooks" / HOOK / "runtime.json").is_file()
    assert any("openclaw hooks enable" in note for note in report.notes)
    assert only_state() == ("bypassed", f"openclaw hooks enable {HOOK}")
    assert hooks.install_openclaw().steps == ()
    hooks.uninstall_openclaw()
    assert list(state.rglob("*")) in ([], [state / "hooks"])


def test_another_version_or_python_is_brought_up_to_date(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks.install_openclaw()
    monkeypatch.setattr(sys, "executable", "/new/python")
    assert only_state()[0] == "broken"
    hooks.install_openclaw()
    assert only_state()[0] == "installed"


def test_dry_run_writes_nothing(host: Path) -> None:
    assert any("plugins install" in step.describe() for step in hooks.install_openclaw(dry_run=True).steps)
    assert list(host.iterdir()) == []


def test_no_openclaw(state: Path) -> None:
    state.rmdir()
    with pytest.raises(WorkspaceError, match="no OpenClaw"):
        hooks.install_openclaw()
    assert only_state()[0] == "missing"


def test_an_installer_that_fails_says_why(host: Path) -> None:
    (host / "fail").touch()
    with pytest.raises(OpenClawMemoryError, match="the reason") as caught:
        hooks.install_openclaw()
    assert "run it again" in caught.value.hint
    (host / "fail").unlink()
    hooks.install_openclaw()
    assert only_state()[0] == "installed"

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory.config import Config, load, parse, schema, seconds, simple, trust, validate, yaml_values
from openclaw_memory.config.refusal import key_names
from openclaw_memory.errors import ConfigError

WHERE = "openclaw-memory.yaml"


def refusal(text: str | bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse(text if isinstance(text, bytes) else text.encode(), WHERE)
    return caught.value


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path) == Config()


@pytest.mark.parametrize("text", ["", "version: 1\n", "# note\nversion: 1\n\n---\n#index:\n", "\ufeffversion: 1\r\n"])
def test_a_file_that_says_nothing_gives_the_defaults_without_yaml(text: str) -> None:
    code = f"""
import sys
from openclaw_memory.config import Config, parse
assert parse({text.encode()!r}, "x") == Config()
assert not {{"yaml", "jsonschema", "json"}} & set(sys.modules), sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_keys_arrive_with_their_types() -> None:
    config = parse(
        b"""
version: 1
layout: para
kinds: {books: life/books}
daily: [memory/daily, memory]
index: {max_tokens: 900, co_change: off}
check:
  severity: {OM108: error}
  per_file_ignores: {"memory/old/**": [OM104]}
memory:
  citations: on
  paths: [{path: ~/notes, name: notes}]
  update: {debounceMs: 5}
heartbeat:
""",
        WHERE,
    )
    assert (config.layout, config.kinds["books"], config.daily) == ("para", "life/books", ("memory/daily", "memory"))
    assert (config.index.max_tokens, config.index.co_change, config.index.target_tokens) == (900, "off", 1500)
    assert config.check.per_file_ignores["memory/old/**"] == ("OM104",)
    assert config.memory.citations == "on"
    assert config.memory.paths[0].pattern == "**/*.md"
    assert config.memory.update.debounce_ms == 5
    assert config.heartbeat == Config().heartbeat


def test_words_that_yaml_1_1_would_turn_into_something_else_stay_words() -> None:
    value, _ = yaml_values.load("a: off\nb: 22:30\nc: 2026-03-01\nd: 0x1f\ne: 010\nf: 'true'\ng: yes", WHERE)
    assert value == {"a": "off", "b": "22:30", "c": "2026-03-01", "d": "0x1f", "e": 10, "f": "true", "g": "yes"}


def test_an_unknown_key_names_file_line_and_the_nearest_key() -> None:
    error = refusal("version: 1\nindex:\n  max_tokns: 3\n")
    assert error.message == "openclaw-memory.yaml:3: unknown key `max_tokns`"
    assert error.hint == "did you mean `index.max_tokens`?"


@pytest.mark.parametrize("path", ["..", "a/../b", "/etc", "~/x", ".", "./", "a\\\\b"])
def test_paths_that_lead_out_or_nowhere_are_refused(path: str) -> None:
    assert "must be a path inside the workspace" in refusal(f"roots: ['{path}']").message


def test_a_key_in_the_wrong_block_is_found_where_it_belongs() -> None:
    assert refusal("active_cap: 2\n").hint == "did you mean `index.active_cap`?"


def test_every_problem_is_named_with_its_line() -> None:
    error = refusal(
        "version: 2\nindex:\n  revs: maybe\n  active_cap: -1\n  path: ../x.md\nlayout: tree\n"
        "check:\n  severity: {OM1O4: off}\n"
    )
    assert error.message.splitlines() == [
        "openclaw-memory.yaml:1: `version` must be 1, not 2",
        "openclaw-memory.yaml:3: `index.revs` must be true or false, not 'maybe'",
        "openclaw-memory.yaml:4: `index.active_cap` must be at least 0, not -1",
        "openclaw-memory.yaml:5: `index.path` must be a path inside the workspace, not '../x.md'",
        "openclaw-memory.yaml:6: `layout` must be one of hierarchical, para, knowledge, not 'tree'",
        "openclaw-memory.yaml:8: `check.severity.OM1O4` must be a code or family such as OM1 or OM104, not 'OM1O4'",
    ]


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("version: 1\nindex: [\n", 3, "YAML"),
        ("version: 1\n\tindex: 1\n", 2, "YAML"),
        ("index: {}\nindex: {}\n", 2, "twice"),
        ("index: &a {}\ncontext: *a\n", 1, "alias"),
        ("? [a]\n: 1\n", 1, "key"),
        ("- a\n", 1, "a block of keys"),
        (b"version: 1\nlayout: \xff\n", 2, "UTF-8"),
        ("version: 1\nlayout: \x01\n", 2, "YAML"),
        ("version: 1\nlayout: " + "9" * 5000, 2, "must be"),
        ("version: 1\nlayout: " + "[" * 500 + "]" * 500, 2, "too deeply"),
    ],
)
def test_a_broken_file_names_its_line(text: str | bytes, line: int, word: str) -> None:
    error = refusal(text)
    assert error.message.startswith(f"openclaw-memory.yaml:{line}: ")
    assert word in error.message


def test_what_is_no_readable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / WHERE).mkdir()
    with pytest.raises(ConfigError, match="cannot read"):
        load(tmp_path)
    assert "1 MB" in refusal(b"#" * ((1 << 20) + 1)).message


def test_the_keys_below_qmd_count_and_the_ones_of_other_tools_are_named() -> None:
    config = parse(b"memory: {backend: qmd, citations: off, qmd: {citations: on, limits: {maxResults: 9}}}", WHERE)
    assert (config.memory.citations, config.memory.limits.max_results) == ("off", 9)
    assert config.warnings == ()
    assert config.notes == ("`memory.backend` has no effect: the host reads it, openclaw-memory does not",)


def test_commands_endpoints_and_models_wait_for_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / WHERE
    file.write_text("version: 1\nllm:\n  endpoint: http://localhost:1\nretrieval: {embedder: local}\n")
    config = load(tmp_path)
    assert config.llm.endpoint == ""
    assert config.retrieval.embedder == "local"
    assert config.warnings == (f"{WHERE}:3: `llm.endpoint` is ignored until you allow it: openclaw-memory trust",)

    trust.allow(file, file.read_bytes())
    assert load(tmp_path).llm.endpoint == "http://localhost:1"
    assert load(tmp_path).trusted
    trust.require(file, file.read_bytes(), "a command")

    file.write_text(file.read_text() + "# changed\n")
    assert load(tmp_path).llm.endpoint == ""
    with pytest.raises(ConfigError, match="not allowed yet"):
        trust.require(file, file.read_bytes(), "a command")
    assert trust.forget(file)
    assert not trust.forget(file)


def test_durations() -> None:
    assert [seconds(text) for text in ("500ms", "60s", "30m", "1h", "2d")] == [0.5, 60, 1800, 3600, 172800]


def plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return dict(value) if hasattr(value, "items") else value


def test_the_defaults_of_schema_and_model_are_the_same() -> None:
    for name in key_names(schema()):
        node: Any = {"properties": schema()["properties"]}
        value: Any = Config()
        for part in name.split("."):
            node = node["properties"][part]
            value = getattr(value, "".join(f"_{c.lower()}" if c.isupper() else c for c in part), None)
        if "default" in node and name != "version":
            assert plain(value) == node["default"], name
        if "$ref" not in node:
            assert node["description"], name


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


KEYS = {part for name in key_names(schema()) for part in name.split(".")}
words = st.sampled_from([*sorted(KEYS), "hierarchical", "off", "5m", "OM1", "x/y", "../a", "/a", "~"])
scalars = st.one_of(words, st.booleans(), st.integers(-2, 9), st.floats(-2, 9, width=16), st.just(1), st.just(1.0))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=4)),
    max_leaves=12,
)
blocks = st.dictionaries(st.sampled_from(list(schema()["properties"])), values, max_size=4)


def near(node: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that mostly fit `node`, so that agreement is tried on valid files too."""
    if "enum" in node:
        return st.sampled_from(node["enum"])
    if "properties" in node:
        kept = {key: near(child) for key, child in node["properties"].items() if "$ref" not in child}
        return st.fixed_dictionaries({}, optional=kept)
    if node.get("type") == "array":
        return st.lists(near(node["items"]), max_size=2)
    kinds = {"boolean": st.booleans(), "integer": st.integers(-1, 9), "string": words}
    return kinds.get(node.get("type", ""), scalars)


@given(st.one_of(values, blocks, near(schema())))
def test_the_hand_check_and_jsonschema_agree(value: Any) -> None:
    by_hand = not list(validate.problems(value, schema()))
    assert by_hand == jsonschema.Draft202012Validator(schema()).is_valid(value), json.dumps(value)


@given(near(schema()))
def test_what_is_valid_loads_from_yaml(value: Any) -> None:
    if not list(validate.problems(value, schema())):
        assert isinstance(parse(yaml.safe_dump(value).encode(), WHERE), Config)


@given(st.text())
def test_any_text_is_a_config_or_a_config_error(text: str) -> None:
    try:
        parse(text.encode("utf-8", "surrogatepass"), WHERE)
    except ConfigError as error:
        assert error.message.startswith(WHERE)


SIMPLE = st.sampled_from(
    [
        "version: 1", "layout: para  # x", "index:", "index:  # the index", "  active_cap: 2", "  revs: false", "# c",
        "  path: a/b.md # c", "context: {}", 'kinds: {"people": "memory/pessoas"}  # c', 'exclude: ["a b/**", "é#"]',
        "roots: [a, b]", "  # c", "", "  ", "layout: off", "language: ~", "timezone: 22:00", "timezone: 2026-01-02",
        'kinds: {"a": 1, "a": 2}', 'timezone: "a" b', "x: y: z", "  continued", "    deep: 1", "\tx: 1", "daily:",
        "- memory", "timezone: a#b", "a:b", "profile: claude\\", "index: 1 2", "check: null", 'language: "p\\u0074"',
        "--- ", "heartbeat: 1e3", "llm: -5", 'kinds: {"a": null}', "memory: \u2028x", "x: 'q'", "index: # c",
        "language: pt ", "revs:x", "context: null", "version: 1.0", "x: 0x1f", "x: 1_000", "x: .inf", "x: 1.", "x: yes",
        'x: [1, "a", true, 1.5, {"b": []}]', 'x: ["a",]', "x: {a: 1}", 'x: "a"#c', 'x: [1]# c', "x: 1e400", "x: NaN",
        "x: [NaN]", "x: [-Infinity]", "x: [null]",
        "x: [1e3]", "x: [-0]", "x: 007", "x: 9" * 3,
    ]
)  # fmt: skip


@settings(max_examples=600)
@given(st.lists(SIMPLE, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_what_is_read_without_yaml_is_read_as_yaml_reads_it(parts: list[str], eol: str) -> None:
    text = eol.join(parts)
    quick = simple.read(text)
    if quick is not None:
        value, lines = yaml_values.load(text, WHERE)
        assert repr(quick[0]) == repr(dict(value or {}))
        assert {path: lines.near(path) for path in quick[1] if path} == {
            path: n for path, n in quick[1].items() if path
        }


def test_what_init_and_adopt_write_needs_no_yaml() -> None:
    text = (
        'version: 1\n\nlayout: para  # c\nkinds: {"people": "memory/pessoas"}  # c\nindex:  # c\n  active_cap: 2  # c\n'
    )
    quick = simple.read(text)
    assert quick is not None
    assert quick[0] == {
        "version": 1,
        "layout": "para",
        "kinds": {"people": "memory/pessoas"},
        "index": {"active_cap": 2},
    }
    assert quick[1].near(("index", "active_cap")) == 6
    assert quick[1].near(("kinds", "people")) == 4


def test_each_wrong_key_has_its_own_hint() -> None:
    with pytest.raises(ConfigError) as caught:
        parse(b"version: 1\nindx: {}\nindex:\n  max_token: 3\n  active_cap: x\n", "c.yaml")
    assert caught.value.message.splitlines() == [
        "c.yaml:2: unknown key `indx` (did you mean `index`?)",
        "c.yaml:4: unknown key `max_token` (did you mean `index.max_tokens`?)",
        "c.yaml:5: `index.active_cap` must be a number, not 'x'",
    ]

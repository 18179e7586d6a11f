import json

import pytest

from openclaw_memory.errors import FormatError
from openclaw_memory.knowledge.factsfile import load, new_record

NEW = new_record("x-009", "new: one", category="status", timestamp="2026-03-02", source="conv", related=["people/a"])

COATS = {
    "array": ("items.json", '[\n  {\n    "id": "a",\n    "fact": "one",\n    "accessCount": 1,\n'
              '    "z": [1,  2]\n  },\n  {\n    "id": "b",\n    "fact": "two"\n  }\n]\n'),
    "tight": ("items.json", '[{"id":"a","fact":"one","accessCount":1},{"id":"b","fact":"two"}]'),
    "tabs and CRLF": ("items.json",
                      '[\r\n\t{ "id" : "a", "fact" : "one" },\r\n\t{ "id" : "b", "fact" : "two" }\r\n]\r\n'),
    "BOM": ("items.json", '\ufeff[{"id": "a", "fact": "one"}, {"id": "b", "fact": "two"}]\n'),
    "items wrapper": ("items.json",
                      '{"entity": "x", "items": [\n {"id": "a", "content": "one", "created": "2026-01-01"},'
                      '\n {"id": "b", "content": "two", "created": "2026-01-02"}\n], "v": 1}\n'),
    "facts wrapper": ("facts.json", '{"facts": [{"id": "a", "fact": "one"}, {"id": "b", "fact": "two"}], "n": [[]]}'),
    "escaped": ("items.json", '[{"id": "a", "fact": "one"}, {"id": "b", "fact": "two", "note": "caf\\u00e9"}]'),
    "lines": ("facts.jsonl", '{"id":"a","fact":"one","ts":1767225600}\n\n{"id":"b","fact":"two"}\n'),
    "yaml": ("items.yaml", "# kept\n- id: a\n  fact: one  # why\n  superseded_by:\n  tags: [x,   y]\n\n"
             "# between\n- id: b\n  fact: >\n    two\n\n# end\n"),
    "yaml wrapper": ("items.yml", "facts:\n    -   id: a\n        content: one\n        date: 2026-03-23\n"
                     "    -   id: b\n        content: two\n        date: 2026-03-24\nother: [1,   2]\n"),
    "yaml flow": ("items.yaml", "[{id: a, fact: one}, {id: b, fact: two}]\n"),
}  # fmt: skip


@pytest.mark.parametrize("coat", COATS)
def test_every_coat_loads_to_the_same_model(coat: str) -> None:
    path, text = COATS[coat]
    file = load(text.encode(), path)
    assert [(fact.id, fact.text.strip(), fact.status) for fact in file.facts] == [
        ("a", "one", "active"),
        ("b", "two", "active"),
    ]


@pytest.mark.parametrize("coat", COATS)
def test_no_change_no_byte(coat: str) -> None:
    path, text = COATS[coat]
    assert load(text.encode(), path).rewrite({}) == text.encode()


@pytest.mark.parametrize("coat", COATS)
def test_saving_one_fact_leaves_the_bytes_of_the_other(coat: str) -> None:
    path, text = COATS[coat]
    file = load(text.encode(), path)
    written = file.rewrite({0: {"accessCount": 7, "lastAccessed": "2026-03-05", "supersededBy": "b"}})
    again = load(written, path)
    assert (again.facts[0].access_count, again.facts[0].superseded_by) == (7, "b")
    assert again.facts[0].last_accessed == "2026-03-05"
    for key, value in file.facts[0].record.items():
        if key not in ("accessCount", "superseded_by"):
            assert again.facts[0].record[key] == value
    start, _ = file.parsed.spans[1]
    assert written.decode().endswith(text[start:])
    assert written.decode().startswith(text[: file.parsed.spans[0][0]])
    assert "access_count" in written.decode() or not path.endswith(("yaml", "yml"))


@pytest.mark.parametrize("coat", COATS)
def test_a_new_fact_stands_behind_the_others_in_their_form(coat: str) -> None:
    path, text = COATS[coat]
    file = load(text.encode(), path)
    written = file.rewrite({}, [NEW, {**NEW, "id": "x-010"}])
    again = load(written, path)
    assert [fact.id for fact in again.facts] == ["a", "b", "x-009", "x-010"]
    assert again.facts[2].text == "new: one"
    assert again.facts[2].related == ("people/a",)
    before = text[: file.parsed.spans[1][1]].rstrip()
    assert written.decode().startswith(before)
    ends = "\r\n" if "\r\n" in text else "\n"
    assert written.decode().replace("\r\n", "\n").count("\n") == written.decode().count(ends)


def test_an_empty_or_missing_list_gets_our_own_form() -> None:
    for text in ("", "\n", "[]", "[]\n", "[\n]\n"):
        written = load(text.encode(), "items.json").rewrite({}, [NEW])
        assert json.loads(written) == [NEW]
        assert b'\n  {\n    "id": "x-009",\n    "fact": "new: one",' in written
    wrapped = load(b'{\n  "entity": "x",\n  "facts": []\n}\n', "facts.json").rewrite({}, [NEW])
    assert json.loads(wrapped) == {"entity": "x", "facts": [NEW]}
    assert load(b"facts:\n", "items.yaml").rewrite({}, [NEW]).startswith(b"facts:\n- id: x-009\n")


def test_missing_optional_fields_are_not_invented() -> None:
    text = '[{"id":"a","content":"one","created":"2026-01-01"}]'
    written = load(text.encode(), "items.json").rewrite({0: {"accessCount": 1}})
    assert json.loads(written) == [{"id": "a", "content": "one", "created": "2026-01-01", "accessCount": 1}]


def test_a_redacted_block_scalar_goes_whole() -> None:
    text = "- id: a\n  fact: |\n    my key is\n    secret\n\n  tags: [x]\n- id: b\n  fact: two\n"
    written = load(text.encode(), "items.yaml").rewrite({0: {"fact": "[redacted]"}}).decode()
    assert written == '- id: a\n  fact: "[redacted]"\n\n  tags: [x]\n- id: b\n  fact: two\n'


def test_invalid_utf8_survives() -> None:
    data = b'[{"id": "a", "fact": "caf\xe9"}, {"id": "b", "fact": "two"}]'
    assert load(data, "items.json").rewrite({1: {"accessCount": 1}}) == data.replace(
        b'"two"', b'"two", "accessCount": 1'
    )


@pytest.mark.parametrize(
    ("path", "text", "where"),
    [
        ("items.json", '[\n  {"id": "a",}\n]', "items.json:2:"),
        ("items.json", '[\n  {"id": "a"}\n  {"id": "b"}\n]', "items.json:3:3"),
        ("items.json", '[{"id": "a"}', "items.json:1:"),
        ("items.json", '[{"id": "a"},]', "items.json:1:13"),
        ("items.json", '{"entity": "x"}', "items.json:1:1"),
        ("items.json", '"text"', "items.json:1:1"),
        ("items.json", "[" * 100_000, "items.json:1:"),
        ("items.json", '[{"id": "a"}] x', "items.json:1:15"),
        ("items.json", '\ufeff[\n  {"id": "a"}\n]\n x', "items.json:4:2"),
        ("items.json", '{"facts": [\n{"id": "a"}\n], oops}', "items.json:3:4"),
        ("items.json", '{"entity": x, "facts": []}', "items.json:1:12"),
        ("items.jsonl", '{"id": "a"}\n]\n{"id": "b"}', "items.jsonl:2:1"),
        ("items.jsonl", '{"id": "a"},\n{"id": "b"}', "items.jsonl:1:12"),
        ("items.json", '[\n<<<<<<< HEAD\n{"id": "a"}\n=======\n>>>>>>> x\n]', "items.json:2:1: conflict markers"),
        ("facts.jsonl", '{"id": "a"}\n{"id": }\n', "facts.jsonl:2:8"),
        ("items.yaml", "- id: a\n  fact: [x\n", "items.yaml:3:1"),
        ("items.yaml", "a: 1\n", "items.yaml:1:1"),
        ("items.yaml", "- &x [*x]\n- \t- a\n", "items.yaml:"),
    ],
)
def test_broken_files_name_line_and_column(path: str, text: str, where: str) -> None:
    with pytest.raises(FormatError) as error:
        load(text.encode(), path)
    assert where in error.value.message


def test_lines_of_facts() -> None:
    path, text = COATS["array"]
    file = load(text.encode(), path)
    assert [file.lines(0), file.lines(1)] == [(2, 7), (8, 11)]


def test_a_list_with_other_things_in_it_keeps_them() -> None:
    file = load(b'["loose text", {"id": "a", "fact": "one"}]', "items.json")
    assert file.facts[0].text == "loose text"
    assert file.rewrite({1: {"accessCount": 1}}).startswith(b'["loose text", {"id": "a"')
    with pytest.raises(FormatError, match="no object"):
        file.rewrite({0: {"accessCount": 1}})


def test_a_day_that_does_not_exist_loses_no_other_fact() -> None:
    file = load(b"- {id: a, fact: one, date: 2026-13-45}\n- {id: b, fact: two, date: 2026-03-02}\n", "items.yaml")
    assert [fact.timestamp for fact in file.facts] == ["2026-13-45", "2026-03-02"]


def test_a_number_of_thousands_of_digits_is_refused_with_its_file() -> None:
    with pytest.raises(FormatError, match=r"items\.json:1:1: "):
        load(b'[{"id": "a", "accessCount": ' + b"9" * 5000 + b"}]", "items.json")


@pytest.mark.parametrize(
    "before",
    [
        '[{"id": "a", "fact": "it says \\"accessCount\\": 1", "accessCount": 1}]',
        '[{"id": "a", "meta": {"accessCount": 1}, "accessCount": 1}]',
        '[{"id": "a", "meta": {"accessCount": 1}, "access\\u0043ount": 1}]',
        '[{"id": "a", "meta": {"accessCount": 1}}]',
        '[{"id": "a", "fact": "a { brace", "accessCount": 1}]',
        '[{"id": "a", "list": [{"accessCount": 1}], "accessCount": "1"}]',
    ],
)
def test_only_the_facts_own_count_is_written(before: str) -> None:
    file = load(before.encode(), "items.json")
    after = json.loads(file.rewrite({0: {"accessCount": 7}}))
    assert after == [{**json.loads(before)[0], "accessCount": 7}]

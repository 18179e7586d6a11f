"""Edits of any index change the lines they mean, and nothing else."""

from __future__ import annotations

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from openclaw_memory import index as ix
from openclaw_memory.index import Draft, Index, Words, parse

NAMES = ["ana", "ken", "loja", "backstage", "r&d", "c++ notes", "れん", "a (b)", "x_y", "émile"]
FOLDERS = ["memory/people", "memory/projects", "memory/resources"]
FILES = [f"{folder}/{name}.md" for folder in FOLDERS for name in NAMES] + ["rules.md", "memory/lessons.md"]
NEW = "memory/people/bob.md"

_TITLES = ["## People", "## Projects", "## 📁 Files", "## 人物一覧", "### Quick Reference", "## Pessoas", "# Memory"]
_ABOUT = ["", "the boss", "opens in March — maybe", "see (later)", "a | b", "数える"]
_TRIGGERS = [(), ("ana",), ("boss", "c++"), ("e-commerce", "R&D", "れん")]


def _bare(path: str) -> str:
    return path if not set(path) & set(" ()&+") else f"<{path}>"


def _dest(path: str) -> str:
    return f"<{path}>" if set(path) & set(" ()") else path


def _item(bullet: str, form: int, path: str, about: str, triggers: tuple[str, ...], rev: str) -> str:
    stem = path.rpartition("/")[2].removesuffix(".md")
    said = about.replace("|", "/")
    body = [
        f"[{stem.title()}]({_dest(path)})" + (f": {said}" if said else ""),
        f"{stem}: `{path}`" + (f" — {said}" if said else ""),
        f"`{path}`" + (f" — {said}" if said else ""),
        f"**{stem.upper()}** - {_bare(path)}",
        f"[[{path.removesuffix('.md')}|{stem}]]",
        f"{stem}： {_bare(path)}",
    ][form]
    notes = (f" <!-- trigger: {', '.join(triggers)} -->" if triggers else "") + (f" <!-- rev: {rev} -->" if rev else "")
    return f"{bullet}{body}{notes}"


def _row(form: int, path: str, about: str, triggers: tuple[str, ...], rev: str) -> str:
    stem = path.rpartition("/")[2].removesuffix(".md")
    told, said = ", ".join(triggers), about.replace("|", "\\|")
    note = f" <!-- rev: {rev} -->" if rev else ""
    return [
        f"| {stem} | `{path}` | {told}{note} |",
        f"| {told} | [{stem}]({_dest(path)}) | {said}{note} |",
        f"{stem} | {_bare(path)} | {said}{note}",
    ][form]


_HEADS = [
    "| What | Where | Triggers |\n|---|---|---|",
    "| Keywords | File | Description |\n|:--|--|--:|",
    "Name | File | About\n--- | --- | ---",
]


@st.composite
def _block(draw: st.DrawFn) -> str:
    paths = draw(st.lists(st.sampled_from(FILES), min_size=1, max_size=3, unique=True))
    words = st.tuples(st.sampled_from(_ABOUT), st.sampled_from(_TRIGGERS), st.sampled_from(["", "0a1b2c"]))
    rows = [(path, *draw(words)) for path in paths]
    if draw(st.booleans()):
        form = draw(st.integers(0, 2))
        return "\n".join([_HEADS[form], *(_row(form, *row) for row in rows)])
    form, bullet = draw(st.integers(0, 5)), draw(st.sampled_from(["- ", "* ", "*   ", "- [ ] ", "+ ", "1. "]))
    gap = draw(st.sampled_from(["\n", "\n", "\n\n"]))
    below = draw(st.sampled_from(["", "", "more words", "- Triggers: deep, low"])) if form < 5 else ""
    nested = f"\n{' ' * (3 if bullet == '1. ' else 2)}{'  ' if bullet == '*   ' else ''}{below}" if below else ""
    return gap.join(_item(bullet, form, *row) + nested for row in rows)


_PROSE = st.sampled_from(
    ["Some words.", "> read `rules.md` first", "```\nmemory/people/ana.md\n```", "<!-- a note -->", "(none yet)", ""]
)


@st.composite
def indexes(draw: st.DrawFn) -> str:
    """The text of an index: sections of entries in any form, prose between, any line end, maybe a BOM."""
    parts = [draw(st.sampled_from(["", "# Memory", "---\nowner: me\n---"]))]
    if draw(st.booleans()):
        parts.append("## Active Context")
        parts.append(
            "\n".join(f"- {path}" for path in draw(st.lists(st.sampled_from(FILES[:5]), max_size=2, unique=True)))
        )
    for _ in range(draw(st.integers(0, 3))):
        parts += [draw(st.sampled_from(_TITLES)), draw(_PROSE), draw(_block())]
    parts.append(draw(_PROSE))
    gap = draw(st.sampled_from(["\n\n", "\n\n", "\n"]))
    text = gap.join(part for part in parts if part) + draw(st.sampled_from(["\n", "\n\n"]))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text


ALL = [*FILES, NEW]
WORDS = Words("Bob", ("bob", "plumber"), "fixes pipes", 7, "3f9a1c")


def read(text: str) -> Index:
    return parse(text, ALL)


def facts(index: Index, without: str = "") -> dict[str, tuple[object, ...]]:
    """What every entry but one says."""
    return {
        entry.path: (entry.name, entry.triggers, entry.about, entry.importance, entry.rev, entry.active)
        for entry in index.entries
        if entry.path != without
    }


def lines(text: str) -> list[str]:
    return text.removeprefix("\ufeff").splitlines(keepends=True)


def only_added(old: str, new: str) -> bool:
    """Whether every line of `old` still stands in `new`, in order and byte for byte."""
    rest = iter(lines(new))
    return all(line in rest for line in lines(old))


def changed_lines(old: str, new: str) -> set[int]:
    """The numbers of the lines that differ between texts of equally many lines."""
    return {number for number, (a, b) in enumerate(zip(lines(old), lines(new), strict=True), 1) if a != b}


@settings(max_examples=300, deadline=None)
@given(indexes())
def test_add_puts_in_an_entry_and_keeps_every_other_line(text: str) -> None:
    before = read(text)
    new = ix.add(before, NEW, WORDS)
    after = read(new)
    entry = after.entry(NEW)
    assert entry is not None
    assert set(entry.triggers) == {"bob", "plumber"}
    assert (entry.rev, entry.importance, entry.about) == ("3f9a1c", 7, "fixes pipes")
    assert facts(after, NEW) == facts(before)
    assert only_added(text.replace("(none yet)\n", "").replace("(none yet)\r\n", ""), new)
    assert new.startswith("\ufeff") == text.startswith("\ufeff")
    assert "\n" not in new.replace("\r\n", "") or "\r\n" not in text


@settings(max_examples=300, deadline=None)
@given(indexes())
def test_add_then_rm_gives_the_same_bytes(text: str) -> None:
    before = read(text)
    new = ix.add(before, NEW, WORDS)
    assume("(none yet)" not in text)
    sections = {section.title for section in before.document.sections}
    assume({section.title for section in read(new).document.sections} == sections)
    assert ix.remove(read(new), NEW) == text


@settings(max_examples=300, deadline=None)
@given(indexes(), st.data())
def test_rm_takes_the_lines_of_one_entry(text: str, data: st.DataObject) -> None:
    before = read(text)
    assume(before.entries)
    entry = data.draw(st.sampled_from(before.entries))
    after = read(ix.remove(before, entry.path))
    assert after.entry(entry.path) is None
    assert facts(after) == facts(before, entry.path)
    assert only_added(after.text, text)
    blank = sum(not line.strip() for line in lines(text)) - sum(not line.strip() for line in lines(after.text))
    assert len(lines(text)) - len(lines(after.text)) - blank == len(entry.lines)


@settings(max_examples=300, deadline=None)
@given(indexes(), st.data())
def test_setting_words_changes_one_line_of_the_entry(text: str, data: st.DataObject) -> None:
    before = read(text)
    choices = [entry for entry in before.entries if not entry.main.active]
    assume(choices)
    entry = data.draw(st.sampled_from(choices))
    path = entry.path
    for what, value in (("rev", "abcdef"), ("importance", 9), ("about", "quite new"), ("triggers", ("x y", "新しい"))):
        draft = Draft(before)
        getattr(draft, f"set_{what}")(path, value)
        after = read(draft.text)
        if what == "about":  # a wrapped text becomes one line
            kept = [line for number, line in enumerate(lines(text), 1) if number not in entry.lines]
            assert only_added("".join(kept), draft.text)
        else:
            assert changed_lines(text, draft.text) <= set(entry.lines), what
        found = after.entry(path)
        assert found is not None
        got = getattr(found, what)
        if what == "triggers":
            assert set(value) <= set(got)  # type: ignore[arg-type]
        elif len(entry.mentions) == 1:
            assert got == value
        assert facts(after, path) == facts(before, path)
        again = Draft(after)
        getattr(again, f"set_{what}")(path, value)
        assert again.text == draft.text, what


@settings(max_examples=200, deadline=None)
@given(indexes(), st.data())
def test_all_words_at_once_and_what_was_there_again(text: str, data: st.DataObject) -> None:
    before = read(text)
    choices = [entry for entry in before.entries if len(entry.mentions) == 1 and not entry.main.active]
    assume(choices)
    entry = data.draw(st.sampled_from(choices))
    draft = Draft(before)
    draft.set_triggers(entry.path, ["one", "two"])
    draft.set_rev(entry.path, "123abc")
    draft.set_about(entry.path, "said anew")
    draft.set_importance(entry.path, 4)
    after = read(draft.text).entry(entry.path)
    assert after is not None
    assert (after.triggers, after.rev, after.about, after.importance) == (("one", "two"), "123abc", "said anew", 4)
    same = Draft(before)
    same.set_triggers(entry.path, entry.written_triggers)
    same.set_about(entry.path, entry.about)
    if entry.rev:
        same.set_rev(entry.path, entry.rev)
    if set(entry.written_triggers):
        assert same.text == text or read(same.text).entry(entry.path).triggers == entry.triggers  # type: ignore[union-attr]


@settings(max_examples=200, deadline=None)
@given(indexes())
def test_activate_and_deactivate(text: str) -> None:
    before = read(text)
    assume(len(before.active) < 3)
    new = ix.activate(before, NEW, name="Bob")
    after = read(new)
    assert NEW in after.active
    entry = after.entry(NEW)
    assert entry is not None and entry.triggers == ()
    assert facts(after, NEW) == facts(before)
    back = ix.deactivate(after, NEW)
    assert facts(read(back)) == facts(before)
    if "(none yet)" not in text and any(kind == "active" for kind, _ in before.section_kinds):
        assert back == text


ODD = st.text(alphabet=st.sampled_from("ab -_()[]<>#%`|*'\"&+,;:!?=~é人👤\n\t\udcff"), min_size=1, max_size=6).filter(
    lambda name: name.strip() == name and not name.startswith("~")
)


@settings(max_examples=400, deadline=None)
@given(indexes(), ODD, st.sampled_from(["memory/people", "memory/projects", "memory"]))
@example("- `memory/people/ana.md`\n", "<!--", "memory/people")
@example("- [[people/ana]]\n", "<!--", "memory/people")
def test_a_file_of_any_name_can_be_listed_found_again_and_removed(text: str, name: str, folder: str) -> None:
    path = f"{folder}/{name}.md"
    files = [*FILES, path]
    before = parse(text, files)
    assume(before.entry(path) is None)
    grown = parse(ix.add(before, path, WORDS._replace(name="" if "--" in name else name)), files)
    entry = grown.entry(path)
    assert entry is not None and entry.exists
    assert set(entry.triggers) == {"bob", "plumber"}
    assert facts(grown, path) == facts(before)
    assert parse(ix.remove(grown, path), files).entry(path) is None
    rev = Draft(grown)
    rev.set_rev(path, "999999")
    assert parse(rev.text, files).by_path[path].rev == "999999"

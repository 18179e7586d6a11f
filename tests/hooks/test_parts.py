"""A context in parts that a host takes whole: nothing over the cap, nothing lost, nothing skipped silently."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memory.context import Context, LeftOut, Loaded, render
from openclaw_memory.hooks import parts
from openclaw_memory.tokens import measure, utf16_units

MARK = re.compile(r"\A\[lines \d+ to \d+\]\n")


def file(path: str, text: str, kind: str = "active") -> Loaded:
    return Loaded(path, kind, text, measure(text))  # type: ignore[arg-type]


def context(*files: Loaded, left_out: tuple[LeftOut, ...] = ()) -> Context:
    return Context(files, left_out, 12_000)


def test_what_fits_stays_one_part() -> None:
    given = context(file("MEMORY.md", "# Memory\n", "index"), file("memory/a.md", "# A\n"))
    assert parts.split(given, 4) == [given]


def test_files_stay_whole_where_they_fit() -> None:
    files = [file(f"memory/{name}.md", f"# {name}\n" + "x y\n" * 1000) for name in "abcd"]
    made = parts.split(context(*files), 4)
    assert [[each.path for each in part.loaded] for part in made] == [
        ["memory/a.md", "memory/b.md"],
        ["memory/c.md", "memory/d.md"],
    ]


def test_a_long_file_comes_in_marked_ranges() -> None:
    long = file("MEMORY.md", "".join(f"- entry {number} of the index\n" for number in range(1, 801)), "index")
    made = parts.split(context(long), 4)
    assert len(made) == 3
    assert made[0].loaded[0].text.startswith("[lines 1 to ")
    assert made[-1].loaded[-1].text.endswith("- entry 800 of the index\n")
    assert "".join(MARK.sub("", each.text) for part in made for each in part.loaded) == long.text


def test_what_the_host_does_not_take_is_named() -> None:
    files = [file(f"memory/{name}.md", "x y\n" * 2000) for name in "abc"]
    (only,) = parts.split(context(*files), 1)
    assert [each.path for each in only.loaded] == ["memory/a.md"]
    assert [(each.path, each.reason) for each in only.left_out] == [
        ("memory/b.md", "over the 10,000 characters that the host takes"),
        ("memory/c.md", "over the 10,000 characters that the host takes"),
    ]
    assert "memory/b.md" in render(only)


texts = st.one_of(
    st.text("a b\n`é😀漢", max_size=300),
    st.builds(lambda line, times: f"{line}\n" * times, st.text("ab `é😀", max_size=60), st.integers(0, 400)),
    st.builds(lambda times: "w" * times, st.integers(0, 9000)),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(texts, max_size=5), st.integers(1, 4), st.integers(0, 3), st.sampled_from([2000, 10_000]))
def test_any_context(bodies: list[str], most: int, missing: int, cap: int) -> None:
    files = [file(f"memory/{number}.md", body) for number, body in enumerate(bodies)]
    gone = tuple(LeftOut(f"memory/gone{number}.md", "active", "it does not exist") for number in range(missing))
    whole = context(*files, left_out=gone)
    made = parts.split(whole, most, cap)
    assert len(made) <= most
    assert all(utf16_units(render(part)) <= cap for part in made)
    shown = [each for part in made for each in part.loaded]
    named = {each.path for each in made[-1].left_out}
    assert named >= {each.path for each in gone}
    for each in files:
        said = "".join(MARK.sub("", piece.text) for piece in shown if piece.path == each.path)
        if each.path not in named:
            assert said.removesuffix("\n") == each.text.removesuffix("\n")
    assert parts.join(made).loaded == tuple(shown)

"""Markdown read in C is what Python reads: the same blocks field by field, the same chunks."""

from __future__ import annotations

import os
import random
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openclaw_memory.markdown import Block, html, scan
from openclaw_memory.retrieval import chunks, native
from openclaw_memory.retrieval.plain import plain
from tests.markdown.test_commonmark import PIECES, WILD
from tests.retrieval.no_memory import failures

if native.speed is None:
    pytest.skip("the extension was not compiled", allow_module_level=True)
speed = native.speed

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("OPENCLAW_MEMORY_SHARED") or ROOT.parent / "shared")
WHITE = [chr(code) for code in range(sys.maxunicode) if chr(code).isspace()]
ENDS = ["\n", "\r", "\r\n"]
SIGNS = [
    *PIECES, "-", "*", "+", "1.", "01.", "123456789.", "1234567890.", "0)", "-\t", "1.\t", ">\t", "[X]", "#######",
    "# a ##  ", "=", "___", "_ _ _", "~~~~", "~~~ a`b", "--|--", "\\\\|", "é", "人", "\u200b", "\ufeff", "\0", ".", ")",
    ":", "</pre>", "<DIV a=b>", "<\u017fcript>", "</\u017fcript>", "<lin\u212a>", "<d\u0130v", "<sect\u0131on>", "<!",
    "<!A", "<![CDATA[", "]]>", "<a href='x' b>", '<a b="', "<a b= c/>", "</b >", "<script", "</STYLE>", "key: v",
    "key:",
    "...", "---", "--- ", "**b**", ".\tx", "\n---\n",
]  # fmt: skip
AFTER_NAMES = [">", "/>", "", " ", "\xa0", "\u2028", "/", " a='b'>", "\v/>", "1>", "-", "é>", ">x", "\ta>\n"]
PREFIXES = ["> ", ">", "- ", "-  ", "-\t", "1. ", "10) ", "  ", "   ", "    ", "\t", "* ", "      "]
TEXTS = st.lists(st.one_of(st.sampled_from(SIGNS), st.sampled_from([*ENDS, " ", *WHITE])), max_size=24).map("".join)


def check(text: str, target: int = chunks.TARGET) -> None:
    """Both read `text` alike; `repr` tells 1 from True."""
    ours, twin = speed.blocks(text, Block), scan(text).blocks
    assert repr(ours) == repr(twin)
    assert type(ours) is tuple and {type(block) for block in ours} <= {Block}
    assert [hash(block) for block in ours] == [hash(tuple(block)) for block in ours]
    text = plain(text)
    compiled, python = chunks._compiled(text, target), chunks._python(text, target)
    assert repr(compiled[:2]) == repr(python[:2])
    assert (list(compiled[2]), compiled[3]) == (list(python[2]), python[3])


@settings(max_examples=600, deadline=None)
@given(TEXTS)
@example("- .\tx")
@example("- [ ] a | b\n  --|--\n")
@example("- [x] \n  ===")
@example("|\n|-")
@example("\ufeff---\nkey: v\n---\n# T")
def test_anything_is_read_the_same(text: str) -> None:
    check(text)


def nested(draw: random.Random) -> str:
    """Lines in containers that go on, change and end."""
    prefix, lines = "", []
    for _ in range(draw.choice([3, 8, 25])):
        turn = draw.random()
        if turn < 0.25:
            prefix = "".join(draw.choices(PREFIXES, k=draw.randint(0, 4)))
        elif turn < 0.5:
            prefix = "".join(sign if sign in ">\t" else " " for sign in prefix)
        elif turn < 0.6:
            prefix = prefix[: draw.randint(0, len(prefix))]
        elif turn < 0.7:
            prefix += draw.choice(PREFIXES)
        lines.append(prefix + draw.choice(["", "a", "a | b", draw.choice(SIGNS)]))
    return draw.choice(ENDS).join(lines)


def mutated(draw: random.Random, text: str) -> str:
    """Some lines of `text`, cut, repeated and with signs put into them."""
    lines = text.splitlines(keepends=True) or [""]
    start = draw.randrange(len(lines))
    lines = lines[start : start + draw.randint(1, 30)]
    for _ in range(draw.randint(1, 8)):
        at = draw.randrange(len(lines))
        line = lines[at]
        cut = draw.randint(0, len(line))
        sign = draw.choice([*SIGNS, *PREFIXES, *WHITE])
        lines[at : at + 1] = draw.choice([
            [line[:cut] + sign + line[cut:]], [sign + line], [line[cut:]], [line[:cut]], [line, line],
            [line, draw.choice(lines)],
        ])  # fmt: skip
    return "".join(lines).replace("\n", draw.choice(ENDS))


def files() -> list[str]:
    found = sorted(path for root in (ROOT, SHARED) for path in root.rglob("*.md") if path.is_file())
    return [path.read_bytes().decode("utf-8", "replace") for path in found]


@pytest.mark.parametrize("target", [40, chunks.TARGET])
def test_every_file_is_read_the_same(target: int) -> None:
    for text in files():
        check(text, target)


def wild(count: int) -> None:
    draw, texts = random.Random(count), [*files(), WILD]
    for _ in range(count):
        check(nested(draw) if draw.random() < 0.6 else mutated(draw, draw.choice(texts)), draw.choice([30, 1000]))


def test_nested_and_mutated_texts_are_read_the_same() -> None:
    wild(3_000)


@pytest.mark.slow
def test_very_many_nested_and_mutated_texts_are_read_the_same() -> None:
    wild(200_000)


@pytest.mark.parametrize("tag", [*html._TAGS.split("|"), "script", "pre", "style", "textarea", "b", "divx", "h7"])
def test_tags_are_told_apart_the_same(tag: str) -> None:
    twins = {"s": "\u017f", "k": "\u212a", "i": "\u0130\u0131"}
    names = {tag, tag.upper(), tag.title()}
    names |= {tag.replace(letter, other) for letter in twins for other in twins[letter]}
    for name in names:
        for before in ("<", "</", "a\n<", "- <", "< "):
            for after in AFTER_NAMES:
                check(f"{before}{name}{after}\n*a*\n\nb\n</{name}>\nc\n\n# d")


@pytest.mark.parametrize("white", [*WHITE, "\u200b", "\ufeff", "\u180e"])
def test_white_space_is_told_from_text_the_same(white: str) -> None:
    forms = [
        "{}", "a\n{}\nb", "    a\n    {}\n    b", "- {}a", "-{}a", "- *{}a", "- **{}", "- _{}", "- {}", "- a\n\n{}b",
        ">{}a",
        "<div>\n{}\na\n\n", "<b{}c>", "<b c{}=d>", "<b c={}d>", "<b c=d{}>{}\nx", "</b{}>", "<div{}x",
        "```{}a\n{}\n```",
        "---\n{}key: v\n---", "---\nkey:{}v\n---", "---\n{}\nk: v\n---", "---{}\nk: v\n---", "|a|\n|-{}|\n|{}b|",
        "#{}a",
        "# a{}#", "***{}", "- [ ]{}a", "a\n==={}", "1.{}a", "~~~ a\n~~~{}", "<!-- a\n{}-->", "{}---\nk: v\n---",
    ]  # fmt: skip
    for form in forms:
        check(form.replace("{}", white))


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "\r", "\ufeff", "x" * 5000, "wörd " * 600, "- " + "é" * 1200, "- " + "é" * 1201, "QUJD" * 900 + " a",
        "# T\n\n" + "line of text\n" * 300, "| a | b |\n|--|--|\n" + f"| {'x ' * 900} | y |\n| 1 | 2 |\n" * 3,
        f"| {'head ' * 400} | b |\n|--|--|\n| 1 | 2 |", "a|b\n-|-", "- a\n" * 500,
        "# a\n# b\n## c\n#### d\n## e\n\nx\n",
        "---\nkey: v\n" + "other: value\n" * 300 + "---\n# T\n",
        "```\n" + "code " * 500 + "\n" + "more\n" * 400 + "```",
        "> - # in\n\n# out\n", "- \n\n- [ ]\n- [x] \n", "a\n" * 3000 + "===",
        ">" * 100_000, "> " * 50_000 + "a", "- " * 50_000, "`" * 1_000_000, "`" * 1_000_000 + " `",
        "\t" * 200_000 + "x",
        "-\t" * 50_000 + "x", "<a " + 'b="' * 100_000, "<" * 1_000_000, "<pre>" + "</" * 300_000, "a" * 5_000_000,
        "|" * 200_000 + "\n" + "|-" * 100_000, "".join("  " * at + "- a\n" for at in range(300)),
    ],
    ids=lambda text: f"{text[:12]!r}-{len(text)}",
)  # fmt: skip
@pytest.mark.parametrize("target", [50, chunks.TARGET])
def test_long_and_deep_texts_are_read_the_same(text: str, target: int) -> None:
    check(text, target)


def test_what_it_is_given_wrong_is_an_error() -> None:
    limits = (1000, 64, 1200, 800, 2000, 500, 16)
    for wrong in ((b"a", Block), ("a", int), ("a", tuple), ("a", 5), ("a",)):
        with pytest.raises(TypeError):
            speed.blocks(*wrong)
    with pytest.raises(UnicodeEncodeError):
        speed.blocks("a\ud800", Block)
    for arguments in (("a", chunks.Chunk, int, print, limits), ("a", chunks.Chunk, chunks.Atom, print, limits[1:])):
        with pytest.raises(TypeError):
            speed.chunks(*arguments)
    for text in ("x" * 2000, "a | b\n--|--\n| " + "x" * 2000):
        for parts in (5, [5], ["a", b"b", "c"]):
            with pytest.raises(TypeError):
                speed.chunks(text, chunks.Chunk, chunks.Atom, lambda line, parts=parts: parts, limits)
    with pytest.raises(ZeroDivisionError):
        speed.chunks("# T\n\nb\n\n" + "x" * 2000, chunks.Chunk, chunks.Atom, lambda line: 1 // 0, limits)


@pytest.mark.parametrize("run", [lambda text: speed.blocks(text, Block), lambda text: chunks._compiled(text, 50)])
def test_wherever_memory_fails_it_is_an_error(run: Callable[[str], object]) -> None:
    kinds = "- [x] y | z\n  --|--\n  1 | 2\\|3\n\n- [x] é\n  ===\n\n-\t\tx\n"
    text = f"---\nkey: v\n---\n{kinds}\n# T\n{WILD}\n\n{'word ' * 400}\n" + "a\n\n" * 100
    assert failures(lambda: f"{text} ", run) > 15


def test_nothing_is_left_behind() -> None:
    text = f"---\nkey: v\n---\n{WILD}\n\n{'x' * 2000}\n\n- [ ] box | b\n  --|--\n  c | \\|\n"
    for _ in range(10):
        check(text)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(300):
            speed.blocks(text, Block)
            chunks._compiled(text, 100)
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()

import pytest

from openclaw_memory.knowledge.normal import claim, normal, numberless


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jane is the CTO.", "jane is CTO"),
        ("Likes  tea!", "likes “tea”"),
        ("doesn't eat meat", "Does not eat meat"),
        ("ＦＵＬＬ width", "full width"),
        ("Mora em São Paulo", "mora em são paulo."),
        ("喜欢茶。", "喜欢茶"),
    ],
)
def test_the_same_fact(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("likes tea", "does not like tea"),
        ("likes tea", "doesn't like tea"),
        ("gosta de chá", "não gosta de chá"),
        ("喜欢茶", "不喜欢茶"),
        ("お茶が好き", "お茶が好きではない"),
        ("writes C", "writes C++"),
        ("moved on the 5th", "moved on the 15th"),
        ("limit is 5", "limit is -5"),
        ("version 3.5", "version 35"),
        ("can go", "can't go"),
        ("uses vitamin a", "uses vitamin b"),
        ("мне нравится чай", "мне не нравится чай"),
        ("!!!", "???"),
    ],
)
def test_never_merged(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("likes tea", "does not like tea"), ("喜欢茶", "不喜欢茶"), ("gosta de chá", "não gosta de chá")],
)
def test_a_denied_claim_contradicts_it(one: str, other: str) -> None:
    assert claim(one)[0] == claim(other)[0]
    assert claim(one)[1] != claim(other)[1]


def test_two_numbers_in_one_sentence_frame() -> None:
    assert numberless("has 2 kids")[0] == numberless("has 3 kids")[0]
    assert numberless("has kids") == ("", "")
    assert numberless("from 2 to 3 kids") == ("", "")

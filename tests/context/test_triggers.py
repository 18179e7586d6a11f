import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.context.folding import Places, fold
from openclaw_memory.context.triggers import find


def said(trigger, message):
    """The part of the message that hit the trigger, "" when none did."""
    hits = find([("x.md", trigger)], message)
    assert all(message[hit.start : hit.end] == hit.text for hit in hits)
    return hits[0].text if hits else ""


@pytest.mark.parametrize(
    ("trigger", "message", "text"),
    [
        # word limits
        ("catalog", "Open the catalog now", "catalog"),
        ("catalog", "catalog", "catalog"),
        ("catalog", "(catalog)", "catalog"),
        ("catalog", "catalog's owner", "catalog"),
        ("catalog", "service_catalog.py", "catalog"),
        ("catalog", "the catalog-import job", "catalog"),
        ("service catalog", "the\nservice\n  catalog?", "service\n  catalog"),
        ("c", "plan c", "c"),
        # case, width, compatibility, accents
        ("Backstage", "BACKSTAGE", "BACKSTAGE"),
        ("backstage", "ｂａｃｋｓｔａｇｅ", "ｂａｃｋｓｔａｇｅ"),
        ("straße", "STRASSE", "STRASSE"),
        ("office", "the oﬃce", "oﬃce"),
        ("são joão", "sao joao", "sao joao"),
        ("sao joao", "São João", "São João"),
        ("jose", "Jose\u0301 called", "Jose"),
        ("İstanbul", "istanbul", "istanbul"),
        ("Łódź", "lodz", "lodz"),
        ("o'brien", "O’Brien", "O’Brien"),
        ("ёлка", "елка", "елка"),
        # plurals
        ("catalog", "two catalogs", "catalogs"),
        ("box", "boxes", "boxes"),
        ("vendedor", "os vendedores", "vendedores"),
        ("users", "one user", "user"),
        ("boxes", "one box", "box"),
        ("PR", "two PRs", "PRs"),
        ("service catalogs", "service catalog", "service catalog"),
        ("R&D", "R&Ds", "R&Ds"),
        # hyphens, spaces, underscores
        ("e-commerce", "e commerce", "e commerce"),
        ("e-commerce", "ecommerce", "ecommerce"),
        ("e-commerce", "e_commerce", "e_commerce"),
        ("e commerce", "e-commerce", "e-commerce"),
        ("email", "an e-mail", "e-mail"),
        ("cut-over", "the cut‑over", "cut‑over"),
        ("cut-over", "CutOver", "CutOver"),
        ("service_catalog", "service catalog", "service catalog"),
        # signs
        ("c++", "in C++.", "C++"),
        ("c++", "C++20", "C++"),
        (".net", "on .NET today", ".NET"),
        ("R&D", "the r&d budget", "r&d"),
        ("c#", "(C#)", "C#"),
        ("node.js", "Node.js", "Node.js"),
        ("ci/cd", "our CI/CD run", "CI/CD"),
        ("#general", "in #general", "#general"),
        ("a.b*(c)[d]?^$|\\", "a.b*(c)[d]?^$|\\", "a.b*(c)[d]?^$|\\"),
        ("--", "a -- b", "--"),
        ("$", "it costs US$100", "$"),
        ("👤", "x👤y", "👤"),
        ("⚠️", "look ⚠ out", "⚠"),
        ("👩‍💻", "ask 👩‍💻", "👩‍💻"),
        # unspaced scripts
        ("咖啡", "我想喝咖啡。", "咖啡"),
        ("咖啡店", "咖啡\n店选址", "咖啡\n店"),
        ("かき", "おおかきの木", "かき"),
        ("ガス", "ｶﾞｽ料金", "ｶﾞｽ"),
        ("도서관", "도서관에서", "도서관"),
        ("도서", "도서관", "도서"),
        ("กาแฟ", "ร้านกาแฟใหม่", "กาแฟ"),
        ("backstage", "我用backstage写", "backstage"),
        ("k8s集群", "这个K8s集群", "K8s集群"),
        ("हिन्दी", "मेरी हिन्दी है", "हिन्दी"),
        ("שלום", "אמר שלום.", "שלום"),
        ("مشروع", "هذا مشروع جديد", "مشروع"),
    ],
)
def test_hit(trigger, message, text):
    assert said(trigger, message) == text


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("catalog", "catalogue"),
        ("catalog", "precatalog"),
        ("cat", "concatenate, category"),
        ("c", "cc, chance"),
        ("new", "the news"),
        ("news", "new things"),
        ("tim", "many times"),
        ("a", "as"),
        ("i", "is it"),
        ("bus", "bu"),
        ("jon", "jones"),
        ("cutover", "cut over"),
        ("therapist", "the rapist"),
        ("service catalog", "service, catalog"),
        ("service catalog", "service a catalog"),
        (".net", "example.network, foo.net"),
        ("@home", "me@home.example"),
        ("c++", "c+ +x, c++x"),
        ("c++", "c plus plus"),
        ("R&D", "R and D, XR&DX"),
        ("か", "が"),
        ("가", "각"),
        ("k8s集群", "ak8s集群"),
        ("हिन", "हिन्दी"),
        ("न्दी", "हिन्दी"),
        ("", "anything"),
        (" ", "a b"),
        ("a|b", "a"),
        (".*", "abc"),
        ("--", "a - b"),
        ("f", "oﬃce"),
    ],
)
def test_no_hit(trigger, message):
    assert said(trigger, message) == ""


@pytest.mark.parametrize("message", ["", "?!...", "\0\0", "\n\n", "\ufeff", "\udcff\udc80", "\u202e\u200f", "-_-"])
def test_odd_messages_hit_nothing(message):
    assert find([("a.md", "catalog"), ("b.md", "咖啡"), ("c.md", "c++")], message) == []


def test_overlapping_triggers_are_all_found():
    pairs = [("a.md", "service"), ("b.md", "service catalog"), ("c.md", "catalog"), ("d.md", "catalog import")]
    assert [hit.trigger for hit in find(pairs, "service catalog import")] == [trigger for _, trigger in pairs]


def test_one_trigger_of_several_files():
    assert [hit.owner for hit in find([("a.md", "tea"), ("b.md", "Tea")], "tea")] == ["a.md", "b.md"]


def test_the_first_place_counts_and_the_order_is_the_pairs():
    hits = find([("a.md", "two"), ("b.md", "one")], "one two one")
    assert [(hit.owner, hit.start, hit.end) for hit in hits] == [("a.md", 4, 7), ("b.md", 0, 3)]


def test_a_word_inside_another_does_not_hide_a_later_one():
    assert find([("a.md", "cat")], "category, cat")[0].start == 10
    assert find([("a.md", "cut-over")], "cut over_x")[0].text == "cut over"


def test_places_behind_characters_that_grow_or_vanish():
    message = "ﬃ ß é ½ → naïve Straße"
    (hit,) = find([("a.md", "strasse")], message)
    assert (hit.text, hit.start) == ("Straße", message.index("Straße"))


def test_a_line_break_in_a_trigger_does_not_shift_the_others():
    pairs = [("a.md", "one\ntwo"), ("b.md", "three")]
    assert [hit.owner for hit in find(pairs, "three")] == ["b.md"]
    assert [hit.owner for hit in find(pairs, "one two")] == ["a.md"]


@given(st.text(max_size=60))
def test_every_place_leads_back(message):
    places, ends = Places(message), 0
    for at, char in enumerate(message):
        start, ends = ends, ends + len(fold(char))
        if ends > start:
            assert places.original(start, ends) == (at, at + 1)
    assert len(fold(message)) == ends


words = st.text("abcdes-_ .+&éß中かが가각", min_size=1, max_size=6)


@given(st.lists(words, max_size=5), st.text("abcdes-_ .+&éß中かが가각\n", max_size=40))
def test_never_fails_and_tells_the_truth_about_places(triggers, message):
    for hit in find([(str(at), trigger) for at, trigger in enumerate(triggers)], message):
        assert message[hit.start : hit.end] == hit.text != ""


@given(st.lists(st.text("abcde", min_size=1, max_size=4), min_size=1, max_size=6), st.text("abcde s,", max_size=60))
def test_plain_words_are_found_as_a_regular_expression_finds_them(triggers, message):
    """The reference is slow and simple: a word of the message, or that word without a plural `s`."""
    found = set(re.findall(r"\w+", message))
    known = found | {word[:-1] for word in found if len(word) > 2 and word.endswith("s") and not word.endswith("ss")}
    hits = {hit.trigger for hit in find([("x", trigger) for trigger in triggers], message)}
    assert hits >= {trigger for trigger in triggers if trigger in known}


@given(st.text(max_size=40), st.text(max_size=40))
def test_folding_goes_character_by_character(one, two):
    assert len(fold(one + two)) == len(fold(one)) + len(fold(two))


def test_folding_twice_changes_nothing():
    folded = [fold(chr(code)) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert [text for text in folded if fold(text) != text] == []

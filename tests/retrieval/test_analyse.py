from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memory.retrieval.analyse import analyse, terms_of


@pytest.mark.parametrize(
    ("chunk", "main", "extra"),
    [
        ("VRN-0417", ("vrn", "0417"), "vrn0417"),
        ("quell_marsh_bittern()", ("quell", "marsh", "bittern"), "quellmarshbittern"),
        ("7.31.904", ("7", "31", "904"), "731904"),
        ("/var/lib/heronwatch", ("var", "lib", "heronwatch"), "varlibheronwatch"),
        ("vesna@corvid.test", ("vesn", "corvid", "test"), "vesnacorvidtest"),
        ("--dry-gannet", ("dry", "gannet"), "drygannet"),
        ("1,284,500", ("1", "284", "500"), "1284500"),
        ("flushPelicanBuffer", ("flushpelicanbuff",), "pelican"),
        ("überquert", ("uberquert",), "ueberquert"),
        ("`.net`", ("net",), ".net"),
        ("候鸟迁徙", ("候鸟", "鸟迁", "迁徙"), "候"),
    ],
)
def test_a_chunk_gives_its_pieces_and_what_else_one_might_type(chunk: str, main: tuple[str, ...], extra: str) -> None:
    found = analyse(chunk)
    assert found.main == main
    assert extra in found.extra


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "strasse"),
        ("kérosène", unicodedata.normalize("NFD", "KÉROSÈNE")),
        ("whimbrel's", "whimbrel’s"),
        ("boilers", "boiler"),
        ("resetting", "reset"),
        ("migrating", "migration"),
        ("bought", "buying"),
        ("written", "writes"),
        ("won", "winning"),
        ("tries", "try"),
        ("children", "child"),
        ("instituições", "instituição"),
        ("alunas", "aluno"),
        ("canciones", "canción"),
        ("Ｆｕｌｌ", "full"),
        ("ЦАПЛЮ", "цаплю"),
    ],
)
def test_forms_of_one_word_are_one_term(one: str, other: str) -> None:
    assert analyse(one).main == analyse(other).main != ()


def test_signs_that_name_something_stay() -> None:
    assert analyse("C++").main == ("c++",)
    assert analyse("(C#)").main == ("c#",)
    assert analyse("C").main == ("c",)
    assert analyse("🦩").main == ("🦩",)


@pytest.mark.parametrize("text", ["!!!", "***", "-", "\udcff\udcfe", "QUJD" * 6000, "\x00"])
def test_what_names_nothing_gives_no_term(text: str) -> None:
    assert terms_of(text).main == ()


@given(st.text(max_size=60))
def test_any_text_is_analysed_and_terms_hold_no_space(text: str) -> None:
    found = terms_of(text)
    assert all(term and not any(char.isspace() for char in term) for term in (*found.main, *found.extra))


@given(st.text(alphabet="abcXYZ019-_. 候鸟éß", max_size=30))
def test_case_and_normal_form_never_matter_to_main_terms_without_joins(text: str) -> None:
    other = unicodedata.normalize("NFD", text)
    assert terms_of(text).main == terms_of(other).main

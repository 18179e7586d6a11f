import pytest

from openclaw_memory.knowledge.related import Names, slug_of

NAMES = Names.of(["people/jane", "people/kim", "companies/kim", "projects/loja", "archives/people/ana", "people/josé"])


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("people/jane", "people/jane"),
        ("areas/people/jane", "people/jane"),
        ("life/areas/people/jane/summary.md", "people/jane"),
        ("memory/people/jane.md", "people/jane"),
        ("[[people/jane|Jane]]", "people/jane"),
        ("jane", "people/jane"),
        ("Jane", "people/jane"),
        ("loja", "projects/loja"),
        ("people/ana", "archives/people/ana"),
        ("ana", "archives/people/ana"),
        ("archives/people/ana", "archives/people/ana"),
        ("companies/kim", "companies/kim"),
        ("josé", "people/josé"),
        ("kim", None),
        ("people/nobody", None),
        ("projects/jane", None),
        ("", None),
    ],
)
def test_resolves_by_name_suffix_slug_and_archive(written: str, name: str | None) -> None:
    assert NAMES.resolve(written) == name


def test_slugs() -> None:
    assert slug_of("Café São João & Co.") == "cafe-sao-joao-co"
    assert slug_of("陈 伟") == "陈-伟"
    assert slug_of("Ёлка 2") == "елка-2"
    assert slug_of("!!!") == ""

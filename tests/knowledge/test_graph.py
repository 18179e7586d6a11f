import json
import re
from pathlib import Path

import pytest

from tests.knowledge.browser import browser
from tests.knowledge.conftest import Space

NOW = "2026-06-01"


@pytest.fixture
def team(om: Space) -> Space:
    for name in ("people/jane", "people/bo", "companies/acme", "projects/loja", "people/old"):
        om("entity", "new", name)
    om("fact", "add", "jane", 'Works at "Acme" </script><script>alert(1)</script>', "--related", "acme", "--now", NOW)
    om("fact", "add", "jane", "Owns Loja", "--related", "loja", "--related", "acme", "--now", "2026-05-20")
    om("fact", "add", "jane", "Likes tea", "--now", "2026-05-30")
    om("fact", "add", "bo", "Knows Jane", "--related", "jane", "--related", "people/nobody", "--now", "2026-01-01")
    om("entity", "archive", "people/old", "--now", NOW)
    return om


def test_json(team: Space) -> None:
    graph = json.loads(team("entity", "graph", "--json", "--now", NOW).out)
    assert [node["id"] for node in graph["nodes"]] == ["companies/acme", "people/bo", "people/jane", "projects/loja"]
    assert {node["id"]: node["heat"] for node in graph["nodes"]}["people/bo"] == "cold"
    assert {node["id"]: node["heat"] for node in graph["nodes"]}["people/jane"] == "hot"
    assert graph["edges"] == [
        {"from": "people/bo", "to": "people/jane", "facts": 1},
        {"from": "people/jane", "to": "companies/acme", "facts": 2},
        {"from": "people/jane", "to": "projects/loja", "facts": 1},
    ]
    assert graph["dead"] == [{"from": "people/bo", "name": "people/nobody"}]
    assert len(json.loads(team("entity", "graph", "--archived", "--json").out)["nodes"]) == 5


def test_mermaid(team: Space) -> None:
    text = team("entity", "graph", "--now", NOW).out
    assert text.startswith("graph LR\n")
    assert '  n2(["Jane (3)"]):::hot\n' in text
    assert "  n2 -->|2| n0\n" in text
    assert re.fullmatch(r"(graph LR|  n\d+\S.*|  n\d+ -->(\|\d+\|)? n\d+|  classDef .*|\n)+", text)


def test_the_page_names_no_other_place(team: Space) -> None:
    team("entity", "graph", "-o", str(team.root / "graph.html"), "--now", NOW)
    page = team.read("graph.html")
    assert "</script><script>alert" not in page
    assert set(re.findall(r"https?://[^\s\"']+", page)) == {"http://www.w3.org/2000/svg"}


def test_the_page_in_a_real_browser(team: Space, tmp_path: Path) -> None:
    page = tmp_path / "graph.html"
    team("entity", "graph", "-o", str(page), "--now", NOW)
    with browser() as chrome:
        chrome.open(page)
        assert chrome.script("return document.body.dataset.ready") == "true"
        nodes = chrome.script(
            "return [...document.querySelectorAll('.node')].map(n => ({id: n.dataset.id, kind: n.dataset.kind,"
            " fill: n.querySelector('path').getAttribute('fill'),"
            " shape: n.querySelector('path').getAttribute('d').length,"
            " width: n.querySelector('path').getBBox().width, x: n.getBoundingClientRect().x}))"
        )
        by_id = {node["id"]: node for node in nodes}
        assert set(by_id) == {"companies/acme", "people/bo", "people/jane", "projects/loja"}
        assert by_id["people/jane"]["width"] > by_id["people/bo"]["width"] > by_id["companies/acme"]["width"]
        assert by_id["people/jane"]["fill"] != by_id["people/bo"]["fill"]
        assert len({by_id[name]["shape"] for name in ("people/bo", "companies/acme", "projects/loja")}) >= 2
        assert len({round(node["x"]) for node in nodes}) == 4
        assert chrome.script("return document.querySelectorAll('.edge').length") == 3

        chrome.script(
            "const s = document.getElementById('search'); s.value = 'LOJA'; s.dispatchEvent(new Event('input'))"
        )
        fitting = "return [...document.querySelectorAll('.node:not(.faded)')].map(n => n.dataset.id).sort()"
        assert chrome.script(fitting) == ["people/jane", "projects/loja"]
        assert "2 of 4 entities" in chrome.script("return document.getElementById('count').textContent")
        chrome.script("const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input'))")

        chrome.script(
            "document.querySelector('[data-id=\"people/jane\"]')"
            ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        )
        panel = chrome.script("return document.getElementById('panel').innerText")
        assert 'Works at "Acme" </script><script>alert(1)</script>' in panel
        assert "jane-003" in panel
        assert chrome.script(fitting) == ["companies/acme", "people/bo", "people/jane", "projects/loja"]
        chrome.script("document.querySelector('#panel a').click()")
        assert chrome.script("return document.querySelector('#panel h2').textContent") == "Acme"

        chrome.script("[...document.querySelectorAll('#kinds button')].find(b => b.textContent == 'people').click()")
        shown = "return [...document.querySelectorAll('.node')].filter(n => n.style.display != 'none').length"
        assert chrome.script(shown) == 2
        assert chrome.complaints() == []


def test_an_empty_workspace(om: Space) -> None:
    assert om("entity", "graph").out.startswith("graph LR\n")
    om("entity", "graph", "-o", str(om.root / "g.html"))
    with browser() as chrome:
        chrome.open(om.root / "g.html")
        assert "no entities yet" in chrome.script("return document.getElementById('panel').innerText")
        assert chrome.complaints() == []

"""A made-up corpus for comparing stores, and questions about it: three languages, dates, headings, copies, facts."""

from __future__ import annotations

import json
from pathlib import Path

_PEOPLE = ("Ada", "Bruno", "Celia", "Dario", "Edda", "Felix", "Greta", "Hugo", "Ines", "Jonas")
_THINGS = ("kayak", "loom", "kiln", "cello", "beehive", "telescope", "orchard", "sawmill", "greenhouse", "sundial")
_DOES = ("repaired", "painted", "borrowed", "sold", "cleaned", "measured", "photographed", "insured", "moved", "tested")
_BIRDS = ("dunlin", "knot", "whimbrel", "wryneck", "bittern", "plover", "gannet", "heron", "osprey", "pelican")
_PLACES = ("harbour", "cellar", "attic", "market", "station", "chapel", "quarry", "meadow", "library", "bridge")


def write(root: Path) -> None:
    """62 files below `root`."""
    memory = root / "memory"
    (memory / "people/gil").mkdir(parents=True)
    (root / "MEMORY.md").write_text(
        "# Memory\n\n- [Ada](memory/people/ada.md) <!-- trigger: regatta --> <!-- importance: 9 -->\n"
    )
    for at, name in enumerate(_PEOPLE):
        thing, does, place = _THINGS[at], _DOES[at], _PLACES[at]
        text = (
            f"---\ntags: [{thing}, guild]\n---\n# {name}\n\n"
            f"{name} lives near the {place} and keeps a {thing} there.\n\n"
            f"## Work\n\n- {name} {does} the {thing} in spring.\n"
            f"- The {thing} needs a new cover before winter comes.\n\n"
            f"## Contact\n\n- phone: 555-01{at:02}\n- ticket VRN-04{at:02} is open\n"
        )
        (memory / f"people/{name.lower()}.md").write_text(text)
    for at in range(24):
        bird, place, name = _BIRDS[at % 10], _PLACES[at * 3 % 10], _PEOPLE[at * 7 % 10]
        day = f"2031-{1 + at // 8:02}-{1 + at % 8 * 3:02}"
        text = (
            f"# {day}\n\n## Morning\n\n- {name} saw a {bird} at the {place}.\n"
            "- The weather was calm, the log was kept.\n\n"
            f"## Evening\n\n- We talked about the {_THINGS[at * 3 % 10]} and who {_DOES[at * 5 % 10]} it.\n"
            f"- Decision: count birds at the {_PLACES[(at + 4) % 10]} in week {at + 10}.\n"
        )
        (memory / f"{day}.md").write_text(text)
    for at, bird in enumerate(_BIRDS):
        text = f"# Field notes: {bird}\n\nThe {bird} is a bird that the guild counts each year.\n\n" + "".join(
            f"## Site {n}\n\nAt the {_PLACES[(at + n) % 10]} there were {at * 7 + n * 3} of them. "
            "A knot of people watched.\n\n"
            for n in range(4)
        )
        (memory / f"birds-{bird}.md").write_text(text)
    for at in range(6):  # copies
        (memory / f"copy-{at}.md").write_text("# Rules\n\nThe club house closes at ten. Lights out, doors locked.\n")
    portuguese = ("O forno fica na oficina.", "A reunião foi adiada para março.", "O barco precisa de tinta azul.")
    japanese = ("図書館で渡り鳥の資料を整理した。", "来週は京都へ出張する。", "会議は午後三時に始まる。")
    for at in range(3):
        (memory / f"pt-{at}.md").write_text(f"# Notas {at}\n\n- {portuguese[at]}\n- Outra linha sobre o jardim.\n")
        (memory / f"ja-{at}.md").write_text(f"# メモ {at}\n\n{japanese[at]}\n\n庭の手入れも必要だ。\n")
    facts = [
        {"id": f"gil-{at:03}", "fact": f"Gil {_DOES[at]} a {_THINGS[-at]} for {_PEOPLE[at]}.", "category": "event"}
        for at in range(5)
    ]
    (memory / "people/gil/items.json").write_text(json.dumps(facts, indent=1))


QUESTIONS = (
    *(f"who saw the {bird}" for bird in ("dunlin", "wryneck", "pelican")),
    "a knot at the dunlin site",
    *(f"{name}'s {thing}" for name, thing in zip(_PEOPLE[:5], _THINGS[:5], strict=True)),
    "who painted the loom?",
    "VRN-0407",
    "phone of Hugo",
    "what needs a cover before winter",
    "decision about week 21",
    "weather on 2031-02-04",
    "what happened in February 2031",
    "when does the club house close",
    "doors locked lights out",
    '"field notes" heron',
    "bird -heron count",
    "tag:kiln guild",
    "kind:daily osprey",
    "after:2031-02 plover",
    "path:people contact",
    "reunião adiada",
    "onde fica o forno",
    "tinta para o barco",
    "渡り鳥",
    "京都へ出張",
    "会議は何時",
    "telescop*",
    "photografed the beehive",
    "greenhuose",
    "gil sold something for Dario",
    "boats that are paddled",
    "musical instrument that was insured",
    "lex: gannet harbour\nvec: sea birds near boats",
    "lex: kiln\nintent: contact",
    "hyde: Ines keeps a greenhouse near the library",
    "site with most herons",
    "people who live near the quarry",
    "regatta",
)

"""A made-up workspace whose people, firms and projects have other names, and questions about it.

`HELPS` ask by one name for what is written of another; `AS_TYPED` say what stands there, or use a word that is also a
name and mean the word. Each comes with a part of the line that answers it.
"""

from __future__ import annotations

import json
from pathlib import Path

from openclaw_memory.retrieval import hybrid, search
from openclaw_memory.retrieval.embedders import Embedder
from openclaw_memory.retrieval.options import Options
from openclaw_memory.workspace import Workspace

_FILES = {
    "MEMORY.md": """# Memory

- [Jane Doe](memory/people/jane-doe.md): runs the harbour office <!-- trigger: jane, harbour office -->
- [Otto Brandt](memory/people/otto-brandt.md): looks after the boats <!-- trigger: skipper, boats -->
- [Acme Milling](memory/companies/acme-milling.md): sells flour <!-- trigger: flour, supplier -->
- [Wilma Park (Will)](memory/people/wilma-park.md): edits the newsletter
- [Lighthouse](memory/projects/lighthouse.md): the move to the new system <!-- trigger: migration -->
""",
    "memory/people/jane-doe.md": """---
aliases: [JD, Janey]
---
# Jane Doe

- Runs the harbour office since 2029.
- Drinks green tea, never coffee.
- Her brother keeps bees near Ulvik.
""",
    "memory/people/robert-quill.md": """---
aliases:
  - Bob
  - Bobby Q
---
# Robert Quill

- Repairs clocks and barometers.
- Allergic to hazelnuts.
""",
    "memory/people/p-017.md": """# Ingrid Halvorsen

- Translates the contracts into Norwegian.
- Paid by the page.
""",
    "memory/people/kenji-mori/summary.md": """---
alias: ケン先輩, Ken
---
# Kenji Mori

- Teaches the evening course in pottery.
- Studio on the second floor of the mill.
""",
    "memory/people/otto-brandt.md": "# Otto Brandt\n\n- Looks after the boats.\n- Speaks Danish.\n",
    "memory/people/wilma-park.md": "# Wilma Park\n\n- Edits the newsletter.\n- Moves to Bergen in autumn.\n",
    "memory/people/maria-conceicao.md": """---
aliases: [Mia, Dona Maria]
---
# Maria Conceição

- Cuida do jardim da escola.
- Mora perto da estação.
""",
    "memory/companies/northwind-optics.md": """---
aliases: [NWO]
---
# Northwind Optics

- Grinds the lenses for the lamp.
- Invoices come at the end of the quarter.
""",
    "memory/companies/acme-milling.md": "# Acme Milling\n\n- Delivers on Tuesdays.\n- Asks for payment in advance.\n",
    "memory/projects/lighthouse.md": """---
aliases: [LH, Project Beacon]
---
# Lighthouse migration

- Goal: all records in the new system by June.
- Budget is 40,000 crowns.
""",
    "memory/2031-03-03.md": """# 2031-03-03

- Jane Doe approved the repainting of the crane.
- JD forgot her umbrella on the ferry.
- Bob fixed the station clock in an hour.
- A thick fog hid the breakwater all morning.
- The bill for electricity came to 912 crowns.
- [[p-017]] sent back the lease with two corrections.
""",
    "memory/2031-03-11.md": """# 2031-03-11

- Janey wants to learn the accordion.
- Robert Quill sold the old barometer to a museum.
- Kenji Mori fired the kiln twice, both glazes cracked.
- Northwind Optics raised the price of prisms by a tenth.
- Flight LH 402 was late, the parcels missed the boat.
- She bobbed her hair; the salon was full.
""",
    "memory/2031-03-19.md": """# 2031-03-19

- NWO lost a crate of mirrors in Hamburg.
- ケン先輩 からメール: 展示会は五月に延期。
- Project Beacon is blocked: the export has no dates.
- Wilma Park found a misprint on the front page.
- The skipper wants new ropes before Easter.
- Acme Milling changed its bank account.
- Beacon hill was closed because of ice.
""",
    "memory/2031-03-27.md": """# 2031-03-27

- Ken broke his wrist while skating.
- The Lighthouse migration needs a second reviewer.
- Ingrid Halvorsen asked for a longer deadline.
- Mia plantou roseiras novas no pátio.
- Maria Conceição pediu uma mangueira de trinta metros.
- Otto Brandt ordered varnish for the dinghy.
- The old mill is open on Sundays only.
""",
    "memory/reading.md": """# Reading list

- Jane Eyre: a governess, a locked attic, a fire.
- Barbie and Ken, a history of two dolls and their accordion.
- The beacon that burned for a year, about signal fires.
- A will and a testament: how to write one.
- Bob the fisherman and his umbrella.
""",
    "memory/money.md": """# Money

- Flour costs 14 crowns a bag at the market.
- Budget for painting: 6,000 crowns.
- Prisms are bought by the dozen.
- Umbrella stand: 350 crowns, not approved.
""",
}
_FACTS = (
    {"id": "kenji-001", "fact": "Sells bowls at the Saturday market", "category": "milestone", "status": "active"},
    {"id": "kenji-002", "fact": "Allergic to penicillin", "category": "status", "status": "active"},
)
HELPS = (
    ("what did JD approve", "approved the repainting"),
    ("JD crane", "approved the repainting"),
    ("did Janey approve the repainting", "approved the repainting"),
    ("what did Jane Doe forget on the ferry", "forgot her umbrella"),
    ("Jane Doe umbrella", "forgot her umbrella"),
    ("which instrument does Jane Doe want to learn", "learn the accordion"),
    ("JD accordion", "learn the accordion"),
    ("Robert Quill clock", "fixed the station clock"),
    ("what did Robert Quill fix", "fixed the station clock"),
    ("to whom did Bob sell something", "sold the old barometer"),
    ("bobby q museum", "sold the old barometer"),
    ("what did ken fire", "fired the kiln"),
    ("Ken's glazes", "fired the kiln"),
    ("ケン先輩 kiln", "fired the kiln"),
    ("Kenji Mori 展示会", "展示会は五月に延期"),
    ("how did Kenji Mori break his wrist", "broke his wrist"),
    ("what is ken allergic to", "penicillin"),
    ("ken market bowls", "Sells bowls"),
    ("nwo prices", "raised the price of prisms"),
    ("what did NWO raise", "raised the price of prisms"),
    ("Northwind Optics crate", "lost a crate of mirrors"),
    ("what did Northwind Optics lose", "lost a crate of mirrors"),
    ("why is the Lighthouse migration blocked", "the export has no dates"),
    ("LH blocked", "the export has no dates"),
    ("LH reviewer", "needs a second reviewer"),
    ("project beacon reviewer", "needs a second reviewer"),
    ("what did Dona Maria ask for, a mangueira?", "mangueira de trinta metros"),
    ("Maria Conceição roseiras", "plantou roseiras"),
    ("what did Ingrid Halvorsen send back", "sent back the lease"),
    ("Ingrid Halvorsen corrections", "sent back the lease"),
    ("Otto Brandt ropes", "wants new ropes"),
    ("what did the skipper order", "ordered varnish"),
)
AS_TYPED = (
    ("JD umbrella", "forgot her umbrella"),
    ("Janey accordion", "learn the accordion"),
    ("Jane Doe repainting", "approved the repainting"),
    ("jane governess", "Jane Eyre"),
    ("jane eyre", "Jane Eyre"),
    ("Bob station clock", "fixed the station clock"),
    ("bob fisherman", "Bob the fisherman"),
    ("bob umbrella", "Bob the fisherman"),
    ("ken and barbie", "Barbie and Ken"),
    ("ken dolls", "Barbie and Ken"),
    ("ken wrist", "broke his wrist"),
    ("LH 402", "Flight LH 402"),
    ("lh flight late", "Flight LH 402"),
    ("beacon hill", "Beacon hill was closed"),
    ("beacon signal fires", "signal fires"),
    ("project beacon export", "the export has no dates"),
    ("how to write a will", "A will and a testament"),
    ("will testament", "A will and a testament"),
    ("flour at the market", "Flour costs 14"),
    ("price of flour", "Flour costs 14"),
    ("electricity bill", "The bill for electricity"),
    ("budget for painting", "Budget for painting"),
    ("umbrella stand", "Umbrella stand"),
    ("NWO mirrors", "lost a crate of mirrors"),
    ("Northwind prisms", "raised the price of prisms"),
    ("is the mill open on sunday", "The old mill is open"),
    ("park front page misprint", "found a misprint"),
    ("Robert Quill barometer", "sold the old barometer"),
    ('"JD forgot"', "forgot her umbrella"),
    ("umbrella -ferry", "Umbrella stand"),
    ("fog at the breakwater", "thick fog"),
    ("Ingrid deadline", "longer deadline"),
    ("which boat did the parcels miss", "the parcels missed the boat"),
)


def write(root: Path) -> Workspace:
    """The workspace below `root`."""
    for name, text in _FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (root / "memory/people/kenji-mori/items.json").write_text(json.dumps(_FACTS, indent=1))
    return Workspace(root)


def ranks(
    ws: Workspace, cases: tuple[tuple[str, str], ...], embedder: Embedder | None = None, *, alone: bool = False
) -> list[int]:
    """Where the line that answers stands among the first ten (from 1; 0 for nowhere), MEMORY.md left out.

    With an `embedder` by words and meaning, or by meaning `alone`.
    """
    by = hybrid.vsearch if alone else hybrid.query
    found = []
    options = Options(limit=20, now="2031-04-01T12:00+00:00")
    for query, part in cases:
        answer = by(ws, query, options, embedder) if embedder else search.search(ws, query, options)
        hits = [one for one in answer.hits if one.path != "MEMORY.md"][:10]
        lines = [one.snippet.split("\n") for one in hits]
        found.append(next((at for at, some in enumerate(lines, 1) if any(part in line for line in some)), 0))
    return found


def mrr(places: list[int]) -> float:
    """The mean of 1 / rank."""
    return sum(1 / place for place in places if place) / len(places)

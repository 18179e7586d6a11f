"""What is related to what: entities as nodes, `relatedEntities` of their facts as edges; as JSON, Mermaid or a page."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from openclaw_memory import fsio, markdown
from openclaw_memory.errors import FormatError
from openclaw_memory.facts.heat import ORDER
from openclaw_memory.knowledge.store import Entity
from openclaw_memory.knowledge.views import FactView, Views
from openclaw_memory.workspace import Workspace

_PAGE = Path(__file__).with_name("graph.html")
_PLACE = "/*graph*/"
_COLOURS = {"hot": "#d9480f", "warm": "#f59f00", "cold": "#4dabf7", "unknown": "#868e96", "none": "#ced4da"}
_SHAPES = {"people": ("([", "])"), "companies": ("[[", "]]"), "projects": ("{{", "}}"), "decisions": (">", "]")}


@dataclass(frozen=True)
class Graph:
    """`nodes` in the order of their names; `edges` are (from, to, facts that say so); `dead` names lead nowhere."""

    nodes: list[dict[str, object]]
    edges: list[tuple[str, str, int]]
    dead: list[tuple[str, str]]

    def to_json(self) -> dict[str, object]:
        """As plain JSON types."""
        edges = [{"from": one, "to": other, "facts": count} for one, other, count in self.edges]
        dead = [{"from": one, "name": name} for one, name in self.dead]
        return {"nodes": self.nodes, "edges": edges, "dead": dead}


def build(ws: Workspace, now: datetime, *, archived: bool = False) -> Graph:
    """The graph at `now`; archived entities only where asked for."""
    views = Views(ws, now)
    nodes: list[dict[str, object]] = []
    edges: Counter[tuple[str, str]] = Counter()
    dead: set[tuple[str, str]] = set()
    chosen = {name for name, entity in views.store.entities.items() if archived or not entity.archived}
    for name in sorted(chosen):
        entity = views.store.entities[name]
        facts = [view for view in map(views.of, views.store.facts_of(entity)) if view.found.fact.active]
        nodes.append(_node(ws, entity, facts))
        for view in facts:
            for written, known in view.related:
                if known is None:
                    dead.add((name, written))
                elif known in chosen and known != name:
                    edges[name, known] += 1
    return Graph(nodes, [(one, other, count) for (one, other), count in sorted(edges.items())], sorted(dead))


def _node(ws: Workspace, entity: Entity, facts: list[FactView]) -> dict[str, object]:
    heats = {view.tier.heat for view in facts}
    ranked = sorted(facts, key=lambda view: (ORDER.index(view.tier.heat), -view.tier.times, view.found.fact.id))
    return {
        "id": entity.name,
        "label": _title(ws, entity),
        "kind": entity.kind,
        "archived": entity.archived,
        "path": entity.place,
        "heat": next((heat for heat in ORDER if heat in heats), "none"),
        "facts": [
            {
                "id": view.found.fact.id,
                "fact": view.found.fact.text,
                "category": view.found.fact.category,
                "heat": view.tier.heat,
            }
            for view in ranked
        ],
    }


def _title(ws: Workspace, entity: Entity) -> str:
    """The first heading of its file, else its slug in words."""
    if entity.main:
        head = fsio.read(ws.path(entity.main), binary=True)[:4096]
        for block in markdown.scan(markdown.decode(head)).blocks:
            if block.kind == "heading" and block.level == 1 and block.text:
                return str(block.text)
    return entity.slug.replace("-", " ").title()


def render(graph: Graph, form: str) -> str:
    """`graph` as `json`, `mermaid` or a self-contained `html` page that needs no network."""
    if form == "json":
        return json.dumps({"version": 1, **graph.to_json()}, ensure_ascii=False, indent=2) + "\n"
    return _page(graph) if form == "html" else _mermaid(graph)


def _page(graph: Graph) -> str:
    template = fsio.read(_PAGE).decode()
    if template.count(_PLACE) != 1:
        raise FormatError(f"{_PAGE} holds no place for the data", "install the package again")
    data = json.dumps({**graph.to_json(), "colours": _COLOURS}, ensure_ascii=False)
    return template.replace(
        _PLACE, data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )


def _mermaid(graph: Graph) -> str:
    numbers = {node["id"]: f"n{number}" for number, node in enumerate(graph.nodes)}
    rows = ["graph LR"]
    for node in graph.nodes:
        left, right = _SHAPES.get(str(node["kind"]), ("[", "]"))
        facts = node["facts"]
        label = f"{node['label']} ({len(facts) if isinstance(facts, list) else 0})"
        rows.append(f'  {numbers[node["id"]]}{left}"{_escaped(label)}"{right}:::{node["heat"]}')
    for one, other, count in graph.edges:
        rows.append(
            f"  {numbers[one]} -->|{count}| {numbers[other]}" if count > 1 else f"  {numbers[one]} --> {numbers[other]}"
        )
    rows += [f"  classDef {heat} fill:{colour},stroke:#495057,color:#212529" for heat, colour in _COLOURS.items()]
    return "\n".join(rows) + "\n"


def _escaped(text: str) -> str:
    plain = " ".join(text.split()).replace("#", "#35;")
    return plain.replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;").replace("`", "#96;")

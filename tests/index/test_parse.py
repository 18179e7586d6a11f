"""Every form of index met in real workspaces parses into entries (made-up examples of each)."""

from __future__ import annotations

import pytest

from openclaw_memory.index import Index, parse

FILES = [
    "memory/people/ana.md",
    "memory/people/ken.md",
    "memory/people/ren.md",
    "memory/projects/loja.md",
    "memory/projects/cpp.md",
    "memory/lessons.md",
    "memory/archive/ana.md",
    "memory/archive/2025/old.md",
    "memory/Sync Test.md",
    "memory/a (b) [c].md",
    "DEPLOY.md",
    "rules.md",
    "scope.md",
    "context/NOW.md",
]


def said(text: str, files: list[str] = FILES, index_path: str = "MEMORY.md") -> list[tuple[str, str, list[str]]]:
    return [(e.name, e.path, list(e.triggers)) for e in parse(text, files, index_path=index_path).entries]


def flaws(index: Index) -> list[tuple[int, str, str]]:
    return [(r.line, r.target, r.status) for r in index.references if r.status != "ok"]


def test_table_with_trigger_cells_quotes_and_mixed_separators() -> None:
    text = """| What | Where | Triggers |
|------|-------|----------|
| 👤 **Ana** | `memory/people/ana.md` | "Ana", "boss", " Founder" |
| 📁 Loja | memory/projects/loja.md | loja、vendas; e-commerce / checkout |
| C++ | [cpp](memory/projects/cpp.md) | c++, .net, R&D |
"""
    assert said(text) == [
        ("Ana", "memory/people/ana.md", ["Ana", "boss", "Founder"]),
        ("Loja", "memory/projects/loja.md", ["loja", "vendas", "e-commerce", "checkout"]),
        ("C++", "memory/projects/cpp.md", ["c++", ".net", "R&D"]),
    ]


@pytest.mark.parametrize(
    "header",
    [
        "| Schlüsselwörter | Datei | Wer |\n|--|--|--|",
        "| Gatilhos | Arquivo | Nome |\n|--|--|--|",
        "| 触发词 | 文件 | 名称 |\n|--|--|--|",
        "| Triggers / Keywords | Path | Who |\n|:--|--|--:|",
        "| Mots-clés | Fichier | Nom |\n|--|--|--|",
    ],
)
def test_columns_in_any_order_and_language(header: str) -> None:
    text = f"{header}\n| ana, boss | memory/people/ana.md | Ana |\n"
    assert said(text) == [("Ana", "memory/people/ana.md", ["ana", "boss"])]


def test_one_file_in_several_sections_is_one_entry() -> None:
    text = """## Active Context (Always Load)
- memory/people/ana.md
## Quick Reference
| Who | File | Triggers |
|--|--|--|
| Ana | memory/people/ana.md | ana |
## People
| Name | File | Triggers |
|--|--|--|
| Ana | memory/people/ana.md | boss |
"""
    index = parse(text, FILES)
    [entry] = index.entries
    assert entry.triggers == ("ana", "boss")
    assert entry.lines == (2, 6, 10)
    assert index.active == ["memory/people/ana.md"]
    assert entry.section == "Quick Reference"


def test_table_whose_trigger_column_has_no_paths_is_no_index() -> None:
    index = parse("| Template | Function | Trigger |\n|---|---|---|\n| `send_welcome()` | greeting | signup |\n", FILES)
    assert index.entries == []
    assert index.references == []


def test_bullets_with_bare_paths_full_width_colon_and_empty_active_context() -> None:
    text = """## 人物一覧
*   ケン先輩 (Ken): memory/people/ken.md
*   れん： memory/people/ren.md
## Active Context
(いまは なし)
"""
    index = parse(text, FILES)
    assert said(text) == [("ケン先輩", "memory/people/ken.md", ["Ken"]), ("れん", "memory/people/ren.md", [])]
    assert index.entries[0].aliases == ("Ken",)
    assert index.entries[0].written_triggers == ()
    assert index.active == []
    assert flaws(index) == []


@pytest.mark.parametrize(
    ("line", "name", "path", "about"),
    [
        ("- Lições: `memory/lessons.md`", "Lições", "memory/lessons.md", ""),
        ("- `context/NOW.md` — now", "NOW", "context/NOW.md", "now"),
        ("*   Ken: memory/people/ken.md", "Ken", "memory/people/ken.md", ""),
        ("- [Scope](scope.md) — one line", "Scope", "scope.md", "one line"),
        ("- **Ana** - `memory/people/ana.md` (founder)", "Ana", "memory/people/ana.md", "(founder)"),
        ("1. [Ana](./memory/people/ana.md): boss", "Ana", "memory/people/ana.md", "boss"),
        ("- [ ] [Ana](memory/people/ana.md)", "Ana", "memory/people/ana.md", ""),
        ("- [Sync](memory/Sync%20Test.md)", "Sync", "memory/Sync Test.md", ""),
        ("- [Odd](<memory/a (b) [c].md>): x", "Odd", "memory/a (b) [c].md", "x"),
        ("- [Sync](memory/Sync Test.md#a): x", "Sync", "memory/Sync Test.md", "x"),
        ("- <memory/Sync Test.md>", "Sync Test", "memory/Sync Test.md", ""),
        ("- [[projects/loja#status|Loja]]", "Loja", "memory/projects/loja.md", ""),
        ("- 📁 Loja → memory/projects/loja.md", "Loja", "memory/projects/loja.md", ""),
        ("- Ana: ~/clawd/memory/people/ana.md", "Ana", "memory/people/ana.md", ""),
        ("memory/people/ana.md", "ana", "memory/people/ana.md", ""),
        ("| Ana | memory/people/ana.md | ana |", "Ana", "memory/people/ana.md", ""),
        ("- Archive: memory/archive/2025/", "Archive", "memory/archive/2025/", ""),
    ],
)
def test_single_lines(line: str, name: str, path: str, about: str) -> None:
    [entry] = parse(f"## Files\n\n{line}\n", FILES).entries
    assert (entry.name, entry.path, entry.about, entry.exists) == (name, path, about, True)


def test_the_hosts_own_comments_and_our_rev() -> None:
    text = (
        "- [Loja](memory/projects/loja.md): the shop, opens in March"
        " <!-- trigger: loja, shop --> <!-- importance: 7 --> <!-- rev: 3F9A1C -->\n"
        "- Keep the gateway on loopback. See rules.md <!-- trigger: gateway setup; network -->\n"
    )
    loja, rules = parse(text, FILES).entries
    assert (loja.triggers, loja.about, loja.importance, loja.rev) == (
        ("loja", "shop"),
        "the shop, opens in March",
        7,
        "3f9a1c",
    )
    assert (rules.path, rules.triggers) == ("rules.md", ("gateway setup", "network"))


def test_triggers_in_a_nested_bullet_or_in_the_text() -> None:
    text = """- **Ana**: `memory/people/ana.md`
  - Triggers: ana, boss
- `rules.md` — how we work. Triggers: rules, review
"""
    ana, rules = parse(text, FILES).entries
    assert (ana.triggers, ana.lines) == (("ana", "boss"), (1, 2))
    assert (rules.triggers, rules.about) == (("rules", "review"), "how we work.")


def test_before_task_read_file_table() -> None:
    text = "| Task | Read | Notes |\n|--|--|--|\n| Deploy | `DEPLOY.md` | use make |\n"
    [entry] = parse(text, FILES).entries
    assert (entry.path, entry.triggers, entry.about) == ("DEPLOY.md", ("Deploy",), "use make")


def test_pointers_in_prose_and_quotes_are_references_only() -> None:
    index = parse("> read `rules.md` first\n\nAs told in memory/gone.md, we wait.\n", FILES)
    assert index.entries == []
    assert [(r.line, r.target, r.status, r.entry) for r in index.references] == [
        (1, "rules.md", "ok", False),
        (3, "memory/gone.md", "dead", False),
    ]


def test_fences_comments_and_patterns_make_no_entries() -> None:
    text = """```
├── memory/people/ana.md
```
<!-- - memory/people/ken.md -->

- When a person is named, read memory/people/[name].md
- Daily: `memory/YYYY-MM-DD.md`
- Globs: `memory/**/*.md`
- Run `send()` and read https://example.org/x.md
- Then `openclaw-memory index add memory/people/new.md`
"""
    index = parse(text, FILES)
    assert index.entries == []
    assert flaws(index) == []


def test_unclosed_fence_hides_rows() -> None:
    text = "## A\n```\nmemory/people/ana.md\n```\n## Notes\nx\n```bash\necho hi\n## P\n"
    text += "| Loja | `memory/projects/loja.md` | loja |\n"
    index = parse(text, FILES)
    assert index.document.unclosed_fence is not None
    assert [(h.line, h.path, h.by) for h in index.hidden] == [(10, "memory/projects/loja.md", 7)]
    assert index.lists("memory/projects/loja.md")
    assert not index.lists("memory/people/ana.md")


def test_link_bases_and_ambiguity() -> None:
    files = ["memory/people/a.md", "memory/people/b.md", "memory/people/c.md", "memory/projects/d.md", "projects/d.md"]
    text = "[a](memory/people/a.md)\n[b](./people/b.md)\npeople/c.md\n[d](projects/d.md)\n"
    index = parse(text, files, index_path="memory/MEMORY.md")
    assert [e.path for e in index.entries] == files[:3]
    assert flaws(index) == [(4, "projects/d.md", "ambiguous")]
    assert index.references[-1].candidates == ("memory/projects/d.md", "projects/d.md")
    assert index.lists("projects/d.md")


def test_wikilinks_prefer_what_is_not_archived() -> None:
    text = "- [[ana|Ana Silva]]\n- ![[img.png]]\n- `[[not a link]]` in code\n- [[ghost]]\n"
    index = parse(text, FILES)
    assert said(text)[0] == ("Ana Silva", "memory/people/ana.md", [])
    assert index.references[0].candidates == ("memory/archive/ana.md", "memory/people/ana.md")
    assert flaws(index) == [(4, "ghost", "dead")]


def test_dead_and_wrong_case_entries() -> None:
    text = "- [Ana](memory/People/Ana.md)\n- [Gone](memory/people/gone.md)\n"
    index = parse(text, FILES)
    assert flaws(index) == [(1, "memory/People/Ana.md", "wrong-case"), (2, "memory/people/gone.md", "dead")]
    assert [(e.path, e.exists) for e in index.entries] == [
        ("memory/people/ana.md", True),
        ("memory/people/gone.md", False),
    ]


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("- [New](<memory/it's $(new).md>)", "memory/it's $(new).md"),
        ("- [[it's $(new)]]", "it's $(new)"),
        ("- `memory/my notes.md` — now", "memory/my notes.md"),
        ("> see [New](memory/$(x).md)", "memory/$(x).md"),
    ],
)
def test_odd_names_of_dead_files_are_no_placeholders(line: str, target: str) -> None:
    assert flaws(parse(f"{line}\n", FILES)) == [(1, target, "dead")]


@pytest.mark.parametrize(
    "line",
    [
        "- `memory/$(date +%F).md` each day",
        "- log to memory/$(date +%F).md",
        "- `cat memory/gone.md`",
        "- `openclaw-memory index add memory/gone.md`",
        "- [a day](memory/YYYY-MM-DD.md)",
        "- `$HOME/notes.md`",
        "- [home](${HOME}/notes.md)",
    ],
)
def test_commands_and_patterns_are_no_references(line: str) -> None:
    assert [reference.status for reference in parse(f"{line}\n", FILES).references] in ([], ["pattern"])


def test_placeholder_rows_are_told_and_are_no_references() -> None:
    text = """| Topic | File |
|--|--|
| Foo | *(none yet)* |
| [Name] | [Link to detail] |

| Date | What | Where |
|--|--|--|
| 2026-07-03 | Switched host | This session |

- [Project]: short description
"""
    index = parse(text, FILES)
    assert index.entries == []
    assert index.references == []
    assert [p.line for p in index.placeholders] == [4, 10]


def test_folder_entries_cover_what_is_below_and_layout_notes_do_not() -> None:
    text = "- [Old](memory/archive/2025/): finished\n- `memory/people/` one file a person\n"
    index = parse(text, FILES)
    assert index.lists("memory/archive/2025/old.md")
    assert not index.lists("memory/people/ana.md")


@pytest.mark.parametrize(
    "heading",
    [
        "## 🔥 Active Context",
        "## Active Context (Always Load)",
        "## Active Working Set (always loaded — 2–4 files max)",
        "### **Contexto Ativo**",
        "## Aktiver Kontext",
        "Active Context\n---",
    ],
)
def test_active_context_in_its_many_coats(heading: str) -> None:
    table = "| File | Priority | Reason |\n|--|--|--|\n| memory/people/ana.md | 1 | x |"
    text = f"{heading}\n\n<!-- max 2-3 -->\n{table}\n\n## Other\n- rules.md\n"
    index = parse(text, FILES)
    assert index.active == ["memory/people/ana.md"]
    assert index.entries[0].triggers == ()


def test_active_context_as_prose_names_no_file() -> None:
    assert parse("## Active Context\n- Currently working on: the launch\n(now empty)\n", FILES).active == []


def test_several_files_on_a_line_are_several_entries() -> None:
    text = "- People: memory/people/ana.md, memory/people/ken.md <!-- trigger: team -->\n"
    assert said(text) == [("People", "memory/people/ana.md", ["team"]), ("People", "memory/people/ken.md", ["team"])]


def test_sections_tell_content_from_entries() -> None:
    text = """# Memory
## People
- [Ana](memory/people/ana.md)
## Debug log
- it broke
- again

it works now
"""
    sections = parse(text, FILES).sections
    assert [(s.section.title, s.kind, s.entries, s.prose) for s in sections] == [
        ("Memory", "", 0, 0),
        ("People", "people", 1, 0),
        ("Debug log", "", 0, 3),
    ]


def test_conflict_markers_are_found() -> None:
    index = parse("# M\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n", FILES)
    assert index.conflicts == (2, 4, 6)
    assert parse("# M\n=======\nx\n", FILES).conflicts == ()


def test_shared_triggers() -> None:
    text = "- [A](rules.md) <!-- trigger: Review, x -->\n- [B](scope.md) <!-- trigger: review -->\n"
    shared = parse(text, FILES).shared_triggers()
    assert {word: [e.path for e in entries] for word, entries in shared.items()} == {"review": ["rules.md", "scope.md"]}

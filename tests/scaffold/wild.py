"""Made-up workspaces as they grow without us: each is a dict of path to content."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import strategies as st

FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where fuzzing does not wait for a disk

PORTUGUESE = {
    "MEMORY.md": """\ufeff# 🧠 Memória\r
\r
> leia `memory/regras.md` primeiro\r
\r
## 🎯 Contexto Ativo (sempre carregar)\r
- `memory/projetos/loja.md` — agora\r
\r
## 👥 Pessoas\r
| Quem | Onde | Gatilhos |\r
|---|---|---|\r
| 👤 **Ana** | `memory/pessoas/ana.md` | "Ana", "chefe" |\r
| João | memory/pessoas/joao.md | joão、sócio; parceiro |\r
| *(mais em breve)* | | |\r
\r
## 📁 Projetos\r
| Projeto | Onde | Gatilhos |\r
|---|---|---|\r
| Loja | memory/projetos/loja.md | loja, vendas |\r
| Antigo | memory/projetos/sumiu.md | antigo |\r
""",
    "memory/regras.md": "# Regras\r\n",
    "memory/pessoas/ana.md": "# Ana\r\n\r\n- gosta de café\r\n",
    "memory/pessoas/joao.md": "# João\n",
    "memory/pessoas/README.md": "como usar esta pasta\n",
    "memory/projetos/loja.md": "# Loja\n",
    "memory/projetos/órfão.md": "# Órfão\n",
    "memory/2026-03-01.md": "# 2026-03-01\n- reunião com a Ana\n",
    "memory/2026-03-02.md": "# 2026-03-02\n",
    "memory/2026-03-02-1430.md": "# Session: 2026-03-02 14:30\n",
    "memory/2026-03-01-plano-da-loja.md": "# Session: 2026-03-01 10:00:00 UTC\n\n- **Session Key**: x\n",
    "AGENTS.md": "# Agente\n",
    "USER.md": "- Fuso horário: America/Sao_Paulo\n",
}
NUMBERED = {
    "MEMORY.md": "# Memory\n\n- [Now](context/NOW.md) — what is open\n- Kim: `02-Areas/People/kim.md`\n",
    "context/NOW.md": "# Now\n",
    "context/later.md": "# Later\n",
    "01-Projects/boat.md": "# Boat\n",
    "02-Areas/People/kim.md": "# Kim\n",
    "02-Areas/health.md": "# Health\n",
    "04-Archives/old.md": "# Old\n",
    "memory/journal/2026-01-01.md": "x\n",
    "memory/journal/2026-01-02.md": "x\n",
    "docs/unrelated.md": "# Not memory\n",
}
TWO_INDEXES = {
    "MEMORY.md": "# Memory\n\n## People\n- [Jane](people/jane.md)\n",
    "memory/MEMORY.md": "# Memory\n\n- [Jane](./people/jane.md)\n- [Bob](people/bob.md)\n",
    "memory/people/jane.md": "# Jane\n",
    "memory/people/bob.md": "# Bob\n",
}
PARA = {
    "MEMORY.md": "# Memory\n\nDer Nutzer ist freundlich und mag eine kurze Antwort, auch wenn es nicht für alle ist.\n",
    "life/areas/people/jane/summary.md": "# Jane\n",
    "life/areas/people/jane/items.json": "[]\n",
    "life/projects/boat/summary.md": "# Boat\n",
    "life/index.md": "- [Jane](areas/people/jane/summary.md)\n",
}
NO_INDEX = {"memory/2026-01-01.md": "x\n", "memory/people/ana.md": "# Ana\n"}


NAMES = st.sampled_from(
    [
        "memory",
        "life",
        "People",
        "pessoas",
        "01-Projects",
        "archive",
        "2026",
        "daily",
        "人物",
        "a b",
        "x\ny",
        "🏠",
        "templates",
    ]
)
FILES = st.sampled_from(
    [
        "MEMORY.md",
        "index.md",
        "ana.md",
        "2026-01-02.md",
        "2026-01-02-plan.md",
        "2026-01-02-0930.md",
        "README.md",
        "x.txt",
    ]
)
LINES = st.sampled_from(
    [
        "# Memory", "## Pessoas", "## Active Context", "- [Ana](memory/People/ana.md)", "- `life/ana.md`",
        "- x: ana.md",
        "| Who | Where | Trigger |", "|---|---|---|", "| Ana | memory/pessoas/ana.md | ana, boss |", "[[ana]]", "```",
        "# Session: 2026-01-02", "<!-- x", "text \u00e9 \u4f60\u597d", "<<<<<<< HEAD", "---", "> read `x.md`", "",
    ]
)  # fmt: skip
trees = st.dictionaries(
    st.tuples(st.lists(NAMES, max_size=3), FILES).map(lambda pair: "/".join([*pair[0], pair[1]])),
    st.tuples(st.lists(LINES, max_size=8), st.sampled_from(["\n", "\r\n"])).map(lambda pair: pair[1].join(pair[0])),
    max_size=9,
)


def grow(root: Path, files: dict[str, str]) -> dict[str, bytes]:
    """Write the workspace and return its bytes by path."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content.encode())
    return {path: content.encode() for path, content in files.items()}

"""A month of a made-up assistant's life, and two quiet months after it, through the real commands.

30 notes in English, Portuguese and Chinese speak of 40 people, companies and projects. Every night extraction and
decay run, every week synthesis, with the clock moved. After each step every fact that was ever added is still there,
word for word, and each summary holds what the method says: hot and warm facts, and no cold ones.
"""

import json
from datetime import date, timedelta
from math import floor, log2

from tests.knowledge.conftest import Space

START = date(2026, 3, 2)
EN = ("en", "person", "company", "project", "status", "decision", "lesson", "preference", "question", " - ", ": ")
PT = ("pt", "pessoa", "empresa", "projeto", "estado", "decisão", "lição", "preferência", "pergunta", " — ", ": ")
ZH = ("zh", "人物", "公司", "项目", "状态", "决定", "教训", "偏好", "问题", "，", "：")

PEOPLE = {
    "en": ["Alice Moor", "Ben Hart", "Cora Lind", "Dan Webb", "Ella Frost", "Finn Gray", "Gwen Park", "Hugo Stone"],
    "pt": [
        "João Alves",
        "Bia Rocha",
        "Caio Lima",
        "Duda Reis",
        "Enzo Prado",
        "Flávia Nunes",
        "Gil Torres",
        "Iara Melo",
    ],
    "zh": ["陈伟", "李娜", "王芳", "赵磊", "孙丽", "周强", "吴敏", "郑浩"],
}
COMPANIES = {
    "en": ["Northwind", "Bluepeak", "Oakline"],
    "pt": ["Padaria Sol", "Casa Verde", "Rio Norte"],
    "zh": ["晨光", "远山"],
}
PROJECTS = {"en": ["Harbor", "Lantern", "Pebble"], "pt": ["Feira", "Jardim", "Mapa"], "zh": ["网店", "书架"]}
SAID = {
    "en": "looks after {0} and lives near the {1} bridge",
    "pt": "cuida de {0} e mora perto da ponte {1}",
    "zh": "负责{0}，住在第{1}座桥附近",
}
STATES = {
    "en": ["planned", "in test", "live"],
    "pt": ["planejado", "em teste", "no ar"],
    "zh": ["计划中", "测试中", "已上线"],
}


def lines_of(day: int) -> tuple[list[str], list[tuple[str, str]]]:
    """What is noted on day `day`, and the (name, fact) pairs that it states."""
    words = (EN, PT, ZH)[day % 3]
    tongue, person, company, project, status, decision, lesson, preference, question, dash, colon = words
    turn = day // 3
    lines, facts = [], []
    if turn < 8:
        name = PEOPLE[tongue][turn]
        said = SAID[tongue].format(day, turn + 1)
        lines.append(f"{person}{colon}{name}{dash}{said}")
        facts.append((name, said))
    if turn < len(COMPANIES[tongue]):
        lines.append(f"{company}{colon}{COMPANIES[tongue][turn]}{dash}{'x' * 3}{day}")
        facts.append((COMPANIES[tongue][turn], f"{'x' * 3}{day}"))
    if turn < len(PROJECTS[tongue]):
        lines.append(f"{project}{colon}{PROJECTS[tongue][turn]}{dash}y{day}")
        facts.append((PROJECTS[tongue][turn], f"y{day}"))
    known = PROJECTS[tongue][min(turn, len(PROJECTS[tongue]) - 1)]
    state = STATES[tongue][turn % 3]
    lines.append(f"{status}{colon}{known}{dash}{state} {day}")
    facts.append((known, f"Status: {state} {day}"))
    lines += [f"{decision}{colon}d{day}", f"{lesson}{colon}l{day}"]
    lines += [f"{preference}{colon}p{day}"] * (day % 5 == 0) + [f"{question}{colon}q{day}?"] * (day % 4 == 0)
    return lines, facts


class Life:
    """The workspace over time, and everything that was ever known."""

    def __init__(self, om: Space) -> None:
        self.om = om
        self.ever: dict[str, str] = {}
        self.stated: list[tuple[str, str]] = []

    def step(self, *words: str) -> str:
        out = self.om(*words).out
        self.nothing_is_lost()
        return out

    def items(self) -> dict[str, list[dict[str, object]]]:
        files = sorted((self.om.root / "memory").rglob("items.json"))
        return {path.parent.name: json.loads(path.read_bytes()) for path in files}

    def nothing_is_lost(self) -> None:
        now = {str(fact["id"]): str(fact["fact"]) for facts in self.items().values() for fact in facts}
        assert {key: now.get(key) for key in self.ever} == self.ever
        self.ever = now
        texts = set(now.values())
        assert [said for _, said in self.stated if said not in texts] == []

    def tier(self, fact: dict[str, object], today: date) -> str:
        """The method, written down a second time."""
        last = date.fromisoformat(str(fact["lastAccessed"] or fact["timestamp"]))
        count = int(str(fact["accessCount"]))
        warm = min(180, 30 * (1 + floor(log2(max(1, count)) / 2)))
        age = (today - last).days
        return "hot" if age <= 7 else "warm" if age <= warm else "cold"

    def summaries_hold_what_the_method_says(self, today: date) -> int:
        """Hot, then warm facts, by access count inside a tier; no cold, no superseded one. Returns the facts shown."""
        shown = 0
        for slug, facts in self.items().items():
            path = next((self.om.root / "memory").rglob(f"{slug}/summary.md"))
            block = path.read_text().partition("begin facts -->")[2].partition("<!--")[0]
            rows = [row[2:] for row in block.splitlines() if row.startswith("- ")]
            active = [fact for fact in facts if fact["status"] == "active"]
            for name, title in (("hot", "## Hot"), ("warm", "## Warm")):
                wanted = {
                    f"{f['fact']} ({f['id']})": int(str(f["accessCount"]))
                    for f in active
                    if self.tier(f, today) == name
                }
                section = block.partition(f"{title}\n\n")[2].partition("\n\n")[0]
                listed = [row[2:] for row in section.splitlines() if row.startswith("- ")]
                assert sorted(listed) == sorted(wanted), (slug, name)
                assert [wanted[row] for row in listed] == sorted((wanted[row] for row in listed), reverse=True)
                shown += len(listed)
            assert len(rows) == sum(self.tier(fact, today) != "cold" for fact in active), slug
        return shown


def test_a_month_and_two_quiet_ones(om: Space) -> None:
    life = Life(om)
    om.git("add", "-A")
    om.git("commit", "-qm", "start")
    for day in range(30):
        today = START + timedelta(days=day)
        lines, facts = lines_of(day)
        text = "".join(f"- {line}\n" for line in lines)
        (om.root / "today.txt").write_text(text)
        for line in lines:
            life.step("note", line, "--now", f"{today}T10:00")
        life.stated += facts
        (om.root / "today.txt").unlink()
        life.step("extract", "--now", f"{today}T23:00")
        if day == 20:
            life.step("fact", "supersede", "alice-moor-001", "Moved to the coast", "--now", str(today))
        if day % 6 == 0:
            life.step("fact", "show", "alice-moor-001", "--now", str(today))
        life.step("decay", "--now", f"{today}T23:30")
        if day % 7 == 6:
            life.step("synthesize", "--now", f"{today}T23:45")
            assert life.summaries_hold_what_the_method_says(today) > 0
    assert len(life.items()) == 24 + 8 + 8
    index = om.read("MEMORY.md")
    assert all(f"- p{day}" in index for day in range(0, 30, 5))
    assert not any(said in index for _, said in life.stated)
    assert om.read("memory/decisions/2026-03.md").count("\n- ") == 30
    assert om.read("memory/resources/lessons.md").count("\n- ") == 30
    assert om.read("memory/open-questions.md").count("- [ ] q") == 8
    assert life.step("extract", "--now", "2026-03-31T23:59") == "nothing unread\n"

    later = date(2026, 5, 30)
    life.step("fact", "show", "陈伟-001", "--now", "2026-05-29")
    life.step("decay", "--now", str(later))
    life.step("synthesize", "--now", str(later))
    assert life.summaries_hold_what_the_method_says(later) == 1
    assert "## Hot\n\n- 负责2" in om.read("memory/people/陈伟/summary.md")
    assert "cold fact" in om.read("memory/people/ben-hart/summary.md")
    cold = json.loads(om("fact", "list", "--heat", "cold", "--now", str(later), "--json").out)["facts"]
    assert len(cold) == sum(f["status"] == "active" for facts in life.items().values() for f in facts) - 1
    for name, said in life.stated:
        found = json.loads(om("fact", "list", "--all", "--text", said, "--now", str(later), "--json").out)["facts"]
        assert any(fact["fact"] == said for fact in found), (name, said)

    om.git("add", "-A")
    om.git("commit", "-qm", "a quarter")
    assert om("check", "--range", "HEAD~1..HEAD", code=None).code == 0

"""Reads a heartbeat file in every dialect into tasks, notes and problems. Pure: text in, `Plan` out; nothing is run.

Headings give their schedule to what stands under them; a line's own words go before it. What gives no schedule runs
each beat. Code in fences is never read as tasks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from openclaw_memory import markdown
from openclaw_memory.heartbeat import naming
from openclaw_memory.heartbeat.model import Note, NoteKind, Origin, Plan, Problem, Task
from openclaw_memory.heartbeat.phrases import Reading, read
from openclaw_memory.heartbeat.plain import plain, slug
from openclaw_memory.heartbeat.schedule import EACH_BEAT, Schedule
from openclaw_memory.heartbeat.sections import Section, heading_reading, plain_line, procedure
from openclaw_memory.heartbeat.tables import read_table
from openclaw_memory.heartbeat.yamlblock import START
from openclaw_memory.heartbeat.yamltasks import read_tasks
from openclaw_memory.markdown import Block, Document

SILENT = Reading("")
HOW_OFTEN = "say how often, e.g. (every 4 heartbeats), (daily) or (each beat)"
_MARKER = re.compile(r"\A\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
LOG_SIZE, LOG_TASKS = 16_000, 40
"""Characters and lines from which a file with hardly any schedule is taken for a log."""


@lru_cache(maxsize=16)
def parse(text: str, path: str = "HEARTBEAT.md") -> Plan:
    """The plan of a heartbeat file's text. Never fails: what is not understood is a note or a problem."""
    return _Reader(text, path).plan()


class _Reader:
    """One pass over one file. `tasks`, `notes`, `problems`, and the items that only group others fill as it goes."""

    def __init__(self, text: str, path: str) -> None:
        self.document: Document = markdown.scan(text)
        self.path = path
        self.texts = [line.text for line in self.document.lines]
        self.tasks: list[Task] = []
        self.notes: list[Note] = []
        self.problems: list[Problem] = []
        self.groups: list[tuple[int, str, Schedule | None]] = []
        self.claimed: set[int] = set()
        self.section = Section(None, SILENT, SILENT, 0)

    def plan(self) -> Plan:
        self._yaml_blocks()
        sections = self._sections()
        steps = self._procedure(sections)
        for section in sections:
            if section not in steps:
                self._read_section(section)
        self._settle_prose()
        tasks, logged = self._without_log()
        rest = self._rest(sections, [*tasks, *self.notes, *logged])
        headings = [(s.heading.first, s.title, s.given) for s in sections if s.heading]
        if self.document.unclosed_fence:
            first = self.document.unclosed_fence.first
            self.problems.append(
                Problem("OM401", first, "a code fence is never closed; nothing below it is read", "close it")
            )
        quiet = next((note for note in self.notes if note.kind == "quiet hours"), None)
        answer = next((match[1] for note in self.notes if (match := naming.TOKEN.search(note.text))), "")
        return Plan(
            self.path,
            tuple(sorted(tasks, key=lambda task: task.line)),
            tuple(sorted([*self.notes, *logged, *rest], key=lambda note: note.line)),
            tuple(sorted(self.problems, key=lambda problem: problem.line)),
            tuple(sorted([*headings, *self.groups], key=lambda heading: heading[0])),
            answer,
            not any(naming.forbids(note.text) for note in self.notes if note.kind == "policy"),
            len(self.document.text),
            naming.quiet_window(quiet.text) if quiet else None,
            quiet.line if quiet else 0,
        )

    def _rest(self, sections: list[Section], known: Sequence[Task | Note]) -> list[Note]:
        """Lines that nothing above took, so that none is dropped: comments in a `tasks:` block, text around it."""
        spans = [(one.line, one.last) for one in known]
        spans += [(s.heading.first, s.heading.last) for s in sections if s.heading]
        spans += [(block.first, block.last) for block in self.document.blocks if block.kind in ("table", "rule")]
        spans += [(line, line) for line, _, _ in self.groups]
        taken = {number for first, last in spans for number in range(first, last + 1)}
        rest: list[Note] = []
        for number, text in enumerate(self.texts, 1):
            if number in taken or not text.strip() or START.match(text):
                continue
            title = next((s.title for s in reversed(sections) if s.heading and s.heading.first < number), "")
            kind: NoteKind = "comment" if number in self.claimed else "context"
            if rest and rest[-1].last == number - 1 and rest[-1].kind == kind:
                text, number = f"{rest[-1].text}\n{text}", rest.pop().line
            rest.append(Note(kind, number, number + text.count("\n"), text, title))
        return rest

    # `tasks:` blocks

    def _yaml_blocks(self) -> None:
        hidden = {
            number
            for block in self.document.blocks
            if block.kind in ("fence", "comment", "html") and not _is_yaml(block, self.texts)
            for number in range(block.first, block.last + 1)
        }
        at = 0
        while at < len(self.texts):
            if START.match(self.texts[at]) and at + 1 not in hidden:
                tasks, problems, last = read_tasks(self._inside_fence(at), at, self.path)
                self.tasks += tasks
                self.problems += problems
                self.claimed.update(range(at + 1, last + 1))
                at = last
            else:
                at += 1

    def _inside_fence(self, at: int) -> list[str]:
        """The lines up to the end of the fence that line `at` (from 0) stands in, or all of them."""
        for block in self.document.blocks:
            if block.kind == "fence" and block.first <= at + 1 <= block.last:
                return self.texts[: block.last - (1 if block.closed else 0)]
        return self.texts

    # sections

    def _sections(self) -> list[Section]:
        stack = [self.section]
        sections = [self.section]
        for block in self.document.blocks:
            if block.kind == "heading" and not block.depth and not block.quote and block.first not in self.claimed:
                while stack[-1].level >= block.level:
                    stack.pop()
                reading = heading_reading(block)
                outer = stack[-1]
                gives = reading if reading.schedule else outer.inherited
                section = Section(block, reading, gives, reading.rotate or outer.rotate)
                if reading.schedule:
                    self._report(reading, block.first, reading.schedule)
                stack.append(section)
                sections.append(section)
            elif block.kind != "blank" and block.first not in self.claimed:
                sections[-1].blocks.append(self._unclaimed(block))
        return sections

    def _unclaimed(self, block: Block) -> Block:
        """The block up to a `tasks:` line, which Markdown takes for the paragraph's or item's next line."""
        last = next((at for at in range(block.first, block.last) if at + 1 in self.claimed), block.last)
        kept = block.text.split("\n")[: last - block.first + 1]
        return block if last == block.last else block._replace(last=last, text="\n".join(kept))

    def _procedure(self, sections: list[Section]) -> list[Section]:
        """The sections of a numbered procedure, which is one task; [] where there is none."""
        steps = procedure(sections)
        if not steps:
            return []
        first, last = steps[0].heading, steps[-1]
        assert first is not None and last.heading is not None
        end = max([last.heading.last, *(block.last for block in last.blocks)])
        above = sections[: sections.index(steps[0])]
        name = next((section.title for section in reversed(above) if section.title), "procedure")
        task = Task(_name(name, above[-1].reading), self._raw(first.first, end), line=first.first, last=end)
        self._add(task, above[-1])
        return steps

    def _read_section(self, section: Section) -> None:
        self.section = section
        manner = naming.is_manner(section.title) and not section.reading.schedule
        if manner or naming.is_quiet_hours(section.title):
            self._quiet_section(section)
            return
        before = len(self.tasks)
        prose: list[Block] = []
        intro: Reading | None = None
        manners = 0
        for at, block in enumerate(section.blocks):
            if block.depth or self._consumed(block) or (manners and block.first <= manners):
                continue
            manners = self._manners(at)
            if manners:
                continue
            if block.kind == "item":
                self._item(at, intro)
            elif block.kind == "table":
                self._table(block)
            elif block.kind in ("paragraph", "quote", "indented_code"):
                intro = self._prose(block, prose, section.blocks[at + 1 :])
            elif block.kind in ("comment", "front_matter", "fence"):
                kinds: dict[str, NoteKind] = {"comment": "comment", "front_matter": "front matter", "fence": "code"}
                self._note(kinds[block.kind], block)
        if len(self.tasks) == before:
            self._section_task(section, prose)
        else:
            self._notes("context", prose)
        if section.heading and any(task.origin == "default" for task in self.tasks[before:]):
            self._report(section.reading, section.heading.first, EACH_BEAT)

    def _quiet_section(self, section: Section) -> None:
        """A heading of quiet hours with what stands below it: nothing of it is a task."""
        assert section.heading is not None
        first, last = section.heading.first, max([section.heading.last, *(block.last for block in section.blocks)])
        kind: NoteKind = "quiet hours" if naming.quiet_window(self._raw(first, last)) else "policy"
        self.notes.append(Note(kind, first, last, self._raw(first, last), section.title))

    def _manners(self, at: int) -> int:
        """The last line of a paragraph that tells when to speak, with the list below it; 0 for any other block."""
        block = self.section.blocks[at]
        if block.kind != "paragraph" or not naming.is_manner(block.text):
            return 0
        last = block.last
        for other in self.section.blocks[at + 1 :]:
            if other.kind != "item" and not other.depth:
                break
            last = other.last
        self.notes.append(Note("policy", block.first, last, self._raw(block.first, last), self.section.title))
        return last

    def _consumed(self, block: Block) -> bool:
        """Whether an item before it took the block along."""
        return bool(self.tasks) and self.tasks[-1].line < block.first <= self.tasks[-1].last

    def _section_task(self, section: Section, prose: list[Block]) -> None:
        """A section without items: its heading and text are one task, or its text alone, or nothing."""
        heading = section.heading
        fences = [block for block in section.blocks if block.kind == "fence"]
        quotes_only = all(block.kind == "quote" for block in prose)
        own = section.reading.schedule if heading else None
        if section.is_log:
            self._notes("log", prose)
        elif heading and section.level > 1 and prose and not quotes_only:
            last = max(block.last for block in section.blocks)
            text = self._raw(prose[0].first, last)
            name = plain(prose[0].text) if section.reading.whole else _name(heading.text, section.reading)
            self._add(Task(_name(name), text, line=heading.first, last=last), section)
            self._ask_below({block.first: read(plain_line(block.text)) for block in prose})
        elif heading and own and fences and section.level > 1:
            text = self._raw(fences[0].first, fences[-1].last)
            self._add(
                Task(_name(heading.text, section.reading), text, line=heading.first, last=fences[-1].last), section
            )
        elif heading and own and not section.reading.whole and not section.blocks and not self._parent(section):
            self._add(
                Task(_name(heading.text, section.reading), plain(heading.text), line=heading.first, last=heading.last,
                     only_heading=True), section
            )  # fmt: skip
        else:
            self._notes("context", prose)

    def _parent(self, section: Section) -> bool:
        """Whether deeper headings stand under this one, so that it only groups them."""
        assert section.heading is not None
        found = next((s for s in self.document.sections if s.line == section.heading.first), None)
        return found is not None and found.last > found.own_last

    # blocks

    def _prose(self, block: Block, prose: list[Block], after: list[Block]) -> Reading | None:
        """A paragraph: an introduction to the list below it, a task of its own, a policy, or just text."""
        text = block.text
        reading = read(plain_line(text))
        if naming.is_quiet_hours(text):
            self._note("quiet hours" if naming.quiet_window(text) else "policy", block)
            return None
        if naming.TOKEN.search(text):
            self._note("policy", block)
            return None
        following = next((other for other in after if other.kind not in ("comment",)), None)
        if following is not None and following.kind in ("item", "table") and (reading.schedule or reading.rotate):
            self._note("context", block)
            self._report(reading, block.first, reading.schedule or self.section.given or EACH_BEAT)
            return reading
        if reading.schedule and block.kind != "quote":
            self._add(self._task(block, block.last, text, reading), self.section, reading)
        else:
            prose.append(block)
        return None

    def _item(self, at: int, intro: Reading | None, outer: Reading | None = None) -> None:
        """One bullet, `section.blocks[at]`, with what is nested in it."""
        blocks = self.section.blocks
        block = blocks[at]
        end = next((place for place in range(at + 1, len(blocks)) if blocks[place].depth <= block.depth), len(blocks))
        last = blocks[end - 1].last
        text = block.text
        if end > at + 1 and not text.strip() and blocks[at + 1].kind in ("paragraph", "quote"):
            text = blocks[at + 1].text
        reading = read(plain_line(text))
        depth = block.depth + 1
        children = [n for n in range(at + 1, end) if blocks[n].kind == "item" and blocks[n].depth == depth]
        kind = self._no_task(text, block.checked, nested=end > at + 1)
        if kind:
            self.notes.append(Note(kind, block.first, last, self._raw(block.first, last), self.section.title))
            return
        readings = {child: read(plain_line(blocks[child].text)) for child in children}
        scheduled = [child for child, said in readings.items() if said.schedule]
        grouped = bool(children) and (reading.whole or not text.strip())
        if grouped:
            scheduled = children
        if grouped or (scheduled and len(scheduled) == len(children)):
            if grouped:
                self.groups.append((block.first, plain(text), reading.schedule))
            else:
                self._note("context", block)
            if reading.schedule:
                self._report(reading, block.first, reading.schedule)
        else:
            self._add(self._task(block, last, text, reading), self.section, reading, intro, outer)
            self._ask_below({blocks[child].first: said for child, said in readings.items()})
        for child in scheduled:
            self._item(child, intro, reading if reading.schedule else outer)

    def _no_task(self, text: str, checked: bool | None, nested: bool) -> NoteKind | None:
        if not text.strip():
            return None if nested else "context"
        if checked:
            return "done"
        if re.fullmatch(r"~~.*~~\W*", text.strip(), re.DOTALL):
            return "off"
        if naming.is_quiet_hours(text):
            return "quiet hours" if naming.quiet_window(text) else "policy"
        if naming.TOKEN.search(text) or naming.is_manner(text):
            return "policy"
        if self.section.is_reference or naming.is_reference(text):
            return "reference"
        if self.section.is_log or naming.is_record(text):
            return "log"
        return None

    def _table(self, block: Block) -> None:
        rows = read_table(block, bool(self.section.given))
        if rows is None:
            self._note("context", block)
            return
        for row in rows:
            self._add(self._own(row.name, row.text, row.line, row.line, row.reading), self.section, row.reading)

    # helpers

    def _task(self, block: Block, last: int, text: str, reading: Reading) -> Task:
        raw = self._raw(block.first, last)
        if block.kind == "item":
            raw = _MARKER.sub("", raw)
        return self._own(naming.task_name(text, reading), raw, block.first, last, reading)

    def _own(self, name: str, text: str, first: int, last: int, reading: Reading) -> Task:
        """A task of this section with the schedule of its own words, or each beat."""
        origin: Origin = "own" if reading.schedule else "default"
        schedule, phrase = reading.schedule or EACH_BEAT, reading.phrase if reading.schedule else ""
        return Task(name, text, schedule, self.path, first, last, origin, phrase, section=self.section.title)

    def _add(
        self, task: Task, section: Section, reading: Reading = SILENT, intro: Reading | None = None,
        outer: Reading | None = None,
    ) -> None:  # fmt: skip
        """Add a task with the schedule it inherits: of the item around it, of the paragraph above, of its heading."""
        given = next((above for above in (outer, intro) if above and above.schedule), section.inherited)
        if given.schedule and (task.origin == "default" or reading.weak):
            if reading.weak:
                reading = reading._replace(doubts=(f"“{reading.phrase}” may be how long it takes",))
            task = task._replace(schedule=given.schedule, origin="heading", phrase=given.phrase)
        pick = (intro.rotate if intro else 0) or section.rotate
        title = naming.task_name(section.heading.text, section.reading) if pick and section.heading else "rotation"
        rotate = (slug(title), pick) if pick else task.rotate
        if rotate != task.rotate or task.path != self.path or task.section != section.title:
            task = task._replace(path=self.path, section=section.title, rotate=rotate)
        self.tasks.append(task)
        self._report(reading, task.line, task.schedule, asks=task.origin == "default")

    def _report(self, reading: Reading, line: int, schedule: Schedule, asks: bool = True) -> None:
        """What is wrong with a line whose task runs by `schedule`; `asks`: an amount that nobody reads is, too."""
        if not (reading.doubts or reading.contradictions or reading.unread):
            return
        runs = "it is off" if schedule.off else f"it runs {schedule}"
        unread = [f"“{words}” is not read as how often" for words in reading.unread[:1] if asks]
        for doubt in (*reading.doubts, *unread):
            self.problems.append(Problem("OM401", line, f"{doubt}; {runs}", HOW_OFTEN))
        for contradiction in reading.contradictions:
            self.problems.append(Problem("OM402", line, contradiction, "keep one of them"))

    def _ask_below(self, below: dict[int, Reading]) -> None:
        """Ask about amounts in what goes with the task added last, by line, where it has no schedule."""
        if self.tasks[-1].origin == "default":
            for line, reading in below.items():
                if not reading.schedule:
                    self._report(reading._replace(contradictions=()), line, self.tasks[-1].schedule)

    def _note(self, kind: NoteKind, block: Block) -> None:
        self.notes.append(Note(kind, block.first, block.last, self._raw(block.first, block.last), self.section.title))

    def _notes(self, kind: NoteKind, blocks: list[Block]) -> None:
        for block in blocks:
            self._note(kind, block)

    def _raw(self, first: int, last: int) -> str:
        return "\n".join(self.texts[first - 1 : last]).rstrip()

    def _settle_prose(self) -> None:
        """In a file without any task, plain text above the headings is what to do."""
        if self.tasks:
            return
        for note in [note for note in self.notes if note.kind == "context"]:
            text = note.text.strip()
            if (
                text
                and not text.startswith((">", "|", "tasks:"))
                and not re.fullmatch(r"[-*+\d.)\s]*(\[ ?\])?\s*", text)
            ):
                self.notes.remove(note)
                name = _name(re.sub(r"^[#>\s]+", "", text))
                task = Task(name, text, line=note.line, last=note.last)
                self._add(task, Section(None, SILENT, SILENT, 0), read(plain_line(text)))

    def _without_log(self) -> tuple[list[Task], list[Note]]:
        """A long file with hardly a schedule is a log somebody keeps here: only what has a schedule is a task."""
        timed = [task for task in self.tasks if task.origin != "default"]
        few = len(self.tasks) < LOG_TASKS or len(self.document.text) < LOG_SIZE
        if few or len(timed) * 20 >= len(self.tasks):
            return self.tasks, []
        logged = [task for task in self.tasks if task.origin == "default"]
        return timed, [Note("log", task.line, task.last, task.text, task.section) for task in logged]


def _name(text: str, reading: Reading | None = None) -> str:
    return naming.task_name(text, reading or Reading(text))


def _is_yaml(block: Block, texts: list[str]) -> bool:
    if block.kind != "fence" or block.info.strip().lower() not in ("yaml", "yml"):
        return False
    first = next((text for text in texts[block.first : block.last] if text.strip()), "")
    return bool(START.match(first))

"""Gathers edits of one index: entries added, removed, reworded. Pure; only the lines that are meant change.

What would be unsafe is refused. Edits inside a line are in `lines`, new lines in `forms`, their place in `place`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from openclaw_memory.errors import FormatError, UsageError
from openclaw_memory.index import details, forms, lines, triggers
from openclaw_memory.index.forms import Words
from openclaw_memory.index.model import Entry, Index, Mention
from openclaw_memory.index.notes import notes
from openclaw_memory.index.place import Place, folder_of, place_for, place_for_active
from openclaw_memory.index.words import column_role
from openclaw_memory.markdown import Block, cells
from openclaw_memory.patterns import pattern

_BULLET = pattern(r"[-*+] {1,4}(?! )")
_REV = pattern(r"[0-9a-f]{6}")


def check_writable(index: Index) -> None:
    """Raise FormatError where a line put into the index could end up hidden, or the file is half a merge."""
    if index.conflicts:
        raise FormatError(
            f"{index.path}:{index.conflicts[0]}: the index holds merge conflict markers",
            "resolve the conflict, then run the command again",
        )
    for what, block in (("code fence", index.document.unclosed_fence), ("comment", index.document.unclosed_comment)):
        if block is not None:
            rows = len({hidden.line for hidden in index.hidden})
            raise FormatError(
                f"{index.path}:{block.first}: the {what} opened here is never closed and hides {rows} index row"
                f"{'' if rows == 1 else 's'}; a line written below it would be hidden too",
                f"close the {what} (or delete line {block.first}), then run the command again",
            )


class Draft:
    """Edits of one index, gathered: `text` is the result. Every method may be called for many entries.

    A first entry takes the place of a line such as `(none yet)`, unless `keeps_lines`.
    """

    def __init__(self, index: Index, *, keeps_lines: bool = False) -> None:
        check_writable(index)
        self.index = index
        self._keeps_lines = keeps_lines
        self._changed: dict[int, str] = {}
        self._gone: set[int] = set()
        self._added: dict[int, list[str]] = {}
        self._sections: dict[int, dict[str, list[str]]] = {}
        self._places: dict[str, Place] = {}

    # -- the result -------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The index with all edits; the same text where there were none."""
        document, old = self.index.document, self.index.text
        mark = "\ufeff" if old.startswith("\ufeff") else ""
        out, at = [mark, *self._new(0)], len(mark)
        for number in sorted({*self._changed, *self._gone, *self._added, *self._sections} - {0}):
            line = document.lines[number - 1]
            out.append(old[at : line.start])
            added = self._new(number)
            if number not in self._gone:
                text = self._changed.get(number, line.text)
                out.append(text[line.start < at :] + (line.eol or (document.eol if added else "")))
            out += added
            at = line.start + len(line.raw)
        return "".join(out) + old[at:]

    def text_of(self, entry: Entry) -> list[str]:
        """The lines of `entry` as they are now."""
        return [self._line(number) for number in entry.lines]

    def _new(self, after: int) -> list[str]:
        """What is put below line `after`: first what joins the section that ends there, then new sections."""
        old = self.index.document.lines
        new, sections = list(self._added.get(after, ())), self._sections.get(after, {})
        for heading, body in sections.items():
            above = new or (after > 0 and old[after - 1].text.strip(" \t\ufeff"))
            new += [*([""] if above else []), heading, "", *body]
        if sections and after < len(old) and old[after].text.strip(" \t"):
            new.append("")
        return [line + self.index.document.eol for line in new]

    def _line(self, number: int) -> str:
        return self._changed.get(number, self.index.document.lines[number - 1].text)

    def _set(self, number: int, text: str) -> None:
        if text != self._line(number):
            self._changed[number] = text

    # -- whole entries ----------------------------------------------------------------------------------

    def add(self, path: str, words: Words) -> None:
        """A new entry for `path` in its section's own form; a new section where none fits."""
        words = words._replace(triggers=triggers.checked(words.triggers), importance=_importance(words.importance))
        folder = folder_of(path)
        if folder not in self._places:
            self._places[folder] = place_for(self.index, path)
        self._put(self._places[folder], path, words)

    def activate(self, path: str, name: str = "") -> None:
        """A line for `path` in Active Context, without triggers; `name` where no entry has one."""
        entry = self.index.entry(path)
        self._put(place_for_active(self.index), path, Words(name=entry.name if entry else name))

    def remove(self, path: str) -> None:
        """Every line of the entry of `path`; from a line that lists several files only its own path."""
        for mention in self._entry(path).mentions:
            self._remove(mention)

    def deactivate(self, path: str) -> None:
        """The lines of `path` in Active Context."""
        for mention in self._entry(path).mentions:
            if mention.active:
                self._remove(mention)

    # -- one part of an entry ---------------------------------------------------------------------------

    def set_triggers(self, path: str, words: Iterable[str]) -> None:
        """The triggers of `path` are `words`; those that its other lines state already are not repeated."""
        entry = self._entry(path)
        wanted = triggers.checked(words)
        elsewhere = {
            triggers.key(word)
            for mention, parts in zip(entry.mentions, entry.parts, strict=True)
            if mention is not entry.main
            for word in parts.triggers
        }
        self._set_triggers(self._carrier(entry), [word for word in wanted if triggers.key(word) not in elsewhere])

    def add_triggers(self, path: str, words: Iterable[str]) -> None:
        """`words` beside the triggers that `path` has."""
        entry = self._entry(path)
        known = {triggers.key(word) for word in entry.written_triggers}
        new = [word for word in triggers.checked(words) if triggers.key(word) not in known]
        if new:
            main = entry.parts[entry.mentions.index(entry.main)].triggers
            self._set_triggers(self._carrier(entry), [*main, *new])

    def set_about(self, path: str, about: str) -> None:
        """What the entry says of its file."""
        entry = self._entry(path)
        mention = self._carrier(entry)
        said = forms.one_line(about)
        if said == entry.parts[entry.mentions.index(mention)].about:
            return
        if mention.form == "row":
            self._set_value(path, "about", said)
            return
        line = self._line(mention.line)
        default = ": " if line[mention.start] == "[" else " — "
        told = [lines.with_about(line, mention.group[1] or mention.end, said, default)]
        for number in range(mention.line + 1, mention.last + 1):  # a wrapped item: its text is all of them
            told += lines.comments_of(self._line(number))
            self._gone.add(number)
        self._set(mention.line, " ".join(told))

    def set_importance(self, path: str, importance: int | None) -> None:
        """1 to 10, None takes it away."""
        value = _importance(importance)
        self._set_value(path, "importance", "" if value is None else str(value))

    def set_rev(self, path: str, rev: str | None) -> None:
        """The rev of `path`: six hex digits, None takes it away."""
        if rev is not None and not _REV.fullmatch(rev):
            raise UsageError(f"{rev!r} is no rev", "a rev is six hex digits, as `openclaw-memory index sync` writes it")
        entry = self._entry(path)
        carriers = [mention for mention in entry.mentions if details.rev(self.index.document, mention) is not None]
        for mention in carriers or ([self._carrier(entry)] if rev else []):
            self._put_value(mention, "rev", rev or "")

    # -- how ---------------------------------------------------------------------------------------------

    def _entry(self, path: str) -> Entry:
        entry = self.index.entry(path)
        if entry is None:
            raise UsageError(f"{path} is not in {self.index.path}", "`openclaw-memory index list` shows what is")
        return entry

    def _carrier(self, entry: Entry) -> Mention:
        """The mention that words are written to; a file that only Active Context lists gets a line of its own."""
        if not entry.main.active:
            return entry.main
        raise UsageError(
            f"{entry.path} stands in Active Context only, which holds no triggers",
            f"give it an entry first: openclaw-memory index add {entry.path}",
        )

    def _put(self, place: Place, path: str, words: Words) -> None:
        line = self._compose(place, path, words)
        if place.heading:
            sections = self._sections.setdefault(place.after, {})
            if place.heading not in sections:
                sections[place.heading] = self._table_head(place.template)
            sections[place.heading].append(line)
            return
        if place.instead and not self._keeps_lines:
            self._gone.add(place.instead)
        added = self._added.setdefault(place.after, [])
        if place.blank and not (added and place.template is None):
            added.append("")
        added.append(line)

    def _table_head(self, template: Mention | None) -> list[str]:
        """Header and dashes of the table that `template` stands in, for a new table of the same columns."""
        block = self._table(template.line) if template is not None and template.form == "row" else None
        return [self._line(block.first), self._line(block.first + 1)] if block else []

    def _table(self, number: int) -> Block | None:
        blocks = self.index.document.blocks
        return next((b for b in blocks if b.kind == "table" and b.first <= number <= b.last), None)

    def _compose(self, place: Place, path: str, words: Words) -> str:
        if place.header:
            roles = _with_path([column_role(cell.text) for cell in cells(self._line(place.header))])
            style = forms.LinkStyle("path")
            return forms.like_row(self._line(place.header), roles, path, words, style)
        mention = place.template
        if mention is None or (mention.form == "row" and place.heading and not self._table(mention.line)):
            return forms.default_line(path, words, self._bullet)
        text = self.index.document.lines[mention.line - 1].text
        if mention.form == "row":
            return forms.like_row(text, mention.roles, path, words, forms.style_of(text, mention))
        return forms.like_item(text, mention, path, words, number=self._next_number(mention))

    @cached_property
    def _bullet(self) -> str:
        """The bullet that most entries of the index stand behind: `*   `; the usual one where there are none."""
        found = Counter(
            match[0]
            for entry in self.index.entries
            for mention in entry.mentions
            if mention.form == "item" and (match := _BULLET.match(self.index.document.lines[mention.first - 1].text))
        )
        return found.most_common(1)[0][0] if found else "- "

    def _next_number(self, mention: Mention) -> int | None:
        """The number of an ordered item below `mention`: one more, or the same where all are the same."""
        found = re.match(r"\s*(\d{1,8})[.)]", self._line(mention.first)) if mention.form == "item" else None
        if found is None:
            return None
        above = [
            re.match(r"\s*(\d{1,8})[.)]", self._line(other.first))
            for entry in self.index.entries
            for other in entry.mentions
            if other.section == mention.section and other.form == "item" and other.first < mention.first
        ]
        same = bool(above) and all(match is not None and match[1] == found[1] for match in above)
        return int(found[1]) if same else int(found[1]) + 1

    def _remove(self, mention: Mention) -> None:
        if mention.group[1] and self._remove_from_group(mention):
            return
        gone = set(range(mention.first, mention.last + 1)) | set(mention.also)
        if mention.form == "item":
            gone |= self._nested(mention)
        gone -= self._gone
        self._gone |= gone
        self._close_gap(min(gone, default=0), max(gone, default=0))

    def _remove_from_group(self, mention: Mention) -> bool:
        """Cut one path out of a line that lists several; False when it is the last one there."""
        text = self.index.document.lines[mention.line - 1].text
        here = sorted(
            (m for entry in self.index.entries for m in entry.mentions if m.line == mention.line and m.group[1]),
            key=lambda m: m.start,
        )
        at = here.index(mention)
        if len(here) < 2 or mention.line in self._changed:
            return False
        start, end = (mention.start, here[at + 1].start) if at + 1 < len(here) else (here[at - 1].end, mention.end)
        self._set(mention.line, text[:start] + text[end:])
        return True

    def _nested(self, mention: Mention) -> set[int]:
        """The lines nested below an item, which go with it; other entries among them are moved out a level."""
        document = self.index.document
        item = next(b for b in document.blocks if b.kind == "item" and b.first == mention.first)
        below = [
            number
            for number in range(item.last + 1, document.extent(item) + 1)
            if document.lines[number - 1].text[:1] in ("", " ", "\t")  # not text at the margin
        ]
        others = {m.first for e in self.index.entries if e.path != mention.path for m in e.mentions}
        if not others.intersection(below):
            return set(below)
        width = details.prefix_end(document.lines[mention.first - 1].text) - item.indent
        for number in below:
            text = self._line(number)
            kept = text.expandtabs(4) if text.startswith("\t") else text
            self._set(number, kept[min(width, len(kept) - len(kept.lstrip(" "))) :])
        return set()

    def _close_gap(self, first: int, last: int) -> None:
        """Of the empty lines above and below what was removed, one is enough."""
        old = self.index.document.lines
        blank_above = first > 1 and not old[first - 2].text.strip(" \t\ufeff") and first - 1 not in self._gone
        if not first:
            return
        if blank_above and (last == len(old) or self._ended_a_loose_list(first, last)):
            self._gone.add(first - 1)
        elif blank_above and last < len(old) and not old[last].text.strip(" \t"):
            self._gone.add(last + 1)

    def _ended_a_loose_list(self, first: int, last: int) -> bool:
        """Whether an item above the empty line is now the last of its list, with text right below."""
        document = self.index.document
        below = document.block_at(last + 1)
        above = document.block_at(first - 2) if first > 2 else None
        was_item = document.block_at(first).kind == "item"
        return was_item and above is not None and above.kind == "item" and below.kind not in ("item", "blank")

    def _set_value(self, path: str, key: str, value: str) -> None:
        entry = self._entry(path)
        if not value and not getattr(entry, key):
            return
        self._put_value(self._carrier(entry), key, value)

    def _put_value(self, mention: Mention, key: str, value: str) -> None:
        if key in mention.roles:
            self._set_cell(mention, key, value)
        else:
            self._set_comment(mention, key, value)

    def _set_triggers(self, mention: Mention, words: Sequence[str]) -> None:
        role = next((role for role in ("triggers", "task") if role in mention.roles), "")
        if role:
            self._set_cell(mention, role, ", ".join(words))
            return
        told = False
        for number in self._own_lines(mention):
            line = self._line(number)
            new = lines.with_inline_triggers(line, mention.end if number == mention.line else 0, words)
            told = told or new is not None
            self._set(number, new or line)
        if not told or any(self._has_note(number, "trigger") for number in self._own_lines(mention)):
            self._set_comment(mention, "trigger", ", ".join(words))

    def _has_note(self, number: int, key: str) -> bool:
        return any(note.key == key for note in notes(self._line(number)))

    def _set_cell(self, mention: Mention, role: str, value: str) -> None:
        self._set(mention.line, lines.with_cell(self._line(mention.line), mention.roles.index(role), value))

    def _set_comment(self, mention: Mention, key: str, value: str) -> None:
        """`<!-- key: value -->` on the entry's own line; "" takes it away."""
        for number in self._own_lines(mention):
            changed = lines.with_comment(self._line(number), key, value)
            if changed is not None:
                self._set(number, changed)
                return
        if value:
            line = lines.with_new_comment(self._line(mention.first), key, value, row=mention.form == "row")
            self._set(mention.first, line)

    def _own_lines(self, mention: Mention) -> list[int]:
        own = (*range(mention.first, mention.last + 1), *mention.also)
        return [number for number in own if number not in self._gone]


def _importance(value: int | None) -> int | None:
    if value is not None and not 1 <= value <= 10:
        raise UsageError(f"an importance of {value} is not between 1 and 10", "give a number from 1 to 10")
    return value


def _with_path(roles: Sequence[str]) -> list[str]:
    """`roles` of a table without rows, with a column for the path."""
    full = list(roles)
    if "path" not in full:
        full[0 if "name" not in full else full.index("name")] = "path"
    return full

"""CommonMark's seven kinds of HTML block: how each starts and ends. Patterns are possessive, so linear."""

from __future__ import annotations

import re

from openclaw_memory.patterns import pattern

_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|link|"
    "main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|"
    "title|tr|track|ul"
)
_ATTRIBUTE = r"\s++[A-Za-z_:][A-Za-z0-9_.:-]*+(?:\s*=\s*(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?"
_STARTS: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    (
        pattern(r"<(?:script|pre|style|textarea)(?=\s|>|$)", re.I),
        pattern(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (pattern(r"<!--"), pattern(r"-->")),
    (pattern(r"<\?"), pattern(r"\?>")),
    (pattern(r"<![A-Za-z]"), pattern(r">")),
    (pattern(r"<!\[CDATA\["), pattern(r"\]\]>")),
    (pattern(rf"</?(?:{_TAGS})(?=\s|/?>|$)", re.I), None),
    (pattern(rf"(?:<[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+\s*/?>|</[A-Za-z][A-Za-z0-9-]*+\s*>)\s*$"), None),
)


def html_start(text: str, interrupts: bool) -> int:
    """The number (1 to 7) of the kind of HTML block that `text` starts, 0 for none.

    `interrupts`: it would end an open paragraph, which kind 7 may not.
    """
    for number, (start, _) in enumerate(_STARTS, 1):
        if start.match(text):
            return 0 if number == 7 and interrupts else number
    return 0


def html_end(number: int) -> re.Pattern[str] | None:
    """What ends kind `number`, on the line that holds it; None: a blank line, which is not part of it."""
    return _STARTS[number - 1][1]

"""Text that gives the model orders, in a file that is loaded as knowledge.

Strong signs count everywhere: setting earlier instructions aside, posing as the system, sending secrets away,
keeping the user in the dark. Any order at all counts in text from an untrusted source (the web, mail, a feed).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openclaw_memory.safety.hits import Hit, line_of

_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|existing|system|your|these|all|any)"
_ORDERS = r"(?:instruction|prompt|rule|directive|guideline|guardrail|command)s?"
_PRIVATE = (
    r"(?:~/\.\w+|\bid_rsa\b|\.ssh\b|\.env\b|\.aws\b|api[ _-]?keys?|credentials?|passwords?|secrets?|tokens?"
    r"|private keys?|memory files?|MEMORY\.md)"
)
_STRONG = (
    (
        "an order to drop earlier instructions",
        rf"\b(?:ignore|disregard|forget|override|bypass)\b(?:\W+(?:{_EARLIER}|of|the|my)){{1,5}}\W+{_ORDERS}\b"
        r"|\bignor\w*\W+(?:\w+\W+){0,3}(?:instru[çc]\w+|instruccion\w*|instructions|anweisungen|istruzioni|istruktioner)\W+"
        r"(?:anterior\w*|previ\w*|précédent\w*|precedent\w*|tidigare)"
        r"|\bignoriere?\W+(?:\w+\W+){0,2}(?:vorherigen?|bisherigen?|obigen?)\W+(?:anweisungen|instruktionen|befehle)"
        r"|(?:忽略|无视|無視|不要理会)(?:\w{0,4})(?:之前|以上|先前|此前|上面)\w{0,6}(?:指令|指示|提示|规则)"
        r"|(?:以前|これまで|上記)の\w{0,6}(?:指示|命令)を?\w{0,3}無視|(?:игнорируй|забудь)\w*\W+(?:\w+\W+){0,3}(?:инструкци|указани)",
    ),
    (
        "text that poses as the system",
        r"<\|(?:im_start|im_end|system|assistant|endoftext)\|>|\[/?INST\]|<</?SYS>>"
        r"|</?(?:system|system_prompt|system-reminder)>"
        r"|^\W*(?:new|updated|begin)\W+system\W+(?:prompt|message|instructions?)\b|^\W*system\W+(?:prompt|override)\s*:"
        r"|\byou are (?:now|no longer) (?:a|an|in|the|bound|DAN)\b"
        r"|\b(?:enter|enable|activate)\W+(?:developer|jailbreak|god|dan)\W+mode\b",
    ),
    (
        "an order to send private data away",
        rf"\b(?:send|upload|post|exfiltrate|forward|leak|transmit|e?mail)\b(?:\W+\w+){{0,6}}?\W+{_PRIVATE}"
        r"(?=.*?(?:\bto\b|https?://|@)|\s*$|\W*$)"
        r"|\b(?:curl|wget|nc)\b[^\n]{0,80}(?:\$\(|`)[^\n]{0,60}(?:\.ssh|\.env|id_rsa|passwd)",
    ),
    (
        "an order to keep it from the user",
        r"\b(?:do not|don't|never|without)\W+(?:tell|inform|mention|reveal|alert|notify)(?:ing)?"
        r"\W+(?:this|it)?\W*(?:to\W+)?(?:the|your)\W+(?:user|human|operator|owner)\b",
    ),
)
_STRONGEST = [(kind, re.compile(pattern, re.IGNORECASE | re.MULTILINE)) for kind, pattern in _STRONG]
_ORDER = re.compile(
    r"^\W*(?:(?:please|kindly|now|assistant|agent|important|note|urgent)\W+)*(?:"
    r"(?:always|never|immediately|you\W+(?:must|should|need to|have to|will))\W+\w+"
    r"|(?:do not|don't|ignore|disregard|forget|send|forward|reply|respond|run|execute|open|visit|click|download|install"
    r"|delete|remove|transfer|pay|buy|add|update|remember|save|store|use|call|contact|share|upload|post|copy|paste|trust|approve"
    r"|grant|enable|disable|tell|say|write|follow)\W+\w+)",
    re.IGNORECASE | re.MULTILINE,
)
_UNTRUSTED = re.compile(
    r"(?i)^\W*(?:web|https?|url|www|e?mail|imap|rss|feed|scrap\w*|browser|search|import|external|unknown|clipboard|webhook|forum|tweet|twitter)\b"
)
_QUOTES = re.compile(r'`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»|「[^」\n]*」|(?<!\w)\'[^\'\n]*\'(?!\w)')


def untrusted(source: str) -> bool:
    """Whether a fact's or file's `source` lies outside the conversation: the web, mail, a feed, an import."""
    return bool(_UNTRUSTED.match(source))


def instructions(text: str, *, foreign: bool = False) -> list[Hit]:
    """The lines of `text` that give orders to the model; with `foreign`, any order counts.

    What stands in quotes or code is talk about such an order, unless the text is foreign.
    """
    found: dict[int, Hit] = {}
    for hit in _hits(text if foreign else _QUOTES.sub(_blank, text), foreign):
        found.setdefault(hit.line, hit)
    return [found[line] for line in sorted(found)]


def _hits(text: str, foreign: bool) -> Iterator[Hit]:
    for kind, pattern in _STRONGEST:
        for match in pattern.finditer(text):
            yield Hit(line_of(text, match.start()), kind, "")
    if foreign:
        for match in _ORDER.finditer(text):
            yield Hit(line_of(text, match.end()), "an order from an untrusted source", "")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])

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
# (kind, words of which each group must occur, pattern): the words are looked for first, the pattern is compiled
# only where they are found
_STRONG: tuple[tuple[str, tuple[tuple[str, ...], ...], str], ...] = (
    (
        "an order to drop earlier instructions",
        (("ignor", "disregard", "forget", "override", "bypass", "忽略", "无视", "無視", "不要理会", "забудь"),),
        rf"\b(?:ignore|disregard|forget|override|bypass)\b(?:\W+(?:{_EARLIER}|of|the|my)){{1,5}}\W+{_ORDERS}\b"
        r"|\bignor\w*\W+(?:\w+\W+){0,3}(?:instru[çc]\w+|instruccion\w*|instructions|anweisungen|istruzioni|istruktioner)\W+"
        r"(?:anterior\w*|previ\w*|précédent\w*|precedent\w*|tidigare)"
        r"|\bignoriere?\W+(?:\w+\W+){0,2}(?:vorherigen?|bisherigen?|obigen?)\W+(?:anweisungen|instruktionen|befehle)"
        r"|(?:忽略|无视|無視|不要理会)(?:\w{0,4})(?:之前|以上|先前|此前|上面)\w{0,6}(?:指令|指示|提示|规则)"
        r"|(?:以前|これまで|上記)の\w{0,6}(?:指示|命令)を?\w{0,3}無視"
        r"|(?:игнорируй|забудь)\w*\W+(?:\w+\W+){0,3}(?:инструкци|указани)",
    ),
    (
        "text that poses as the system",
        (("<|", "inst]", "sys", "you are", "mode"),),
        r"<\|(?:im_start|im_end|system|assistant|endoftext)\|>|\[/?INST\]|<</?SYS>>"
        r"|</?(?:system|system_prompt|system-reminder)>"
        r"|^[^\w\n]*(?:new|updated|begin)\W+system\W+(?:prompt|message|instructions?)\b|^[^\w\n]*system\W+(?:prompt|override)\s*:"
        r"|\byou are (?:now|no longer) (?:a|an|in|the|bound|DAN)\b"
        r"|\b(?:enter|enable|activate)\W+(?:developer|jailbreak|god|dan)\W+mode\b",
    ),
    (
        "an order to send private data away",
        (
            ("send", "upload", "post", "exfiltrate", "forward", "leak", "transmit", "mail", "curl", "wget", "nc "),
            (
                "~/",
                "id_rsa",
                ".ssh",
                ".env",
                ".aws",
                "key",
                "credential",
                "password",
                "passwd",
                "secret",
                "token",
                "memory",
            ),
        ),
        rf"\b(?:send|upload|post|exfiltrate|forward|leak|transmit|e?mail)\b(?:\W+\w+){{0,6}}?\W+{_PRIVATE}"
        r"(?=.*?(?:\bto\b|https?://|@)|\s*$|\W*$)"
        r"|\b(?:curl|wget|nc)\b[^\n]{0,80}(?:\$\(|`)[^\n]{0,60}(?:\.ssh|\.env|id_rsa|passwd)",
    ),
    (
        "an order to keep it from the user",
        (("tell", "inform", "mention", "reveal", "alert", "notify"), ("not", "don't", "never", "without")),
        r"\b(?:do not|don't|never|without)\W+(?:tell|inform|mention|reveal|alert|notify)(?:ing)?"
        r"\W+(?:this|it)?\W*(?:to\W+)?(?:the|your)\W+(?:user|human|operator|owner)\b",
    ),
)
_ORDER = (
    r"^[^\w\n]*(?:(?:please|kindly|now|assistant|agent|important|note|urgent)\W+)*(?:"
    r"(?:always|never|immediately|you\W+(?:must|should|need to|have to|will))\W+\w+"
    r"|(?:do not|don't|ignore|disregard|forget|send|forward|reply|respond|run|execute|open|visit|click|download|install"
    r"|delete|remove|transfer|pay|buy|add|update|remember|save|store|use|call|contact|share|upload|post|copy|paste|trust"
    r"|approve|grant|enable|disable|tell|say|write|follow)\W+\w+)"
)
_UNTRUSTED = (
    r"(?i)^[^\w\n]*(?:web|https?|url|www|e?mail|imap|rss|feed|scrap\w*|browser|search|import|external|unknown|clipboard|webhook"
    r"|forum|tweet|twitter)\b"
)
_QUOTES = r'`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»|「[^」\n]*」|(?<!\w)\'[^\'\n]*\'(?!\w)'


def untrusted(source: str) -> bool:
    """Whether a fact's or file's `source` lies outside the conversation: the web, mail, a feed, an import."""
    return re.match(_UNTRUSTED, source) is not None


def instructions(text: str, *, foreign: bool = False) -> list[Hit]:
    """The lines of `text` that give orders to the model; with `foreign`, any order counts.

    What stands in quotes or code is talk about such an order, unless the text is foreign.
    """
    found: dict[int, Hit] = {}
    for hit in _hits(text, foreign):
        found.setdefault(hit.line, hit)
    return [found[line] for line in sorted(found)]


def _hits(text: str, foreign: bool) -> Iterator[Hit]:
    low = text.lower()
    for kind, groups, pattern in _STRONG:
        if all(any(word in low for word in words) for words in groups):
            said = text if foreign else re.sub(_QUOTES, _blank, text)
            for match in re.finditer(pattern, said, re.IGNORECASE | re.MULTILINE):
                yield Hit(line_of(text, match.start()), kind, "")
    if foreign:
        for match in re.finditer(_ORDER, text, re.IGNORECASE | re.MULTILINE):
            yield Hit(line_of(text, match.end()), "an order from an untrusted source", "")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])

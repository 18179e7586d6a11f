"""Secrets: keys of known shape, and values given to a name that says secret. Placeholders are not secrets.

The shapes are the ones their issuers document (prefix, alphabet, length); where a shape is not strong enough by
itself the value must also look random: several kinds of characters and enough entropy.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from openclaw_memory.safety.hits import Hit, line_of

_SHAPES: tuple[tuple[str, str], ...] = (
    ("an Anthropic key", r"sk-ant-[\w-]{20,}"),
    ("an OpenAI-style key", r"sk-(?:proj-|svcacct-|or-v1-)?[A-Za-z0-9_-]{20,}"),
    ("a Stripe key", r"[sr]k_live_[A-Za-z0-9]{16,}"),
    ("an AWS access key", r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
    ("a GitHub token", r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,}"),
    ("a GitLab token", r"glpat-[\w-]{20,}"),
    ("a Slack token", r"xox[abeprs]-[A-Za-z0-9-]{10,}"),
    ("a Slack webhook", r"hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16,}"),
    ("a Google API key", r"AIza[\w-]{35}"),
    ("a Google OAuth secret", r"GOCSPX-[\w-]{20,}"),
    ("an npm token", r"npm_[A-Za-z0-9]{36}"),
    ("a PyPI token", r"pypi-AgE[\w-]{40,}"),
    ("a Hugging Face token", r"hf_[A-Za-z0-9]{30,}"),
    ("a SendGrid key", r"SG\.[\w-]{16,}\.[\w-]{30,}"),
    ("a Telegram bot token", r"\d{8,10}:AA[\w-]{33}"),
    ("a DigitalOcean token", r"do[opr]_v1_[a-f0-9]{64}"),
    ("an age secret key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("a signed web token", r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}"),
    ("a private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
)
_BOUNDED = "|".join(f"(?P<k{at}>{shape})" for at, (_, shape) in enumerate(_SHAPES))
_SHAPE = rf"(?<![A-Za-z0-9_-])(?:{_BOUNDED})"
_IN_URL = r"\b[a-z][a-z0-9+.-]{2,20}://[^\s/:@]{0,80}:(?P<value>[^\s/@]{4,200})@[\w.-]+"
_NAMED = (
    r"(?i)\b(?P<name>(?:[\w-]{0,40}[_-])?(?:(?:api|access)[_ -]?key|secret(?:[_ -]?key)?|(?:auth|access)[_ -]?token"
    r"|token|password|passwd|passphrase|pwd|senha|contraseña|passwort)|密码|密碼|パスワード)"
    r"""["'`*]{0,3}\s*(?:[:=：]|is\s)[ \t"'`*]{0,6}(?P<value>[^\s"'`<>,;]{8,})"""
)
_PASSWORDS = r"(?i)pass|pwd|senha|contrase|密|パス"
_MADE_UP = r"(?i)example|sample|xxx|placeholder|your[_-]|change[_-]?me|redacted|dummy|\*{3}|\.{3}|…"
_REFERENCE = (
    r"^(?:\$|%|<|\{\{)|\$\{|(?i:^(?:op|vault|env|keychain|file|pass|secret|https?)[:/])|(?i:1234567|abcdef)"
    r"|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$"
)


# what every shape and name holds, in small letters: looked for first, the patterns are compiled only where it is found
_SIGNS = (
    *(
        "sk-",
        "k_live_",
        "akia",
        "asia",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xox",
        "slack.com",
        "aiza",
        "gocspx-",
        "npm_",
        "pypi-",
        "hf_",
    ),
    *(
        "sg.",
        ":aa",
        "_v1_",
        "age-secret",
        "eyj",
        "key",
        "secret",
        "token",
        "passw",
        "passp",
        "pwd",
        "senha",
        "contrase",
    ),
    *("密", "パスワード", "://"),
)


def secrets(text: str) -> list[Hit]:
    """The secrets in `text`, by line, each with no more than its last 2 characters."""
    low = text.lower()
    if not any(sign in low for sign in _SIGNS):
        return []
    found = {hit.line: hit for hit in sorted((*_named(text), *_shaped(text)), reverse=True)}
    return [found[line] for line in sorted(found)]


def _shaped(text: str) -> Iterator[Hit]:
    for match in re.finditer(_SHAPE, text):
        kind = _SHAPES[int((match.lastgroup or "k0")[1:])][0]
        value = match[0]
        if kind == "a private key" or (not re.search(_MADE_UP, value) and _random(value)):
            yield _hit(text, match.start(), kind, value)


def _named(text: str) -> Iterator[Hit]:
    for match in re.finditer(_NAMED, text):
        value = match["value"].rstrip(".)]}|*_")
        if re.search(_MADE_UP, value) or re.search(_REFERENCE, value) or len(value) < 8:
            continue
        if re.search(_PASSWORDS, match["name"]):
            if _kinds(value) >= 2 and not _is_reference(value):
                yield _hit(text, match.start("value"), "a password", value)
        elif len(value) >= 16 and _random(value) and not _is_reference(value):
            yield _hit(text, match.start("value"), "a key", value)
    for match in re.finditer(_IN_URL, text):
        value = match["value"]
        if not (
            re.search(_MADE_UP, value)
            or re.search(_REFERENCE, value)
            or value.lower() in ("password", "pass", "secret")
        ):
            yield _hit(text, match.start("value"), "a password in an address", value)


def _hit(text: str, at: int, kind: str, value: str) -> Hit:
    return Hit(line_of(text, at), kind, f"…{value[-2:]}")


def _random(value: str) -> bool:
    """Letters and digits mixed, and over 3 bits a character: what is drawn at random, and names are not."""
    body = value.split("_")[-1] if "_" in value else value.rpartition("-")[2] if value.count("-") < 3 else value
    enough = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return enough and _entropy(body if len(body) >= 12 else value) >= 3.0


def _entropy(value: str) -> float:
    """Shannon's entropy in bits a character, from the value's own frequencies."""
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


def _kinds(value: str) -> int:
    """How many of: small letters, capitals, digits, others."""
    tests = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum())
    return sum(any(test(char) for char in value) for test in tests)


def _is_reference(value: str) -> bool:
    """A path, an address, a call, a word of prose: what names a secret without being one."""
    if re.search(r"[/\\(){}\[\]@]|\.(?:md|txt|json|env|ya?ml)$|^--?[a-z]", value):
        return True
    return bool(re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)*[.:!?]?|[A-Z]?[a-z]+|[\d.,:/-]+", value))

"""Words as they are shown: on one line, whatever bytes a file's name holds. Pure; imports nothing of ours."""

from __future__ import annotations

HIDDEN = "***"
SECRETS = ("password", "sslpassword")
"""What a database's address names its passwords by."""


def visible(words: str) -> str:
    """`words` on one line, control characters and stray bytes shown as escapes."""
    if words.isprintable():
        return words
    return "".join(char if char.isprintable() or char in "\u200d\ufe0f" else _escape(char) for char in words)


def _escape(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def visible_bytes(words: str) -> str:
    """`words` with bytes that are no UTF-8 shown as escapes."""
    return "".join(_escape(char) if "\udc80" <= char <= "\udcff" else char for char in words)


def without_passwords(url: str) -> str:
    """`url` without the passwords in it; any other text as it is."""
    if "://" not in url:
        return url
    from urllib.parse import parse_qsl, urlencode, urlsplit

    try:
        parts = urlsplit(url)
    except ValueError:  # no address that anything could be read from
        return f"{url.partition('://')[0]}://{HIDDEN}"
    user, at, host = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    netloc = f"{name}{':' + HIDDEN if password else ''}{at}{host}"
    query = [(key, HIDDEN if key in SECRETS else value) for key, value in parse_qsl(parts.query, True)]
    asked = f"?{urlencode(query, safe='/*')}" if query else ""
    return f"{parts.scheme}://{netloc}{parts.path}{asked}"

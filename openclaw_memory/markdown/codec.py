"""Bytes to text and back without loss: UTF-8, and every byte that is not UTF-8 survives as a lone surrogate."""

from __future__ import annotations


def decode(data: bytes) -> str:
    """`data` as text; a BOM stays as `\\ufeff` at [0], bytes that are not UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The inverse of `decode`, byte for byte."""
    return text.encode("utf-8", "surrogateescape")

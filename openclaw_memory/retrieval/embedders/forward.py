"""MiniLM's forward pass for one text, in numpy, from the weights in the model's own ONNX file.

A process that answers one question gets its vector from here: to import onnxruntime and open a session costs ten
times what there is to compute. Only for that one file: any other is a ValueError, and onnxruntime reads it.
Sources: Devlin et al., "BERT" (2018); Abramowitz & Stegun, "Handbook of Mathematical Functions", 7.1.26.
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from openclaw_memory.record import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LAYERS, HEADS, WIDTH, INNER = 6, 12, 384, 1536
_SHAPES = [(WIDTH, WIDTH)] * 4 + [(WIDTH, INNER), (INNER, WIDTH)]
"""The matrices of a layer in the order of their use: query, key, value, output; up, down."""
_EPSILON = 1e-12
_GRAPH, _TENSOR = 7, 5  # fields of ONNX's ModelProto and GraphProto
_DIMS, _KIND, _NAME, _RAW = 1, 2, 8, 9  # and of its TensorProto
_KINDS = {1: "<f4", 3: "i1"}
_MATRIX = re.compile(r"val_(\d+)_q\Z")


class Forward:
    """The model in the file at `path`. Raises ValueError for another one, OSError."""

    def __init__(self, path: Path) -> None:
        self._tensors = dict(_read(path))
        numbers = sorted(int(found[1]) for name in self._tensors if (found := _MATRIX.match(name)))
        self._matrices = [(self._tensors[f"val_{at}_q"], self._tensors[f"val_{at}_scale"]) for at in numbers]
        shapes = [(codes.shape, scale.shape) for codes, scale in self._matrices]
        if shapes != [(shape, (1, shape[1])) for shape in _SHAPES] * LAYERS:
            raise ValueError(f"{path} is not the model that is known here")

    def embed(self, tokens: list[int]) -> Floats:
        """The vector of a text of these tokens: float32, shape (384,), length 1."""
        kind = self._tensor("embeddings.token_type_embeddings.weight")[0]
        rows = self._looked_up("word", tokens) + kind + self._looked_up("position", range(len(tokens)))
        rows = self._normal("embeddings.LayerNorm", rows)
        for number in range(LAYERS):
            rows = self._layer(number, rows)
        mean = rows.mean(axis=0)
        unit: Floats = mean / max(float(np.linalg.norm(mean)), _EPSILON)
        return unit

    def _tensor(self, name: str) -> NDArray[Any]:
        return self._tensors[f"inner.{name}"]

    def _looked_up(self, kind: str, at: list[int] | range) -> Floats:
        name = f"embeddings.{kind}_embeddings.weight"
        found: Floats = self._tensor(f"{name}_q")[at].astype(np.float32) * self._tensor(f"{name}_scale")[at]
        return found

    def _layer(self, number: int, rows: Floats) -> Floats:
        name, first = f"encoder.layer.{number}", number * len(_SHAPES)
        query, key, value = (
            self._linear(first + at, f"{name}.attention.self.{part}", rows).reshape(len(rows), HEADS, -1).swapaxes(0, 1)
            for at, part in enumerate(("query", "key", "value"))
        )
        seen = _softmax(query @ key.swapaxes(1, 2) / np.float32((WIDTH // HEADS) ** 0.5)) @ value
        seen = self._linear(first + 3, f"{name}.attention.output.dense", seen.swapaxes(0, 1).reshape(len(rows), WIDTH))
        rows = self._normal(f"{name}.attention.output.LayerNorm", seen + rows)
        inner = _gelu(self._linear(first + 4, f"{name}.intermediate.dense", rows))
        return self._normal(f"{name}.output.LayerNorm", self._linear(first + 5, f"{name}.output.dense", inner) + rows)

    def _linear(self, matrix: int, name: str, rows: Floats) -> Floats:
        """A weight is its code times the scale of its column, so that the product is scaled and not the matrix."""
        codes, scale = self._matrices[matrix]
        found: Floats = rows @ codes.astype(np.float32) * scale + self._tensor(f"{name}.bias")
        return found

    def _normal(self, name: str, rows: Floats) -> Floats:
        centred = rows - rows.mean(axis=1, keepdims=True)
        deviation = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(_EPSILON))
        found: Floats = centred / deviation * self._tensor(f"{name}.weight") + self._tensor(f"{name}.bias")
        return found


def _softmax(rows: Floats) -> Floats:
    powers = np.exp(rows - rows.max(axis=-1, keepdims=True))
    found: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return found


def _gelu(rows: Floats) -> Floats:
    """x times the share of a normal distribution below x; the error function is off by 1.5e-7 at most."""
    at = np.abs(rows) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * at)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.copysign(1 - series * np.exp(-at * at), rows)
    found: Floats = (0.5 * rows * (1 + erf)).astype(np.float32)
    return found


# -- ONNX files: messages of protocol buffers, of which three are looked into --------------------------------------


def _read(path: Path) -> Iterator[tuple[str, NDArray[Any]]]:
    """The weights by name, as views of the mapped file."""
    with path.open("rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    try:
        graphs = [value for field, value in _fields(data) if field == _GRAPH]
        for field, value in _fields(graphs[0]):
            if field == _TENSOR:
                yield _tensor(value)
    except (IndexError, KeyError, TypeError, struct.error) as error:
        raise ValueError(f"{path} is no ONNX model with raw weights: {error}") from error


def _tensor(data: memoryview) -> tuple[str, NDArray[Any]]:
    dims: list[int] = []
    fields: dict[int, Any] = {}
    for field, value in _fields(data):
        if field == _DIMS:
            dims += [value] if isinstance(value, int) else _varints(value)
        else:
            fields[field] = value
    name = bytes(fields[_NAME]).decode()
    kind = _KINDS.get(fields[_KIND])
    raw = np.frombuffer(fields.get(_RAW, b""), kind or "u1")
    return name, raw.reshape(dims) if kind else raw


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """(number, value) of each field: an int for a varint, else its bytes."""
    at, end = 0, len(data)
    while at < end:
        key, at = _varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        size, at = _varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
        yield key >> 3, data[at : at + size]
        at += size


def _varints(data: memoryview) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = _varint(data, at)
        found.append(value)
    return found


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7

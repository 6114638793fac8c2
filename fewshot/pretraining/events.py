"""A log that TensorBoard reads: numbers against updates, written without its package.

An event file is a sequence of records: length, checksum of the length, data, checksum of the data (TensorFlow's
TFRecord). The data are protocol buffers, Event with a Summary (tensorflow/core/util/event.proto and
framework/summary.proto); the field numbers below are theirs.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping
from functools import reduce
from pathlib import Path

_POLYNOMIAL = 0x82F63B78  # CRC-32C (Castagnoli), bits reversed
_TABLE = [reduce(lambda value, _: value >> 1 ^ _POLYNOMIAL * (value & 1), range(8), byte) for byte in range(256)]


def begin(folder: Path, update: int) -> Path:
    """Begin an event file; what an earlier one in the folder holds of this update and later ones no longer counts.

    Args:
        folder: is made when it is not there.
        update: the first that is to come.

    Returns:
        The file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"events.out.tfevents.{time.time_ns()}"
    _append(path, _bytes(3, b"brain.Event:2"))
    _append(path, _number(2, update) + _bytes(7, _number(1, 1)))
    return path


def add(path: Path, update: int, values: Mapping[str, float]) -> None:
    """Add numbers to an event file.

    Args:
        path: as `begin` returns it.
        update: after which the values hold.
        values: by the name of their curve.
    """
    scalars = [_bytes(1, name.encode()) + b"\x15" + struct.pack("<f", value) for name, value in values.items()]
    _append(path, _number(2, update) + _bytes(5, b"".join(_bytes(1, scalar) for scalar in scalars)))


def checksum(data: bytes) -> int:
    """Return the CRC-32C of bytes."""
    return reduce(lambda value, byte: _TABLE[(value ^ byte) & 255] ^ value >> 8, data, 0xFFFFFFFF) ^ 0xFFFFFFFF


def _append(path: Path, event: bytes) -> None:
    data = b"\x09" + struct.pack("<d", time.time()) + event
    length = struct.pack("<Q", len(data))
    with path.open("ab") as file:
        file.write(length + _masked(length) + data + _masked(data))


def _masked(data: bytes) -> bytes:
    value = checksum(data)
    return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _number(field: int, value: int) -> bytes:
    return bytes([field << 3]) + _varint(value)


def _bytes(field: int, data: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    low, high = value & 127, value >> 7
    return bytes([low | 128]) + _varint(high) if high else bytes([low])

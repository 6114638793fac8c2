"""The log for TensorBoard: the bytes that its own writer makes, and one curve over all stops."""

import struct

import pytest
import torch
from pretraining.making import build, small

from fewshot.pretraining import events
from fewshot.pretraining.pretrain import pretrain

# Written by the package tensorboard 2.21: the version, the start at update 151, two values after update 200.
EXPECTED = """
1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a32
2a28646c100000000000000095fbfe1809000000000000f83f1097013a02080153cd740f
31000000000000009d8383e909000000000000f83f10c8012a230a0b0a046c6f73731500
0020400a140a0d6c6561726e696e672072617465156f12833af5d9ad8a
"""


def test_bytes_are_those_of_tensorboard(tmp_path, monkeypatch):
    monkeypatch.setattr(events.time, "time", lambda: 1.5)
    path = events.begin(tmp_path / "log", 151)
    events.add(path, 200, {"loss": 2.5, "learning rate": 0.001})
    assert path.read_bytes() == bytes.fromhex(EXPECTED)


def fields(data):
    """The fields of a protocol buffer: number and value."""
    place = 0

    def varint():
        nonlocal place
        value, shift = 0, 0
        while True:
            byte = data[place]
            place, value, shift = place + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while place < len(data):
        number, kind = divmod(varint(), 8)
        size = {0: 0, 1: 8, 5: 4}[kind] if kind != 2 else varint()
        yield number, varint() if kind == 0 else data[place : place + size]
        place += size


def curve(folder):
    """The loss by update, as TensorBoard puts several files together: a start forgets the updates from it on."""
    found = {}
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        while data:
            (size,) = struct.unpack("<Q", data[:8])
            event, data = dict(fields(data[12 : 12 + size])), data[16 + size :]
            if 7 in event:
                found = {update: loss for update, loss in found.items() if update < event[2]}
            if 5 in event:
                values = [dict(fields(value)) for _, value in fields(event[5])]
                (loss,) = (value[2] for value in values if value[1] == b"loss")
                found[event[2]] = struct.unpack("<f", loss)[0]
    return found


def test_resumed_run_continues_the_same_curve(folder, tmp_path):
    def kill(step):
        if step.update == 150:
            raise InterruptedError

    settings = {"updates": 220, "checkpoint": 100}
    build(folder, tmp_path / "whole", **settings)
    with pytest.raises(InterruptedError):
        pretrain(small(**settings), folder, tmp_path / "cut", torch.device("cpu"), str, kill, str)
    build(folder, tmp_path / "cut", **settings)
    whole, cut = curve(tmp_path / "whole" / "log"), curve(tmp_path / "cut" / "log")
    assert list(whole) == list(cut) == [50, 100, 150, 200, 220]
    assert cut == pytest.approx(whole, rel=1e-4)
    assert len(list((tmp_path / "cut" / "log").iterdir())) == 2

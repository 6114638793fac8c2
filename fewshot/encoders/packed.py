"""Weights in 8 or 4 bits on disk, in blocks of 32 numbers with one scale.

They are unpacked when loaded, but for a table of embeddings, see `fewshot.encoders.vocabulary.PackedEmbedding`.

The blocks are those of ggml (Q8_0 and Q4_0), so that weights in that format are stored without loss.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from fewshot.errors import FewshotError

FILE = "packed.safetensors"
"""File of an encoder's packed weights, in place of transformers' file."""

BLOCK = 32
"""Numbers that share a scale."""

BITS = (4, 8, 16)
"""Bits of a number; 16 is half precision, not packed."""

ROWS_PER_CHUNK = 4096
"""Rows that are unpacked at a time."""

_SCALES = ".scales"


def check(bits: int) -> None:
    """Raise a FewshotError for a number of bits that is not in `BITS`."""
    if bits not in BITS:
        raise FewshotError(f"weights of {bits} bits cannot be written; choose from {', '.join(map(str, BITS))}")


def save(tensors: Mapping[str, Tensor], bits: Mapping[str, int], path: Path) -> None:
    """Write tensors, with packed matrices.

    Args:
        bits: of a number in each matrix, by name. Other tensors, and matrices whose rows are not whole blocks, are
            written in half precision.
    """
    packed: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        width = bits.get(name, 16)
        if width == 16 or tensor.dim() != 2 or tensor.shape[1] % BLOCK:
            packed[name] = (tensor.half() if tensor.is_floating_point() else tensor).cpu().contiguous()
        else:
            packed[name], packed[name + _SCALES] = pack(tensor.detach().cpu().float(), width)
    save_file(packed, path, metadata={"format": "pt"})


def load(path: Path, without: Collection[str] = ()) -> dict[str, Tensor]:
    """Read tensors in single precision.

    Args:
        without: names of tensors that are left out.

    Raises:
        OSError, SafetensorError, KeyError, RuntimeError: when the file is missing or damaged.
    """
    tensors = {}
    with safe_open(path, "pt") as file:
        names = set(file.keys())
        for name in sorted(name for name in names.difference(without) if not name.endswith(_SCALES)):
            tensor = file.get_tensor(name)
            if name + _SCALES in names:
                tensors[name] = unpack(tensor, file.get_tensor(name + _SCALES))
            else:
                tensors[name] = tensor.float() if tensor.is_floating_point() else tensor
    return tensors


def load_packed(path: Path, chosen: set[str]) -> dict[str, tuple[Tensor, Tensor]]:
    """Return numbers and scales of the chosen matrices that are packed, by name; errors as in `load`.

    They are copies: the tensors that safetensors returns are parts of the mapped file, which may be overwritten.
    """
    with safe_open(path, "pt") as file:
        names = chosen & {name.removesuffix(_SCALES) for name in set(file.keys()) if name.endswith(_SCALES)}
        return {name: (file.get_tensor(name).clone(), file.get_tensor(name + _SCALES).clone()) for name in names}


def pack(matrix: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Round a matrix ``[rows, columns]`` to 8 or 4 bits a number.

    Returns:
        Numbers, ``int8 [rows, columns]`` or two in one ``uint8 [rows, columns / 2]``, and scales in half precision,
        ``[rows, columns / 32]``.
    """
    blocks = torch.unflatten(matrix, 1, (-1, BLOCK))
    largest = blocks.gather(2, blocks.abs().argmax(2, keepdim=True))
    scales = (largest.abs() / 127 if bits == 8 else largest / -8).half()
    steps = blocks / torch.where(scales == 0, 1, scales.float())
    if bits == 8:
        return steps.round().clamp(-127, 127).to(torch.int8).flatten(1), scales.squeeze(2)
    nibbles = (steps.round().clamp(-8, 7) + 8).to(torch.uint8)
    low, high = nibbles.chunk(2, dim=2)
    return (low | high << 4).flatten(1), scales.squeeze(2)


def unpack(numbers: Tensor, scales: Tensor) -> Tensor:
    """Undo `pack`: return ``[rows, columns]`` in single precision, in chunks to save memory."""
    whole = torch.empty(len(numbers), scales.shape[1] * BLOCK, device=numbers.device)
    for start in range(0, len(numbers), ROWS_PER_CHUNK):
        rows = slice(start, start + ROWS_PER_CHUNK)
        blocks = torch.unflatten(numbers[rows], 1, (scales.shape[1], -1))
        if numbers.dtype == torch.uint8:
            blocks = torch.cat([blocks & 15, blocks >> 4], dim=2).to(torch.int8) - 8
        torch.mul(blocks, scales[rows].float().unsqueeze(2), out=torch.unflatten(whole[rows], 1, (-1, BLOCK)))
    return whole

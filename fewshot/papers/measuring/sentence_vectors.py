"""One vector a sentence and layer: the mean over its pieces (Muller et al. 2021, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from fewshot.encoders.load import Encoder
from fewshot.encoders.pieces import NO_UNIT, Input, Pieces, View, encode
from fewshot.encoders.vectors import all_layers, collate, pool
from fewshot.training.batching import prediction_batches

WORDS = View("words")


@torch.inference_mode()
def vectors(encoder: Encoder, sentences: Sequence[Sequence[str]], device: torch.device) -> Tensor:
    """Average the vectors of all pieces of each sentence but the special ones, in every layer.

    Args:
        encoder: pretrained, fine-tuned or untrained; moved to the device.
        sentences: the words of each; however long.
        device: where the encoder computes, in single precision.

    Returns:
        ``[layers + 1, sentences, hidden]``, on the CPU; the first are the embeddings.
    """
    module = encoder.module.to(device).eval()
    padding = int(getattr(encoder.tokenizer, "pad_token_id", None) or 0)
    pieces = [_whole(encode(encoder.tokenizer, Input((words,)), WORDS, encoder.limit)) for words in sentences]
    order: list[int] = []
    found: list[Tensor] = []
    for rows in prediction_batches([one.size for one in pieces]):
        batch = collate([pieces[row] for row in rows], padding).to(device)
        found.append(torch.stack([pool(layer, batch)[:, 0] for layer in all_layers(module, batch)]).cpu())
        order += rows
    return torch.cat(found, 1)[:, torch.tensor(order).argsort()]


def _whole(pieces: Pieces) -> Pieces:
    """Return the windows of a sentence with all of its words as one unit."""
    windows = (
        replace(window, units=tuple(NO_UNIT if unit == NO_UNIT else 0 for unit in window.units))
        for window in pieces.windows
    )
    return Pieces(tuple(windows), 1)

"""Readouts, which make unit vectors of the last layer, or of a mix of all layers with an LSTM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from fewshot.encoders import freezing
from fewshot.encoders.load import Encoder
from fewshot.encoders.pieces import View
from fewshot.encoders.precision import autocast
from fewshot.encoders.vectors import POOLINGS, Batch, all_layers, pool_pieces, unit_vectors

MEAN_OF_LAST = "last layer"
"""The default readout."""


def readout_name(pooling: str | None) -> str:
    """Return the name of the readout that pools the last layer; a pooling of None is the mean."""
    return MEAN_OF_LAST if pooling in (None, "mean") else f"{MEAN_OF_LAST}, {pooling}"


class LastLayer(nn.Module):
    """Unit vectors pooled from the pieces' vectors in the last layer."""

    def __init__(self, encoder: Encoder, view: View, pooling: str = "mean") -> None:
        super().__init__()
        self.name, self.pooling = readout_name(pooling), pooling
        self.size = encoder.hidden

    def forward(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return ``[examples, units, size]`` in single precision; the encoder computes as `autocast` decides."""
        with autocast(batch.ids.device, module):
            return unit_vectors(module, batch, self.pooling)


class LayerMix(nn.Module):
    """A learned mix of all layers and an LSTM (feature-based approach of Wu & Dredze 2019, section 5.2).

    The mix is ``scale * sum(softmax(weights)[n] * layer[n])``, with the embeddings as layer 0 (Peters et al. 2018,
    equation 1). The LSTM has two bidirectional layers of the encoder's vector size in each direction. It reads the
    units; if the whole input is one unit, it reads the pieces, and the largest value of each dimension is taken.
    """

    name: ClassVar[str] = "layer mix"

    def __init__(self, encoder: Encoder, view: View) -> None:
        super().__init__()
        self.size = 2 * encoder.hidden
        self.whole = view.units == "sequence"
        self.weights = nn.Parameter(torch.zeros(freezing.depth(encoder.module) + 1))
        self.scale = nn.Parameter(torch.ones(()))
        self.lstm = nn.LSTM(encoder.hidden, encoder.hidden, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return ``[examples, units, size]``; mix and LSTM compute in single precision."""
        with autocast(batch.ids.device, module):
            layers = all_layers(module, batch)
        mixed = self.mix(layers)
        if not self.whole:
            return self._read(pool_pieces(mixed, batch), batch.mask)
        mask = batch.attention > 0  # one window per example
        return self._read(mixed, mask).masked_fill(~mask.unsqueeze(-1), -torch.inf).amax(1, keepdim=True)

    def mix(self, layers: tuple[Tensor, ...]) -> Tensor:
        """Mix ``[windows, pieces, hidden]`` of each layer."""
        weights = self.weights.softmax(0)
        mixed: Tensor = self.scale * sum(weight * layer.float() for weight, layer in zip(weights, layers, strict=True))
        return mixed

    def _read(self, vectors: Tensor, mask: Tensor) -> Tensor:
        lengths = mask.sum(1).clamp(min=1).cpu()
        packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        read, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=vectors.shape[1])
        return read


READOUTS: Mapping[str, Callable[[Encoder, View], LastLayer | LayerMix]] = {
    LayerMix.name: LayerMix,
    **{readout_name(pooling): partial(LastLayer, pooling=pooling) for pooling in POOLINGS},
}
"""Readouts by their name in saved models."""

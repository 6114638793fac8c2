"""Undo the pretraining of some layers of an encoder (Muller et al. 2021, section 2.1)."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from fewshot.encoders import freezing
from fewshot.encoders.load import Encoder, fingerprint
from fewshot.errors import FewshotError


def reinitialise(encoder: Encoder, chosen: Iterable[int], seed: int) -> Encoder:
    """Give layers of an encoder the random weights that its architecture starts pretraining from.

    Args:
        encoder: stays as it is.
        chosen: numbers of the layers, from 1, the lowest; embeddings are no layer.
        seed: of the weights; a layer gets the same ones whatever other layers are chosen.

    Returns:
        An encoder with weights of its own.

    Raises:
        FewshotError: when the encoder has no such layer.
    """
    module = copy.deepcopy(encoder.module)
    layers = freezing.layers(module)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        untrained = freezing.layers(type(module)(module.config))  # its constructor initialises
    for number in chosen:
        if not 1 <= number <= len(layers):
            raise FewshotError(f"layer {number} of {encoder.name}: its layers are 1 to {len(layers)}")
        layers[number - 1].load_state_dict(untrained[number - 1].state_dict())
    return Encoder(encoder.name, module, encoder.tokenizer, fingerprint(module))


def untrained_layers(encoder: Encoder) -> list[int]:
    """Return the layers, from 1, that no training has moved: all their biases and scales are where they begin."""
    fresh = freezing.layers(type(encoder.module)(encoder.module.config))
    pairs = enumerate(zip(freezing.layers(encoder.module), fresh, strict=True), start=1)
    return [number for number, (layer, new) in pairs if _same(_vectors(layer), _vectors(new))]


def _vectors(layer: nn.Module) -> list[Tensor]:
    return [parameter for parameter in layer.parameters() if parameter.dim() == 1]


def _same(ones: list[Tensor], others: list[Tensor]) -> bool:
    return all(torch.equal(one, other) for one, other in zip(ones, others, strict=True))

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
    """Return a copy of an encoder in which some layers have the random weights of an untrained one.

    Args:
        chosen: numbers of the layers, from 1, the lowest; the embeddings are no layer.
        seed: of the weights; a layer's weights do not depend on the other chosen layers.

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
    """Return the layers, from 1, whose biases and scales still have their initial values."""
    fresh = freezing.layers(type(encoder.module)(encoder.module.config))
    pairs = enumerate(zip(freezing.layers(encoder.module), fresh, strict=True), start=1)
    equal = ((n, zip(_vectors(layer), _vectors(new), strict=True)) for n, (layer, new) in pairs)
    return [number for number, vectors in equal if all(torch.equal(own, new) for own, new in vectors)]


def _vectors(layer: nn.Module) -> list[Tensor]:
    return [parameter for parameter in layer.parameters() if parameter.dim() == 1]

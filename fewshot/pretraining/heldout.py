"""Score a language model on held-out sentences, by how well it predicts hidden pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from fewshot.encoders.precision import autocast
from fewshot.pretraining.batches import encode
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.masking import MaskedBatch, mask_batch
from fewshot.pretraining.texts import UNKNOWN

MEAN = "mean"


@dataclass(frozen=True, slots=True)
class HeldOutScore:
    """The score of the held-out sentences of a language.

    Args:
        pieces: number of hidden pieces.
        cross_entropy: nats per hidden piece; comparable between runs with the same vocabulary.
    """

    sentences: int
    pieces: int
    cross_entropy: float

    @property
    def perplexity(self) -> float:
        """The exponential of the cross-entropy."""
        return exp(self.cross_entropy)


@torch.no_grad()
def score(
    model: Callable[[MaskedBatch], Tensor],
    tokenizer: PreTrainedTokenizerFast,
    held: Mapping[str, Sequence[str]],
    config: PretrainConfig,
    device: torch.device,
    weights: Tensor | None = None,
) -> dict[str, HeldOutScore]:
    """Return the cross-entropy of hidden pieces in the sentences of each language.

    Which pieces are hidden depends only on the sentences and the settings.

    Args:
        model: returns the loss of a batch; in evaluation mode, on the device.
        held: the sentences by language.
        weights: how often each piece is hidden, see `fewshot.pretraining.masking.mask`; None: all equally often.

    Returns:
        The score of each language. The score `MEAN` has the total numbers of sentences and pieces, and the mean of the
        cross-entropies, in which all languages have the same weight.
    """
    scores = {}
    weights = torch.ones(len(tokenizer)) if weights is None else weights
    for lang, texts in sorted(held.items()):
        loss, pieces = 0.0, 0
        with torch.random.fork_rng(), autocast(device, model):
            torch.manual_seed(config.seed)
            for batch in encode(tokenizer, [(text, None, UNKNOWN) for text in texts], config):
                hidden = mask_batch(batch, weights, tokenizer, device)
                loss += float(model(hidden)) * len(hidden.gold)
                pieces += len(hidden.gold)
        if pieces:
            scores[lang] = HeldOutScore(len(texts), pieces, loss / pieces)
    if scores:
        known = scores.values()
        mean = sum(score.cross_entropy for score in known) / len(known)
        sentences, pieces = sum(score.sentences for score in known), sum(score.pieces for score in known)
        scores[MEAN] = HeldOutScore(sentences, pieces, mean)
    return scores

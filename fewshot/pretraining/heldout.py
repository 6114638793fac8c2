"""How well hidden pieces of held-out sentences are predicted."""

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
class Score:
    """Held-out sentences of a language.

    Args:
        sentences: scored.
        pieces: hidden and predicted.
        cross_entropy: nats a hidden piece. Runs compare where they share the vocabulary.
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
) -> dict[str, Score]:
    """Score sentences by language; the mask follows from the sentences, the settings and nothing else.

    Args:
        model: returns the loss of a batch; in evaluation mode, on the device.
        held: sentences by language; languages without any are left out.
        config: batch, length, seed.
        weights: which pieces are hidden, see `fewshot.pretraining.masking.mask`; None: all alike.

    Returns:
        Scores by language, and at `MEAN` their mean, all languages of equal weight.
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
            scores[lang] = Score(len(texts), pieces, loss / pieces)
    if scores:
        scores[MEAN] = _mean(list(scores.values()))
    return scores


def _mean(scores: Sequence[Score]) -> Score:
    """Add up sentences and pieces; languages count alike in the cross-entropy."""
    sentences, pieces = sum(one.sentences for one in scores), sum(one.pieces for one in scores)
    return Score(sentences, pieces, sum(one.cross_entropy for one in scores) / len(scores))

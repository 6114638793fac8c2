"""Masked language modelling on sentences, translation language modelling on pairs (Conneau & Lample 2019)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel, PreTrainedTokenizerFast

from fewshot.encoders.precision import autocast
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.corpus import Aligned
from fewshot.pretraining.masking import mask

BUCKET = 64
"""Batches whose sequences are sorted by length together."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where pretraining stands.

    Args:
        update: updates done.
        updates: updates to do.
        loss: mean over the last updates, in nats a hidden piece.
        pieces_per_second: real pieces, padding not counted.
    """

    update: int
    updates: int
    loss: float
    pieces_per_second: float


class MaskedLM(nn.Module):
    """An encoder and the output layer that predicts hidden pieces; the output weights are the embedding's."""

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        self.encoder = encoder
        hidden, vocabulary = encoder.config.hidden_size, encoder.config.vocab_size
        self.transform = nn.Sequential(nn.Linear(hidden, hidden), nn.GELU(), nn.LayerNorm(hidden))
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, ids: Tensor, attention: Tensor, types: Tensor, chosen: Tensor, gold: Tensor) -> Tensor:
        """Return the mean cross-entropy over the chosen pieces, a scalar; 0 where none was chosen."""
        hidden = self.encoder(input_ids=ids, attention_mask=attention, token_type_ids=types).last_hidden_state
        scores = self.transform(hidden[chosen]) @ self.encoder.embeddings.word_embeddings.weight.T + self.bias
        return functional.cross_entropy(scores.float(), gold[chosen], reduction="sum") / chosen.sum().clamp(min=1)


def train(
    encoder: BertModel,
    tokenizer: PreTrainedTokenizerFast,
    sentences: Sequence[str],
    pairs: Sequence[Aligned],
    *,
    config: PretrainConfig,
    device: torch.device,
    progress: Callable[[Step], None] | None = None,
) -> None:
    """Train an encoder in place.

    Args:
        encoder: its word embeddings are also the output layer's.
        tokenizer: its tokenizer.
        sentences: for masked language modelling, in a balanced draw.
        pairs: aligned sentences; two languages of a row are drawn for translation language modelling.
        config: updates, batch, learning rate (warm-up over a tenth, then linear decay), share of pairs.
        device: where to train.
        progress: called every 50 updates.
    """
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        model = MaskedLM(encoder).to(device).train()
        encoder.embeddings.word_embeddings.weight.requires_grad_(config.train_embeddings)
        trained = [p for p in model.parameters() if p.requires_grad]
        optimizer = torch.optim.AdamW(trained, lr=config.lr, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
        updates, warmup = config.updates, max(1, config.updates // 10)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min((step + 1) / warmup, (updates - step) / max(1, updates - warmup))
        )
        generator = torch.Generator().manual_seed(config.seed)
        source = _mixed(tokenizer, sentences, pairs, config)
        losses, pieces, since = torch.zeros((), device=device), 0, time.perf_counter()
        for update in range(1, updates + 1):
            ids, attention, types, maskable = next(source)
            hidden, chosen = mask(
                ids, maskable, tokenizer.mask_token_id, len(tokenizer.all_special_ids), len(tokenizer), generator
            )
            tensors = (tensor.to(device) for tensor in (hidden, attention, types, chosen, ids))
            with autocast(device):
                loss = model(*tensors)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            losses += loss.detach()
            pieces += int(attention.sum())
            if progress and update % 50 == 0:
                seconds = time.perf_counter() - since
                progress(Step(update, updates, float(losses) / 50, pieces / seconds))
                losses, pieces, since = torch.zeros((), device=device), 0, time.perf_counter()
    encoder.requires_grad_(True)
    encoder.eval()


def _mixed(
    tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], pairs: Sequence[Aligned], config: PretrainConfig
) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
    rng = random.Random(config.seed)
    singles = _batches(tokenizer, lambda: (rng.choice(sentences), None), config, rng)
    doubles = _batches(tokenizer, lambda: _two(rng.choice(pairs), rng), config, rng)
    while True:
        yield next(doubles if pairs and rng.random() < config.pair_share else singles)


def _two(row: Aligned, rng: random.Random) -> tuple[str, str]:
    first, second = rng.sample(sorted(row), 2)
    return row[first], row[second]


def _batches(
    tokenizer: PreTrainedTokenizerFast,
    draw: Callable[[], tuple[str, str | None]],
    config: PretrainConfig,
    rng: random.Random,
) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Yield ids, attention, types and what may be masked, each ``[batch, pieces]``, bucketed by length."""
    while True:
        drawn = [draw() for _ in range(config.batch * BUCKET)]
        encoded = tokenizer(
            [first for first, _ in drawn],
            None if drawn[0][1] is None else [str(second) for _, second in drawn],
            truncation=True,
            max_length=config.length,
            return_token_type_ids=True,
            return_special_tokens_mask=True,
        )
        rows = sorted(range(len(drawn)), key=lambda row: len(encoded["input_ids"][row]))
        starts = list(range(0, len(rows), config.batch))
        rng.shuffle(starts)
        for start in starts:
            chosen = rows[start : start + config.batch]
            fields = [
                _padded([encoded[name][row] for row in chosen], blank)
                for name, blank in (
                    ("input_ids", tokenizer.pad_token_id),
                    ("attention_mask", 0),
                    ("token_type_ids", 0),
                    ("special_tokens_mask", 1),
                )
            ]
            yield fields[0], fields[1], fields[2], fields[3] == 0


def _padded(rows: Sequence[Sequence[int]], blank: int) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[blank] * (width - len(row))] for row in rows])

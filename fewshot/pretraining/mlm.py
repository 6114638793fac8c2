"""Masked language modelling on sentences, translation language modelling on pairs (Conneau & Lample 2019)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel, PreTrainedTokenizerFast

from fewshot.encoders.precision import autocast
from fewshot.pretraining import checkpoint
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.corpus import Aligned
from fewshot.pretraining.masking import mask, rarity

BUCKET = 64
"""Batches that are drawn together and sorted by length."""

COUNTED = 100_000
"""Sentences in which pieces are counted."""

EVERY = 50
"""Updates between two reports."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """A batch: piece ids, 1 where there is a piece, segment numbers, what may be masked; each ``[batch, pieces]``."""

    ids: Tensor
    attention: Tensor
    types: Tensor
    maskable: Tensor


@dataclass(frozen=True, slots=True)
class Step:
    """Where pretraining stands.

    Args:
        update: updates done.
        updates: updates to do.
        loss: mean over the last updates, in nats a hidden piece.
        pieces_per_second: real pieces, padding not counted.
        seconds_left: at the speed of the last updates.
    """

    update: int
    updates: int
    loss: float
    pieces_per_second: float
    seconds_left: float


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
    checkpoints: Path,
    progress: Callable[[Step], None] | None = None,
) -> None:
    """Train an encoder in place; a training that was stopped goes on from its last checkpoint with the same data.

    Args:
        encoder: its word embeddings are also the output layer's.
        tokenizer: its tokenizer.
        sentences: for masked language modelling, in a balanced draw.
        pairs: aligned sentences; two languages of a row are drawn for translation language modelling.
        config: updates, batch, learning rate, share of pairs and the rest of the settings.
        device: where to train.
        checkpoints: folder that takes a checkpoint every `PretrainConfig.checkpoint` updates.
        progress: called every 50 updates.
    """
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        model = MaskedLM(encoder).to(device).train()
        encoder.embeddings.word_embeddings.weight.requires_grad_(config.train_embeddings)
        trained = [p for p in model.parameters() if p.requires_grad]
        optimizer = torch.optim.AdamW(trained, lr=config.lr, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
        weights = rarity(_counts(tokenizer, sentences), config.rare_exponent)
        done = checkpoint.load(checkpoints, model, optimizer)
        losses, pieces, last, since = torch.zeros((), device=device), 0, done, time.perf_counter()
        for update, rows in enumerate(_batches(tokenizer, sentences, pairs, config, done), start=done + 1):
            torch.manual_seed(config.seed * config.updates + update)  # dropout and masks follow from the update
            optimizer.param_groups[0]["lr"] = config.lr * rate(update - 1, config)
            losses += _step(model, optimizer, trained, rows, weights, tokenizer, device)
            pieces += int(rows.attention.sum())
            if update % config.checkpoint == 0:
                checkpoint.save(checkpoints, update, model, optimizer)
            if progress and update % EVERY == 0:
                seconds, count = time.perf_counter() - since, update - last
                left = (config.updates - update) * seconds / count
                progress(Step(update, config.updates, float(losses) / count, pieces / seconds, left))
                losses, pieces, last, since = torch.zeros((), device=device), 0, update, time.perf_counter()
    encoder.requires_grad_(True)
    encoder.eval()


def _step(
    model: MaskedLM,
    optimizer: torch.optim.Optimizer,
    trained: Sequence[nn.Parameter],
    rows: _Rows,
    weights: Tensor,
    tokenizer: PreTrainedTokenizerFast,
    device: torch.device,
) -> Tensor:
    first = len(tokenizer.all_special_ids)
    hidden, chosen = mask(rows.ids, rows.maskable, weights, tokenizer.mask_token_id, first)
    tensors = (tensor.to(device) for tensor in (hidden, rows.attention, rows.types, chosen, rows.ids))
    with autocast(device):
        loss = model(*tensors)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(trained, 1.0)
    optimizer.step()
    return loss.detach()


def rate(step: int, config: PretrainConfig) -> float:
    """Return the share of the peak learning rate at a step, counted from 0: warm-up over a tenth, then decay."""
    warmup = max(1, config.updates // 10)
    rising = (step + 1) / warmup
    if config.decay == "linear":
        return min(rising, (config.updates - step) / max(1, config.updates - warmup))
    return min(rising, (warmup / (step + 1)) ** 0.5)


def _counts(tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str]) -> Tensor:
    """Count each piece in a part of the sentences that is large enough to tell rare from frequent."""
    encoded = tokenizer.backend_tokenizer.encode_batch_fast(list(sentences[:COUNTED]), add_special_tokens=False)
    ids = torch.tensor([piece for text in encoded for piece in text.ids])
    return torch.bincount(ids, minlength=len(tokenizer))


def _batches(
    tokenizer: PreTrainedTokenizerFast,
    sentences: Sequence[str],
    pairs: Sequence[Aligned],
    config: PretrainConfig,
    done: int,
) -> Iterator[_Rows]:
    """Yield the batches of the updates after those that are done: each block of them follows from its number alone."""
    for block in range(done // BUCKET, -(-config.updates // BUCKET)):
        rng = random.Random(f"{config.seed} {block}")
        doubles = round(config.pair_share * BUCKET) if pairs else 0
        batches = _drawn(tokenizer, [_two(rng.choice(pairs), rng) for _ in range(doubles * config.batch)], config)
        singles = [(rng.choice(sentences), None) for _ in range((BUCKET - doubles) * config.batch)]
        batches += _drawn(tokenizer, singles, config)
        rng.shuffle(batches)
        first = block * BUCKET
        yield from batches[max(0, done - first) : config.updates - first]


def _two(row: Aligned, rng: random.Random) -> tuple[str, str]:
    first, second = rng.sample(sorted(row), 2)
    return row[first], row[second]


def _drawn(
    tokenizer: PreTrainedTokenizerFast, texts: Sequence[tuple[str, str | None]], config: PretrainConfig
) -> list[_Rows]:
    """Encode texts, or pairs of them, and cut them into batches of similar lengths."""
    if not texts:
        return []
    encoded = tokenizer(
        [first for first, _ in texts],
        None if texts[0][1] is None else [str(second) for _, second in texts],
        truncation=True,
        max_length=config.length,
        return_token_type_ids=True,
        return_special_tokens_mask=True,
    )
    rows = sorted(range(len(texts)), key=lambda row: len(encoded["input_ids"][row]))
    batches = []
    for start in range(0, len(rows), config.batch):
        chosen = rows[start : start + config.batch]
        ids, attention, types, special = (
            _padded([encoded[name][row] for row in chosen], blank)
            for name, blank in (
                ("input_ids", tokenizer.pad_token_id),
                ("attention_mask", 0),
                ("token_type_ids", 0),
                ("special_tokens_mask", 1),
            )
        )
        batches.append(_Rows(ids, attention, types, special == 0))
    return batches


def _padded(rows: Sequence[Sequence[int]], blank: int) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[blank] * (width - len(row))] for row in rows])

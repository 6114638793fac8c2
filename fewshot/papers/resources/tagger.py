"""A tagger without pretraining (Lample et al. 2016, without word embeddings).

A bidirectional LSTM reads the characters of each word, a second LSTM the words, a CRF predicts the labels. The LSTMs
replace the readout and random character embeddings the encoder of a `Model`, which shares batches, windows, training
and evaluation with all other models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.encoders.load import Encoder
from fewshot.encoders.pieces import View
from fewshot.encoders.readout import LastLayer
from fewshot.encoders.vectors import Batch
from fewshot.heads import CRF
from fewshot.pretraining import tokenizer
from fewshot.training import presets
from fewshot.training.batching import prepare
from fewshot.training.fit import fit
from fewshot.training.model import Model
from fewshot.training.recipe import ALL_TRAINED, Settings

BASELINE = "no pretraining"
"""Name of the tagger in tables."""

CHARACTER_SIZE, WORD_SIZE = 32, 64
"""Sizes of the vector of a character, and of the states of both LSTMs in each direction."""

MAX_CHARACTERS = 1024
"""Characters of a window; longer sentences are cut into several windows."""

SETTINGS: dict[str, Any] = {"regime": "sequential", "encoder_lr": 1e-2, "head_lr": 1e-2, "dropout": 0.3}
"""The rate was chosen from 3e-3 and 1e-2 on held-out English training sentences of WikiANN (k = 50 and 500)."""


class Characters(nn.Module):
    """An embedding of each character of a vocabulary, special characters included."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.config = SimpleNamespace(hidden_size=CHARACTER_SIZE, max_position_embeddings=MAX_CHARACTERS)
        self.embeddings = nn.Embedding(vocabulary, CHARACTER_SIZE)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Return ``[windows, characters, CHARACTER_SIZE]``."""
        vectors: Tensor = self.embeddings(input_ids)
        return vectors


class WordReader(LastLayer):
    """Reads words from the vectors of their `Characters`, then in their sentence."""

    def __init__(self, encoder: Encoder, view: View) -> None:
        super().__init__(encoder, view)
        self.name, self.size = "characters and words", 2 * WORD_SIZE
        self.spell = nn.LSTM(CHARACTER_SIZE, WORD_SIZE, bidirectional=True, batch_first=True)
        self.read = nn.LSTM(2 * WORD_SIZE, WORD_SIZE, bidirectional=True, batch_first=True)

    def forward(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return ``[examples, words, 2 * WORD_SIZE]``."""
        words = self.spelled(module(batch.ids), batch)
        packed = pack_padded_sequence(words, _cpu(batch.mask.sum(1)), batch_first=True, enforce_sorted=False)
        read, _ = pad_packed_sequence(self.read(packed)[0], batch_first=True, total_length=words.shape[1])
        return read

    def spelled(self, characters: Tensor, batch: Batch) -> Tensor:
        """Read each word by itself, from characters ``[windows, characters, CHARACTER_SIZE]``.

        Returns:
            ``[examples, words, 2 * WORD_SIZE]``: states after the last and before the first character; 0 for padding.
        """
        examples, units = batch.counts.shape
        counts = batch.counts.reshape(-1)
        order = batch.slots.argsort(stable=True)[: int(counts.sum())]  # characters of no word come last
        rows = batch.slots[order]
        places = torch.arange(len(rows), device=rows.device) - (counts.cumsum(0) - counts)[rows]
        table = characters.new_zeros(len(counts), int(counts.max()), CHARACTER_SIZE)
        table[rows, places] = characters.reshape(-1, CHARACTER_SIZE)[order]
        is_word = counts > 0
        packed = pack_padded_sequence(table[is_word], _cpu(counts[is_word]), batch_first=True, enforce_sorted=False)
        _, (last, _) = self.spell(packed)
        words = characters.new_zeros(len(counts), 2 * WORD_SIZE)
        words[is_word] = torch.cat([last[0], last[1]], -1)
        return words.view(examples, units, -1)


def alphabet(sentences: Sequence[Sentence]) -> Any:
    """Return a tokenizer into characters; characters that occur once are unknown."""
    counts = Counter(character for sentence in sentences for word in sentence.words for character in word)
    known = [character * count for character, count in counts.items() if count > 1]
    return tokenizer.train(known, len(tokenizer.SPECIALS) + len(known), kind="character")


def train(task: tasks.Task[Any], sentences: Sequence[Sentence], updates: int, seed: int, device: torch.device) -> Model:
    """Train a tagger on sentences with one label per word."""
    characters = alphabet(sentences)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        encoder = Encoder(BASELINE, Characters(len(characters)), characters, "")
        readout = WordReader(encoder, task.view)
        head = CRF(readout.size, len(task.labels), SETTINGS["dropout"])
    model = Model(task, encoder, readout, head)
    recipe = presets.adaptation(task, presets.BASE, ALL_TRAINED, **SETTINGS)
    return fit(model, prepare(model, sentences), None, Settings(recipe, updates, None), seed, device)


def identity() -> list[Any]:
    """Return what decides a tagger apart from its data, updates and seed."""
    return [BASELINE, CHARACTER_SIZE, WORD_SIZE, MAX_CHARACTERS, SETTINGS]


def _cpu(lengths: Tensor) -> Tensor:
    return lengths.clamp(min=1).cpu()

"""A tagger with no pretrained encoder: characters, words, labels (Lample et al. 2016, without word embeddings).

An LSTM in both directions reads the characters of each word, a second one the words, a CRF the labels. It stands where
the readout and the head of a model stand, over random character embeddings in place of an encoder, so that batches,
windows, training and evaluation are those of every other model.
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
"""Its name in tables."""

CHARACTER, WORD = 32, 64
"""Sizes of a character's vector, and of the vectors of both LSTMs in each direction."""

LIMIT = 1024
"""Characters that are read at once; longer sentences are cut into windows."""

SETTINGS: dict[str, Any] = {"regime": "sequential", "encoder_lr": 1e-2, "head_lr": 1e-2, "dropout": 0.3}
"""The rate was chosen from 3e-3 and 1e-2 on held-out English training sentences of WikiANN (k = 50 and 500)."""


class Characters(nn.Module):
    """The vector of each character of a vocabulary, special ones included, by itself."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.config = SimpleNamespace(hidden_size=CHARACTER, max_position_embeddings=LIMIT)
        self.embeddings = nn.Embedding(vocabulary, CHARACTER)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Return ``[windows, characters, CHARACTER]``."""
        vectors: Tensor = self.embeddings(input_ids)
        return vectors


class WordReader(LastLayer):
    """Vectors of words from those of their characters, then in their sentence; the encoder is of `Characters`."""

    def __init__(self, encoder: Encoder, view: View) -> None:
        super().__init__(encoder, view)
        self.name, self.size = "characters and words", 2 * WORD
        self.spell = nn.LSTM(CHARACTER, WORD, bidirectional=True, batch_first=True)
        self.read = nn.LSTM(2 * WORD, WORD, bidirectional=True, batch_first=True)

    def forward(self, module: nn.Module, batch: Batch) -> Tensor:
        """Return ``[examples, words, 2 * WORD]``."""
        words = self.spelled(module(batch.ids), batch)
        packed = pack_padded_sequence(words, _cpu(batch.mask.sum(1)), batch_first=True, enforce_sorted=False)
        read, _ = pad_packed_sequence(self.read(packed)[0], batch_first=True, total_length=words.shape[1])
        return read

    def spelled(self, characters: Tensor, batch: Batch) -> Tensor:
        """Read each word by itself: the states after its last character, and before its first one.

        Args:
            characters: ``[windows, characters, CHARACTER]``.
            batch: which word a character belongs to.

        Returns:
            ``[examples, words, 2 * WORD]``, zeros for padding.
        """
        examples, units = batch.counts.shape
        counts = batch.counts.reshape(-1)
        order = batch.slots.argsort(stable=True)[: int(counts.sum())]  # characters of no word come last
        rows = batch.slots[order]
        places = torch.arange(len(rows), device=rows.device) - (counts.cumsum(0) - counts)[rows]
        table = characters.new_zeros(len(counts), int(counts.max()), CHARACTER)
        table[rows, places] = characters.reshape(-1, CHARACTER)[order]
        there = counts > 0
        packed = pack_padded_sequence(table[there], _cpu(counts[there]), batch_first=True, enforce_sorted=False)
        _, (last, _) = self.spell(packed)
        words = characters.new_zeros(len(counts), 2 * WORD)
        words[there] = torch.cat([last[0], last[1]], -1)
        return words.view(examples, units, -1)


def alphabet(sentences: Sequence[Sentence]) -> Any:
    """Return a tokenizer into characters; those that occur once stand for all that never occur."""
    counts = Counter(character for sentence in sentences for word in sentence.words for character in word)
    known = [character * count for character, count in counts.items() if count > 1]
    return tokenizer.train(known, len(tokenizer.SPECIALS) + len(known), kind="character")


def train(task: tasks.Task[Any], sentences: Sequence[Sentence], updates: int, seed: int, device: torch.device) -> Model:
    """Train a tagger from nothing but sentences with a label a word."""
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
    """Return all that decides a tagger beside its data, updates and seed."""
    return [BASELINE, CHARACTER, WORD, LIMIT, SETTINGS]


def _cpu(lengths: Tensor) -> Tensor:
    return lengths.clamp(min=1).cpu()

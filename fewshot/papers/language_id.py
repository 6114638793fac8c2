"""Which language is this sentence? A linear probe in each layer (Wu & Dredze 2019, section 5.3, Figure 2)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import torch
from torch import Tensor

from fewshot.encoders.load import Encoder, load_encoder, untrained
from fewshot.errors import FewshotError
from fewshot.evaluation.bootstrap import interval
from fewshot.experiments.executors.place import Place
from fewshot.experiments.machine import training_bytes
from fewshot.papers.measurements import Cell, Row, fill, over_seeds, with_interval
from fewshot.papers.statistics import train_probe
from fewshot.pretraining.corpus import check_languages, fingerprint, languages, parallel
from fewshot.progress import Report
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.source_choice.criteria import vectors

PRETRAINED, UNTRAINED, PIECES = "pretrained", "untrained", "pieces alone"

ALONE = -1
"""Stands for the layer of what has none."""

Scores = dict[Any, tuple[float, float, float]]
"""Accuracy and the ends of its interval, by encoder and layer."""

PAPER = 96.0
"""Accuracy of all tested layers of mBERT, about, in 99 languages of WiLI-2018 (section 5.3)."""

NOTES = (
    "A layer's vector of a sentence is the mean over its pieces but the special ones; layer 0 is the embeddings. The "
    "encoder stays as it is, and a logistic regression on standardised vectors is trained on each layer.",
    "Sentences are translations of each other: a language cannot be told by what its texts are about, and all are "
    "equally long but for the language. A line with all its translations is either trained on or tested on.",
    "Untrained: the same architecture with random weights. Pieces alone: naive Bayes on the counts of word pieces.",
    "Scores are means over the seeds, each of which draws other lines, and other weights for the untrained encoder; "
    "intervals are 95%, Student's t over the seeds and, added as a variance, the noise of the test lines (bootstrap).",
    "The paper's figure is of mBERT on paragraphs of WiLI-2018 (Wikipedia) in 99 languages, where chance is 1%.",
)


def analyse(
    corpus: Path,
    langs: Sequence[str],
    model: str,
    sentences: int,
    seeds: int,
    place: Place,
    folder: Path,
    report: Report,
) -> Page:
    """Measure how well each layer tells languages apart, and report.

    Args:
        corpus: folder with translations, see `fewshot.pretraining.corpus`.
        langs: to tell apart; empty for all of the corpus.
        sentences: of each language to train on, and as many to test on.
        seeds: draws of lines, and of weights for the untrained encoder.

    Raises:
        FewshotError: when the corpus lacks a language, or has too few lines in all of them.
    """
    if sentences < 2 or seeds < 1:
        raise FewshotError("--sentences must be at least 2 and --seeds at least 1")
    langs = list(langs) or languages(corpus)
    check_languages(corpus, langs)
    if len(langs) < 2:
        raise FewshotError("--langs takes at least two languages: there is nothing to tell apart in one")
    encoder = load_encoder(model)
    lines = translations(corpus, langs)
    if len(lines) < 2 * sentences:
        raise FewshotError(
            f"{corpus}: {len(lines)} lines of parallel/*.tsv.xz hold all of {', '.join(langs)}, and "
            f"{2 * sentences} are needed; ask for at most {len(lines) // 2} --sentences, or fewer --langs"
        )
    made_from = [encoder.fingerprint, encoder.tokenizer_fingerprint, fingerprint(corpus)]
    identity = [*made_from, langs, sentences, place.device.type]
    cells = _cells(Probing(encoder, len(langs), lines, sentences), identity, seeds)
    facts = {
        "Data": {"corpus": str(corpus), "languages": ", ".join(langs), "lines in all of them": str(len(lines))},
        "Probe": {"trained on": f"{sentences} lines a language", "tested on": "as many other lines"},
        "Encoder": {"name": encoder.name, "device": place.device.type, "seeds": str(seeds)},
    }
    return page(fill(cells, folder, place, report, training_bytes(encoder)), len(langs), facts)


def translations(folder: Path, langs: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the lines of a corpus that hold all of some languages, a text each, in their order.

    A line that has a text in common with an earlier one is left out, so that no text stands in two lines.
    """
    seen: set[str] = set()
    found = []
    for row in parallel(folder, []):
        if all(lang in row for lang in langs):
            texts = tuple(row[lang] for lang in langs)
            if seen.isdisjoint(texts):
                found.append(texts)
            seen.update(texts)
    return found


@dataclass(frozen=True)
class Probing:
    """How well an encoder tells a number of languages apart, on lines of `translations`, see `analyse`."""

    encoder: Encoder
    langs: int
    lines: Sequence[tuple[str, ...]]
    sentences: int

    def layers(self, seed: int, control: bool, device: torch.device) -> list[Row]:
        """Probe each layer of the encoder, or of an untrained one."""
        found = vectors(untrained(self.encoder, seed) if control else self.encoder, self._drawn(seed), device)
        return [{"layer": layer, **probed(one, self.langs)} for layer, one in enumerate(found)]

    def pieces(self, seed: int, device: torch.device) -> list[Row]:
        """Guess from the word pieces alone, wherever that is."""
        guessed = naive_bayes(self.encoder.tokenizer, self._drawn(seed), self.langs)
        return [{"layer": None, **accuracy(guessed, self.langs)}]

    def _drawn(self, seed: int) -> list[list[str]]:
        """Return the words of each sentence, line by line, those to train on first."""
        sample = random.Random(seed).sample(list(self.lines), 2 * self.sentences)
        return [text.split() for line in sample for text in line]


def _cells(probing: Probing, identity: Sequence[object], seeds: int) -> Iterator[Cell]:
    for seed in range(seeds):
        yield Cell({"encoder": PRETRAINED, "seed": seed}, identity, partial(probing.layers, seed, False))
        yield Cell({"encoder": UNTRAINED, "seed": seed}, identity, partial(probing.layers, seed, True))
        yield Cell({"encoder": PIECES, "seed": seed}, identity, partial(probing.pieces, seed))


def probed(sentences: Tensor, langs: int) -> dict[str, float]:
    """Train a probe on the first half of sentences ``[lines * langs, hidden]``, and score it on the other half."""
    half = len(sentences) // 2
    labels = torch.arange(langs).repeat(half // langs)
    return accuracy(train_probe(sentences[:half], labels, langs).predict(sentences[half:]), langs)


def naive_bayes(tokenizer: object, sentences: Sequence[Sequence[str]], langs: int) -> Tensor:
    """Guess the languages of the second half of the sentences from their pieces alone, ``[lines / 2 * langs]``.

    Multinomial naive Bayes with add-one smoothing, all languages being equally likely.
    """
    encoded = tokenizer(  # type: ignore[operator]
        [list(words) for words in sentences], is_split_into_words=True, add_special_tokens=False, verbose=False
    )["input_ids"]
    half = len(encoded) // 2
    size = 1 + max(piece for pieces in encoded for piece in pieces)
    counts = torch.ones(langs, size, dtype=torch.double)
    for place, pieces in enumerate(encoded[:half]):
        counts[place % langs] += torch.bincount(torch.tensor(pieces, dtype=torch.long), minlength=size)
    likely = (counts / counts.sum(1, keepdim=True)).log()
    return torch.stack([likely[:, torch.tensor(pieces, dtype=torch.long)].sum(1).argmax() for pieces in encoded[half:]])


def accuracy(guessed: Tensor, langs: int) -> dict[str, float]:
    """Score guesses ``[lines * langs]``, line by line: ``score``, ``low``, ``high`` in percent; lines are resampled."""
    right = (guessed.view(-1, langs) == torch.arange(langs)).sum(1).numpy()
    counts = np.stack([right, np.full(len(right), langs)], 1)
    low, high = interval(counts, _percent)
    return {"score": _percent(counts.sum(0)), "low": low, "high": high}


def _percent(counts: np.ndarray) -> float:
    return float(100 * counts[0] / counts[1])


def page(table: pd.DataFrame, langs: int, facts: dict[str, dict[str, str]]) -> Page:
    """Return the report of measurements ``encoder, seed, layer, score, low, high`` on some number of languages."""
    table = table.fillna({"layer": ALONE})
    found: Scores = {key: over_seeds(rows) for key, rows in table.groupby(["encoder", "layer"])}
    layers = sorted({int(layer) for _, layer in found} - {ALONE})
    rows = [(str(layer), *(with_interval(*found[name, layer]) for name in (PRETRAINED, UNTRAINED))) for layer in layers]
    pieces = found[PIECES, ALONE]
    rows.append((PIECES, with_interval(*pieces), ""))
    rows.append(("chance", f"{100 / langs:.1f}", ""))
    rows.append(("paper: all tested layers of mBERT, 99 languages", f"around {PAPER:.0f}", ""))
    ours = [found[PRETRAINED, layer][0] for layer in layers]
    headline = (
        f"A linear probe tells {langs} languages apart with {min(ours):.1f} to {max(ours):.1f}% accuracy in all "
        f"layers ({found[UNTRAINED, 0][0]:.1f}% in untrained embeddings, {pieces[0]:.1f}% from word pieces alone); the "
        f"paper's mBERT with around {PAPER:.0f}% in all tested layers, 99 languages (Wu & Dredze 2019, Figure 2)."
    )
    accuracies = Table("Accuracy of language identification (%)", ("layer", PRETRAINED, UNTRAINED), tuple(rows))
    sections = figures_and_tables({"Accuracy by layer": _figure(found, layers, pieces[0])}, [accuracies])
    return Page("Language identification", headline, sections, NOTES, facts)


def _figure(found: Scores, layers: Sequence[int], pieces: float) -> go.Figure:
    figure = go.Figure()
    for name in (PRETRAINED, UNTRAINED):
        scores = [found[name, layer] for layer in layers]
        error = {
            "array": [high - score for score, _, high in scores],
            "arrayminus": [score - low for score, low, _ in scores],
        }
        figure.add_scatter(x=list(layers), y=[score for score, *_ in scores], error_y=error, name=name)
    figure.add_hline(PAPER, line={"dash": "dash", "color": "#888"}, annotation_text="paper: mBERT, 99 languages")
    figure.add_hline(pieces, line={"dash": "dot", "color": "#888"}, annotation_text=PIECES)
    return style_figure(figure, "layer (0: embeddings)", "accuracy (%)").update_xaxes(dtick=1)

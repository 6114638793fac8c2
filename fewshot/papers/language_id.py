"""Language identification by a linear probe in each layer (Wu & Dredze 2019, section 5.3, Figure 2)."""

from __future__ import annotations

import random
from collections.abc import Sequence
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
from fewshot.evaluation.evaluate import interval
from fewshot.experiments.executors.place import training_bytes
from fewshot.papers.measurements import Measurement, Row, StudyRun, fill, over_seeds, with_interval
from fewshot.papers.statistics import train_probe
from fewshot.pretraining.corpus import check_languages, fingerprint, languages, parallel
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.source_choice.criteria import vectors

PRETRAINED, UNTRAINED, PIECES = "pretrained", "untrained", "pieces alone"

NO_LAYER = -1
"""Layer of the scores that belong to no layer."""

Scores = dict[Any, tuple[float, float, float]]
"""Accuracy and the ends of its interval, by encoder and layer."""

PAPER_ACCURACY = 96.0
"""Approximate accuracy of all tested layers of mBERT in 99 languages of WiLI-2018 (section 5.3)."""

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


def analyse(corpus: Path, langs: Sequence[str], model: str, sentences: int, seeds: int, run: StudyRun) -> Page:
    """Measure how well each layer distinguishes languages, and report.

    Args:
        corpus: folder with translations, see `fewshot.pretraining.corpus`.
        langs: empty for all languages of the corpus.
        sentences: training sentences of each language, and as many test sentences.
        seeds: draws of lines, and of weights for the untrained encoder.

    Raises:
        FewshotError: when the corpus lacks a language, or has too few lines in all languages.
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
    identity = [*made_from, langs, sentences, run.place.device.type]
    probe = partial(measure, encoder, len(langs), lines, sentences)
    cells = [
        Measurement({"encoder": name, "seed": seed}, identity, partial(probe, name, seed))
        for seed in range(seeds)
        for name in (PRETRAINED, UNTRAINED, PIECES)
    ]
    facts = {
        "Data": {"corpus": str(corpus), "languages": ", ".join(langs), "lines in all of them": str(len(lines))},
        "Probe": {"trained on": f"{sentences} lines a language", "tested on": "as many other lines"},
        "Encoder": {"name": encoder.name, "device": run.place.device.type, "seeds": str(seeds)},
    }
    return page(fill(cells, run, training_bytes(encoder)), len(langs), facts)


def translations(folder: Path, langs: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the lines of a corpus with a text in every language, as texts in the order of ``langs``.

    A line that shares a text with an earlier line is left out.
    """
    seen: set[str] = set()
    lines = []
    for row in parallel(folder, []):
        if all(lang in row for lang in langs):
            texts = tuple(row[lang] for lang in langs)
            if seen.isdisjoint(texts):
                lines.append(texts)
            seen.update(texts)
    return lines


def measure(
    encoder: Encoder, langs: int, lines: list[tuple[str, ...]], count: int, name: str, seed: int, device: torch.device
) -> list[Row]:
    """Score each layer of the encoder, as it is or untrained, or the word pieces alone."""
    drawn = random.Random(seed).sample(lines, 2 * count)
    words = [text.split() for line in drawn for text in line]  # training lines come first
    if name == PIECES:
        return [{"layer": None, **accuracy(naive_bayes(encoder.tokenizer, words, langs), langs)}]
    by_layer = vectors(untrained(encoder, seed) if name == UNTRAINED else encoder, words, device)
    return [{"layer": layer, **probe_accuracy(values, langs)} for layer, values in enumerate(by_layer)]


def probe_accuracy(sentences: Tensor, langs: int) -> dict[str, float]:
    """Train a probe on the first half of sentences ``[lines * langs, hidden]``, and score the other half."""
    half = len(sentences) // 2
    labels = torch.arange(langs).repeat(half // langs)
    return accuracy(train_probe(sentences[:half], labels, langs).predict(sentences[half:]), langs)


def naive_bayes(tokenizer: object, sentences: Sequence[Sequence[str]], langs: int) -> Tensor:
    """Guess the languages of the second half of the sentences from their pieces, ``[lines / 2 * langs]``.

    Multinomial naive Bayes with add-one smoothing and equally likely languages.
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


def accuracy(guesses: Tensor, langs: int) -> dict[str, float]:
    """Return ``score, low, high`` in percent of guesses ``[lines * langs]``; lines are resampled."""
    right = (guesses.view(-1, langs) == torch.arange(langs)).sum(1).numpy()
    counts = np.stack([right, np.full(len(right), langs)], 1)

    def percent(counts: np.ndarray) -> float:
        return float(100 * counts[0] / counts[1])

    low, high = interval(counts, percent)
    return {"score": percent(counts.sum(0)), "low": low, "high": high}


def page(table: pd.DataFrame, langs: int, facts: dict[str, dict[str, str]]) -> Page:
    """Return the report of the measurements ``encoder, seed, layer, score, low, high``."""
    table = table.fillna({"layer": NO_LAYER})
    scores: Scores = {key: over_seeds(rows) for key, rows in table.groupby(["encoder", "layer"])}
    layers = sorted({int(layer) for _, layer in scores} - {NO_LAYER})
    pieces = scores[PIECES, NO_LAYER]
    rows = [
        *((str(layer), *(with_interval(*scores[name, layer]) for name in (PRETRAINED, UNTRAINED))) for layer in layers),
        (PIECES, with_interval(*pieces), ""),
        ("chance", f"{100 / langs:.1f}", ""),
        ("paper: all tested layers of mBERT, 99 languages", f"around {PAPER_ACCURACY:.0f}", ""),
    ]
    ours = [scores[PRETRAINED, layer][0] for layer in layers]
    headline = (
        f"A linear probe tells {langs} languages apart with {min(ours):.1f} to {max(ours):.1f}% accuracy in all "
        f"layers ({scores[UNTRAINED, 0][0]:.1f}% in untrained embeddings, {pieces[0]:.1f}% from word pieces alone); "
        f"the paper's mBERT with around {PAPER_ACCURACY:.0f}% in all tested layers, 99 languages (Wu & Dredze 2019, "
        "Figure 2)."
    )
    accuracies = Table("Accuracy of language identification (%)", ("layer", PRETRAINED, UNTRAINED), tuple(rows))
    sections = figures_and_tables({"Accuracy by layer": _figure(scores, layers, pieces[0])}, [accuracies])
    return Page("Language identification", headline, sections, NOTES, facts)


def _figure(scores: Scores, layers: Sequence[int], pieces: float) -> go.Figure:
    figure = go.Figure()
    for name in (PRETRAINED, UNTRAINED):
        values, lows, highs = zip(*(scores[name, layer] for layer in layers), strict=True)
        above = [high - value for value, high in zip(values, highs, strict=True)]
        below = [value - low for value, low in zip(values, lows, strict=True)]
        error = {"array": above, "arrayminus": below}
        figure.add_scatter(x=list(layers), y=values, error_y=error, name=name)
    paper = "paper: mBERT, 99 languages"
    figure.add_hline(PAPER_ACCURACY, line={"dash": "dash", "color": "#888"}, annotation_text=paper)
    figure.add_hline(pieces, line={"dash": "dot", "color": "#888"}, annotation_text=PIECES)
    return style_figure(figure, "layer (0: embeddings)", "accuracy (%)").update_xaxes(dtick=1)

"""Signals: numbers that a model computes for unlabelled examples, and active samplers choose by.

A decision is a distribution of the head: over the labels of a word or text; over the heads of a word, and over the
relations to the predicted head; over the first and the last word of an answer. A CRF's decisions are its posteriors.
Means are over the decisions of an example, so that its length does not count. `samplers.SIGNALS` lists the signals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import torch

from fewshot.corpora.types import Example
from fewshot.encoders.vectors import Batch
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.evaluation.evaluate import by_batch
from fewshot.training.model import Model

CHUNK = 512
"""Examples that are read together."""

DROPOUT_PASSES = 10
"""Draws of dropout for the mutual information."""

MAX_PAIRS = 8
"""Most pairs of labels per example."""

MAX_EMBEDDING_SIZE = 128
"""Largest size of an embedding; longer ones are projected at random (Johnson & Lindenstrauss 1984)."""

SCALARS = ("entropy", "log_probability", "margin", "mutual_information")


@dataclass(frozen=True, slots=True)
class InputSignals:
    """The numbers that a model computes for one input.

    Args:
        units: number of decisions.
        totals: ``[4]``, sums of `SCALARS` over the decisions.
        errors: expected number of wrong decisions.
        vector: ``[hidden]``, summed over the words.
        words: number of words.
        confusion: ``[labels, labels]``, summed probability of the second label where the first is predicted; or None.
    """

    units: int
    totals: np.ndarray
    errors: float
    vector: np.ndarray
    words: int
    confusion: np.ndarray | None


def signals(
    model: Model,
    examples: Iterable[Example],
    wanted: Collection[str],
    seed: int = 0,
    seconds: Sequence[float] | None = None,
) -> dict[str, np.ndarray]:
    """Compute signals of examples, chunk by chunk.

    Args:
        model: in evaluation mode, on any device.
        examples: any number; their annotation is not used, except for the tags that a parser reads.
        wanted: names of `samplers.SIGNALS`.
        seed: of dropout.
        seconds: of an example, of each token and of each decision to correct, as in the hourly cost model of Ringger et
            al. (2008); None: the published values for the task.

    Returns:
        For each name an array whose first dimension is the examples, in single precision, embeddings in half.

    Raises:
        FewshotError: for an unknown name, or pairs of labels of a task without labels.
    """
    unknown = sorted(set(wanted) - set(SIGNAL_READERS))
    if unknown:
        raise UnknownNameError("signal", unknown[0], list(SIGNAL_READERS))
    if not {"confused_pairs", "expected_errors"}.isdisjoint(wanted) and not model.task.nominal:
        raise FewshotError(f"task {model.task.name} has no labels to confuse; choose another sampler")
    if not wanted:
        return {}
    read_row = SIGNAL_READERS | {"minutes": partial(_minutes, seconds or model.task.time.seconds)}
    nothing = InputSignals(0, np.zeros(len(SCALARS)), 0.0, np.zeros(model.readout.size, np.float32), 0, None)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in wanted}
    stream = iter(examples)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        while chunk := list(islice(stream, CHUNK)):
            read = by_batch(model, model.encode(chunk), lambda batch: _read(model, batch, wanted))
            for name, rows in parts.items():
                values = [
                    read_row[name](example, inputs or [nothing]) for example, inputs in zip(chunk, read, strict=True)
                ]
                rows.append(_compact(name, np.array(values)))
    return {name: np.concatenate(rows) if rows else np.empty(0, np.float32) for name, rows in parts.items()}


def _read(model: Model, batch: Batch, wanted: Collection[str]) -> list[InputSignals]:
    head, mask = model.head, batch.mask
    vectors = model.readout(model.module, batch)
    scores = head(vectors, mask, batch.features)
    predictions = head.decode(scores, mask)
    kinds = head.distributions(scores, mask, predictions)
    drawn = []
    if "mutual_information" in wanted:
        head.train()
        try:
            for _ in range(DROPOUT_PASSES):
                drawn.append(head.distributions(head(vectors, mask, batch.features), mask, predictions))
        finally:
            head.eval()
    confused = not {"confused_pairs", "expected_errors"}.isdisjoint(wanted)
    summed = (vectors * mask.unsqueeze(-1)).sum(1).float().cpu().numpy()
    words = mask.sum(1).tolist()
    rows = zip(kinds, summed, words, strict=True)
    return [
        _summed(decisions, [draw[row] for draw in drawn], vector, count, confused)
        for row, (decisions, vector, count) in enumerate(rows)
    ]


def _summed(
    kinds: Sequence[np.ndarray], drawn: Sequence[Sequence[np.ndarray]], vector: np.ndarray, words: int, confused: bool
) -> InputSignals:
    totals, errors = np.zeros(len(SCALARS)), 0.0
    for number, kind in enumerate(kinds):
        best = -np.sort(-kind, axis=1)[:, :2]
        second = best[:, 1].sum() if kind.shape[1] > 1 else 0.0
        shared = mutual_information(np.stack([draw[number] for draw in drawn])).sum() if drawn else 0.0
        likeliest = np.maximum(best[:, 0], np.finfo(np.float32).tiny)
        totals += entropy(kind).sum(), np.log(likeliest).sum(), best[:, 0].sum() - second, shared
        errors += (1 - best[:, 0]).sum()
    return InputSignals(
        units=sum(len(kind) for kind in kinds),
        totals=totals,
        errors=float(errors),
        vector=vector,
        words=words,
        confusion=confusion(kinds[-1]) if confused and kinds else None,
    )


def entropy(probabilities: np.ndarray) -> np.ndarray:
    """Return the entropy of distributions ``[..., outcomes]``, in nats."""
    logs = np.log(np.where(probabilities > 0, probabilities, 1.0))
    nats: np.ndarray = -(probabilities * logs).sum(-1)
    return nats


def mutual_information(probabilities: np.ndarray) -> np.ndarray:
    """Return the mutual information of outcome and weights in nats (Houlsby et al. 2011, equation 2).

    Args:
        probabilities: ``[draws of the weights, decisions, outcomes]``.
    """
    nats: np.ndarray = np.maximum(entropy(probabilities.mean(0)) - entropy(probabilities).mean(0), 0)
    return nats


def confusion(probabilities: np.ndarray) -> np.ndarray:
    """Return ``[labels, labels]``: the summed probability of a label where another is likeliest."""
    labels = probabilities.shape[1]
    best = probabilities.argmax(1)
    table = np.zeros((labels, labels))
    np.add.at(table, best, probabilities)
    np.fill_diagonal(table, 0)
    return table


def _mean(place: int) -> Any:
    def read(example: Example, inputs: Sequence[InputSignals]) -> float:
        units = sum(row.units for row in inputs)
        return float(sum(row.totals[place] for row in inputs)) / units if units else float(SCALARS[place] == "margin")

    return read


def _minutes(seconds: Sequence[float], example: Example, inputs: Sequence[InputSignals]) -> float:
    fixed, token, correction = seconds
    return (fixed + token * example.length + correction * sum(row.errors for row in inputs)) / 60


def _embedding(example: Example, inputs: Sequence[InputSignals]) -> np.ndarray:
    words = sum(row.words for row in inputs)
    mean: np.ndarray = np.sum([row.vector for row in inputs], axis=0) / max(words, 1)
    return mean


def _pairs(inputs: Sequence[InputSignals]) -> tuple[np.ndarray, np.ndarray]:
    """Return the most confused pairs, numbered smaller label x labels + larger label, and their errors."""
    numbers, errors = np.full(MAX_PAIRS, -1), np.zeros(MAX_PAIRS)
    known = [row.confusion for row in inputs if row.confusion is not None]
    if known:
        total = np.sum(known, axis=0)
        both = np.triu(total + total.T, 1).ravel()
        best = np.argsort(-both, kind="stable")[:MAX_PAIRS]
        best = best[both[best] > 0]
        numbers[: len(best)], errors[: len(best)] = best, both[best]
    return numbers, errors


def _compact(name: str, rows: np.ndarray) -> np.ndarray:
    if name != "embeddings":
        return rows.astype(np.float32)
    if rows.shape[1] > MAX_EMBEDDING_SIZE:
        matrix = np.random.default_rng(0).standard_normal((rows.shape[1], MAX_EMBEDDING_SIZE)) / MAX_EMBEDDING_SIZE**0.5
        rows = rows @ matrix.astype(np.float32)
    return rows.astype(np.float16)


SIGNAL_READERS: dict[str, Any] = {
    "units": lambda example, inputs: sum(row.units for row in inputs),
    **{name: _mean(place) for place, name in enumerate(SCALARS)},
    "minutes": _minutes,
    "embeddings": _embedding,
    "confused_pairs": lambda example, inputs: _pairs(inputs)[0],
    "expected_errors": lambda example, inputs: _pairs(inputs)[1],
}
"""Functions from an example and the values of its inputs to the row of a signal, by the signal's name."""

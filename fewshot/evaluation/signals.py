"""What a model says of unlabelled examples: the numbers that active samplers choose by (see `samplers.SIGNALS`).

A decision is a distribution that the head gives: over the labels of a word or text; over the heads of a word, and over
the relations to the head that is predicted; over the first and the last word of an answer. Means are over the decisions
of an example, so that its length does not count. A CRF's decisions are its posteriors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
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
"""Examples that are read together; only their numbers are kept."""

PASSES = 10
"""Draws of dropout for the mutual information."""

PAIRS = 8
"""Pairs of labels that are kept of an example."""

SIZE = 128
"""Largest size of an embedding; longer ones are projected at random (Johnson & Lindenstrauss 1984)."""

SCALARS = ("entropy", "log_probability", "margin", "mutual_information")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model says of one input.

    Args:
        units: number of decisions.
        totals: ``[4]``, sums of `SCALARS` over the decisions.
        errors: expected number of decisions that are wrong.
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
    """Read examples one chunk after the other and return the numbers that are wanted; where none is, read nothing.

    Args:
        model: in evaluation mode, on any device.
        examples: any number of them; the annotation that they have is not looked at, but for tags that a parser reads.
        wanted: names of `samplers.SIGNALS`.
        seed: of dropout.
        seconds: of an example, of each of its tokens and of each decision that has to be corrected, as in the hourly
            cost model of Ringger et al. (2008); None: as published for the task.

    Returns:
        For each name an array whose first dimension is the examples, in single precision, embeddings in half.

    Raises:
        FewshotError: for an unknown name, or pairs of labels of a task without labels.
    """
    unknown = sorted(set(wanted) - set(READ))
    if unknown:
        raise UnknownNameError("signal", unknown[0], list(READ))
    if not {"confused_pairs", "expected_errors"}.isdisjoint(wanted) and not model.task.nominal:
        raise FewshotError(f"task {model.task.name} has no labels that could be confused; take another sampler")
    if not wanted:
        return {}
    read_row = READ | {"minutes": partial(_minutes, seconds or model.task.time.seconds)}
    nothing = Reading(0, np.zeros(len(SCALARS)), 0.0, np.zeros(model.readout.size, np.float32), 0, None)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in wanted}
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for chunk in _chunks(iter(examples)):
            read = by_batch(model, model.encode(chunk), lambda batch: _read(model, batch, wanted))
            for name, rows in parts.items():
                found = [
                    read_row[name](example, inputs or [nothing]) for example, inputs in zip(chunk, read, strict=True)
                ]
                rows.append(_compact(name, np.array(found)))
    return {name: np.concatenate(rows) if rows else np.empty(0, np.float32) for name, rows in parts.items()}


def _chunks(examples: Iterator[Example]) -> Iterator[list[Example]]:
    while chunk := list(islice(examples, CHUNK)):
        yield chunk


def _read(model: Model, batch: Batch, wanted: Collection[str]) -> list[Reading]:
    head, mask = model.head, batch.mask
    vectors = model.readout(model.module, batch)
    scores = head(vectors, mask, batch.features)
    predictions = head.decode(scores, mask)
    kinds = head.distributions(scores, mask, predictions)
    drawn = []
    if "mutual_information" in wanted:
        head.train()
        try:
            for _ in range(PASSES):
                drawn.append(head.distributions(head(vectors, mask, batch.features), mask, predictions))
        finally:
            head.eval()
    confused = not {"confused_pairs", "expected_errors"}.isdisjoint(wanted)
    summed = (vectors * mask.unsqueeze(-1)).sum(1).float().cpu().numpy()
    words = mask.sum(1).tolist()
    rows = zip(kinds, summed, words, strict=True)
    return [
        _reading(one, [passed[row] for passed in drawn], vector, count, confused)
        for row, (one, vector, count) in enumerate(rows)
    ]


def _reading(
    kinds: Sequence[np.ndarray], drawn: Sequence[Sequence[np.ndarray]], vector: np.ndarray, words: int, confused: bool
) -> Reading:
    totals, errors = np.zeros(len(SCALARS)), 0.0
    for number, kind in enumerate(kinds):
        best = -np.sort(-kind, axis=1)[:, :2]
        second = best[:, 1].sum() if kind.shape[1] > 1 else 0.0
        shared = mutual_information(np.stack([each[number] for each in drawn])).sum() if drawn else 0.0
        likeliest = np.maximum(best[:, 0], np.finfo(np.float32).tiny)
        totals += entropy(kind).sum(), np.log(likeliest).sum(), best[:, 0].sum() - second, shared
        errors += (1 - best[:, 0]).sum()
    return Reading(
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
    found: np.ndarray = -(probabilities * logs).sum(-1)
    return found


def mutual_information(probabilities: np.ndarray) -> np.ndarray:
    """Return the mutual information of outcome and weights (Houlsby et al. 2011, equation 2), in nats.

    Args:
        probabilities: ``[draws of the weights, decisions, outcomes]``.

    Returns:
        ``[decisions]``, 0 or more.
    """
    found: np.ndarray = np.maximum(entropy(probabilities.mean(0)) - entropy(probabilities).mean(0), 0)
    return found


def confusion(probabilities: np.ndarray) -> np.ndarray:
    """Return ``[labels, labels]``: the summed probability of the second label where the first is the likeliest.

    Args:
        probabilities: ``[decisions, labels]``.
    """
    labels = probabilities.shape[1]
    best = probabilities.argmax(1)
    found = np.zeros((labels, labels))
    np.add.at(found, best, probabilities)
    np.fill_diagonal(found, 0)
    return found


def _mean(place: int) -> Any:
    def read(example: Example, inputs: Sequence[Reading]) -> float:
        units = sum(one.units for one in inputs)
        return float(sum(one.totals[place] for one in inputs)) / units if units else float(SCALARS[place] == "margin")

    return read


def _minutes(seconds: Sequence[float], example: Example, inputs: Sequence[Reading]) -> float:
    fixed, token, correction = seconds
    return (fixed + token * example.length + correction * sum(one.errors for one in inputs)) / 60


def _embedding(example: Example, inputs: Sequence[Reading]) -> np.ndarray:
    words = sum(one.words for one in inputs)
    mean: np.ndarray = np.sum([one.vector for one in inputs], axis=0) / max(words, 1)
    return mean


def _pairs(inputs: Sequence[Reading]) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the most confused pairs, smaller label x labels + larger label, and their errors."""
    numbers, errors = np.full(PAIRS, -1), np.zeros(PAIRS)
    known = [one.confusion for one in inputs if one.confusion is not None]
    if known:
        total = np.sum(known, axis=0)
        both = np.triu(total + total.T, 1).ravel()
        best = np.argsort(-both, kind="stable")[:PAIRS]
        best = best[both[best] > 0]
        numbers[: len(best)], errors[: len(best)] = best, both[best]
    return numbers, errors


def _compact(name: str, rows: np.ndarray) -> np.ndarray:
    if name != "embeddings":
        return rows.astype(np.float32)
    if rows.shape[1] > SIZE:
        matrix = np.random.default_rng(0).standard_normal((rows.shape[1], SIZE)) / SIZE**0.5
        rows = rows @ matrix.astype(np.float32)
    return rows.astype(np.float16)


READ: dict[str, Any] = {
    "units": lambda example, inputs: sum(one.units for one in inputs),
    **{name: _mean(place) for place, name in enumerate(SCALARS)},
    "minutes": _minutes,
    "embeddings": _embedding,
    "confused_pairs": lambda example, inputs: _pairs(inputs)[0],
    "expected_errors": lambda example, inputs: _pairs(inputs)[1],
}
"""From an example and what was read of its inputs to its row, by the name of the signal; of minutes, see `_minutes`."""

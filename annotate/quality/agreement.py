"""Agreement of annotators on the same examples, with bootstrap intervals over examples.

Besides the observed agreement: Cohen's kappa (Cohen 1960) and Krippendorff's alpha for nominal data (Krippendorff 2019,
chapter 12). Entities also have F1, since the number of possible spans is unknown (Hripcsak & Rothschild 2005); trees
have attachment scores, answers exact match and F1 over words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fewshot.corpora.tokenization.comparison import cut_into_common_pieces, keep_shared_words
from fewshot.corpora.types import Example, Sentence
from fewshot.errors import FewshotError
from fewshot.tasks import Task
from fewshot.tasks.base import metric_name

RESAMPLES = 1000
MAX_CONFUSION_EXAMPLES = 3

UNMARKED = ""
"""Label of a place that only the other annotator marked."""

Score = Callable[[np.ndarray], float]
"""Computes a measure from summed counts; nan if it is undefined."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of the agreement of two annotators.

    Args:
        key: ``observed``, ``kappa``, ``alpha``, or the key of a metric of the task.
        name: for display, such as ``Cohen's kappa of words``.
        value: at most 1 for kappa and alpha, in percent for everything else; None if undefined.
        low: lower end of the 95% bootstrap interval over examples, without undefined resamples; may be None.
        high: upper end.
        note: why value or interval is None.
    """

    key: str
    name: str
    value: float | None
    low: float | None
    high: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """The agreement on one label: its frequency in both annotations, and in both at the same place.

    F1 is ``2 agreed / (count_a + count_b)``, in percent.
    """

    label: str
    count_a: int
    count_b: int
    agreed: int
    f1: float


@dataclass(frozen=True, slots=True)
class Confusion:
    """Two different labels of one place, empty if unmarked, their frequency, and some example ids."""

    a: str
    b: str
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two annotators.

    Args:
        examples: number of compared examples.
        other_words: number of words left out since only one annotator has them.
        unfinished: number of examples left out since an annotation is incomplete.
        by_label: most frequent first, like `confused`; empty if the task has no choice among labels.
    """

    examples: int
    other_words: int
    unfinished: int
    measures: tuple[Measure, ...]
    by_label: tuple[LabelAgreement, ...]
    confused: tuple[Confusion, ...]


class _ComparedExample(NamedTuple):
    """An example by two annotators, restricted to their common words, and the places each has marked."""

    first: Example
    second: Example
    a: Mapping[Hashable, str]
    b: Mapping[Hashable, str]
    left_out: int

    @property
    def places(self) -> dict[Hashable, None]:
        """The places marked by either annotator, in order."""
        return dict.fromkeys([*self.a, *self.b])


def agreement(task: Task[Any], pairs: Sequence[tuple[Example, Example]], seed: int = 0) -> Agreement:
    """Compare two annotators' versions of the same examples.

    If they have segmented a sentence differently, only common words are compared; entities are compared by characters.

    Raises:
        FewshotError: when there are no examples, or none that both have finished.
    """
    if not pairs:
        raise FewshotError(f"no example has {task.name} annotations by two people; assign some examples to both")
    finished = [pair for pair in pairs if all(map(task.is_whole, pair))]
    if not finished:
        raise FewshotError(f"none of {len(pairs)} examples is finished by both annotators; finish some")
    compared = [_compare(task, first, second) for first, second in finished]
    return Agreement(
        examples=len(compared),
        other_words=sum(example.left_out for example in compared),
        unfinished=len(pairs) - len(compared),
        measures=(*_scores(task, compared, seed), *_chance_corrected(task, compared, seed)),
        by_label=_by_label(compared) if task.nominal else (),
        confused=_confused(compared),
    )


def _compare(task: Task[Any], first: Any, second: Any) -> _ComparedExample:
    left_out = 0
    if isinstance(first, Sentence) and first.words != second.words:
        words = len(first.words) + len(second.words)
        first, second = (cut_into_common_pieces if "entities" in task.columns else keep_shared_words)(first, second)
        left_out = 0 if "entities" in task.columns else words - len(first.words) - len(second.words)
    return _ComparedExample(first, second, task.marks(first), task.marks(second), left_out)


def _matrix(together: Mapping[tuple[str, str], float], labels: Sequence[str]) -> np.ndarray:
    """Return the counts of label pairs, ``[labels, labels]``."""
    cells = [together.get((a, b), 0.0) for a in labels for b in labels]
    return np.array(cells).reshape(len(labels), len(labels))


def _observed(matrix: np.ndarray) -> float:
    return 100 * matrix.trace() / matrix.sum() if matrix.any() else np.nan


def _kappa(matrix: np.ndarray) -> float:
    """Return Cohen's kappa of ``[labels of one annotator, labels of the other]``."""
    chance = matrix.sum(0) @ matrix.sum(1)
    total = matrix.sum() ** 2
    return (matrix.sum() * matrix.trace() - chance) / (total - chance) if total > chance else np.nan


def _alpha(together: np.ndarray) -> float:
    """Return Krippendorff's alpha of a coincidence matrix ``[labels, labels]``, pairs in both orders."""
    total = together.sum()
    chance = total**2 - (together.sum(0) ** 2).sum()
    return 1 - (total - 1) * (total - together.trace()) / chance if len(together) > 1 and chance else np.nan


NOMINAL: Mapping[str, tuple[str, Score]] = {
    "observed": ("observed agreement", _observed),
    "kappa": ("Cohen's kappa", _kappa),
    "alpha": ("Krippendorff's alpha", lambda matrix: _alpha(matrix + matrix.T)),
}


def _chance_corrected(task: Task[Any], compared: Sequence[_ComparedExample], seed: int) -> list[Measure]:
    if not task.nominal:
        return []
    pairs = [Counter(task.pairs(example.first, example.second)) for example in compared]
    labels = sorted({label for counter in pairs for pair in counter for label in pair})
    counts = np.array([_matrix(counter, labels) for counter in pairs])
    note = f"not defined: all {task.nominal} have one label" if labels else f"not defined: no {task.nominal}"
    return [
        _measure(key, f"{name} of {task.nominal}", counts, score, note, seed) for key, (name, score) in NOMINAL.items()
    ]


def _scores(task: Task[Any], compared: Sequence[_ComparedExample], seed: int) -> list[Measure]:
    """Return the task's symmetric metrics, which are undefined if neither annotator marked anything."""
    if not task.symmetric:
        return []
    counts = np.array([[len(example.places), *task.agreed(example.first, example.second)] for example in compared])
    note = "not defined: neither annotator marked anything"
    return [_measure(key, metric_name(key), counts, partial(_metric, task, key), note, seed) for key in task.symmetric]


def _metric(task: Task[Any], key: str, total: np.ndarray) -> float:
    return task.metrics(total[1:])[key] if total[0] else np.nan


def _measure(key: str, name: str, counts: np.ndarray, score: Score, undefined: str, seed: int) -> Measure:
    """Score counts ``[examples, ...]`` that sum over examples, with a bootstrap interval."""
    value = float(score(counts.sum(0)))
    if np.isnan(value):
        return Measure(key, name, None, None, None, undefined)
    n = len(counts)
    if n == 1:
        return Measure(key, name, value, None, None, "an interval needs two examples")
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(float)
    low, high = np.nanpercentile([score(total) for total in np.tensordot(draws, counts, 1)], [2.5, 97.5])
    if high - low < 1e-9:
        return Measure(key, name, value, None, None, "an interval needs examples that differ")
    return Measure(key, name, value, float(low), float(high))


def _by_label(compared: Sequence[_ComparedExample]) -> tuple[LabelAgreement, ...]:
    a = Counter(label for example in compared for label in example.a.values())
    b = Counter(label for example in compared for label in example.b.values())
    agreed = Counter(label for pair in compared for place, label in pair.a.items() if pair.b.get(place) == label)
    labels = sorted(a | b, key=lambda label: (-a[label] - b[label], label))
    return tuple(
        LabelAgreement(label, a[label], b[label], agreed[label], 200 * agreed[label] / (a[label] + b[label]))
        for label in labels
    )


def _confused(compared: Sequence[_ComparedExample]) -> tuple[Confusion, ...]:
    ids: dict[tuple[str, str], list[str]] = {}
    for example in compared:
        for place in example.places:
            a, b = example.a.get(place, UNMARKED), example.b.get(place, UNMARKED)
            if a != b:
                ids.setdefault((a, b), []).append(example.first.id)
    confusions = [
        Confusion(*pair, len(own), tuple(dict.fromkeys(own))[:MAX_CONFUSION_EXAMPLES]) for pair, own in ids.items()
    ]
    return tuple(sorted(confusions, key=lambda confusion: (-confusion.count, confusion.a, confusion.b)))

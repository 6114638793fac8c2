"""Agreement of annotators on the same examples, with bootstrap intervals over examples.

Cohen's kappa (Cohen 1960) and Krippendorff's alpha for nominal data (Krippendorff 2019, chapter 12) stand beside the
observed agreement. Entities have F1 as well, since annotators do not choose among a known number of spans (Hripcsak &
Rothschild 2005); trees have attachment scores, answers exact match and F1 over words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from fewshot.corpora.tokenization.comparison import cut_into_common_pieces, keep_shared_words
from fewshot.corpora.types import Example, Sentence
from fewshot.errors import FewshotError
from fewshot.tasks import Task
from fewshot.tasks.base import metric_name

RESAMPLES = 1000
SHOWN = 3
"""Most examples that a confusion names."""

NOTHING = ""
"""The label of what only the other annotator marked."""

Score = Callable[[np.ndarray], float]
"""From summed counts to a measure; nan where it is not defined."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How much two annotators agree, in one figure.

    Args:
        key: ``observed``, ``kappa``, ``alpha``, or the key of a metric of the task.
        name: for people, such as ``Cohen's kappa of words``.
        value: at most 1 for kappa and alpha, in percent for everything else; None where it is not defined.
        low: lower end of the 95% bootstrap interval over examples; None where there is none. Resamples in which the
            measure is not defined are left out.
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
    """How much two annotators agree on one label.

    Args:
        label: of words, spans or items.
        count_a: how often the first annotator gave it.
        count_b: how often the second did.
        agreed: how often both gave it to the same word, span or item.
        f1: ``2 agreed / (count_a + count_b)``, in percent.
    """

    label: str
    count_a: int
    count_b: int
    agreed: int
    f1: float


@dataclass(frozen=True, slots=True)
class Confusion:
    """Two labels that the annotators gave to the same word, span or item.

    Args:
        a: label of the first annotator, empty where only the second marked something.
        b: label of the second.
        count: how often.
        examples: ids of the first few in which it happened.
    """

    a: str
    b: str
    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two annotators agree on.

    Args:
        examples: how many were compared.
        other_words: how many words were left out since only one of the annotators has them.
        unfinished: how many examples were left out since one of the annotations has gaps.
        by_label: most frequent first; empty where annotating is no choice among labels.
        confused: most frequent first.
    """

    examples: int
    other_words: int
    unfinished: int
    measures: tuple[Measure, ...]
    by_label: tuple[LabelAgreement, ...]
    confused: tuple[Confusion, ...]


class _Compared(NamedTuple):
    """One example as two annotators left it, in units that both have, and what each of them marked."""

    one: Example
    other: Example
    a: Mapping[Hashable, str]
    b: Mapping[Hashable, str]
    left_out: int

    @property
    def places(self) -> dict[Hashable, None]:
        """What either annotator marked, in order."""
        return dict.fromkeys([*self.a, *self.b])


def agreement(task: Task[Any], pairs: Sequence[tuple[Example, Example]], seed: int = 0) -> Agreement:
    """Compare what two annotators made of the same examples.

    Where they have cut a sentence into other words, the words that both have are compared; entities are wherever the
    words end.

    Raises:
        FewshotError: when there is no example, or none that can be compared.
    """
    if not pairs:
        raise FewshotError(f"no example has the {task.name} annotation of two people; have some examples done by both")
    finished = [both for both in pairs if all(map(task.is_whole, both))]
    if not finished:
        raise FewshotError(f"none of {len(pairs)} examples is finished by both annotators; finish some")
    compared = [_compared(task, one, other) for one, other in finished]
    return Agreement(
        examples=len(compared),
        other_words=sum(each.left_out for each in compared),
        unfinished=len(pairs) - len(compared),
        measures=(*_scores(task, compared, seed), *_chance_corrected(task, compared, seed)),
        by_label=_by_label(compared) if task.nominal else (),
        confused=_confused(compared),
    )


def _compared(task: Task[Any], one: Any, other: Any) -> _Compared:
    left_out = 0
    if isinstance(one, Sentence) and one.words != other.words:
        words = len(one.words) + len(other.words)
        one, other = (cut_into_common_pieces if "entities" in task.columns else keep_shared_words)(one, other)
        left_out = 0 if "entities" in task.columns else words - len(one.words) - len(other.words)
    return _Compared(one, other, task.marks(one), task.marks(other), left_out)


def alpha(table: Sequence[Sequence[str | None]]) -> float | None:
    """Return Krippendorff's alpha for nominal data of any number of annotators.

    Args:
        table: ``[items, annotators]``, None where an annotator has not labelled an item.

    Returns:
        At most 1; None where all labels are the same, so that no chance agreement can be told from real one.

    Raises:
        FewshotError: when no item has labels of two annotators.
    """
    together: dict[tuple[str, str], float] = defaultdict(float)
    for row in table:
        labels = Counter(label for label in row if label is not None)
        for a, b in product(labels, repeat=2):
            if labels.total() > 1:
                together[a, b] += labels[a] * (labels[b] - (a == b)) / (labels.total() - 1)
    if not together:
        raise FewshotError("no item has labels of two annotators; have some items done by more than one")
    value = _alpha(_matrix(together, sorted({label for label, _ in together})))
    return None if np.isnan(value) else float(value)


def _matrix(together: Mapping[tuple[str, str], float], labels: Sequence[str]) -> np.ndarray:
    """Return how often each label stands beside each, ``[labels, labels]``."""
    cells = [together.get((a, b), 0.0) for a in labels for b in labels]
    return np.array(cells).reshape(len(labels), len(labels))


def _observed(matrix: np.ndarray) -> float:
    """Return the percentage of units with the same label."""
    return 100 * matrix.trace() / matrix.sum() if matrix.any() else np.nan


def _kappa(matrix: np.ndarray) -> float:
    """Return Cohen's kappa of ``[labels of one annotator, labels of the other]``."""
    chance = matrix.sum(0) @ matrix.sum(1)
    total = matrix.sum() ** 2
    return (matrix.sum() * matrix.trace() - chance) / (total - chance) if total > chance else np.nan


def _alpha(together: np.ndarray) -> float:
    """Return Krippendorff's alpha of a coincidence matrix ``[labels, labels]``, with each pair in both orders."""
    total = together.sum()
    chance = total**2 - (together.sum(0) ** 2).sum()
    return 1 - (total - 1) * (total - together.trace()) / chance if len(together) > 1 and chance else np.nan


NOMINAL: Mapping[str, tuple[str, Score]] = {
    "observed": ("observed agreement", _observed),
    "kappa": ("Cohen's kappa", _kappa),
    "alpha": ("Krippendorff's alpha", lambda matrix: _alpha(matrix + matrix.T)),
}


def _chance_corrected(task: Task[Any], compared: Sequence[_Compared], seed: int) -> list[Measure]:
    """Return kappa, alpha and the observed agreement that they correct."""
    if not task.nominal:
        return []
    pairs = [Counter(task.pairs(each.one, each.other)) for each in compared]
    labels = sorted({label for each in pairs for pair in each for label in pair})
    counts = np.array([_matrix(each, labels) for each in pairs])
    note = f"not defined: all {task.nominal} have one label" if labels else f"not defined: no {task.nominal}"
    return [
        _measure(key, f"{name} of {task.nominal}", counts, score, note, seed) for key, (name, score) in NOMINAL.items()
    ]


def _scores(task: Task[Any], compared: Sequence[_Compared], seed: int) -> list[Measure]:
    """Return the symmetric metrics of the task; they are not defined where neither annotator marked anything."""
    if not task.symmetric:
        return []
    counts = np.array([[len(each.places), *task.counts(each.one, each.other)] for each in compared])
    note = "not defined: neither annotator marked anything"
    return [_measure(key, metric_name(key), counts, partial(_metric, task, key), note, seed) for key in task.symmetric]


def _metric(task: Task[Any], key: str, total: np.ndarray) -> float:
    return task.metrics(total[1:])[key] if total[0] else np.nan


def _measure(key: str, name: str, counts: np.ndarray, score: Score, undefined: str, seed: int) -> Measure:
    """Score counts ``[examples, ...]`` that sum over examples, and resamples of them."""
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


def _by_label(compared: Sequence[_Compared]) -> tuple[LabelAgreement, ...]:
    a = Counter(label for each in compared for label in each.a.values())
    b = Counter(label for each in compared for label in each.b.values())
    agreed = Counter(label for each in compared for place, label in each.a.items() if each.b.get(place) == label)
    labels = sorted(a | b, key=lambda label: (-a[label] - b[label], label))
    return tuple(
        LabelAgreement(label, a[label], b[label], agreed[label], 200 * agreed[label] / (a[label] + b[label]))
        for label in labels
    )


def _confused(compared: Sequence[_Compared]) -> tuple[Confusion, ...]:
    ids: dict[tuple[str, str], list[str]] = {}
    for each in compared:
        for place in each.places:
            a, b = each.a.get(place, NOTHING), each.b.get(place, NOTHING)
            if a != b:
                ids.setdefault((a, b), []).append(each.one.id)
    found = [Confusion(a, b, len(all_), tuple(dict.fromkeys(all_))[:SHOWN]) for (a, b), all_ in ids.items()]
    return tuple(sorted(found, key=lambda confusion: (-confusion.count, confusion.a, confusion.b)))

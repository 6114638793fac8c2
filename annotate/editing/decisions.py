"""What a person has decided of the forms of words, weighed against the model that suggests: no training is needed.

A form that was given a label speaks for it in the sentences that follow, as in the cache of a language model (Kuhn & De
Mori 1990). Against the model's probabilities each decision counts once, and the model as often as it was right in the
same sentences for each time that it was wrong, both plus one: one that errs in every third word is overruled by two
decisions at most, one that errs in every thirtieth by hardly any. `tests/benchmarks/decisions.py` measures what it
brings.

Only columns of labels that the model has ranked are weighed: tags and relations, not heads. Of entities, names that
came again were too few to help.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from annotate.store import Suggestion
from fewshot.corpora.types import UNANNOTATED

LONGEST = 300
"""Sentences whose decisions count, the newest: models learn from older ones."""

MOST = 5
"""Labels that are ranked for a word."""

ROOT = "root"
RANKED = "_ranked"


class Decisions:
    """The labels that one person gave to forms in one task, and how often models were right there."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._right: Counter[tuple[str, str]] = Counter()
        self._wrong: Counter[tuple[str, str]] = Counter()

    def learn(self, words: Sequence[str], annotation: Mapping[str, Any], suggestion: Suggestion | None) -> None:
        """Take in a finished sentence.

        Args:
            words: of the annotation.
            annotation: see `annotate.editing.content.annotation_of`.
            suggestion: the model's for it, shown or not; None where there was none.
        """
        proposed = suggestion.data["annotation"] if suggestion else {}
        for column, labels in _labels(annotation, len(words)):
            for word, label in zip(words, labels, strict=True):
                if label == UNANNOTATED:
                    continue
                self._given[column, word.casefold()][label] += 1
            guesses = proposed.get(column, ())
            if suggestion and len(guesses) == len(words):
                right = sum(label == guess for label, guess in zip(labels, guesses, strict=True))
                self._right[suggestion.model, column] += right
                self._wrong[suggestion.model, column] += len(words) - right

    def follow(self, words: Sequence[str], suggestion: Suggestion) -> dict[str, Any]:
        """Return what a suggestion becomes.

        Args:
            words: that it is about.
            suggestion: of a model; stays as it is.

        Returns:
            Its data, with other labels, ranks and confidences where the form was decided before, and ``decided``: how
            often a word's form was given the label which stands in place of the model's, 0 where the model's stands.
        """
        data = {**suggestion.data, "annotation": dict(suggestion.data["annotation"])}
        heads = data["annotation"].get("heads")
        decided = [0] * len(words)
        for column, labels in _labels(data["annotation"], len(words)):
            if column + RANKED not in data:
                continue
            key = suggestion.model, column
            weight = (self._right[key] + 1) / (self._wrong[key] + 1)
            rows, sure = list(data[column + RANKED]), list(data["confidence"])
            for place, word in enumerate(words):
                given = self._given.get((column, word.casefold()))
                if not given or (heads and not heads[place]):  # the root's relation is no matter of its form
                    continue
                scores = Counter({label: weight * share for label, share in rows[place]})
                scores.update({label: count for label, count in given.items() if not heads or label != ROOT})
                whole = weight + sum(given.values())
                likeliest = scores.most_common(MOST)
                best, score = likeliest[0]
                before = next((share for label, share in rows[place] if label == labels[place]), 0)
                sure[place] = round(sure[place] * score / whole / before, 4) if before else sure[place]
                rows[place] = [[label, round(share / whole, 4)] for label, share in likeliest]
                decided[place] = max(decided[place], given[best] if best != labels[place] else 0)
                labels[place] = best
            data["annotation"][column], data[column + RANKED] = labels, rows
            data |= {"confidence": [min(1.0, share) for share in sure], "decided": decided}
        return data


def _labels(annotation: Mapping[str, Any], length: int) -> list[tuple[str, list[str]]]:
    """Return the columns of an annotation that have a label a word."""
    return [
        (name, list(values))
        for name, values in annotation.items()
        if isinstance(values, list) and name not in ("words", "ranges", "heads", "entities") and len(values) == length
    ]

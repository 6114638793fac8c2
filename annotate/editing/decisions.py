"""The labels that a person gave to word forms, weighed against suggestions of a model.

A form that was given a label votes for that label in later sentences, as in the cache of a language model (Kuhn & De
Mori 1990). Each decision has one vote. The model's probabilities are weighed by (right + 1) / (wrong + 1), counted over
its suggestions for the same sentences: two decisions overrule a model that errs in every third word; a model that errs
in every thirtieth word is hardly ever overruled. `tests/benchmarks/decisions.py` measures the gain.

Only columns whose labels the model has ranked are weighed: tags and relations, not heads. Names of entities recur too
rarely to help.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from annotate.store import Suggestion
from fewshot.corpora.types import UNANNOTATED

MAX_SENTENCES = 300
"""Number of the newest sentences whose decisions count; models learn from older ones."""

MAX_RANKED = 5
"""Maximum number of ranked labels of a word."""

ROOT = "root"
RANKED = "_ranked"


class Decisions:
    """The labels that one person gave to forms in one task, and how often models were right there."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._right: Counter[tuple[str, str]] = Counter()
        self._wrong: Counter[tuple[str, str]] = Counter()

    def learn(self, words: Sequence[str], annotation: Mapping[str, Any], suggestion: Suggestion | None) -> None:
        """Learn from a finished sentence.

        Args:
            words: of the annotation.
            annotation: see `annotate.editing.content.annotation_of`.
            suggestion: of a model for this sentence, shown or not; None if there was none.
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
        """Return the data of a suggestion, changed by earlier decisions.

        Args:
            words: of the suggestion.

        Returns:
            New data with changed labels, ranks and confidences for forms with earlier decisions, and ``decided``: how
            often a form was given the label that replaces the model's, 0 where the model's label stays.
        """
        data = {**suggestion.data, "annotation": dict(suggestion.data["annotation"])}
        heads = data["annotation"].get("heads")
        decided = [0] * len(words)
        for column, labels in _labels(data["annotation"], len(words)):
            if column + RANKED not in data:
                continue
            key = suggestion.model, column
            weight = (self._right[key] + 1) / (self._wrong[key] + 1)
            rows, confidence = list(data[column + RANKED]), list(data["confidence"])
            for place, word in enumerate(words):
                given = self._given.get((column, word.casefold()))
                if not given or (heads and not heads[place]):  # the relation of the root does not depend on the form
                    continue
                scores = Counter({label: weight * share for label, share in rows[place]})
                scores.update({label: count for label, count in given.items() if not heads or label != ROOT})
                whole = weight + sum(given.values())
                likeliest = scores.most_common(MAX_RANKED)
                best, score = likeliest[0]
                before = next((share for label, share in rows[place] if label == labels[place]), 0)
                confidence[place] = (
                    round(confidence[place] * score / whole / before, 4) if before else confidence[place]
                )
                rows[place] = [[label, round(share / whole, 4)] for label, share in likeliest]
                decided[place] = max(decided[place], given[best] if best != labels[place] else 0)
                labels[place] = best
            data["annotation"][column], data[column + RANKED] = labels, rows
            data |= {"confidence": [min(1.0, share) for share in confidence], "decided": decided}
        return data


def _labels(annotation: Mapping[str, Any], length: int) -> list[tuple[str, list[str]]]:
    """Return the columns of an annotation that have one label for each word."""
    return [
        (name, list(values))
        for name, values in annotation.items()
        if isinstance(values, list) and name not in ("words", "ranges", "heads", "entities") and len(values) == length
    ]

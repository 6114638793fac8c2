"""What is known of word forms in a project, weighed against suggestions of a model.

A form that was given a label votes for that label in later sentences, as in the cache of a language model (Kuhn & De
Mori 1990). Each decision of a person has one vote, and so has each reading of an imported lexicon. Lemma, XPOS and
features follow the tag. The model's probabilities are weighed by (right + 1) / (wrong + 1), counted over its
suggestions for the same sentences: two decisions overrule a model that errs in every third word; a model that errs in
every thirtieth word is hardly ever overruled. `tests/benchmarks/decisions.py` measures the gain.

Only columns whose labels the model has ranked are weighed: tags and relations, not heads. Names of entities recur too
rarely to help. Columns that no model suggests are filled from the lexicon alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Self

from annotate.editing import changed_values
from annotate.store import Suggestion
from fewshot.corpora.lexicon import LexiconEntry, key_of
from fewshot.corpora.types import UNANNOTATED
from fewshot.tasks.dep import ROOT
from fewshot.tasks.pos import UPOS_COLUMN

MAX_SENTENCES = 300
"""Number of the newest sentences whose decisions count; models learn from older ones."""

MAX_RANKED = 5
"""Maximum number of ranked labels of a word."""

RANKED = "_ranked"

FOLLOWING_TAG = ("lemmas", "xpos", "feats")
"""Columns that are looked up by form and tag."""

Key = tuple[str, str, str]
"""Column, form, and the tag for the columns of `FOLLOWING_TAG`, else empty."""


class Lexicon:
    """The labels that forms have in one task, and how often models were right for one person."""

    def __init__(self) -> None:
        self._given: dict[Key, Counter[str]] = defaultdict(Counter)
        self._imported: dict[Key, Counter[str]] = {}
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
        tags = annotation.get(UPOS_COLUMN)
        for column, labels in _labels(annotation, len(words)):
            for place, (word, label) in enumerate(zip(words, labels, strict=True)):
                if label != UNANNOTATED:
                    self._given[_key(column, word, tags, place)][label] += 1
            guesses = proposed.get(column, ())
            if suggestion and len(guesses) == len(words):
                right = sum(label == guess for label, guess in zip(labels, guesses, strict=True))
                self._right[suggestion.model, column] += right
                self._wrong[suggestion.model, column] += len(words) - right

    def with_entries(self, entries: Iterable[LexiconEntry]) -> Self:
        """Return a lexicon that also has the readings of an imported one."""
        lexicon = copy(self)
        lexicon._imported = defaultdict(Counter)
        for entry in entries:
            values = {UPOS_COLUMN: entry.upos, "lemmas": entry.lemma, "feats": entry.feats}
            for column, value in values.items():
                if value != UNANNOTATED:
                    lexicon._imported[_key(column, entry.form, [entry.upos], 0)][value] = 1
        return lexicon

    def follow(
        self, words: Sequence[str], suggestion: Suggestion | None, columns: Sequence[str] = ()
    ) -> dict[str, Any] | None:
        """Return the data of a suggestion, changed by what is known of its words; None if nothing is.

        Args:
            words: of the suggestion.
            suggestion: of a model, or None.
            columns: to fill in where the model suggests nothing.

        Returns:
            New data with changed labels, ranks and confidences for known forms; ``decided``: how often a form was given
            the label that replaces the model's, 0 where the model's label stays; ``listed``: whether only an imported
            lexicon has that label.
        """
        length, title = len(words), suggestion.model if suggestion else ""
        data: dict[str, Any] = dict(suggestion.data) if suggestion else {"annotation": {}}
        data["annotation"] = {column: [UNANNOTATED] * length for column in columns} | data["annotation"]
        data |= {"decided": [0] * length, "listed": [False] * length}
        data["confidence"] = list(data.get("confidence", [None] * length))  # of words, None where no model says
        for column, labels in _labels(data["annotation"], length):
            if column + RANKED in data or column in columns:
                weight = (self._right[title, column] + 1) / (self._wrong[title, column] + 1)
                self._weigh(words, column, labels, weight, data)
        if set(data["confidence"]) == {None}:
            del data["confidence"]
        return data if suggestion or any(data["decided"]) or any(data["listed"]) else None

    def _weigh(self, words: Sequence[str], column: str, labels: list[str], weight: float, data: dict[str, Any]) -> None:
        """Change the labels of a column in the data of a suggestion, see `follow`."""
        heads, tags = data["annotation"].get("heads"), data["annotation"].get(UPOS_COLUMN)
        rows = list(data.get(column + RANKED) or [[] for _ in words])
        for place, word in enumerate(words):
            key = _key(column, word, tags, place)
            given, listed = self._given.get(key, Counter()), self._imported.get(key, Counter())
            is_root = heads and not heads[place]  # its relation does not depend on the form
            is_fixed = not rows[place] and labels[place] != UNANNOTATED
            if not (given or listed) or is_root or is_fixed:
                continue
            scores = Counter({label: weight * share for label, share in rows[place]})
            scores.update({label: count for label, count in (given + listed).items() if not heads or label != ROOT})
            whole = (weight if rows[place] else 0) + given.total() + listed.total()
            likeliest = scores.most_common(MAX_RANKED)
            best, score = likeliest[0]
            sure = data["confidence"][place]
            before = next((share for label, share in rows[place] if label == labels[place]), 0)
            sure = sure * score / whole / before if before else sure or score / whole
            data["confidence"][place] = min(1.0, round(sure, 4))
            if best != labels[place]:
                data["decided"][place] = max(data["decided"][place], given[best])
                data["listed"][place] |= bool(listed[best]) and not given[best]
            rows[place] = [[label, round(share / whole, 4)] for label, share in likeliest]
            labels[place] = best
        data["annotation"][column], data[column + RANKED] = labels, rows


def _key(column: str, word: str, tags: Sequence[str] | None, place: int) -> Key:
    return column, key_of(word), tags[place] if tags and column in FOLLOWING_TAG else ""


def _labels(annotation: Mapping[str, Any], length: int) -> list[tuple[str, list[str]]]:
    """Return the columns of an annotation that have one label for each word, the tags first."""
    columns = [
        (name, list(values))
        for name, values in annotation.items()
        if isinstance(values, list)
        and name not in ("words", "ranges", "heads", "entities", *changed_values.columns(annotation))
        and len(values) == length
    ]
    return sorted(columns, key=lambda column: column[0] != UPOS_COLUMN)

"""Training data of a project: the shots in the order of their rounds, and the test set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotate.editing import content, uploaded
from annotate.quality import gold
from annotate.store import SHOTS, Project, Store
from fewshot import tasks
from fewshot.corpora.load import fingerprint
from fewshot.corpora.tokenization.sentences import separated
from fewshot.corpora.types import Sentence

SEEDS = 2
"""Trainings per round."""

FOLDS = 5
"""Folds of the cross-validation if there is no test set."""


@dataclass(frozen=True)
class TrainingData:
    """Annotated examples of one task.

    Args:
        shots: in the order of their rounds; an example that annotators split counts as several sentences.
        ids: example id of each shot, repeated for the sentences of a split example.
        ks: number of shots after each round, rising.
        test: the test set; if empty, shots are cross-validated.
        people: whether any of the test set was annotated in this project; other labels are imported.
    """

    shots: Sequence[Any]
    ids: Sequence[int]
    ks: Sequence[int]
    test: Sequence[Any]
    people: bool

    @property
    def scored(self) -> Sequence[Any]:
        """The examples on which the newest model is scored: the test set, else the shots."""
        return self.test or self.shots

    @property
    def trainable(self) -> Sequence[int]:
        """Each k that can be scored; without a test set, a single shot cannot."""
        return [k for k in self.ks if self.test or len(set(self.ids[:k])) > 1]

    def folds(self, k: int) -> int:
        """Return the number of trainings that score k shots: the folds, or 1 with a test set."""
        return 1 if self.test else min(FOLDS, len(set(self.ids[:k])))

    def fold_of(self, k: int) -> list[int]:
        """Return the fold of each of k shots; sentences of one example share a fold."""
        places = {example: place for place, example in enumerate(dict.fromkeys(self.ids[:k]))}
        return [places[example] % self.folds(k) for example in self.ids[:k]]

    def splits(self, k: int) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the places of the training shots and of the held-out ones for each fold of k shots."""
        fold_of = self.fold_of(k)
        for fold in range(self.folds(k)):
            held_out = [shot for shot in range(k) if fold_of[shot] == fold]
            yield [shot for shot in range(k) if fold_of[shot] != fold], held_out

    def scored_on(self, k: int) -> str:
        """Return the fingerprint of the examples that score k shots; only equal ones compare."""
        return self._of_test or self.shots_fingerprint(k)

    def shots_fingerprint(self, k: int) -> str:
        """Return the fingerprint of the first k shots with their annotation."""
        return fingerprint(self.shots[:k])

    @cached_property
    def _of_test(self) -> str:
        return fingerprint(self.test) if self.test else ""


def training_data(store: Store, project: Project, task: str) -> TrainingData:
    """Return the shots and the test set of a task, without disputed and invalid annotations."""
    gold_data = gold.gold(store, project, task)
    rounds: dict[int, list[int]] = {}
    numbers = {drawn.id: drawn.number for drawn in store.rounds(project.id)}
    for item in store.items(project.id, task=task, purpose=SHOTS):
        if item.example_id in gold_data.annotations:
            rounds.setdefault(numbers[item.round_id], []).append(item.example_id)
    in_order: dict[int, None] = {}  # each example in the first of its rounds
    counts = []
    for number in sorted(rounds):
        in_order |= dict.fromkeys(rounds[number])
        counts.append(len(in_order))
    order = list(in_order)
    rows = {row.id: row for row in store.examples(project.id, ids=order)} if order else {}
    annotated = [_annotated(task, rows[example], gold_data.annotations[example]) for example in order]
    test, people = _test(store, project, task, gold_data)
    tested = {part for example in test for part in example.parts}
    sizes = [len(example.sentences) if isinstance(example, Sentence) else 1 for example in annotated]
    places = [place for place, size in enumerate(sizes) for _ in range(size)]
    parts = zip(places, separated(annotated), strict=True)
    kept = [(place, part) for place, part in parts if tested.isdisjoint(part.parts)]
    ks = {sum(place < count for place, _ in kept) for count in counts}
    shots, ids = [part for _, part in kept], [order[place] for place, _ in kept]
    return TrainingData(shots, ids, sorted(ks), test, people)


def _test(store: Store, project: Project, task: str, gold_data: gold.Gold) -> tuple[list[Any], bool]:
    """Return the test set with its annotations, else with imported labels, and whether any is annotated."""
    kind = tasks.get(task, project.labels[task])
    test, people = [], False
    for row in store.examples(project.id, split="test"):
        annotation = gold_data.annotations.get(row.id)
        example = _annotated(task, row, annotation) if annotation else content.from_json(row.content)
        if uploaded.is_valid(kind, example):
            test.append(example)
            people = people or annotation is not None
    return separated(test), people


def _annotated(task: str, row: Any, annotation: Any) -> Any:
    return content.annotated(task, content.from_json(row.content).unannotated(), dict(annotation))

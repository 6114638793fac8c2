"""What a project offers a trainer: the shots in the order of their rounds, and what scores are measured on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotate.editing import content, uploaded
from annotate.quality import gold
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.corpora.load import fingerprint
from fewshot.corpora.tokenization.repair import separated
from fewshot.corpora.types import Sentence

SEEDS = 2
"""Trainings on the shots of a round."""

FOLDS = 5
"""Parts that the shots are cut into where there is no test set."""


@dataclass(frozen=True)
class TrainingData:
    """Annotated examples of one task.

    Args:
        shots: in the order of their rounds; of what people see as several sentences those that are not in the test set.
        ids: of the shots, as the store has them; one in which people see several sentences is there for each.
        ks: how many shots there were after each round, rising.
        test: the test set; empty where there is none, then shots are cross-validated.
        people: whether people annotated any of it here; other labels came with the data.
    """

    shots: Sequence[Any]
    ids: Sequence[int]
    ks: Sequence[int]
    test: Sequence[Any]
    people: bool

    @property
    def scored(self) -> Sequence[Any]:
        """What the newest model is scored on: the test set, else the shots."""
        return self.test or self.shots

    @property
    def trainable(self) -> Sequence[int]:
        """The k that a training can be scored on: without a test set one shot has none to be scored by."""
        return [k for k in self.ks if self.test or len(set(self.ids[:k])) > 1]

    def folds(self, k: int) -> int:
        """Return how many models score k shots: one on the test set, else one on each part that shots are cut into."""
        return 1 if self.test else min(FOLDS, len(set(self.ids[:k])))

    def fold_of(self, k: int) -> list[int]:
        """Return which part each of k shots is in: the same for those that are one sentence of the file."""
        places = {example: place for place, example in enumerate(dict.fromkeys(self.ids[:k]))}
        return [places[example] % self.folds(k) for example in self.ids[:k]]

    def scored_on(self, k: int) -> str:
        """Return the fingerprint of what k is scored on: the test set, else its shots; other scores do not compare."""
        return self._of_test or self.learned(k)

    def learned(self, k: int) -> str:
        """Return the fingerprint of the first k shots with their annotation."""
        return fingerprint(self.shots[:k])

    @cached_property
    def _of_test(self) -> str:
        return fingerprint(self.test) if self.test else ""


def training_data(store: Store, project: Project, task: str) -> TrainingData:
    """Return the shots and the test set of a task; what is in dispute, or has no valid annotation, is left out."""
    found = gold.gold(store, project, task)
    rounds: dict[int, list[int]] = {}
    numbers = {drawn.id: drawn.number for drawn in store.rounds(project.id) if drawn.purpose == "shots"}
    for item in store.items(project.id, task=task):
        if item.round_id in numbers and item.example_id in found.annotations:
            rounds.setdefault(numbers[item.round_id], []).append(item.example_id)
    order: list[int] = []
    counts = []
    for number in sorted(rounds):
        order += [example for example in dict.fromkeys(rounds[number]) if example not in order]
        counts.append(len(order))
    rows = {row.id: row for row in store.examples(project.id, ids=order)} if order else {}
    annotated = [_annotated(task, rows[example], found.annotations[example]) for example in order]
    test, people = _test(store, project, task, found)
    tested = {example.key for example in test}
    sizes = [len(each.sentences) if isinstance(each, Sentence) else 1 for each in annotated]
    places = [place for place, size in enumerate(sizes) for _ in range(size)]
    parts = zip(places, separated(annotated), strict=True)
    kept = [(place, part) for place, part in parts if sizes[place] == 1 or part.key not in tested]
    ks = {sum(place < count for place, _ in kept) for count in counts}
    shots, ids = [part for _, part in kept], [order[place] for place, _ in kept]
    return TrainingData(shots, ids, sorted(ks), test, people)


def _test(store: Store, project: Project, task: str, found: gold.Gold) -> tuple[list[Any], bool]:
    """Return the test set with what people annotated of it, else with the labels that it came with."""
    kind = tasks.get(task, project.labels[task])
    test, people = [], False
    for row in store.examples(project.id, split="test"):
        mine = found.annotations.get(row.id)
        example = _annotated(task, row, mine) if mine else content.from_json(row.content)
        if uploaded.is_valid(kind, example):
            test.append(example)
            people = people or mine is not None
    return separated(test), people


def _annotated(task: str, row: Any, annotation: Any) -> Any:
    return content.annotated(task, content.from_json(row.content).unannotated(), dict(annotation))

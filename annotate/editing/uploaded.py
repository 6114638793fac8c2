"""Annotation that an uploaded file brings: the project continues it, or hides it as gold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from annotate.editing import content
from annotate.store import Project
from fewshot import tasks
from fewshot.corpora.documents import misc
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.iob import to_iob2
from fewshot.corpora.types import UNANNOTATED, Sentence

READING_KEYS = ("Gloss", "Lang", "MGloss", "MSeg", "Ref", "Translit")
"""Keys of MISC that help to read a sentence; other keys may give away what annotators are to find."""


def is_annotated(task: tasks.Task[Any], example: Any) -> bool:
    """Return whether people have annotated an example, at least in part; labels of a model do not count."""
    return bool(task.is_annotated(example)) and not set(task.columns) & set(example.predicted)


def is_valid(task: tasks.Task[Any], example: Any) -> bool:
    """Return whether an example can be gold: people have annotated it, without a fault."""
    return is_annotated(task, example) and not task.check(example)


def is_finished(task: tasks.Task[Any], example: Any) -> bool:
    """Return whether people have annotated an example completely and without an error."""
    return is_annotated(task, example) and not task.errors(in_iob2(example))


def in_iob2(example: Any) -> Any:
    """Return an example with its entity tags converted to IOB2."""
    if not isinstance(example, Sentence):
        return example
    return replace(example, entities=to_iob2(example.entities))


@dataclass(slots=True)
class AnnotationCount:
    """How many examples are annotated, counted while they are read.

    Args:
        kinds: the tasks of the project.
        read: number of examples.
        annotated: number of examples with annotation of any task.
        whole: number of examples without a gap in any task.
        wrong: number of examples whose annotation is invalid, see `Task.check`.
        fault: the first fault, with file and line.
    """

    kinds: Sequence[tasks.Task[Any]]
    read: int = 0
    annotated: int = 0
    whole: int = 0
    wrong: int = 0
    fault: str = ""

    @classmethod
    def of(cls, names: Sequence[str]) -> Self:
        """Return an empty count for these tasks."""
        return cls([tasks.get(name) for name in names])

    @property
    def is_gold(self) -> bool:
        """Whether every example is fully annotated, so that the labels are gold rather than work to continue."""
        return 0 < self.read == self.whole

    def count(self, examples: Iterable[Any]) -> Iterator[Any]:
        """Yield examples and count them."""
        for example in examples:
            known = [is_annotated(kind, example) for kind in self.kinds]
            self.read += 1
            self.annotated += any(known)
            self.whole += all(known) and all(kind.is_whole(example) for kind in self.kinds)
            faults = (_fault(kind, example) for kind, held in zip(self.kinds, known, strict=True) if held)
            if fault := next(filter(None, faults), None):
                self.wrong += 1
                self.fault = self.fault or f"{Path(tasks.place_of(example, fault)).name}: {fault.message}"
            yield example


def _fault(kind: tasks.Task[Any], example: Any) -> tasks.Problem | None:
    """Return the first fault of an annotation, or None."""
    return next(iter(kind.fitted([example]).faults(example)), None) if kind.check(example) else None


def shown(project: Project, example: Any) -> Any:
    """Return an example as annotators first see it: without hidden gold or annotation of their tasks."""
    if project.hides_gold:
        return without_gold(example)
    for task in project.tasks:
        example = content.annotated(task, example, {})
    return example


def without_gold(example: Any) -> Any:
    """Return an example without annotation whose columns are not read from its lines later."""
    example = example.unannotated()
    if not isinstance(example, Sentence):
        return example
    blank = dict.fromkeys(Sentence.asked, (UNANNOTATED,) * len(example.words))
    return example.annotated(**blank, following=tuple(map(without_gold, example.following)))


def annotation(project: Project, task: str, example: Any) -> dict[str, Any] | None:
    """Return the annotation of a task from the file; None if it is hidden or missing."""
    if project.hides_gold or not is_annotated(tasks.get(task, project.labels.get(task)), example):
        return None
    return content.annotation_of(task, in_iob2(example))


def shown_misc(sentence: Sentence, hides_gold: bool) -> list[str]:
    """Return MISC of each word as annotators see it: of hidden gold `READING_KEYS` and their own values."""
    columns = [misc.editable(word.misc.text) for word in to_model(sentence).words]
    if not hides_gold:
        return columns
    written = sentence.misc or (None,) * len(columns)
    return [
        misc.select(column, READING_KEYS) if own is None else column
        for column, own in zip(columns, written, strict=True)
    ]


def with_hidden_misc(project: Project, example: Any) -> Any:
    """Return an example with the hidden keys of MISC added to what annotators have written."""
    if not project.hides_gold or not isinstance(example, Sentence) or not example.misc:
        return example
    files = to_model(replace(example, misc=())).words
    values = (
        own and misc.add_unedited(own, word.misc.text, READING_KEYS)
        for own, word in zip(example.misc, files, strict=True)
    )
    return replace(example, misc=tuple(values))

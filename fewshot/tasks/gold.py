"""Checks that examples have valid annotation of a task, made or checked by people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fewshot.corpora.formats.conllu import where_of
from fewshot.corpora.types import Example, Sentence
from fewshot.errors import CorpusError, FewshotError, counted
from fewshot.tasks.base import Problem, Task

UNCHECKED_MESSAGE = "the {task} annotation here is a model's; correct it, or leave the example out"
"""Error message for an unchecked example that a model annotated."""


def as_examples(task: Task[Any], given: Iterable[Any]) -> list[Any]:
    """Return examples, which may come from a generator, as a list.

    Raises:
        FewshotError: for a value that is no list of examples of the task.
    """
    kind = task.example.kind
    if not isinstance(given, Iterable):
        remedy = "put it in brackets" if isinstance(given, task.example) else "read examples with fs.load or fs.read"
        raise FewshotError(f"{type(given).__name__} is no list of {kind}; {remedy}")
    examples = list(given)
    for example in examples:
        if not isinstance(example, task.example):
            other, where, key = (getattr(example, name, "") for name in ("kind", "where", "id"))
            said = other or f"{type(example).__name__}; read examples with fs.load or fs.read"
            raise CorpusError(f"task {task.name} is about {kind}; these are {said}", where or key)
    return examples


def check_gold(task: Task[Any], examples: Sequence[Any]) -> None:
    """Raise a CorpusError for the first example without valid gold annotation of a task."""
    for error in gold_errors(task, examples):
        raise error


def gold_errors(task: Task[Any], examples: Sequence[Any]) -> Iterator[CorpusError]:
    """Yield an error, with its place, for each problem of the gold annotation of a task.

    If no example is annotated, this is one error.
    """
    has_kind = all(isinstance(example, task.example) for example in examples)
    if len(examples) > 1 and has_kind and not any(map(task.is_annotated, examples)):
        others = counted(len(examples) - 1, task.example.kind)
        message = f"no {task.name} annotation here, nor in the other {others}; annotate some of them first: fewshot app"
        yield CorpusError(message, examples[0].where or examples[0].id)
        return
    for example in examples:
        where = example.where or example.id
        if not isinstance(example, task.example):
            yield CorpusError(f"task {task.name} is about {task.example.kind}; these are {example.kind}", where)
        elif not task.is_annotated(example):
            yield CorpusError(f"no {task.name} annotation here; annotate this example or leave it out", where)
        elif set(task.columns) & set(example.predicted):
            yield CorpusError(UNCHECKED_MESSAGE.format(task=task.name), where)
        elif example.begun:
            yield CorpusError("begun and not finished, as its mark says; finish it in the app, or leave it out", where)
        else:
            for fault in task.faults(example):
                yield CorpusError(fault.message, place_of(example, fault))


def place_of(example: Example, problem: Problem) -> str:
    """Return ``file:line`` of the problem's word or of the example, or the example's id."""
    if problem.word and isinstance(example, Sentence):
        return where_of(example, problem.word) or example.id
    return example.where or example.id


def check_corpus(task: Task[Any], examples: Sequence[Any]) -> None:
    """Raise a CorpusError if examples are not gold, or together lack what the task needs."""
    check_gold(task, examples)
    if examples and (problem := task.find_missing(examples)):
        raise CorpusError(problem, examples[0].where or examples[0].id)

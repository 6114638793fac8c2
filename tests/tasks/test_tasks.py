"""Every task keeps the same contract; a new task needs no change elsewhere."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import torch
from making import made_up

from fewshot import tasks
from fewshot.errors import CorpusError, FewshotError
from fewshot.evaluation import evaluate, predict
from fewshot.heads import Classifier
from fewshot.tasks.base import Task
from fewshot.training.adapt import adapt, train_source
from fewshot.training.batching import prepare
from fewshot.training.recipe import Recipe

every_task = pytest.mark.parametrize("task", tasks.registry().values(), ids=tasks.registry())

CPU = torch.device("cpu")
RECIPE = Recipe(updates=4, batch=4, average=2)


@dataclass(frozen=True)
class Document:
    id: str
    title: tuple[str, ...]
    body: tuple[str, ...]
    topic: str
    length: int = 10
    key: tuple[str, ...] = ()


class Topic(Task[Document]):
    """Classification of a two-part document: another example type, view and unit of cost than those that ship."""

    name: ClassVar[str] = "made-up-topic"
    title: ClassVar[str] = "made-up topics"
    metric: ClassVar[str] = "accuracy"
    unit: ClassVar[str] = "item"
    view: ClassVar = "sequence"
    labels = ("numbers", "letters")

    def check(self, example):
        return None if example.topic in self.labels else f"topic {example.topic!r} is not known"

    def is_annotated(self, example):
        return bool(example.topic)

    def segments(self, example):
        return (example.title, example.body)

    def target(self, example):
        return [self.labels.index(example.topic)]

    def head(self, hidden, dropout):
        return Classifier(hidden, len(self.labels), dropout)

    def annotate(self, example, prediction):
        return Document(example.id, example.title, example.body, self.labels[prediction[0]])

    def counts(self, gold, predicted):
        return np.array([gold.topic == predicted.topic, 1])

    def metrics(self, counts):
        return {"accuracy": 100 * counts[0] / counts[1]}


def test_a_task_over_pairs_goes_the_same_way(encoder):
    documents = [
        Document(str(n), ("title",), ("7", "9") if n % 2 else ("a", "b"), Topic.labels[1 - n % 2]) for n in range(24)
    ]
    recipe = Recipe(regime="sequential", updates=60, batch=8, head_lr=1e-2, encoder_lr=1e-3, average=1)
    model = train_source(Topic(), encoder, documents, recipe, 0, CPU)
    assert evaluate(model, documents).score > 90


@every_task
def test_gold_annotation_scores_a_hundred(task, sentences):
    counts = sum(task.counts(sentence, sentence) for sentence in sentences)
    assert task.metrics(counts)[task.metric] == pytest.approx(100)


@every_task
def test_nothing_right_scores_zero_and_empty_counts_do_not_crash(task, sentences):
    counts = sum(task.counts(sentence, sentence) for sentence in sentences)
    assert all(np.isfinite(value) for value in task.metrics(np.zeros_like(counts)).values())


@every_task
def test_training_evaluating_and_adapting(task, encoder, sentences):
    model = train_source(task, encoder, sentences[:20], RECIPE, 0, CPU)
    adapted = adapt(model, sentences[20:25], RECIPE, 0, CPU, prepare(model, sentences[:20]))
    evaluation = evaluate(adapted, sentences[30:])
    assert evaluation.low <= evaluation.score <= evaluation.high
    assert evaluation.metric in evaluation.metrics


@every_task
def test_predictions_are_valid_annotation_of_the_same_words(task, encoder, sentences):
    model = train_source(task, encoder, sentences[:8], RECIPE, 0, CPU)
    blank = [sentence.unannotated() for sentence in sentences[:12]]
    predicted = predict(model, blank)
    assert [p.words for p in predicted] == [s.words for s in blank]
    tasks.check_gold(task, predicted)


@every_task
def test_sentence_longer_than_the_encoder_is_predicted_whole(task, encoder):
    long = made_up(1, seed=9, shortest=200, longest=200)
    model = train_source(task, encoder, made_up(4, seed=8), RECIPE, 0, CPU)
    tasks.check_gold(task, predict(model, long))


@every_task
def test_unannotated_example_is_refused_as_gold(task, sentences):
    with pytest.raises(CorpusError, match=f"no {task.name} annotation here"):
        tasks.check_gold(task, [sentences[0].unannotated()])


@every_task
def test_tokens_and_examples_are_counted_for_the_bill(task, sentences):
    assert task.units(sentences[:3]) == {"token": sum(s.length for s in sentences[:3]), task.unit: 3}
    assert task.units([]) == {"token": 0, task.unit: 0}


def test_unknown_task_offers_the_nearest():
    with pytest.raises(FewshotError, match="unknown task 'pso': did you mean pos"):
        tasks.get("pso")


def test_label_outside_the_set_is_named(sentences):
    bad = sentences[0].annotated(upos=("NOUNS", *sentences[0].upos[1:]))
    with pytest.raises(CorpusError, match="UPOS 'NOUNS' of"):
        tasks.check_gold(tasks.get("pos"), [bad])

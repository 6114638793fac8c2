"""Labelling a stream of examples."""

from dataclasses import replace

import pytest
import torch
from making import examples

from fewshot import tasks
from fewshot.evaluation import label_stream, predict, suggest
from fewshot.training.model import new


@pytest.mark.parametrize("name", tasks.registry())
def test_labels_are_those_of_predict_and_confidence_that_of_suggestions(name, encoder, monkeypatch):
    monkeypatch.setattr("fewshot.evaluation.label.CHUNK", 5)
    task = tasks.get(name)
    model = new(task.fitted(examples(task.example.kind, 20, seed=1)), encoder, 0, 0.1).eval()
    pool = [example.unannotated() for example in examples(task.example.kind, 12, seed=2)]
    labelled = list(label_stream(model, iter(pool)))
    assert [example for example, _ in labelled] == predict(model, pool)
    assert all(example.predicted == task.columns for example, _ in labelled)
    wanted = [number for found in suggest(model, pool) for number in found["confidence"]]
    assert torch.tensor([number for _, numbers in labelled for number in numbers]).allclose(torch.tensor(wanted))


def test_what_was_found_to_have_no_answer_is_open_again(encoder):
    """An answer, or none, of the model stands in place of what people had found."""
    (article,) = examples("articles", 1, seed=1)
    settled = tuple(replace(question, answers=(), impossible=True) for question in article.paragraphs[0].questions)
    given = replace(article, paragraphs=(replace(article.paragraphs[0], questions=settled),))
    model = new(tasks.get("qa").fitted([article]), encoder, 0, 0.1).eval()
    ((labelled, _),) = label_stream(model, [given])
    assert not any(question.impossible for question in labelled.paragraphs[0].questions)

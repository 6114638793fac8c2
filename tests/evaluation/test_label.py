import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from evaluation.untrained import VARIANTS, made
from making import examples, examples_of

from fewshot import tasks
from fewshot.corpora.types import Answer, Article, Paragraph, Question, Sentence
from fewshot.evaluation import label_stream, predict, suggest
from fewshot.tasks.base import ranked
from fewshot.training.model import build_model


@pytest.fixture(params=VARIANTS)
def model(request, encoder):
    return made(request.param, encoder)


def annotation(example):
    if isinstance(example, Article):
        questions = [question for paragraph in example.paragraphs for question in paragraph.questions]
        return {"answers": {q.id: [{"text": a.text, "start": a.start} for a in q.answers] for q in questions}}
    if isinstance(example, Sentence):
        return {name: list(getattr(example, name)) for name in Sentence.columns}
    return {"label": example.label}


def units(example):
    if isinstance(example, Article):
        return sum(len(paragraph.questions) for paragraph in example.paragraphs)
    return example.length if isinstance(example, Sentence) else 1


def test_suggestion_is_the_prediction_with_one_probability_a_unit(model):
    pool = [example.unannotated() for example in examples_of(model.task, 12, seed=2)]
    found = suggest(model, pool)
    for example, suggestion in zip(predict(model, pool), found, strict=True):
        assert suggestion["annotation"].items() <= annotation(example).items()
        assert suggestion["annotation"]
        assert len(suggestion["confidence"]) == units(example)
        assert all(0 <= value <= 1 for value in suggestion["confidence"])
    assert json.loads(json.dumps(found)) == found


def test_what_is_ranked_is_best_first_and_holds_what_is_sure(model):
    (suggestion,) = suggest(model, examples(model.task.example.kind, 1, seed=2))
    for name in suggestion.keys() - {"annotation", "confidence"}:
        column = suggestion["annotation"][name.removesuffix("_ranked")]
        for value, pairs in zip(column, suggestion[name], strict=True):
            shares = [share for _, share in pairs]
            assert shares == sorted(shares, reverse=True)
            assert 0 < sum(shares) < 1.001
            assert len(pairs) <= (5 if name == "deprels_ranked" else 3)
            assert value == pairs[0][0] or name == "heads_ranked"  # the best tree may need a second-best head


def test_confidence_of_a_word_is_that_of_its_head_and_relation(encoder):
    model = build_model(tasks.get("dep"), encoder, 0, 0.1).eval()
    for suggestion in suggest(model, examples("sentences", 5, seed=2)):
        found = suggestion | suggestion["annotation"]
        columns = (found[name] for name in ("heads", "deprels", "confidence", "heads_ranked", "deprels_ranked"))
        for head, deprel, both, arcs, relations in zip(*columns, strict=True):
            if head in dict(arcs):
                assert both == pytest.approx(dict(arcs)[head] * dict(relations)[deprel], abs=2e-4)


def test_question_about_nothing_has_no_answer_and_no_confidence(encoder):
    model = build_model(tasks.get("qa"), encoder, 0, 0.1).eval()
    questions = (Question("q", "missa?", (Answer("x", 0),)),)
    none, asked = suggest(model, [Article("a", (Paragraph(" ", questions),)), Article("b", (Paragraph("talo", ()),))])
    assert none == {"annotation": {"answers": {}}, "confidence": [0.0]}
    assert asked == {"annotation": {"answers": {}}, "confidence": []}


def test_no_example_has_no_suggestion_and_names_of_no_probability_are_left_out(source_model):
    assert suggest(source_model, []) == []
    assert ranked(np.array([0.0, 0.25, 0.75, 0.00001]), "abcd", 3) == [["c", 0.75], ["b", 0.25]]


@pytest.mark.parametrize("name", tasks.registry())
def test_labels_are_those_of_predict_and_confidence_that_of_suggestions(name, encoder, monkeypatch):
    monkeypatch.setattr("fewshot.evaluation.label.CHUNK", 5)
    task = tasks.get(name)
    model = build_model(task.fitted(examples(task.example.kind, 20, seed=1)), encoder, 0, 0.1).eval()
    pool = [example.unannotated() for example in examples(task.example.kind, 12, seed=2)]
    labelled = list(label_stream(model, iter(pool)))
    assert [example for example, _ in labelled] == predict(model, pool)
    assert all(example.predicted == task.columns for example, _ in labelled)
    wanted = [number for found in suggest(model, pool) for number in found["confidence"]]
    assert torch.tensor([number for _, numbers in labelled for number in numbers]).allclose(torch.tensor(wanted))


def test_what_was_found_to_have_no_answer_is_open_again(encoder):
    (article,) = examples("articles", 1, seed=1)
    settled = tuple(replace(question, answers=(), impossible=True) for question in article.paragraphs[0].questions)
    given = replace(article, paragraphs=(replace(article.paragraphs[0], questions=settled),))
    model = build_model(tasks.get("qa").fitted([article]), encoder, 0, 0.1).eval()
    ((labelled, _),) = label_stream(model, [given])
    assert not any(question.impossible for question in labelled.paragraphs[0].questions)

"""Every task keeps the same contract; a new task needs no change elsewhere."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from making import examples, examples_of, small_recipe

from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.costs import prices as rates
from fewshot.errors import CorpusError, FewshotError
from fewshot.evaluation import evaluate, predict
from fewshot.experiments.plan import named_samplers
from fewshot.training import presets
from fewshot.training.adapt import adapt, train_source
from fewshot.training.batching import prepare
from fewshot.training.model import load_model, new

CPU = torch.device("cpu")
RECIPE = small_recipe(method="freeze-0", updates=4, batch=4, average=2)


VARIANTS = [name for base, task in tasks.registry().items() for name in (base, *(f"{base}+{o}" for o in task.options))]
VARIANTS.append("pos+feats+lemma+xpos")


@pytest.fixture(params=VARIANTS)
def task(request):
    """Every task, and every task with each of its options, fitted to the made-up examples."""
    plain = tasks.get(request.param)
    made = examples_of(plain, 40, seed=1)
    return plain.fitted(made).taught(made)


@pytest.fixture
def gold(task):
    return examples_of(task, 40, seed=1)


def bare(task, example):
    """An example without its annotation, but for the tags that a parser may be told."""
    blank = example.unannotated()
    return blank.annotated(upos=example.upos) if task.name.startswith("dep+") else blank


def test_gold_annotation_scores_a_hundred(task, gold):
    counts = sum(task.counts(example, example) for example in gold)
    assert task.metrics(counts)[task.metric] == pytest.approx(100)


def test_a_task_that_recombines_says_what_it_swaps(task, gold):
    assert bool(task.swappable) == (type(task).recombined is not tasks.Task.recombined)
    assert task.swappable or not presets.adaptation(task, "new").swaps
    if task.swappable:
        tasks.check_gold(task, task.recombined(gold, 50, 3.0, seed=0))


def test_the_sampler_of_a_task_can_draw_for_it(task):
    assert task.sampler in named_samplers(["all"], task)


def test_empty_counts_give_finite_metrics(task, gold):
    counts = task.counts(gold[0], gold[0])
    assert all(np.isfinite(value) for value in task.metrics(np.zeros_like(counts)).values())


def test_training_evaluating_and_adapting(task, gold, encoder):
    model = train_source(task, encoder, gold[:20], RECIPE, 0, CPU)
    adapted = adapt(model, gold[20:25], RECIPE, 0, CPU, prepare(model, gold[:20]))
    evaluation = evaluate(adapted, gold[30:])
    assert evaluation.low <= evaluation.score <= evaluation.high
    assert evaluation.metric in evaluation.metrics


def test_a_model_learns_what_follows_from_the_text(task, gold, encoder):
    recipe = small_recipe(
        method="freeze-0", regime="sequential", updates=150, batch=16, head_lr=1e-2, encoder_lr=3e-3, average=1
    )
    untrained = evaluate(new(task, encoder, 0, 0.1).eval(), gold)
    assert evaluate(train_source(task, encoder, gold, recipe, 0, CPU), gold).score > max(60, untrained.score + 10)


def test_predictions_are_valid_annotation_of_the_same_texts(task, gold, encoder):
    model = train_source(task, encoder, gold[:8], RECIPE, 0, CPU)
    blank = [bare(task, example) for example in gold[:12]]
    predicted = predict(model, blank)
    assert [p.key for p in predicted] == [s.key for s in blank]
    assert [p.id for p in predicted] == [s.id for s in blank]
    tasks.check_gold(task, predicted)


def test_example_longer_than_the_encoder_is_predicted(task, gold, encoder):
    long = examples_of(task, 1, seed=9, shortest=200, longest=200)
    model = train_source(task, encoder, gold[:4], RECIPE, 0, CPU)
    tasks.check_gold(task, predict(model, long))


@pytest.mark.parametrize("method", ["full", "feature-based"])
def test_a_saved_model_predicts_the_same(task, gold, encoder, tmp_path, method):
    model = train_source(task, encoder, gold[:8], replace(RECIPE, method=method), 0, CPU)
    for name, tensor in model.state_dict().items():
        if name.startswith(("head.", "readout.")) or name.removeprefix("module.") in model.trained:
            tensor.copy_(tensor.half().float())  # as it is on disk
    model.save(tmp_path)
    assert predict(load_model(tmp_path, encoder), gold) == predict(model, gold)


def test_unannotated_example_is_refused_as_gold(task, gold):
    with pytest.raises(CorpusError, match=f"no {re.escape(task.name)} annotation here"):
        tasks.check_gold(task, [gold[0].unannotated()])


def test_what_a_model_has_filled_is_refused_as_gold(task, gold):
    with pytest.raises(CorpusError, match=f"the {re.escape(task.name)} annotation here is a model's"):
        tasks.check_gold(task, [replace(gold[0], predicted=task.columns[:1])])


def test_example_of_another_kind_is_refused(task):
    other = next(kind for kind in ("sentences", "pairs") if kind != task.example.kind)
    with pytest.raises(CorpusError, match=f"is about {task.example.kind}; these are {other}"):
        tasks.check_gold(task, examples(other, 1, seed=1))


def test_tokens_and_examples_are_counted_for_the_bill(task, gold):
    units = task.units(gold[:3])
    assert units["token"] == sum(example.length for example in gold[:3])
    assert units[task.unit] == 3
    assert set(task.units([]).values()) == {0}


def test_every_task_has_a_price_for_what_can_be_counted(task, gold):
    assert rates.load().rate(task.name).unit in task.units(gold)


def test_advice_follows_what_treebanks_hold(task):
    columns = {"sentences": ("upos", "heads")}.get(task.example.kind, ())
    made = Sentence("s", "a", ("a",), ("X",), (0,), ("root",))
    held = bool(columns) and task.is_annotated(made) and task.check(made) is None
    assert tasks.real_data(task).startswith("ud ") == held


def test_unknown_task_offers_the_nearest():
    with pytest.raises(FewshotError, match="unknown task 'pso': did you mean pos"):
        tasks.get("pso")


def test_label_outside_the_set_is_named(sentences):
    bad = sentences[0].annotated(upos=("NOUNS", *sentences[0].upos[1:]))
    with pytest.raises(CorpusError, match="UPOS 'NOUNS' of"):
        tasks.check_gold(tasks.get("pos"), [bad])


def test_unknown_option_offers_what_there_is():
    with pytest.raises(FewshotError, match="unknown option of task topic 'leed': did you mean lead"):
        tasks.get("topic+leed")


def test_a_task_travels_to_another_process(task):
    sent = pickle.loads(pickle.dumps(task))
    assert (sent.name, sent.labels, getattr(sent, "beside", ())) == (
        task.name,
        task.labels,
        getattr(task, "beside", ()),
    )

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from making import examples, examples_of, small_recipe

from fewshot import tasks
from fewshot.costs import prices as rates
from fewshot.errors import CorpusError, FewshotError
from fewshot.evaluation import evaluate, predict
from fewshot.experiments.plan import expand_samplers
from fewshot.training import presets
from fewshot.training.adapt import adapt, train_source
from fewshot.training.batching import prepare
from fewshot.training.model import build_model, load_model

CPU = torch.device("cpu")
SHORT = small_recipe(method="freeze-0", updates=4, batch=4, average=2)
LONG = small_recipe(
    method="freeze-0", regime="sequential", updates=60, batch=8, head_lr=2e-2, encoder_lr=3e-3, average=1
)

VARIANTS = [name for base, task in tasks.registry().items() for name in (base, *(f"{base}+{o}" for o in task.options))]
EACH = ["+".join((base, *task.options)) for base, task in tasks.registry().items()]
LEARNED = [*EACH, "ner"]  # whose head is another one than that of ner+crf


@pytest.fixture(params=VARIANTS)
def task(request):
    """Every task, and every task with each of its options or some, fitted to the made-up examples."""
    plain = tasks.get(request.param)
    made = examples_of(plain, 40, seed=1)
    return plain.fitted(made).with_training_labels(made)


@pytest.fixture
def gold(task):
    return examples_of(task, 40, seed=1)


def blank(task, example):
    """An example without its annotation, but for the tags that a parser may be told."""
    bare = example.unannotated()
    return bare.annotated(upos=example.upos) if task.name.startswith("dep+") else bare


def test_contract(task, gold):
    counts = sum(task.counts(example, example) for example in gold)
    assert task.metrics(counts)[task.metric] == pytest.approx(100)
    assert all(np.isfinite(value) for value in task.metrics(np.zeros_like(counts)).values())
    assert task.sampler in expand_samplers(["all"], task)
    sent = pickle.loads(pickle.dumps(task))
    assert (sent.name, sent.labels) == (task.name, task.labels)
    assert getattr(sent, "beside", ()) == getattr(task, "beside", ())
    assert bool(task.swappable) == (type(task).recombine is not tasks.Task.recombine)
    assert task.swappable or not presets.adaptation(task, "new").swaps
    if task.swappable:
        tasks.check_gold(task, task.recombine(gold, 50, 3.0, seed=0))


@pytest.mark.parametrize("task", LEARNED, indirect=True)
def test_a_model_learns_is_saved_predicts_and_is_adapted(task, gold, encoder, tmp_path):
    model = train_source(task, encoder, gold, LONG, 0, CPU)
    untrained = evaluate(build_model(task, encoder, 0, 0.1).eval(), gold)
    assert evaluate(model, gold).score > max(60, untrained.score + 10)
    long = examples_of(task, 1, seed=9, shortest=200, longest=200)  # longer than the encoder reads at once
    unannotated = [blank(task, example) for example in gold[:12]] + long
    predicted = predict(model, unannotated)
    assert [(one.key, one.id) for one in predicted] == [(one.key, one.id) for one in unannotated]
    tasks.check_gold(task, predicted)
    adapted = adapt(model, gold[20:25], SHORT, 0, CPU, prepare(model, gold[:20]))
    evaluation = evaluate(adapted, gold[30:])
    assert evaluation.low <= evaluation.score <= evaluation.high
    assert evaluation.metric in evaluation.metrics
    assert_saved_alike(model, encoder, gold, tmp_path)


def assert_saved_alike(model, encoder, gold, folder):
    for name, tensor in model.state_dict().items():
        if name.startswith(("head.", "readout.")) or name.removeprefix("module.") in model.trained:
            tensor.copy_(tensor.half().float())  # as the tensor is on disk
    model.save(folder)
    assert predict(load_model(folder, encoder), gold) == predict(model, gold)


def test_a_feature_based_model_is_saved_alike(encoder, tmp_path):
    gold = examples_of(tasks.get("dep"), 12, seed=1)
    model = train_source(tasks.get("dep"), encoder, gold[:8], replace(SHORT, method="feature-based"), 0, CPU)
    assert_saved_alike(model, encoder, gold, tmp_path)


def test_what_is_no_gold_annotation_of_the_task_is_refused(task, gold):
    name, kind = re.escape(task.name), task.example.kind
    other = next(other for other in ("sentences", "pairs") if other != kind)
    for example, message in (
        (gold[0].unannotated(), f"no {name} annotation here"),
        (replace(gold[0], predicted=task.columns[:1]), f"the {name} annotation here is a model's"),
        (examples(other, 1, seed=1)[0], f"is about {kind}; these are {other}"),
    ):
        with pytest.raises(CorpusError, match=message):
            tasks.check_gold(task, [example])


def test_tokens_and_examples_are_counted_for_the_bill_and_have_a_price_and_a_time(task, gold):
    units = task.units(gold[:3])
    assert units["token"] == sum(example.length for example in gold[:3])
    assert units[task.unit] == 3
    assert set(task.units([]).values()) == {0}
    price = rates.load().label_price(task.name)
    assert price.unit in units and price.source and task.time.source


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pso", "unknown task 'pso': did you mean pos"),
        ("topic+leed", "unknown option of task topic 'leed': did you mean lead"),
        ("pos" + 100 * "+feats", "^task pos has the option feats more than once; write it once$"),
    ],
)
def test_an_unknown_task_or_option_offers_the_nearest(name, message):
    with pytest.raises(FewshotError, match=message):
        tasks.get(name)

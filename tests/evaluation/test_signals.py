import numpy as np
import pytest
import torch
from evaluation.untrained import VARIANTS, made
from making import examples

import samplers
from fewshot import tasks
from fewshot.corpora.types import Article, Paragraph
from fewshot.encoders.vectors import collate
from fewshot.errors import FewshotError
from fewshot.evaluation import suggest
from fewshot.evaluation.signals import (
    MAX_EMBEDDING_SIZE,
    SIGNAL_READERS,
    _compact,
    confusion,
    entropy,
    mutual_information,
    signals,
)
from fewshot.training.batching import padding_id

OF_LABELS = {"confused_pairs", "expected_errors"}


def wanted(model):
    return set(SIGNAL_READERS) - (set() if model.task.nominal else OF_LABELS)


def test_signals_are_those_that_samplers_may_need():
    assert set(SIGNAL_READERS) == set(samplers.SIGNALS)
    assert samplers.needs(samplers.registry()) == set(SIGNAL_READERS)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_task_has_finite_signals_in_their_ranges(name, encoder):
    model = made(name, encoder)
    pool = examples(model.task.example.kind, 20, seed=2)
    found = signals(model, iter(pool), wanted(model))
    for values in found.values():
        assert len(values) == 20
        assert np.isfinite(values).all()
    assert (found["entropy"] >= 0).all()
    assert (found["log_probability"] <= 0).all()
    assert ((found["margin"] >= 0) & (found["margin"] <= 1)).all()
    assert found["mutual_information"].max() > 0
    assert found["embeddings"].dtype == np.float16
    assert (found["minutes"] > tasks.get(name).time.item / 60).all()
    for sampler in samplers.registry():
        if samplers.needs([sampler]) <= found.keys():
            assert len(samplers.pick(sampler, pool, 5, 0, found)) == 5


@pytest.mark.parametrize("name", ["pos", "dep", "ner+crf", "qa", "nli"])
def test_chunks_and_batches_do_not_change_the_numbers(name, encoder, monkeypatch):
    model = made(name, encoder)
    pool, names = examples(model.task.example.kind, 9, seed=3), wanted(model) - {"mutual_information"} - OF_LABELS
    whole = signals(model, pool, names)
    monkeypatch.setitem(signals.__globals__, "CHUNK", 2)
    for key, values in signals(model, iter(pool), names).items():
        np.testing.assert_allclose(values, whole[key], atol=2e-3 if key == "embeddings" else 1e-4)


def test_numbers_of_a_sentence_by_hand(encoder):
    model = made("pos", encoder)
    (sentence,) = examples("sentences", 1, seed=4)
    (pieces,) = model.encode([sentence])
    batch = collate(pieces, padding_id(model))
    with torch.inference_mode():
        p = model(batch)[0].softmax(-1).numpy()
        vectors = model.readout(model.module, batch)[0].numpy()
    found = {name: values[0] for name, values in signals(model, [sentence], wanted(model)).items()}
    top = np.sort(p, axis=1)[:, ::-1]
    assert found["units"] == sentence.length
    assert found["entropy"] == pytest.approx(np.mean([-sum(x * np.log(x) for x in row) for row in p]), rel=1e-4)
    assert found["log_probability"] == pytest.approx(np.log(top[:, 0]).mean(), rel=1e-4)
    assert found["margin"] == pytest.approx((top[:, 0] - top[:, 1]).mean(), rel=1e-4)
    prior, wrong = tasks.get("pos").time, (1 - top[:, 0]).sum()
    assert found["minutes"] == pytest.approx(prior.minutes([(sentence.length, wrong)]), rel=1e-4)
    mine = signals(model, [sentence], {"minutes"}, seconds=(9.0, 1.0, 2.0))["minutes"][0]
    assert mine == pytest.approx((9 + sentence.length + 2 * wrong) / 60, rel=1e-4)
    np.testing.assert_allclose(found["embeddings"], vectors.mean(0), atol=2e-3)
    errors = {}
    for row in p:
        for label in range(len(row)):
            if label != row.argmax():
                low, high = sorted((label, int(row.argmax())))
                errors[low * len(row) + high] = errors.get(low * len(row) + high, 0) + row[label]
    best = sorted(errors, key=lambda pair: -errors[pair])[: len(found["confused_pairs"])]
    assert found["confused_pairs"].tolist() == best
    assert found["expected_errors"] == pytest.approx([errors[pair] for pair in best], rel=1e-4)


def test_log_probability_is_that_of_suggestions_and_gold_annotation_is_not_looked_at(encoder):
    model = made("pos", encoder)
    pool, names = examples("sentences", 6, seed=5), wanted(model)
    found, blank = (signals(model, some, names) for some in (pool, [one.unannotated() for one in pool]))
    expected = [np.log(one["confidence"]).mean() for one in suggest(model, pool)]
    np.testing.assert_allclose(found["log_probability"], expected, atol=1e-3)
    assert all((values == blank[name]).all() for name, values in found.items())


def test_entropy_disagreement_and_confusion_of_probabilities():
    assert entropy(np.array([[1.0, 0.0], [0.5, 0.5]])) == pytest.approx([0, np.log(2)])
    doubt, disagreement = [[0.5, 0.5]], [[1.0, 0.0]]
    assert mutual_information(np.array([doubt, doubt])) == pytest.approx([0])
    assert mutual_information(np.array([disagreement, [[0.0, 1.0]]])) == pytest.approx([np.log(2)])
    table = confusion(np.array([[0.6, 0.4, 0.0], [0.7, 0.1, 0.2], [0.0, 0.3, 0.7]]))
    np.testing.assert_allclose(table, [[0, 0.5, 0.2], [0, 0, 0], [0, 0.3, 0]])


def test_dropout_is_drawn_from_the_seed_and_the_model_stays_as_it_was(encoder):
    model = made("pos", encoder)
    pool = examples("sentences", 5, seed=7)
    state = torch.random.get_rng_state()
    first, again, other = (signals(model, pool, {"mutual_information"}, seed) for seed in (0, 0, 1))
    assert (first["mutual_information"] == again["mutual_information"]).all()
    assert (first["mutual_information"] != other["mutual_information"]).any()
    assert (torch.random.get_rng_state() == state).all()
    assert not any(part.training for part in model.modules())


def test_article_without_a_question_has_nothing_to_decide(encoder):
    model = made("qa", encoder)
    pool = [Article("a", (Paragraph("iso talo", ()),)), *examples("articles", 2, seed=8)]
    found = signals(model, pool, wanted(model))
    assert (found["units"][0], found["entropy"][0], found["margin"][0]) == (0, 0, 1)
    assert found["units"].tolist() == [0, 4, 4]


def test_long_vectors_are_projected_so_that_distances_stay():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((20, 800)).astype(np.float32)
    short = _compact("embeddings", rows).astype(np.float32)
    assert short.shape == (20, MAX_EMBEDDING_SIZE)
    before, after = (np.linalg.norm(one[:, None] - one, axis=-1)[np.triu_indices(20, 1)] for one in (rows, short))
    assert (abs(after / before - 1) < 0.35).all()


def test_labels_that_cannot_be_confused_and_unknown_names_are_refused(encoder):
    model = made("qa", encoder)
    with pytest.raises(FewshotError, match="task qa has no labels to confuse; choose another sampler"):
        signals(model, [], {"confused_pairs"})
    with pytest.raises(FewshotError, match="unknown signal 'entrpy': did you mean entropy"):
        signals(model, [], {"entrpy"})


def test_where_nothing_is_wanted_nothing_is_read_and_no_example_has_empty_signals(encoder):
    model = made("pos", encoder)
    assert signals(model, iter(lambda: 1 / 0, None), set()) == {}
    assert {name: len(values) for name, values in signals(model, [], set(SIGNAL_READERS)).items()} == dict.fromkeys(
        SIGNAL_READERS, 0
    )

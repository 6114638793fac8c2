import numpy as np
import pytest

from fewshot.evaluation import evaluate, predict
from fewshot.evaluation.evaluate import interval


def share(total):
    return 100 * total[0] / total[1]


def test_interval_of_a_share_is_close_to_the_normal_one_and_the_same_from_the_same_seed():
    hits = np.random.default_rng(0).random(1000) < 0.7
    counts = np.stack([hits, np.ones(1000)], axis=1)
    p = hits.mean()
    half = 196 * (p * (1 - p) / 1000) ** 0.5
    assert interval(counts, share) == pytest.approx((100 * p - half, 100 * p + half), abs=0.4)
    assert interval(counts, share, seed=3) == interval(counts, share, seed=3)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([[1, 1]] * 5, (56.55, 100)),  # Wilson's interval of 5 out of 5, as statsmodels gives it
        ([[0, 1]] * 5, (0, 43.45)),
        ([[4, 5]], (13.35, 99.05)),  # one sentence of five words is one trial
        ([[3, 4]] * 50, (61.5, 84.9)),
        ([[1, 1]] * 9 + [[0, 1]], (70, 100)),  # resamples differ
    ],
)
def test_no_interval_is_without_width(counts, expected):
    assert interval(np.array(counts), share) == pytest.approx(expected, abs=0.2)


def test_evaluation_counts_what_the_model_predicts(source_model, sentences):
    test = sentences[30:]
    guesses = predict(source_model, test)
    right = sum(
        a == b for gold, guess in zip(test, guesses, strict=True) for a, b in zip(gold.upos, guess.upos, strict=True)
    )
    evaluation = evaluate(source_model, test)
    assert evaluation.score == pytest.approx(100 * right / sum(s.length for s in test))
    assert evaluation.low <= evaluation.score <= evaluation.high
    assert str(evaluation).endswith("accuracy")

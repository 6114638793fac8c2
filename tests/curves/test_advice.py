import re
from dataclasses import replace

import pytest
from making import result

from fewshot import tasks
from fewshot.costs import prices as rates
from fewshot.curves import fits
from fewshot.curves.advice import MIN_PROBABILITY, advise, best_k, next_ks, price_per_example
from fewshot.curves.points import curves
from fewshot.errors import FewshotError


def curve(scores, spread=1.0):
    runs = [result(0, scores[0])]
    for k in list(scores)[1:]:
        runs += [
            result(k, scores[k] + move, shot_set=n, tokens=12 * k, seconds=0)
            for n, move in enumerate((-spread, 0, spread))
        ]
    return curves(runs, rates.load())[0]


RISING = curve({0: 50, 10: 70, 50: 78, 100: 81})
FLAT = curve({0: 50, 10: 94.0, 50: 94.1, 100: 94.2, 500: 94.3}, spread=0.1)
LOSING = replace(curve({0: 65, 10: 61, 50: 60, 100: 61}), task="nli")


def test_a_rising_curve_goes_on_with_gain_and_price():
    advice = advise(RISING, [500, 1000], price=0.06, kind="sentences")
    coming = advice.rounds[0]
    assert advice.go_on
    assert (coming.k, coming.size, coming.dollars) == (500, 400, pytest.approx(24))
    assert 2 < coming.low < coming.gain < coming.high < 10
    assert coming.gain < advice.rounds[1].gain
    assert re.fullmatch(
        r"the next 400 sentences bring \d\.\d points \(80%: \d\.\d to \d\.\d\) for \$24\.00: go on", advice.sentence
    )
    lucky = curve({0: 50, 10: 70, 50: 78, 100: 84, 500: 83})  # over the score that was measured last
    expected = fits.fit(lucky.scores, tasks.get("pos").curve).predict([1000])[0]
    assert advise(lucky, [1000], price=0.06).rounds[0].gain == pytest.approx(expected - 83)


def test_a_flat_curve_stops_and_one_that_does_not_help_falls_back_to_zero_shot():
    advice = advise(FLAT, [600], price=0.06)
    assert not advice.go_on
    assert advice.rounds[0].sure < MIN_PROBABILITY
    assert "stop, more than 1 is unlikely (" in advice.sentence
    assert advice.use == 500
    assert advise(LOSING, [500], 0.01).sentence.endswith("; use zero-shot today, no shots beat it by a standard error")


def test_an_expected_loss_is_a_change_and_a_doubtful_gain_is_called_possible():
    assert "the next 400 sentences change the score by -" in advise(LOSING, [500], 0.01, kind="sentences").sentence
    expected = advise(RISING, [500], 0.06).rounds[0].gain
    assert "go on, more than " in advise(RISING, [500], 0.06, threshold=expected + 0.1).sentence


@pytest.mark.parametrize(("half", "advised"), [(21.7, False), (14.0, True)])
def test_a_test_set_that_is_too_small_gives_no_advice(half, advised):
    runs = [result(k, 100, shot_set=n, low=100 - 2 * half, high=100) for k in (0, 10) for n in range(3 if k else 1)]
    advice = advise(curves(runs, rates.load())[0], [50], 0.06, kind="documents")
    assert (advice.go_on is not None) == advised
    doubt = "22 points of doubt to either side of a score of 100"
    said = f"no advice: this test set alone leaves {doubt}; test on more documents"
    assert (advice.sentence == said) != advised


def test_the_threshold_is_the_users():
    (coming,) = advise(RISING, [500], 0.06, threshold=0).rounds
    (strict,) = advise(RISING, [500], 0.06, threshold=coming.gain).rounds
    assert coming.sure > 0.95
    assert 0.3 < strict.sure < 0.7
    assert not advise(RISING, [500], 0.06, threshold=20).go_on


@pytest.mark.parametrize(
    ("made", "k"),
    [
        (LOSING, 0),
        (curve({0: 50, 10: 51}, spread=4), 0),  # within a standard error
        (curve({0: 50, 10: 54}, spread=1), 10),
        (curve({0: 50, 10: 60, 50: 70, 100: 66}), 50),  # not the last
    ],
    ids=["below zero-shot", "within a standard error", "above", "not the last"],
)
def test_the_best_k_is_the_one_of_the_best_model(made, k):
    assert best_k(made) == k


def test_next_batch_ends_on_the_next_rung_and_costs_what_the_last_one_did():
    assert next_ks(RISING) == [500, 1000]
    assert next_ks(curve({0: 50, 20000: 90})) == [40000, 80000]
    assert price_per_example(RISING) == pytest.approx(12 * 0.005)
    with pytest.raises(FewshotError, match="next k = 50, 500; give a k above the present 100"):
        advise(RISING, [50, 500], 0.06)

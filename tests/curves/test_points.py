"""Points of a learning curve: means, intervals, prices."""

import pytest
from making import result

from fewshot.costs import rates
from fewshot.curves.points import curves, interval
from fewshot.errors import FewshotError

RATES = rates.load()


def test_zero_shot_starts_every_curve():
    made = curves([result(0, 30), result(10, 60, "random"), result(10, 70, "longest")], RATES)
    assert [curve.name for curve in made] == ["random", "longest"]
    assert all([point.k for point in curve.points] == [0, 10] for curve in made)


def test_gain_and_price_of_a_point():
    (curve,) = curves([result(0, 30), result(10, 50, tokens=200, seconds=0)], RATES)
    point = curve.points[1]
    assert point.gain == 20
    assert point.annotation == pytest.approx(200 * 0.005)
    assert point.dollars_per_point == pytest.approx(200 * 0.005 / 20)
    assert point.minutes == pytest.approx(60 * 200 * 0.005 / 11.37)


def test_nothing_gained_has_no_price():
    (curve,) = curves([result(0, 50), result(10, 40)], RATES)
    assert curve.points[1].dollars_per_point is None


def test_labels_of_the_test_set_are_billed_only_on_demand():
    runs = [result(0, 30), result(10, 50, tokens=200, test_units=1000, seconds=0)]
    without, with_test = (curves(runs, RATES, bill_test=flag)[0].points[1].dollars for flag in (False, True))
    assert with_test - without == pytest.approx(1000 * 0.005)


def test_no_zero_shot_result_is_said():
    with pytest.raises(FewshotError, match="no zero-shot result"):
        curves([result(10, 50)], RATES)


def test_interval_of_one_run_is_its_own():
    assert interval([result(10, 50, low=45, high=55)]) == (45, 55)


def test_interval_covers_shot_sets_seeds_and_test_noise():
    exact = {"low": 0.0, "high": 0.0}
    sets = [result(10, score, shot_set=n, **exact) for n, score in enumerate((40, 50, 60))]
    low, high = interval(sets)
    assert 40 <= low < 45 < 55 < high <= 60
    agreeing = [result(10, 50, shot_set=n, **exact) for n in range(3)]
    assert interval(agreeing) == (50, 50)
    noisy = [result(10, 50, shot_set=n, low=48.04, high=51.96) for n in range(3)]
    low, high = interval(noisy)
    assert 47.5 < low < 48.5
    assert 51.5 < high < 52.5


def test_interval_stays_among_percentages():
    low, high = interval([result(10, 1, shot_set=n, low=0, high=20) for n in range(3)])
    assert low == 0 < high


def test_seeds_of_one_shot_set_are_no_new_evidence_about_shot_sets():
    def width(runs):
        low, high = interval(runs)
        return high - low

    three_sets = [result(10, s, shot_set=n, low=s, high=s) for n, s in enumerate((40, 50, 60))]
    repeated = [
        result(10, r.score, shot_set=r.shot_set, seed=seed, low=r.score, high=r.score)
        for r in three_sets
        for seed in range(5)
    ]
    assert width(repeated) == pytest.approx(width(three_sets), rel=0.15)

import pytest
from making import result

from fewshot.costs import prices as rates
from fewshot.curves.advice import forecast, interpolate
from fewshot.curves.compare import cost_to_reach, pareto, steps
from fewshot.curves.points import curves
from fewshot.errors import FewshotError

PRICE = 0.005


def made(scores, sampler="random", tokens=10):
    """A curve of a power law's points or of any others; an example has so many tokens."""
    runs = [result(0, scores[0])]
    runs += [result(k, score, sampler, tokens=tokens * k, seconds=0) for k, score in scores.items() if k]
    return curves(runs, rates.load())[0]


POWER = made({0: 40, **{k: 100 - 60 * k**-0.3 for k in (10, 50, 100)}})


def test_a_step_is_priced_from_the_point_before():
    table = list(steps(made({0: 40, 10: 60, 50: 70, 100: 65})))
    assert table[0].per_further_point is None
    assert table[2].per_further_point == pytest.approx(40 * 10 * PRICE / 10)
    assert table[3].per_further_point is None, "nothing was gained"


def test_a_target_costs_what_the_power_law_says_beyond_the_data_and_among_the_points():
    cost, near = cost_to_reach(POWER, 90), cost_to_reach(POWER, 78)
    assert cost.k == pytest.approx((60 / 10) ** (1 / 0.3), rel=0.15)  # 393
    assert cost.dollars == pytest.approx(cost.k * 10 * PRICE)
    assert cost.low < cost.dollars < cost.high
    assert near.k == pytest.approx((60 / 22) ** (1 / 0.3), rel=0.2)
    assert near.high < cost_to_reach(POWER, 95).low
    assert (cost.extrapolated, near.extrapolated) == (True, False)
    with pytest.raises(FewshotError, match="target 120: give a score between 0 and 100"):
        cost_to_reach(POWER, 120)


@pytest.mark.parametrize(
    ("scores", "target", "expected"),
    [
        ({0: 40, 10: 50, 50: 60, 100: 70}, 35, (0, 0, 0)),  # what zero-shot has costs nothing
        ({0: 40, 10: 50, 50: 50.1, 100: 50.0, 500: 50.1}, 99, (None, None, None)),
        ({0: 60, 10: 62, 50: 55, 100: 50}, 63, (None, None, None)),  # above a falling curve
        ({0: 45, 10: 47, 50: 44, 100: 41}, 48, (None, None, None)),
    ],
)
def test_a_target_that_zero_shot_has_is_free_and_one_that_is_never_reached_has_no_price(scores, target, expected):
    cost = cost_to_reach(made(scores), target)
    assert (cost.k, cost.dollars, cost.high) == expected
    assert cost.low in (0, None) or cost.low > 10 * 10 * PRICE


@pytest.mark.parametrize(
    ("scores", "target"), [({0: 60, 10: 62, 50: 55, 100: 50}, 61.5), ({0: 50, 10: 70, 50: 68, 100: 67}, 69)]
)
def test_target_that_a_falling_curve_once_reached_costs_what_it_did_then(scores, target):
    cost = cost_to_reach(made(scores), target)
    assert (cost.k, cost.extrapolated) == (10, False)
    assert (cost.low, cost.dollars, cost.high) == pytest.approx((0, 10 * 10 * PRICE, 10 * 10 * PRICE), abs=1e-3)


def test_front_is_that_of_brute_force():
    both = [made({0: 40, 10: 60, 50: 62, 100: 61}), made({0: 40, 10: 65, 50: 70, 100: 90}, "longest", tokens=30)]
    every = {(point.dollars, point.score) for curve in both for point in curve.points}
    expected = [p for p in every if not any(o[0] <= p[0] and o[1] >= p[1] and o != p for o in every)]
    assert [(point.dollars, point.score) for _, point in pareto(both)] == sorted(expected)


@pytest.mark.parametrize("bill_test", [False, True])
def test_costs_of_a_curve_without_zero_shot_grow_with_the_shots_from_the_bill_of_the_test_set(bill_test):
    (curve,) = curves([result(10, 60, tokens=100, test_units=500, seconds=0)], rates.load(), bill_test)
    bill = 500 * PRICE if bill_test else 0
    assert curve.points[0].dollars == pytest.approx(bill + 100 * PRICE)
    assert curve.per_example("annotation") == pytest.approx(10 * PRICE)
    assert curve.per_example("tokens") == pytest.approx(10)
    assert interpolate(curve, "dollars", [5, 10, 40]) == pytest.approx([bill + 10 * k * PRICE for k in (5, 10, 40)])
    cost = cost_to_reach(curve, 80)
    assert cost.k > 10 and cost.dollars == pytest.approx(bill + cost.k * 10 * PRICE)


def test_forecast_ends_on_the_next_rung_and_dollars_go_on_as_between_the_last_points():
    ahead = forecast(POWER)
    assert (ahead.k[0], ahead.k[-1]) == pytest.approx((10, 500))
    assert all(low < score < high for low, score, high in zip(ahead.low, ahead.score, ahead.high, strict=True))
    assert forecast(made({0: 40})) is None
    curve = made({0: 40, 10: 60, 50: 70})
    assert interpolate(curve, "dollars", [0, 5, 30, 50, 90]) == pytest.approx([0, 0.25, 1.5, 2.5, 4.5], abs=1e-3)

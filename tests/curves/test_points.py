from dataclasses import replace

import numpy as np
import pytest
from making import result

from fewshot.costs import prices as rates
from fewshot.curves.advice import advise, best_k, forecast, price_per_example
from fewshot.curves.compare import cost_to_reach, steps
from fewshot.curves.plots import figure
from fewshot.curves.points import curves, distinct, estimate
from fewshot.errors import FewshotError
from fewshot.reports.learning_curves import headline

RATES = rates.load()


def test_rounds_have_a_curve_of_their_own_for_each_sequence_of_sizes():
    ways = [(), (10,), (10, 10), (10, 40), (20,)]
    runs = [result(sum(way) or 10, 50 + n, "entropy", rounds=way) for n, way in enumerate(ways)]
    made = curves([result(0, 30), *runs, result(10, 40)], RATES)
    assert {curve.name: [(point.k, point.score) for point in curve.points] for curve in made} == {
        "entropy": [(0, 30), (10, 50)],
        "entropy 10+10": [(0, 30), (10, 51), (20, 52)],
        "entropy 20": [(0, 30), (20, 54)],
        "entropy 10+40": [(0, 30), (10, 51), (50, 53)],
        "random": [(0, 30), (10, 40)],
    }
    assert [curve.rounds for curve in made] == [(), (10, 10), (20,), (10, 40), ()]
    with pytest.raises(FewshotError, match="no result yet"):
        curves([], RATES)


def test_draws_of_other_samplers_ks_rounds_or_without_names_stay_apart():
    every = [drawn(50, ("a",)), drawn(50, ("b",), shot_set=1), replace(drawn(50, ("a",), shot_set=1), sampler="random")]
    every += [replace(drawn(50, ("a",), shot_set=1), k=1), result(9, 50), result(9, 50, shot_set=1)]
    assert distinct(every) == every
    runs = [result(20, 50, "entropy", rounds=way, shots=("a", "b")) for way in ((), (10, 10))]
    assert distinct(runs) == runs


def test_gain_and_price_of_a_point():
    (curve,) = curves([result(0, 30), result(10, 50, tokens=200, seconds=0)], RATES)
    point = curve.points[1]
    assert point.gain == 20
    assert point.annotation == pytest.approx(200 * 0.005)
    assert point.dollars_per_point == pytest.approx(200 * 0.005 / 20)
    assert point.minutes == pytest.approx(60 * 200 * 0.005 / 11.37)
    (losing,) = curves([result(0, 50), result(10, 40)], RATES)
    assert losing.points[1].dollars_per_point is None


def test_without_zero_shot_a_curve_begins_with_its_first_shots():
    (curve,) = curves([result(50, 60), result(10, 50), result(10, 54, shot_set=1)], RATES)
    assert [(point.k, point.score, point.gain) for point in curve.points] == [(10, 52, 0), (50, 60, 8)]
    assert curve.points[0].dollars_per_point is None
    assert [step.per_further_point is None for step in steps(curve)] == [True, False]
    assert "With 10 ja sentences" in headline([curve], "ja", "sentences", "accuracy (%)")
    assert not figure([curve], "accuracy", ahead=True).layout.shapes  # no line of a score that there is not
    assert "use zero-shot" not in advise(curve, [100], price_per_example(curve), threshold=99).sentence
    assert best_k(curve) == 50
    assert cost_to_reach(curve, 51).k > 0
    (alone,) = curves([result(10, 50)], RATES)
    assert price_per_example(alone) == pytest.approx(alone.points[0].annotation / 10)
    assert cost_to_reach(alone, 40).k is not None
    assert forecast(alone) is not None


def test_interval_is_students_over_shot_sets_and_adds_the_noise_of_the_test_set():
    sets = [result(10, score, shot_set=n, low=score, high=score) for n, score in enumerate((40, 50, 60))]
    score, low, high = estimate(sets)
    half = 4.302653 * 10 / 3**0.5  # t of 2 degrees of freedom
    assert (score, low, high) == pytest.approx((50, 50 - half, 50 + half))
    noisy = [result(10, r.score, shot_set=r.shot_set, low=r.score - 30, high=r.score + 30) for r in sets]
    assert estimate(noisy)[2] == pytest.approx(50 + (half**2 + 30**2) ** 0.5)
    agreeing = [result(10, 50, shot_set=n, low=48, high=52) for n in range(3)]
    assert estimate(agreeing) == pytest.approx((50, 48, 52))
    assert estimate(agreeing[:1]) == (50, 48, 52)


def test_the_noise_of_the_test_set_reaches_as_far_on_each_side_as_it_does_among_percentages():
    perfect = [result(10, 100, shot_set=n, low=57, high=100) for n in range(2)]
    assert estimate(perfect) == (100, 57, 100)
    made = curves([result(0, 20, known_only=95.0), result(10, 60)], RATES)[0]
    assert [(point.known_only, point.noise) for point in made.points] == [(95.0, 1.0), (None, 1.0)]
    _, low, high = estimate([result(10, 1, shot_set=n, low=0, high=20) for n in range(3)])
    assert low == 0 < high


def test_seeds_of_one_shot_set_are_no_new_evidence_about_shot_sets():
    three_sets = [result(10, s, shot_set=n, low=s, high=s) for n, s in enumerate((40, 50, 60))]
    repeated = [replace(r, seed=seed) for r in three_sets for seed in range(5)]
    assert estimate(repeated) == pytest.approx(estimate(three_sets))
    more_seeds = [result(10, 40), result(10, 60, shot_set=1), result(10, 60, shot_set=1, seed=1)]
    assert estimate(more_seeds)[0] == 50


def test_every_run_is_priced_on_its_own_device():
    runs = [result(0, 30), result(10, 50, seconds=3600), result(10, 50, seed=1, seconds=60, device="cuda")]
    (curve,) = curves(runs, RATES)
    cpu, cuda = RATES.compute["cpu"], RATES.compute["cuda"]
    assert curve.points[1].compute == pytest.approx((cpu.dollars_per_hour + cuda.dollars_per_hour / 60) / 2)
    assert curve.points[1].kwh == pytest.approx(1.58 * (cpu.watts + cuda.watts / 60) / 2000)


def test_bill_counts_the_unit_of_the_rate():
    rates = replace(RATES, annotation={"pos": replace(RATES.annotation["pos"], unit="sentence", dollars=0.1)})
    runs = [result(0, 30), result(10, 50, tokens=118, seconds=0)]
    assert curves(runs, rates)[0].points[1].dollars == pytest.approx(10 * 0.1)
    assert curves(runs, rates, bill_test=True)[0].points[1].dollars == pytest.approx((10 + 50) * 0.1)


def drawn(score, shots, **changes):
    return result(10, score, "longest", low=score, high=score, shots=shots, **changes)


def test_shot_sets_of_the_same_examples_are_one_draw_with_several_seeds():
    seeds = [drawn(score, ("a", "b"), seed=n) for n, score in enumerate((49, 51))]
    sets = [replace(r, shot_set=n, shots=r.shots[::-1] if n else r.shots) for n in range(3) for r in seeds]
    assert estimate(sets) == estimate(seeds) == pytest.approx((50, 50 - 12.706205, 50 + 12.706205))
    for runs in (seeds, sets, [replace(one, shots=()) for one in seeds]):
        (curve,) = curves([result(0, 30), *runs], RATES)
        assert (curve.points[1].runs, curve.points[1].shot_sets) == (2, 1)
        assert [(score.score, score.shot_set) for score in curve.scores] == [(30, 0), (49, 0), (51, 0)]


def test_a_draw_that_comes_again_counts_once_and_new_seeds_of_it_are_kept():
    first, again = drawn(40, ("a", "b")), drawn(40, ("a", "b"), shot_set=1)
    new = drawn(44, ("a", "b"), shot_set=2, seed=1)
    other = drawn(60, ("a", "c"), shot_set=3)
    assert [(r.shot_set, r.seed, r.score) for r in distinct([first, again, new, other])] == [
        (0, 0, 40), (0, 1, 44), (3, 0, 60),
    ]  # fmt: skip
    assert estimate([first, again, new, other])[0] == 51


def test_a_language_model_is_paid_by_its_tokens_and_its_energy_elsewhere_is_not_known():
    rates_with = replace(RATES, language_models={"tiny": rates.TokenPrice(1.0, 10.0, "2026-11", "")})
    asked = {"answers": 20, "input_tokens": 2_000_000, "output_tokens": 100_000, "examples": 20, "refused": 0}
    runs = [result(k, 50, model="tiny", device=rates.REMOTE, asked=asked, seconds=3600) for k in (0, 10)]
    (curve,) = curves(runs, rates_with)
    assert [point.compute for point in curve.points] == [3.0, 3.0]
    assert all(np.isnan(point.kwh) for point in curve.points)
    assert curve.points[1].dollars == pytest.approx(3.0 + curve.points[1].annotation)
    with pytest.raises(FewshotError, match="no price of tiny"):
        curves(runs, RATES)

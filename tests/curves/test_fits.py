from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares

from fewshot import tasks
from fewshot.curves.fits import fit
from fewshot.curves.points import Score
from fewshot.errors import FewshotError
from fewshot.tasks import CurvePrior
from fewshot.transfer import lauscher

LOOSE = CurvePrior(slope=0.2, slope_sd=10, knee=2, knee_sd=100, noise=0.05, drift=0.02)
POS = tasks.get("pos").curve


def power(k):
    return 100 - 40 * np.asarray(k, float) ** -0.25


def anchored(k):
    return 100 - 60 * (1 + np.asarray(k, float) / 8) ** -0.3


def scores(curve, ks):
    return [Score(k, float(curve(k))) for k in ks]


def test_power_law_is_found_where_zero_shot_is_off_it():
    seen = [Score(0, 85.0), *scores(power, (10, 50, 100))]
    assert fit(seen, LOOSE).predict([1000]) == pytest.approx(power([1000]), abs=0.3)


def test_anchored_curve_is_found_through_zero_shot():
    fitted = fit(scores(anchored, (0, 10, 50, 100, 500)), LOOSE)
    assert fitted.predict([1000, 3000]) == pytest.approx(anchored([1000, 3000]), abs=0.5)
    assert fitted.weights[1] > 0.6
    assert fitted.best[1] == pytest.approx([np.log(60) + 0.3 * np.log(8), 0.3, 8], rel=0.02)


def test_least_squares_are_those_of_scipy():
    rng = np.random.default_rng(0)
    ks = np.array([0, 10, 50, 100, 500])
    errors = np.log(100 - anchored(ks)) + rng.normal(0, 0.05, len(ks))
    fitted = fit([Score(int(k), 100 - float(np.exp(e))) for k, e in zip(ks, errors, strict=True)], POS)
    level, slope, knee = fitted.best[1]

    def residuals(x):
        line = (errors - x[0] + x[1] * np.log(ks + knee)) / POS.noise
        return [*line, (x[1] - POS.slope) / POS.slope_sd]

    assert (level, slope) == pytest.approx(least_squares(residuals, [4, 0.1]).x, abs=1e-4)


def test_one_point_is_carried_by_the_prior_and_its_band_is_wide():
    one = fit([Score(0, 60.0), Score(10, 70.0)], POS)
    low, high = one.band([50, 1000])
    assert 70 < one.predict([50])[0] < one.predict([1000])[0] < 100
    many = fit([Score(0, 60.0), *scores(lambda k: 100 - 30 * (k / 10) ** -0.2, (10, 50, 100, 500))], POS)
    assert high[1] - low[1] > 2 * np.diff(np.ravel(many.band([1000])))[0]


def test_curve_that_falls_below_zero_shot_is_not_made_to_rise_and_one_that_rises_again_is_followed():
    prior = tasks.get("nli").curve
    fitted = fit([Score(0, 65.0), Score(10, 62.0), Score(50, 60.0), Score(100, 59.0)], prior)
    assert fitted.predict([100])[0] < 62
    low, high = fitted.band([500])
    assert low[0] < 59 < high[0]
    fitted = fit([Score(0, 65.0), Score(10, 58.0), Score(50, 60.0), Score(100, 61.0)], prior)
    assert fitted.weights[0] > 0.9, "the anchored form cannot turn around and must lose its weight"
    assert fitted.predict([10, 50, 100]) == pytest.approx([58, 60, 61], abs=0.6)


def width(seen):
    return np.diff(np.ravel(fit(seen, POS).band([500])))[0]


def test_jagged_points_and_shot_sets_that_disagree_widen_the_band_and_many_that_agree_narrow_it():
    def runs(spread, sets):
        drawn = np.linspace(-spread, spread, sets)
        return [Score(0, 50.0), *(Score(k, float(power(k) + d), n) for k in (10, 50, 100) for n, d in enumerate(drawn))]

    assert width(runs(8, 3)) > 1.5 * width(runs(1, 3))
    assert width(runs(0.5, 8)) < width(runs(0, 1))
    jagged = [Score(0, 50.0), Score(10, 80.0), Score(50, 72.0), Score(100, 88.0)]
    assert width(jagged) > 2 * width(runs(0, 1))


def test_bands_hold_80_of_100_curves_that_are_as_the_prior_says():
    rng = np.random.default_rng(1)
    prior = replace(POS, drift=0.03)
    held = []
    for _ in range(150):
        slope, knee = rng.normal(prior.slope, prior.slope_sd), np.exp(rng.normal(prior.knee, prior.knee_sd))
        ks = np.array([0, 10, 50, 100, 500])
        errors = 3.8 - slope * np.log1p(ks / knee)
        errors[4] += prior.drift * np.log(5) ** 0.5 * rng.normal()
        seen = errors[:4] + prior.noise * rng.normal(size=4)
        runs = [Score(int(k), float(100 - np.exp(e))) for k, e in zip(ks, seen, strict=False)]
        low, high = fit(runs, prior, replicates=200).band([500])
        held.append(low[0] <= 100 - np.exp(errors[4]) <= high[0])
    assert 0.74 < np.mean(held) < 0.9


def test_perfect_and_useless_scores_stay_among_percentages_and_no_shots_have_no_fit():
    for score in (0.0, 100.0):
        drawn = fit([Score(0, score), Score(10, score)], POS).replicates([10, 100, 100000])
        assert np.isfinite(drawn).all()
        assert ((drawn >= 0) & (drawn <= 100)).all()
    with pytest.raises(FewshotError, match="cannot fit a learning curve without a score at k above 0"):
        fit([Score(0, 50.0)], POS)


PUBLISHED = (0, 10, 50, 100)


def published_forecasts(task, k=1000):
    """How far the forecast of each language is off, and whether its score is in the band."""
    scores = {one: lauscher.per_language(task, one) for one in (*PUBLISHED, k)}
    found = []
    for lang, truth in scores[k].items():
        fitted = fit([Score(one, scores[one][lang]) for one in PUBLISHED], tasks.get(task).curve)
        (low,), (high,) = fitted.band([k])
        found.append((abs(fitted.predict([k])[0] - truth), low <= truth <= high))
    return np.array(found)


@pytest.mark.parametrize(("task", "points"), [("pos", 1.5), ("dep", 1.3), ("ner", 0.8), ("nli", 3.6)])
def test_a_thousand_shots_are_foreseen_from_a_hundred(task, points):
    errors, _ = published_forecasts(task).T
    assert len(errors) >= 12
    assert errors.mean() < points


def test_bands_hold_about_the_share_of_scores_that_they_say():
    held = np.concatenate([published_forecasts(task)[:, 1] for task in ("pos", "dep", "ner", "nli")])
    assert 0.75 <= held.mean() <= 0.9

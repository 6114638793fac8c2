"""Of the published curves (Lauscher et al. 2020, Table 5), what comes after k = 100 is foreseen, and bands are honest.

The priors were learnt from these curves and those of *mini*, so that this guards the fits;
``tests/benchmarks/curve_fits.py`` leaves the language out that it predicts.
"""

import numpy as np
import pytest

from fewshot import tasks
from fewshot.curves import fits
from fewshot.curves.points import Score
from fewshot.transfer import lauscher

SEEN = (0, 10, 50, 100)


def forecasts(task, k=1000):
    """Return, of each language, how far the forecast is off, and whether the score is in its band."""
    scores = {one: lauscher.per_language(task, one) for one in (*SEEN, k)}
    found = []
    for lang, truth in scores[k].items():
        fitted = fits.fit([Score(one, scores[one][lang]) for one in SEEN], tasks.get(task).curve)
        (low,), (high,) = fitted.band([k])
        found.append((abs(fitted.predict([k])[0] - truth), low <= truth <= high))
    return np.array(found)


@pytest.mark.parametrize(("task", "points"), [("pos", 1.5), ("dep", 1.2), ("ner", 0.8), ("nli", 3.6)])
def test_a_thousand_shots_are_foreseen_from_a_hundred(task, points):
    errors, _ = forecasts(task).T
    assert len(errors) >= 12
    assert errors.mean() < points


def test_bands_hold_about_the_share_of_scores_that_they_say():
    held = np.concatenate([forecasts(task)[:, 1] for task in ("pos", "dep", "ner", "nli")])
    assert 0.75 <= held.mean() <= 0.85

"""From results to curves: one point a k, with an interval over shot sets, seeds and test sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewshot.costs.rates import Rates
from fewshot.curves.results import Result
from fewshot.errors import FewshotError

RESAMPLES = 2000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Point:
    """The runs of one curve at one k.

    Args:
        k: number of shots.
        tokens: of the shots, mean over shot sets.
        minutes: of annotating them.
        dollars: annotation and compute together.
        annotation: dollars of annotation.
        compute: dollars of one training.
        score: mean over runs, in percent.
        low: lower end of the 95% interval.
        high: upper end.
        gain: points above zero-shot.
        runs: number of runs.
    """

    k: int
    tokens: float
    minutes: float
    dollars: float
    annotation: float
    compute: float
    score: float
    low: float
    high: float
    gain: float
    runs: int

    @property
    def dollars_per_point(self) -> float | None:
        """Dollars for each point gained; None where nothing was gained or bought."""
        return self.dollars / self.gain if self.gain > 0 and self.k else None


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one condition, rising k, zero-shot first.

    Args:
        name: what sets the curve apart, for example the sampler.
        metric: name of the score.
        points: at least the zero-shot one.
        group: the run it belongs to where several are compared; plots give a group one colour.
    """

    name: str
    metric: str
    points: tuple[Point, ...]
    group: str = ""


def curves(results: Sequence[Result], rates: Rates, bill_test: bool = False, group: str = "") -> list[Curve]:
    """Make one curve a sampler from the results of one plan.

    Args:
        results: of one task, language, model and recipe.
        rates: prices; they replace those at the time of the run.
        bill_test: whether the test set's labels are counted in the bill of every point.
        group: what sets these results apart from others, set before the names of the curves.

    Raises:
        FewshotError: when there is no zero-shot result to start from.
    """
    zero = [result for result in results if result.k == 0]
    if not zero:
        raise FewshotError("no zero-shot result yet; let the run go on until its first line is written")
    samplers = list(dict.fromkeys(result.sampler for result in results if result.k > 0))
    start = _point(zero, zero[0].score, rates, bill_test)
    found = []
    for sampler in samplers or ["zero-shot"]:
        by_k: dict[int, list[Result]] = defaultdict(list)
        for result in results:
            if result.k and result.sampler == sampler:
                by_k[result.k].append(result)
        points = [_point(by_k[k], zero[0].score, rates, bill_test) for k in sorted(by_k)]
        found.append(Curve(f"{group} {sampler}".strip(), zero[0].metric, (start, *points), group))
    return found


def interval(results: Sequence[Result], seed: int = 0) -> tuple[float, float]:
    """Return the 95% interval of a mean score.

    Shot sets are resampled, then the seeds within each, and the noise of the test set is added to every resample:
    a normal draw whose deviation is read off the runs' own bootstrap intervals.

    Args:
        results: the runs of one sampler and k.
        seed: of the resampling.
    """
    if len(results) == 1:
        return results[0].low, results[0].high
    rng = np.random.default_rng(seed)
    by_set: dict[int, list[float]] = defaultdict(list)
    for result in results:
        by_set[result.shot_set].append(result.score)
    sets = [np.array(scores) for scores in by_set.values()]
    means = []
    for _ in range(RESAMPLES):
        drawn = rng.integers(len(sets), size=len(sets))
        means.append(np.mean([rng.choice(sets[place], len(sets[place])).mean() for place in drawn]))
    test_noise = np.mean([(result.high - result.low) / 3.92 for result in results])
    tail = 100 * (1 - LEVEL) / 2
    resampled = np.clip(np.array(means) + rng.normal(0, test_noise, RESAMPLES), 0, 100)
    low, high = np.percentile(resampled, [tail, 100 - tail])
    return float(low), float(high)


def _point(results: Sequence[Result], zero_shot: float, rates: Rates, bill_test: bool) -> Point:
    rate = rates.annotation[results[0].task]
    compute = rates.compute[results[0].device]
    score = float(np.mean([result.score for result in results]))
    low, high = interval(results)
    units = float(np.mean([result.units for result in results])) + (results[0].test_units if bill_test else 0)
    annotation = rate.dollars * units
    computing = compute.dollars(float(np.mean([result.seconds for result in results])))
    return Point(
        k=results[0].k,
        tokens=float(np.mean([result.tokens for result in results])),
        minutes=rate.minutes(units),
        dollars=annotation + computing,
        annotation=annotation,
        compute=computing,
        score=score,
        low=low,
        high=high,
        gain=score - zero_shot,
        runs=len(results),
    )

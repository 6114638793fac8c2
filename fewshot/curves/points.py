"""From results to curves: one point a k, with an interval over shot sets, seeds and test sentences."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from scipy.special import stdtrit

from fewshot.costs.prices import REMOTE, Rates
from fewshot.curves.results import Result
from fewshot.errors import FewshotError


@dataclass(frozen=True, slots=True)
class Point:
    """The runs of one curve at one k.

    Args:
        k: number of shots.
        tokens: of the shots, mean over shot sets.
        minutes: of annotating them.
        dollars: annotation and compute together.
        annotation: dollars of annotation.
        compute: dollars of one training and evaluation, and of the silver labels for it, if any; of a language model,
            of its answers for the test set.
        kwh: energy of one training and evaluation; not a number where another machine computed.
        score: mean over shot sets and seeds, in percent.
        low: lower end of the 95% interval.
        high: upper end.
        gain: points above zero-shot, else above the first point.
        runs: number of runs that differ, see `distinct`.
        shot_sets: number of draws among them.
        known_only: at k = 0 the score on the labels that the source model has; None where it is the same, or not known.
        noise: half of the 95% interval that the test set alone leaves to the score of one run.
    """

    k: int
    tokens: float
    minutes: float
    dollars: float
    annotation: float
    compute: float
    kwh: float
    score: float
    low: float
    high: float
    gain: float
    runs: int
    shot_sets: int
    known_only: float | None = None
    noise: float = 0.0

    @property
    def dollars_per_point(self) -> float | None:
        """Dollars for each point gained; None where nothing was gained or bought."""
        return self.dollars / self.gain if self.gain > 0 and self.dollars > 0 and self.k else None


@dataclass(frozen=True, slots=True)
class Score:
    """What one run scored, as a fit sees it.

    Args:
        k: number of shots.
        score: in percent.
        shot_set: draw of the sampler; draws of one number are nested over k.
    """

    k: int
    score: float
    shot_set: int = 0


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one condition, rising k, zero-shot first where the source model could be scored.

    Args:
        name: what sets the curve apart, for example the sampler.
        metric: name of the score.
        points: at least one.
        group: the run it belongs to where several are compared; plots give a group one colour.
        task: name of the task.
        scores: of every run that the points are means of.
        currency: sign of what the points call dollars, where a project is paid in another one.
        rounds: sizes of the rounds that the shots came in; none where they were drawn at once.
        simulated: whether gold labels stand in for people, whose minutes and price then mean nothing.
    """

    name: str
    metric: str
    points: tuple[Point, ...]
    group: str = ""
    task: str = ""
    scores: tuple[Score, ...] = ()
    currency: str = "$"
    rounds: tuple[int, ...] = ()
    simulated: bool = False

    def each(self, what: str) -> float:
        """Return what one example more took of ``tokens``, ``minutes`` or ``annotation``, since the last point but one.

        Args:
            what: a field of `Point`.
        """
        last, before = self.points[-1], self.points[-2] if len(self.points) > 1 else None
        gone, k = (getattr(before, what), before.k) if before else (0.0, 0)
        return float(getattr(last, what) - gone) / (last.k - k)


def curves(results: Sequence[Result], rates: Rates, bill_test: bool = False, group: str = "") -> list[Curve]:
    """Make one curve a sampler from the results of one plan; of rounds, one for each sequence of sizes.

    Args:
        results: of one task, language, model and recipe.
        rates: prices; they replace those at the time of the run.
        bill_test: whether the test set's labels are counted in the bill of every point.
        group: what sets these results apart from others, set before the names of the curves.

    Raises:
        FewshotError: when there is no result yet, or no price of the labels.
    """
    results = distinct(results)
    if not results:
        raise FewshotError("no result yet; let the run go on until its first line is written")
    zero = [result for result in results if result.k == 0]  # several, where parts of the shots score each other
    found = []
    for drawn_by, runs in (by_draw(results) or {"zero-shot": []}).items():
        by_k = [list(same) for _, same in groupby([*zero, *runs], lambda one: one.k)]
        start = _mean(result.score for result in by_k[0])
        points = tuple(_point(same, start, rates, bill_test) for same in by_k)
        scores = tuple(Score(result.k, result.score, result.shot_set) for result in (*zero, *runs))
        name, rounds = f"{group} {drawn_by}".strip(), runs[-1].rounds if runs else ()
        first = by_k[0][0]
        found.append(Curve(name, first.metric, points, group, first.task, scores, rounds=rounds))
    return found


def by_draw(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Return results with shots by what drew these, rising k; samplers in their order.

    Those in rounds stand under the name of the last of them, of which the others are the beginning.
    """
    found = {}
    for sampler in dict.fromkeys(result.sampler for result in results if result.k):
        mine = sorted((one for one in results if one.k and one.sampler == sampler), key=lambda one: one.k)
        for last in {one.rounds: one for one in mine}.values():
            if not any(last.begins(one.rounds) and last.rounds != one.rounds for one in mine):
                found[last.drawn_by] = [one for one in mine if one.begins(last.rounds)]
    return found


def distinct(results: Sequence[Result]) -> list[Result]:
    """Return results without repetitions: shot sets of the same examples are one draw, numbered as the first of them.

    A sampler that leaves nothing to chance draws the same examples for every shot set, which says nothing about other
    draws; and what is trained twice on them with one seed is one run.

    Args:
        results: of one task, language, model and recipe; those that name no shots are told apart by shot set.
    """
    numbers: dict[tuple[str, int, object], int] = {}
    kept: dict[tuple[str, int, int, int], Result] = {}
    for result in results:
        draw = result.drawn_by, result.k, frozenset(result.shots) or result.shot_set
        number = numbers.setdefault(draw, result.shot_set)
        kept.setdefault((result.drawn_by, result.k, number, result.seed), replace(result, shot_set=number))
    return list(kept.values())


def estimate(results: Sequence[Result]) -> tuple[float, float, float]:
    """Return the mean score of one sampler and k and its 95% interval ``(score, low, high)``.

    Student's t over the means of the shot sets, which hold the noise of their seeds too, and beside it the noise of the
    test set; the two add as variances. One shot set shows nothing about other draws: then t goes over its seeds. Shot
    sets of the same examples are one, see `distinct`.
    """
    results = distinct(results)
    scores: dict[int, list[float]] = defaultdict(list)
    for result in results:
        scores[result.shot_set].append(result.score)
    # All runs err on the same sentences, so that the noise of their mean is at most the mean of their noise.
    below, above = (_mean(each) for each in zip(*((r.score - r.low, r.high - r.score) for r in results), strict=True))
    return over_draws(list(scores.values()), below, above)


def over_draws(draws: Sequence[Sequence[float]], below: float, above: float) -> tuple[float, float, float]:
    """Return the mean of scores and its 95% interval ``(score, low, high)``, see `estimate`.

    Args:
        draws: in percent, of each draw one score a seed.
        below: how far the 95% interval that the test set leaves to a score reaches below it.
        above: how far it reaches above.
    """
    sample = [_mean(draw) for draw in draws]
    score = _mean(sample)
    if len(sample) == 1:
        sample = list(draws[0])
    low, high = np.hypot(half_interval(sample), (below, above))
    return score, float(max(score - low, 0.0)), float(min(score + high, 100.0))


def half_interval(sample: Sequence[float]) -> float:
    """Return half of the 95% interval of a mean (Student's t), 0 where one value shows nothing about others."""
    n = len(sample)
    return float(stdtrit(n - 1, 0.975) * np.std(sample, ddof=1) / n**0.5) if n > 1 else 0.0


def _point(results: Sequence[Result], start: float, rates: Rates, bill_test: bool) -> Point:
    first = results[0]
    units = {
        unit: _mean(result.units[unit] for result in results) + (first.test_units[unit] if bill_test else 0)
        for unit in first.units
    }
    minutes, annotation = rates.annotating(first.task, units)
    compute = _mean(_computing(result, rates) for result in results)
    score, low, high = estimate(results)
    known = [result.score if result.known_only is None else result.known_only for result in results]
    return Point(
        k=first.k,
        tokens=_mean(result.tokens for result in results),
        minutes=minutes,
        dollars=annotation + compute,
        annotation=annotation,
        compute=compute,
        kwh=_mean(_kwh(result, rates) for result in results),
        score=score,
        low=low,
        high=high,
        gain=score - start,
        runs=len(results),
        shot_sets=len({result.shot_set for result in results}),
        known_only=None if known == [result.score for result in results] else _mean(known),
        noise=_mean(result.high - result.low for result in results) / 2,
    )


def asking(result: Result, rates: Rates) -> float:
    """Return the dollars of the answers that a language model gave for a result; 0 where it was asked nothing."""
    if not result.asked:
        return 0.0
    device, seconds = _answering(result)
    tokens = result.asked["input_tokens"], result.asked["output_tokens"]
    return rates.asking(result.language_model, device, *tokens, seconds)


def answering_seconds(result: Result) -> float:
    """Return how long the answers of a language model took."""
    return _answering(result)[1]


def _answering(result: Result) -> tuple[str, float]:
    """Return where a language model computed its answers, and for how long."""
    return (result.teacher_device, result.teacher_seconds) if result.teacher else (result.device, result.seconds)


def _computing(result: Result, rates: Rates) -> float:
    trains = bool(result.teacher) or not result.asked
    training = rates.compute[result.device].dollars(result.seconds) if trains else 0.0
    return training + asking(result, rates)


def _kwh(result: Result, rates: Rates) -> float:
    used = {(result.device, result.seconds), *([_answering(result)] if result.asked else [])}
    if any(device == REMOTE for device, _ in used):
        return math.nan
    return sum(rates.compute[device].kwh(seconds) for device, seconds in used)


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))

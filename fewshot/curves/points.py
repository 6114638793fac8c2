"""Learning curves from results: points with intervals over shot sets, seeds and test examples."""

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
    """All runs of a curve at one k.

    Args:
        compute: dollars of one training and evaluation with its silver labels; for a language model, of its answers to
            the test set.
        kwh: energy of one training and evaluation; NaN if another machine was involved.
        score: mean over shot sets and seeds, in percent.
        low: lower end of the 95% interval.
        gain: points above zero-shot, or else above the first point.
        runs: number of distinct runs, see `distinct`.
        shot_sets: number of distinct draws.
        known_only: at k = 0 the score on the source model's labels; None if equal to the score or unknown.
        noise: half of the 95% interval of one run's score that is due to the test set.
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
        """Dollars for each point gained; None without a gain or a cost."""
        return self.dollars / self.gain if self.gain > 0 and self.dollars > 0 and self.k else None


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one run, as input of a fit.

    Args:
        shot_set: index of the draw; a draw of k contains those of smaller k with the same index.
    """

    k: int
    score: float
    shot_set: int = 0


@dataclass(frozen=True, slots=True)
class Curve:
    """A learning curve by ascending k, starting with zero-shot if the source model was scored.

    Args:
        name: distinguishes the curve, for example the sampler.
        group: run of the curve in a comparison; plots use one colour for each group.
        currency: sign of the currency of ``dollars``.
        rounds: sizes of the rounds of the shots; empty if all shots were drawn at once.
        simulated: whether gold labels replace annotators, so that minutes and prices are meaningless.
        test_bill: minutes and dollars of annotating the test set that are included in every point.
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
    test_bill: tuple[float, float] = (0.0, 0.0)

    def without_shots(self, field: str) -> float:
        """Return a field of `Point` that grows with the shots at k = 0, where a point may be missing."""
        minutes, dollars = self.test_bill
        return {"minutes": minutes, "annotation": dollars, "dollars": dollars}.get(field, 0.0)

    def per_example(self, field: str) -> float:
        """Return the increase of a field of `Point` for one more example, since the last point but one.

        Args:
            field: ``tokens``, ``minutes`` or ``annotation``.
        """
        last, before = self.points[-1], self.points[-2] if len(self.points) > 1 else None
        gone, k = (getattr(before, field), before.k) if before else (self.without_shots(field), 0)
        return float(getattr(last, field) - gone) / (last.k - k)


def curves(results: Sequence[Result], rates: Rates, bill_test: bool = False, group: str = "") -> list[Curve]:
    """Return one curve for each sampler of a plan; for rounds, one for each sequence of sizes.

    Args:
        results: results of one task, language, model and recipe.
        rates: current prices; they replace those at the time of the runs.
        bill_test: whether the cost of every point includes the labels of the test set.
        group: prefix of the names of the curves.

    Raises:
        FewshotError: without results, or without a price of the labels.
    """
    results = distinct(results)
    if not results:
        raise FewshotError("no result yet; continue the run until its first result is written")
    zero = [result for result in results if result.k == 0]  # several, where parts of the shots score each other
    result_curves = []
    for drawn_by, runs in (group_by_draw(results) or {"zero-shot": []}).items():
        by_k = [list(same) for _, same in groupby([*zero, *runs], lambda result: result.k)]
        start = _mean(result.score for result in by_k[0])
        points = tuple(_point(same, start, rates, bill_test) for same in by_k)
        scores = tuple(Score(result.k, result.score, result.shot_set) for result in (*zero, *runs))
        name, rounds = f"{group} {drawn_by}".strip(), runs[-1].rounds if runs else ()
        first = by_k[0][0]
        test_bill = rates.price_annotation(first.task, first.test_units) if bill_test else (0.0, 0.0)
        result_curves.append(
            Curve(name, first.metric, points, group, first.task, scores, rounds=rounds, test_bill=test_bill)
        )
    return result_curves


def group_by_draw(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Return the results with shots by sampler and rounds, with ascending k.

    Results of earlier rounds are grouped under the last of the rounds.
    """
    groups = {}
    for sampler in dict.fromkeys(result.sampler for result in results if result.k):
        own = sorted((result for result in results if result.k and result.sampler == sampler), key=lambda r: r.k)
        for last in {result.rounds: result for result in own}.values():
            if not any(last.is_prefix_of(result.rounds) and last.rounds != result.rounds for result in own):
                groups[last.drawn_by] = [result for result in own if result.is_prefix_of(last.rounds)]
    return groups


def distinct(results: Sequence[Result]) -> list[Result]:
    """Return results without repetitions: shot sets of the same examples become one, with the first index.

    A deterministic sampler draws the same examples for every shot set, which says nothing about other draws. Two
    trainings on the same examples with one seed are one run.

    Args:
        results: results of one task, language, model and recipe; results without shots differ by shot set.
    """
    numbers: dict[tuple[str, int, object], int] = {}
    kept: dict[tuple[str, int, int, int], Result] = {}
    for result in results:
        draw = result.drawn_by, result.k, frozenset(result.shots) or result.shot_set
        number = numbers.setdefault(draw, result.shot_set)
        kept.setdefault((result.drawn_by, result.k, number, result.seed), replace(result, shot_set=number))
    return list(kept.values())


def estimate(results: Sequence[Result]) -> tuple[float, float, float]:
    """Return the mean score of one sampler and k with its 95% interval ``(score, low, high)``.

    Student's t over the means of the shot sets, combined with the noise of the test set by adding variances. With one
    shot set, which says nothing about other draws, t is over its seeds. See `distinct`.
    """
    results = distinct(results)
    scores: dict[int, list[float]] = defaultdict(list)
    for result in results:
        scores[result.shot_set].append(result.score)
    # All runs share the test examples, so that the noise of their mean is at most the mean of their noise.
    below, above = (_mean(gaps) for gaps in zip(*((r.score - r.low, r.high - r.score) for r in results), strict=True))
    return over_draws(list(scores.values()), below, above)


def over_draws(draws: Sequence[Sequence[float]], below: float, above: float) -> tuple[float, float, float]:
    """Return the mean of scores with its 95% interval ``(score, low, high)``, see `estimate`.

    Args:
        draws: scores in percent of each draw, one for each seed.
        below: distance of the lower end of the 95% interval due to the test set.
        above: distance of its upper end.
    """
    sample = [_mean(draw) for draw in draws]
    score = _mean(sample)
    if len(sample) == 1:
        sample = list(draws[0])
    low, high = np.hypot(half_interval(sample), (below, above))
    return score, float(max(score - low, 0.0)), float(min(score + high, 100.0))


def half_interval(sample: Sequence[float]) -> float:
    """Return half of the 95% interval of a mean (Student's t); 0 for a single value."""
    n = len(sample)
    return float(stdtrit(n - 1, 0.975) * np.std(sample, ddof=1) / n**0.5) if n > 1 else 0.0


def _point(results: Sequence[Result], start: float, rates: Rates, bill_test: bool) -> Point:
    first = results[0]
    units = {
        unit: _mean(result.units[unit] for result in results) + (first.test_units[unit] if bill_test else 0)
        for unit in first.units
    }
    minutes, annotation = rates.price_annotation(first.task, units)
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


def answer_dollars(result: Result, rates: Rates) -> float:
    """Return the cost of a language model's answers for a result; 0 without a language model."""
    if not result.asked:
        return 0.0
    device, seconds = _answering(result)
    tokens = result.asked["input_tokens"], result.asked["output_tokens"]
    return rates.price_answers(result.language_model, device, *tokens, seconds)


def answering_seconds(result: Result) -> float:
    """Return the duration of a language model's answers for a result."""
    return _answering(result)[1]


def _answering(result: Result) -> tuple[str, float]:
    """Return the device and the duration of a language model's answers."""
    return (result.teacher_device, result.teacher_seconds) if result.teacher else (result.device, result.seconds)


def _computing(result: Result, rates: Rates) -> float:
    trains = bool(result.teacher) or not result.asked
    training = rates.compute[result.device].dollars(result.seconds) if trains else 0.0
    return training + answer_dollars(result, rates)


def _kwh(result: Result, rates: Rates) -> float:
    used = {(result.device, result.seconds), *([_answering(result)] if result.asked else [])}
    if any(device == REMOTE for device, _ in used):
        return math.nan
    return sum(rates.compute[device].kwh(seconds) for device, seconds in used)


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))

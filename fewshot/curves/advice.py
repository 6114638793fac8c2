"""Whether the next round of annotation is worth its price, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewshot import tasks
from fewshot.curves import fits
from fewshot.curves.points import Curve, Point
from fewshot.errors import FewshotError

THRESHOLD = 1.0
"""Points that a round must bring to be worth annotating, unless the user says otherwise."""

STOP = 0.2
"""Stop where the probability that the next round brings more than the threshold is below this."""

MAX_NOISE = 15.0
"""Half of the 95% interval that a test set leaves to a score, in points, above which nothing can be advised."""

LADDER = (10, 50, 100, 500, 1000, 5000, 10000)
"""The numbers of shots of Lauscher et al. 2020, and two beyond: where the next round ends by default."""


@dataclass(frozen=True, slots=True)
class NextRound:
    """What going on to some k is expected to bring, over the score that was measured last.

    Args:
        k: shots in all, when it is annotated.
        size: of the round, in examples.
        dollars: of annotating it.
        gain: expected points, with the ends of their 80% interval, low and high.
        sure: probability that it brings more than the threshold.
    """

    k: int
    size: int
    dollars: float
    gain: float
    low: float
    high: float
    sure: float


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do next.

    Args:
        rounds: the next one first, then larger ones.
        go_on: whether the next one is worth it: it brings more than the threshold with a probability of 0.2 or more;
            None where the test set is too small to say.
        use: k of the model to use today; 0 is the source model, where no shots are better by a standard error.
        sentence: the verdict.
    """

    rounds: tuple[NextRound, ...]
    go_on: bool | None
    use: int
    sentence: str


def advise(
    curve: Curve, next_ks: Sequence[int], price: float, threshold: float = THRESHOLD, kind: str = "examples"
) -> Advice:
    """Advise on the next round of a curve.

    Args:
        curve: with one point k > 0 at least.
        next_ks: numbers of shots to look at, each above the last point's; the smallest is the next round.
        price: dollars of annotating one more example, see `price_of_one`.
        threshold: points that a round must bring.
        kind: what people call the examples.

    Raises:
        FewshotError: when there are no shots yet, or a k is not above the last point's.
    """
    last, ks = curve.points[-1].k, sorted(next_ks)
    if not ks or ks[0] <= last:
        raise FewshotError(f"next k = {', '.join(map(str, ks)) or 'none'}; ask for more than the {last} there are")
    fitted = fits.fit(curve.scores, tasks.get(curve.task).curve)
    now = curve.points[-1].score
    gains = fitted.replicates(ks) - now
    expected = fitted.predict(ks)
    low, high = np.quantile(gains, [(1 - fits.BAND) / 2, (1 + fits.BAND) / 2], axis=0)
    rounds = tuple(
        NextRound(
            k=k,
            size=k - last,
            dollars=price * (k - last),
            gain=float(expected[place] - now),
            low=float(low[place]),
            high=float(high[place]),
            sure=float(np.mean(gains[:, place] > threshold)),
        )
        for place, k in enumerate(ks)
    )
    use = best_k(curve)
    if curve.points[-1].noise > MAX_NOISE:
        return Advice(rounds, None, use, _too_small(curve.points[-1], kind))
    go_on = rounds[0].sure >= STOP
    return Advice(rounds, go_on, use, _sentence(rounds[0], go_on, use, threshold, kind, curve.currency))


def best_k(curve: Curve) -> int:
    """Return the k with the highest score among those that beat zero-shot, if any, by a standard error, else 0."""
    start, *bought = curve.points
    if start.k:
        better = [start, *bought]
    else:
        better = [point for point in bought if point.score - start.score > _standard_error(curve, point)]
    return max(better, key=lambda point: point.score).k if better else 0


def price_of_one(curve: Curve) -> float:
    """Return the dollars of annotating one more example: see `Curve.each`."""
    return max(curve.each("annotation"), 0.0)


def next_ks(curve: Curve) -> list[int]:
    """Return the next two rungs of `LADDER` above the last point; at its top, doubling."""
    last = curve.points[-1].k
    return [k for k in (*LADDER, 2 * last, 4 * last) if k > last][:2]


def _standard_error(curve: Curve, point: Point) -> float:
    """Return that of the difference to zero-shot: of drawing shot sets, and of the test set, which both share."""
    sets: dict[int, list[float]] = {}
    for score in curve.scores:
        if score.k == point.k:
            sets.setdefault(score.shot_set, []).append(score.score)
    means = [float(np.mean(seeds)) for seeds in sets.values()]
    noise = tasks.get(curve.task).curve.noise * (100 - point.score)  # of one shot set, in points
    drawing = float(np.std(means, ddof=1)) if len(means) > 1 else noise
    start = curve.points[0]
    return float(np.hypot(drawing / max(len(means), 1) ** 0.5, (start.high - start.low) / 2 / 1.96))


def _too_small(last: Point, kind: str) -> str:
    doubt = f"{last.noise:.0f} points of doubt to either side of a score of {last.score:.0f}"
    return f"no advice: this test set alone leaves {doubt}; test on more {kind}"


def _sentence(coming: NextRound, go_on: bool, use: int, threshold: float, kind: str, sign: str) -> str:
    between = f"({fits.BAND:.0%}: {coming.low:.1f} to {coming.high:.1f})"
    brings = f"{coming.gain:.1f} points {between} for {sign}{coming.dollars:,.2f}"
    verdict = f"the next {coming.size:,} {kind} bring {brings}: "
    if go_on:
        verdict += "go on"
    else:
        verdict += f"stop, more than {threshold:g} is unlikely ({coming.sure:.0%})"
    return verdict + ("" if use else "; use zero-shot today, no shots beat it by a standard error")

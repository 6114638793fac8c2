"""What curves amount to, one sentence each: advice, the cost of a target, the front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fewshot.costs.speed_up import Estimate, SpeedUp
from fewshot.curves.advice import THRESHOLD, advise, next_ks, price_of_one
from fewshot.curves.compare import Cost, cost_to_reach, pareto
from fewshot.curves.points import Curve


def compared(
    curves: Sequence[Curve],
    groups: Mapping[str, Sequence[Curve]],
    kind: str,
    target: float | None = None,
    prices: Mapping[str, float] | None = None,
) -> list[str]:
    """Return the front of each group, what a target costs, and advice.

    Args:
        groups: the same by name of the group; of one group are those whose scores are on one test set.
        kind: what people call the examples.
        target: score to say the price of, in percent.
        prices: see `advice`.
    """
    fronts = [front(group, name if len(groups) > 1 else "") for name, group in groups.items()]
    costs = targets(curves, target, kind) if target is not None else []
    return [*fronts, *costs, *advice(curves, kind, prices=prices)]


def advice(
    curves: Sequence[Curve], kind: str, threshold: float = THRESHOLD, prices: Mapping[str, float] | None = None
) -> list[str]:
    """Return what to do next on each curve; the curve is named where there are several.

    Args:
        curves: of any test sets.
        kind: what people call the examples.
        threshold: points that a batch must bring.
        prices: of annotating one more example, by name of the curve; without one, what the last ones cost.
    """
    known = prices or {}
    return [
        _named(curve, advise(curve, next_ks(curve), price, threshold, kind).sentence, curves)
        for curve in curves
        if curve.points[-1].k
        for price in [known.get(curve.name, price_of_one(curve))]
    ]


def targets(curves: Sequence[Curve], target: float, kind: str) -> list[str]:
    """Return what it costs each curve to reach a score."""
    costs = [(curve, cost_to_reach(curve, target)) for curve in curves if curve.points[-1].k]
    return [_named(curve, _cost(cost, kind, curve.currency), curves) for curve, cost in costs]


def suggestions(
    found: SpeedUp, whose: str = "suggestions", anchoring: Mapping[str, Estimate | None] | None = None
) -> str:
    """Return what suggestions save or cost and what they do to the annotation, with 95% intervals.

    Args:
        found: of some suggestions.
        whose: what they are called.
        anchoring: to each of those that were shown together, by name; not given, that of ``found``.
    """
    saved = found.saved
    gaps = {"them": found.anchoring} if anchoring is None else anchoring
    share = (
        f"save {_percent(saved)} of the time"
        if saved.value >= 0
        else f"cost {_percent(Estimate(-saved.value, -saved.high, -saved.low))} more time"
    )
    text = f"{whose} {share}: {found.blind:.1f} s a token without, {found.shown:.1f} with"
    moved = [
        f"with {name} by {100 * gap.value:+.1f} points [{100 * gap.low:+.1f}, {100 * gap.high:+.1f}]"
        for name, gap in gaps.items()
        if gap
    ]
    return f"{text}; seeing them moves agreement {' and '.join(moved)}" if moved else text


def _percent(one: Estimate) -> str:
    return f"{one.value:.0%} [{100 * one.low:.0f}, {100 * one.high:.0f}]"


def front(curves: Sequence[Curve], lang: str = "") -> str:
    """Return the points of score against dollars that nothing beats."""
    points = []
    for curve, point in pareto(curves):
        name = f"{curve.name} k = {point.k}" if point.k else "zero-shot"
        points.append(f"{name} ({point.score:.1f} for {curve.currency}{point.dollars:,.2f})")
    return f"best {f'{lang} ' if lang else ''}score for the money: {', '.join(points)}"


def _cost(cost: Cost, kind: str, sign: str) -> str:
    if cost.k == 0:
        return f"{cost.score:g} is reached with zero shots"
    low = "more than can be foreseen" if cost.low is None else f"{sign}{cost.low:,.2f}"
    high = "out of reach" if cost.high is None else f"{sign}{cost.high:,.2f}"
    if cost.k is None or cost.dollars is None:
        return f"{cost.score:g} is out of reach of what can be foreseen (80% interval: {low} to {high})"
    where = ", beyond what was measured" if cost.extrapolated else ""
    return f"{cost.score:g} takes about {cost.k:,.0f} {kind}, {sign}{cost.dollars:,.2f} [{low}, {high}]{where}"


def _named(curve: Curve, sentence: str, curves: Sequence[Curve]) -> str:
    return f"{curve.name}: {sentence}" if len(curves) > 1 else sentence[0].upper() + sentence[1:]

"""Conclusions from curves, one sentence each: advice, the cost of a target score, the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fewshot.costs.speed_up import Estimate, SpeedUp
from fewshot.curves.advice import MIN_GAIN, advise, next_ks, price_per_example
from fewshot.curves.compare import Cost, cost_to_reach, pareto
from fewshot.curves.points import Curve


def compare_curves(
    curves: Sequence[Curve],
    groups: Mapping[str, Sequence[Curve]],
    kind: str,
    target: float | None = None,
    prices: Mapping[str, float] | None = None,
) -> list[str]:
    """Return sentences about the front of each group, the cost of a target score, and the next step.

    Args:
        groups: the same curves by name of the group; a group shares one test set.
        target: target score in percent; None: no target.
        prices: see `advise_on`.
    """
    fronts = [describe_front(group, name if len(groups) > 1 else "") for name, group in groups.items()]
    costs = describe_targets(curves, target, kind) if target is not None else []
    return [*fronts, *costs, *advise_on(curves, kind, prices=prices)]


def advise_on(
    curves: Sequence[Curve], kind: str, threshold: float = MIN_GAIN, prices: Mapping[str, float] | None = None
) -> list[str]:
    """Return one sentence of advice for each curve, with the curve's name if there are several curves.

    Args:
        prices: price of annotating one more example, by name of the curve; by default that of the last ones.
    """
    prices = prices or {}
    return [
        _named(curve, advise(curve, next_ks(curve), price, threshold, kind).sentence, curves)
        for curve in curves
        if curve.points[-1].k
        for price in [prices.get(curve.name, price_per_example(curve))]
    ]


def describe_targets(curves: Sequence[Curve], target: float, kind: str) -> list[str]:
    """Return the cost of reaching a score, one sentence for each curve."""
    costs = [(curve, cost_to_reach(curve, target)) for curve in curves if curve.points[-1].k]
    return [_named(curve, _cost(cost, kind, curve.currency), curves) for curve, cost in costs]


def describe_suggestions(
    effect: SpeedUp, whose: str = "suggestions", anchoring: Mapping[str, Estimate | None] | None = None
) -> str:
    """Return a sentence about the effect of suggestions on time and annotation, with 95% intervals.

    Args:
        anchoring: anchoring gaps by name of a model, for suggestions of several models; by default that of ``effect``.
    """
    saved = effect.saved
    gaps = {"them": effect.anchoring} if anchoring is None else anchoring
    share = (
        f"save {_percent(saved)} of the time"
        if saved.value >= 0
        else f"cost {_percent(Estimate(-saved.value, -saved.high, -saved.low))} more time"
    )
    text = f"{whose} {share}: {effect.blind:.1f} s a token without, {effect.shown:.1f} with"
    moved = [
        f"with {name} by {100 * gap.value:+.1f} points [{100 * gap.low:+.1f}, {100 * gap.high:+.1f}]"
        for name, gap in gaps.items()
        if gap
    ]
    return f"{text}; seeing them moves agreement {' and '.join(moved)}" if moved else text


def _percent(share: Estimate) -> str:
    return f"{share.value:.0%} [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def describe_front(curves: Sequence[Curve], lang: str = "") -> str:
    """Return a sentence with the points of score against dollars that no other point beats."""
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

"""The learning curve of a project: scores of its rounds and the measured effort of their annotation."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.editing import content
from annotate.rounds.training_data import SEEDS, TrainingData, training_data
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.costs import prices
from fewshot.costs.prices import Rates
from fewshot.curves import advice
from fewshot.curves.points import Curve, Point, curves
from fewshot.curves.results import Result

CURRENCY_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}

COMPUTE_CURRENCY = "USD"
"""Currency of compute prices; costs in other currencies leave computing out."""

PART_SCORE = "known labels only"
"""The ``scored_on`` of part scores, see `fewshot.curves.results.Result.is_part_score`."""


@dataclass(frozen=True, slots=True)
class ProjectCurve:
    """A learning curve and its sources.

    Args:
        curve: zero-shot and a point for each trained number of shots, all on the current test set. Minutes are
            measured; annotation is paid at the wage of the project; dollars are annotation, plus computing if it is
            priced in the project's currency, see `COMPUTE_CURRENCY`.
        crossvalidated: whether the shots were split into folds, since there is no test set.
        people: whether the test set was annotated in this project.
        test: minutes and price of annotating the test set, which the points include only if `bill_test` was set.
        predictions: of the newest model, on the test set or held-out shots, by the example's key; may be empty.
        before: the same of the source model.
        model: folder of the newest model, on the machine that trained it.
    """

    curve: Curve
    crossvalidated: bool
    people: bool
    test: tuple[float, float]
    predictions: dict[str, dict[str, Any]]
    before: dict[str, dict[str, Any]]
    model: str


def project_curve(
    store: Store,
    project: Project,
    task: str,
    rates: Rates,
    bill_test: bool = False,
    data: TrainingData | None = None,
) -> ProjectCurve | None:
    """Return the curve of a task, or None if nothing was trained or scored on the current test set.

    With `bill_test`, every point includes the cost of annotating the test set.
    """
    data = data or training_data(store, project, task)
    results = _current(scores(store, project, task), data)
    curve = build_curve(results, rates)
    if curve is None:
        return None
    newest = store.newest_predictions(project.id, task, project.encoder, project.source_model)
    fits = newest and newest.scored_on in {result.scored_on for result in results}
    seconds, test = _annotation_seconds(store, project, task)
    fixed = test if bill_test else 0.0

    def spent(k: int) -> float:
        return fixed + sum(seconds.get(example, 0.0) for example in dict.fromkeys(data.ids[:k]))

    points = tuple(_with_measured_cost(point, project, spent(point.k)) for point in curve.points)
    bill = (fixed / 60, fixed / 3600 * project.wage)
    return ProjectCurve(
        curve=replace(curve, name=project.name, points=points, currency=sign(project.currency), test_bill=bill),
        crossvalidated=not data.test,
        people=data.people,
        test=(test / 60, test / 3600 * project.wage),
        predictions=newest.predictions if newest and fits else {},
        before=newest.before if newest and fits else {},
        model=newest.model if newest else "",
    )


def build_curve(results: Sequence[Result], rates: Rates) -> Curve | None:
    """Return the curve of results, newest last, or None if there are none."""
    newest = newest_results(results)
    return curves(newest, rates)[0] if newest else None


def scores(store: Store, project: Project, task: str, simulated: bool = False) -> list[Result]:
    """Return the results of the project's current encoder and source model, newest last."""
    models = (project.encoder, project.source_model)
    return [
        replace(result, scored_on=PART_SCORE) if result.is_part_score else result
        for result in store.results(project.id, task, simulated)
        if (result.model, result.source_model) == models
    ]


def outdated_ks(results: Sequence[Result], data: TrainingData) -> list[int]:
    """Return each k without a score on the current annotation, if anything was trained."""
    drawn = newest_results(_current(results, data))
    current = {result.k for result in drawn if result.learned_from in ("", data.shots_fingerprint(result.k))}
    part = any(result.scored_on == PART_SCORE for result in results)
    zero = [0] if part or not drawn else []  # zero-shot is scored first, unless the source model knows no label
    return [k for k in (*zero, *data.trainable) if k not in current] if results else []


def estimate_seconds(store: Store, project: Project, task: str, data: TrainingData) -> float | None:
    """Return the expected seconds of the next training, from the last trainings.

    These are the project's own, else other projects' with its encoder. None without any, or if nothing is left to
    train.
    """
    own = scores(store, project, task)
    missing = [k for k in (outdated_ks(own, data) if own else data.trainable) if k]
    others = (result for any_project in store.projects() for result in store.results(any_project.id, task))
    known = own or [result for result in others if result.model == project.encoder]
    took = [result.seconds for result in known if result.k and result.seconds]
    if not took or not missing:
        return None
    return statistics.median(took[-SEEDS:]) * SEEDS * sum(map(data.folds, missing))


def _current(results: Sequence[Result], data: TrainingData) -> list[Result]:
    """Return the results on the current test set whose shots are still the project's first.

    When a round grows, its old point stays, since the shots are still among the first. In cross-validation the
    zero-shot score is that on the shots of the last point.
    """
    ks = {result.k for result in results}
    scored_on = {k: data.scored_on(k) for k in ks}
    first = {k: {shot.id for shot in data.shots[:k]} for k in ks}
    shots = [
        result
        for result in results
        if result.k and result.scored_on == scored_on[result.k] and first[result.k].issuperset(result.shots)
    ]
    last = data.scored_on(max((result.k for result in shots), default=min(data.ks, default=0)))
    return [*(result for result in results if result.k == 0 and result.scored_on == last), *shots]


def own_model(store: Store, project: Project, task: str) -> str | None:
    """Return the folder of the newest model trained on a project's annotations.

    The folder is on the machine that trained the model. None if there is none of the project's encoder, or if the
    newest model did not beat zero-shot: then the source model is better.
    """
    newest = store.newest_predictions(project.id, task, project.encoder, project.source_model)
    if newest is None:
        return None
    scored = [result for result in scores(store, project, task) if result.scored_on == newest.scored_on]
    results = [result for result in scored if result.k in (0, newest.k)]
    curve = build_curve(results, prices.load())  # as of its training: later annotation does not outdate a model
    return newest.model if curve and beats_zero_shot(curve) else None


def beats_zero_shot(curve: Curve) -> bool:
    """Return whether the model of the last point beats zero-shot, regardless of earlier points."""
    return bool(curve.points[-1].k and advice.best_k(replace(curve, points=(curve.points[0], curve.points[-1]))))


def newest_results(results: Sequence[Result]) -> list[Result]:
    """Return the newest result of each k, shot set and seed; older ones are outdated."""
    return list({(result.k, result.shot_set, result.seed): result for result in results}.values())


def _annotation_seconds(store: Store, project: Project, task: str) -> tuple[dict[int, float], float]:
    """Return the active seconds of each example by id, and those of the test set, including reviews."""
    effort, items = store.effort(project.id, task), store.items(project.id, task=task)
    seconds: dict[int, float] = {}
    for item in items:
        seconds[item.example_id] = seconds.get(item.example_id, 0.0) + effort.get(item.id, (0.0, 0))[0]
    return seconds, sum(seconds[example] for example in {item.example_id for item in items if item.purpose == "test"})


def _with_measured_cost(point: Point, project: Project, seconds: float) -> Point:
    price = seconds / 3600 * project.wage
    computing = point.compute if project.currency == COMPUTE_CURRENCY else 0.0
    return replace(point, minutes=seconds / 60, annotation=price, dollars=price + computing)


def sign(currency: str) -> str:
    """Return the sign of a currency, or its three letters."""
    return CURRENCY_SIGNS.get(currency, f"{currency} ")


def describe_unbilled(curves: Sequence[Curve]) -> list[str]:
    """Return a note if costs of some of the curves leave computing out."""
    signs = dict.fromkeys(curve.currency for curve in curves if curve.currency != sign(COMPUTE_CURRENCY))
    return [f"Computing is priced in dollars: costs in {', '.join(signs)} leave it out."] if signs else []


def pair_predictions(task: str, test: Sequence[Any], predictions: dict[str, dict[str, Any]]) -> list[tuple[Any, Any]]:
    """Return pairs of a test example and its predicted version, for examples with a prediction."""
    known = [example for example in test if example.id in predictions]
    return [(gold, content.annotated(task, gold.unannotated(), predictions[gold.id])) for gold in known]


def describe_differences(task: tasks.Task[Any], gold: Any, predicted: Any) -> str:
    """Return the differences of a prediction for display: ``dog NOUN → VERB``."""
    right, wrong = task.marks(gold), task.marks(predicted)
    places = [place for place in {**right, **wrong} if right.get(place) != wrong.get(place)]
    return "; ".join(f"{_words_at(gold, place)}{right.get(place, '–')} → {wrong.get(place, '–')}" for place in places)


def _words_at(example: Any, place: Any) -> str:
    """Return the words of a place of `Task.marks`, which is a word or a span."""
    words = getattr(example, "words", ())
    if isinstance(place, int) and words:
        return f"{words[place]} "
    if isinstance(place, tuple) and words:
        return f"{' '.join(words[place[0] : place[1]])} "
    return ""

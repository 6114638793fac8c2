"""The learning curve of a project: scores of its rounds against what their annotation took here."""

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

SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}

COMPUTING = "USD"
"""The currency that computing is priced in: in a bill in another one it is left out."""

PART_SCORE = "known labels only"
"""What part scores count as scored on, see `fewshot.curves.results.Result.is_part_score`."""


@dataclass(frozen=True, slots=True)
class ProjectCurve:
    """A curve and what is behind it.

    Args:
        curve: zero-shot and a point for each number of shots that was trained on, all scored on the test set as it is
            now; minutes are measured, and annotation is paid at the wage of the project in its currency; dollars are
            annotation and, where computing has a price in that currency, see `COMPUTING`, computing.
        crossvalidated: whether there was no test set, so that the shots scored each other.
        people: whether people annotated the test set here.
        test: minutes and price of the test set; the points count it only when asked to.
        predictions: of the newest model on the test set, else of those that did not see a shot on the shots, by the
            example's own id; empty where there are none.
        before: of the source model, likewise.
        model: folder of that model, on the machine that trained it.
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
    """Return the curve of a task, None where nothing was trained yet, or nothing is scored on the test set as it is.

    Args:
        bill_test: whether what annotating the test set took here is counted in the bill of every point.
        data: training data of the task, where it is known.
    """
    data = data or training_data(store, project, task)
    results = _current(scores(store, project, task), data)
    made = curve_of(results, rates)
    if made is None:
        return None
    newest = store.newest_predictions(project.id, task, project.encoder, project.source_model)
    fits = newest and newest.scored_on in {result.scored_on for result in results}
    seconds, test = _seconds(store, project, task)
    fixed = test if bill_test else 0.0
    points = tuple(
        _measured(
            point, project, fixed + sum(seconds.get(example, 0.0) for example in dict.fromkeys(data.ids[: point.k]))
        )
        for point in made.points
    )
    return ProjectCurve(
        curve=replace(made, name=project.name, points=points, currency=sign(project.currency)),
        crossvalidated=not data.test,
        people=data.people,
        test=(test / 60, test / 3600 * project.wage),
        predictions=newest.predictions if newest and fits else {},
        before=newest.before if newest and fits else {},
        model=newest.model if newest else "",
    )


def curve_of(results: Sequence[Result], rates: Rates) -> Curve | None:
    """Return the curve of results, the newest last; None where there are none."""
    newest = newest_of(results)
    return curves(newest, rates)[0] if newest else None


def scores(store: Store, project: Project, task: str, simulated: bool = False) -> list[Result]:
    """Return what was scored of the encoder and source model that a project has now, the newest last.

    Part scores are scored on `PART_SCORE`, which is no test set.
    """
    begins = (project.encoder, project.source_model)
    return [
        replace(one, scored_on=PART_SCORE) if one.is_part_score else one
        for one in store.results(project.id, task, simulated)
        if (one.model, one.source_model) == begins
    ]


def outdated(results: Sequence[Result], data: TrainingData) -> list[int]:
    """Return the k that have no score on what is annotated now, once anything was trained."""
    drawn = newest_of(_current(results, data))
    current = {result.k for result in drawn if result.learned_from in ("", data.learned(result.k))}
    part = any(result.scored_on == PART_SCORE for result in results)
    zero = [0] if part or not drawn else []  # scored before any shots, unless the source model knows no label
    return [k for k in (*zero, *data.trainable) if k not in current] if results else []


def seconds_ahead(store: Store, project: Project, task: str, data: TrainingData) -> float | None:
    """Return how long the next training will take, in seconds, at what each took that was trained last.

    Returns:
        By the trainings of this project, else by those of another one on its encoder; None where there are none, and
        where nothing is left to train.
    """
    own = scores(store, project, task)
    missing = [k for k in (outdated(own, data) if own else data.trainable) if k]
    others = (result for other in store.projects() for result in store.results(other.id, task))
    known = own or [result for result in others if result.model == project.encoder]
    took = [result.seconds for result in known if result.k and result.seconds]
    if not took or not missing:
        return None
    return statistics.median(took[-SEEDS:]) * SEEDS * sum(map(data.folds, missing))


def _current(results: Sequence[Result], data: TrainingData) -> list[Result]:
    """Return the results that are scored on the test set as it is now, of shots that still are the project's first.

    A round that has grown keeps its point: its shots at that time are some of the first. Where shots score each other,
    the zero-shot score is that on the shots of the last point.
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
    """Return the folder of the newest model that was trained on a project's annotations, on the machine that did it.

    None where there is none of its encoder, and where the newest model did not beat zero-shot: then the source model is
    the better one.
    """
    newest = store.newest_predictions(project.id, task, project.encoder, project.source_model)
    if newest is None:
        return None
    scored = [result for result in scores(store, project, task) if result.scored_on == newest.scored_on]
    results = [result for result in scored if result.k in (0, newest.k)]
    made = curve_of(results, prices.load())  # as it was then: what people do later says nothing against a model
    return newest.model if made and newest_is_better(made) else None


def newest_is_better(made: Curve) -> bool:
    """Return whether the model of the last point beats zero-shot, whatever those before it do."""
    return bool(made.points[-1].k and advice.best_k(replace(made, points=(made.points[0], made.points[-1]))))


def newest_of(results: Sequence[Result]) -> list[Result]:
    """Return the newest result of each k, draw and seed; older ones are of annotation that has changed since."""
    return list({(result.k, result.shot_set, result.seed): result for result in results}.values())


def _seconds(store: Store, project: Project, task: str) -> tuple[dict[int, float], float]:
    """Return the active seconds that each example took, by its id, and those of the test set; reviews included."""
    effort, items = store.effort(project.id, task), store.items(project.id, task=task)
    seconds: dict[int, float] = {}
    for item in items:
        seconds[item.example_id] = seconds.get(item.example_id, 0.0) + effort.get(item.id, (0.0, 0))[0]
    return seconds, sum(seconds[example] for example in {item.example_id for item in items if item.purpose == "test"})


def _measured(point: Point, project: Project, seconds: float) -> Point:
    """Return a point with the time and the money that its annotation took here."""
    price = seconds / 3600 * project.wage
    computing = point.compute if project.currency == COMPUTING else 0.0
    return replace(point, minutes=seconds / 60, annotation=price, dollars=price + computing)


def sign(currency: str) -> str:
    """Return the sign of a currency, or its three letters."""
    return SIGNS.get(currency, f"{currency} ")


def unbilled(curves: Sequence[Curve]) -> list[str]:
    """Return what must be known about bills that leave computing out, if some of the curves have such."""
    signs = dict.fromkeys(one.currency for one in curves if one.currency != sign(COMPUTING))
    return [f"Computing is priced in dollars: costs in {', '.join(signs)} leave it out."] if signs else []


def predicted(task: str, test: Sequence[Any], predictions: dict[str, dict[str, Any]]) -> list[tuple[Any, Any]]:
    """Return pairs of a test example and the same as a model predicts it, of those that have a prediction."""
    known = [example for example in test if example.id in predictions]
    return [(gold, content.annotated(task, gold.unannotated(), predictions[gold.id])) for gold in known]


def differences(task: tasks.Task[Any], gold: Any, predicted: Any) -> str:
    """Return where a prediction differs, for people: ``dog NOUN → VERB``."""
    right, wrong = task.marks(gold), task.marks(predicted)
    places = [place for place in {**right, **wrong} if right.get(place) != wrong.get(place)]
    return "; ".join(f"{_named(gold, place)}{right.get(place, '–')} → {wrong.get(place, '–')}" for place in places)


def _named(example: Any, place: Any) -> str:
    """Return the words of a place as `Task.marks` names it: a word, or the first and last of a span."""
    words = getattr(example, "words", ())
    if isinstance(place, int) and words:
        return f"{words[place]} "
    if isinstance(place, tuple) and words:
        return f"{' '.join(words[place[0] : place[1]])} "
    return ""

"""The learning curve of a project: scores of its rounds against what their annotation took here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from annotate import content, material
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.costs.rates import Rates
from fewshot.curves.points import Curve, Point, curves
from fewshot.curves.results import Result

SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}


@dataclass(frozen=True, slots=True)
class ProjectCurve:
    """A curve and what is behind it.

    Args:
        curve: zero-shot and one point a round; minutes are measured, and dollars are those of annotation at the wage of
            the project, in its currency.
        crossvalidated: whether there was no test set, so that the shots scored each other.
        people: whether people annotated the test set here.
        predictions: of the newest model on the test set, by the example's own id; empty where there are none.
        before: of the source model, likewise.
        model: folder of that model, on the machine that trained it.
    """

    curve: Curve
    crossvalidated: bool
    people: bool
    predictions: dict[str, dict[str, Any]]
    before: dict[str, dict[str, Any]]
    model: str


def curve(store: Store, project: Project, task: str, rates: Rates) -> ProjectCurve | None:
    """Return the curve of a task, None where nothing was trained yet.

    Args:
        store: where results and times are.
        project: whose.
        task: name of the task.
        rates: price of computing.
    """
    rows = store.results(project.id, task)
    found = material.material(store, project, task)
    wanted = {0, *found.ks}
    scored_on = "test" if found.test else "shots"
    results = [_result(row) for row in rows if row.get("test") == scored_on and row["k"] in wanted]
    newest = _newest(results)
    if not any(result.k == 0 for result in newest):
        return None
    (made,) = curves(newest, rates)
    said = [row for row in rows if "predictions" in row]
    seconds = _seconds(store, project, task)
    points = tuple(_measured(seconds, project, found.ids[: point.k], point) for point in made.points)
    return ProjectCurve(
        curve=replace(made, name=project.name, points=points, currency=sign(project.currency)),
        crossvalidated=not found.test,
        people=found.people,
        predictions=said[-1]["predictions"] if said else {},
        before=said[-1].get("before", {}) if said else {},
        model=said[-1]["model"] if said else "",
    )


def _newest(results: Sequence[Result]) -> list[Result]:
    """Return the newest result of each k, draw and seed; older ones are of annotation that has changed since."""
    return list({(result.k, result.shot_set, result.seed): result for result in results}.values())


def _seconds(store: Store, project: Project, task: str) -> dict[int, float]:
    """Return the active seconds that each example took, by its id."""
    effort = store.effort(project.id, task)
    found: dict[int, float] = {}
    for item in store.items(project.id, task=task):
        found[item.example_id] = found.get(item.example_id, 0.0) + effort.get(item.id, (0.0, 0))[0]
    return found


def _measured(seconds: Mapping[int, float], project: Project, shots: Sequence[int], point: Point) -> Point:
    """Return a point with the time and the money that its shots took here."""
    minutes = sum(seconds.get(example, 0.0) for example in shots) / 60
    price = minutes / 60 * project.wage
    return replace(point, minutes=minutes, annotation=price, dollars=price)


def _result(row: dict[str, Any]) -> Result:
    known = {field.name for field in fields(Result)}
    return Result(**{name: value for name, value in row.items() if name in known} | {"shots": tuple(row["shots"])})


def sign(currency: str) -> str:
    """Return the sign of a currency, or its three letters."""
    return SIGNS.get(currency, f"{currency} ")


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

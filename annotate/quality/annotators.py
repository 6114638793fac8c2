"""Comparison of annotators: what each has done in a task, speed, cost, and agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotate.editing import content, uploaded
from annotate.quality import agreement, gold
from annotate.quality.agreement import Agreement, Measure
from annotate.rounds import effort
from annotate.store import REVIEW, Project, Store
from fewshot import tasks
from fewshot.costs.speed_up import MIN_ITEMS, Estimate, estimate, resample
from fewshot.costs.time_model import TimedItem
from fewshot.errors import FewshotError

ByPerson = Mapping[int, Mapping[str, Any]]
"""Annotated examples by example id and annotator."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """The work of one person in a task.

    Args:
        done: number of finished examples.
        minutes: active time, including unfinished examples; `price` is in the currency of the project.
        per_example: seconds, like `per_token`; None below `MIN_ITEMS` finished items with a measured time.
        gold: agreement with the reference, see `annotators`; None if nothing can be compared.
        others: agreement with other people's versions of the same examples; `kappa` is Cohen's kappa with them.
    """

    name: str
    done: int
    minutes: float
    price: float
    per_example: Estimate | None
    per_token: Estimate | None
    gold: Measure | None
    others: Measure | None
    kappa: Measure | None


def annotators(store: Store, project: Project, task: str) -> list[Annotator]:
    """Return everybody who has finished an example of a task, by name.

    The reference is a curator's decision, else the imported gold labels. What the versions agree on is no reference,
    since each of them would be right by construction. Tags are those that people see: a later tree of the same person
    corrects them. Later bulk changes by curators are ignored.
    """
    kind = tasks.get(task, project.labels[task])
    versions = gold.versions_with_own_corrections(store, project, task, own=True)
    came = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=versions)}
    made = {
        example: {
            version.item.annotator or "": _annotated(task, came[example], version.revision.annotation)
            for version in versions[example]
        }
        for example in came
    }
    decided = gold.decisions(store, project, task).keys() & came.keys()
    final = gold.gold(store, project, task).annotations if decided else {}
    reference = _reference(kind, came, {example: final[example] for example in decided}, project.hides_gold)
    timed = effort.measured_items(store, project, task)
    spent = _active_seconds(store, project, task)
    return [
        _person(
            kind, name, made, reference, [item for item in timed if item.annotator == name], spent[name], project.wage
        )
        for name in sorted({name for by in made.values() for name in by})
    ]


def pairs(store: Store, project: Project, task: str) -> list[tuple[Any, Any]]:
    """Return the first two people's versions of each example that several have finished, see `annotators`.

    They are in the order of their names: Cohen's kappa is about how often each of two people uses a label, and items
    are dealt out in turn.
    """
    versions = gold.versions_with_own_corrections(store, project, task, own=True)
    several = {
        example: sorted(made, key=lambda version: version.item.annotator or "")
        for example, made in versions.items()
        if len(made) > 1
    }
    came = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=several)}
    return [
        (
            _annotated(task, came[key], first.revision.annotation),
            _annotated(task, came[key], second.revision.annotation),
        )
        for key, (first, second, *_) in several.items()
    ]


def _person(
    kind: tasks.Task[Any], name: str, made: ByPerson, reference: Mapping[int, Any], timed: Sequence[TimedItem],
    seconds: float, wage: float,
) -> Annotator:  # fmt: skip
    own = {example: by[name] for example, by in made.items() if name in by}
    others = [(mine, theirs) for key, mine in own.items() for who, theirs in made[key].items() if who != name]
    with_gold = _compared(kind, [(reference[key], mine) for key, mine in own.items() if key in reference])
    with_others = _compared(kind, others)
    per_example, per_token = _seconds_per_example_and_token(timed)
    return Annotator(
        name=name,
        done=len(own),
        minutes=seconds / 60,
        price=seconds / 3600 * wage,
        per_example=per_example,
        per_token=per_token,
        gold=_score(kind, with_gold),
        others=_score(kind, with_others),
        kappa=_measure(with_others, "kappa"),
    )


def _reference(
    kind: tasks.Task[Any], came: Mapping[int, Any], decided: Mapping[int, Mapping[str, Any]], came_as_gold: bool
) -> dict[int, Any]:
    """Return the reference of each example, see `annotators`, by id."""
    reference = {key: example for key, example in came.items() if came_as_gold and uploaded.is_valid(kind, example)}
    return reference | {example: _annotated(kind.name, came[example], made) for example, made in decided.items()}


def table(people: Sequence[Annotator], kind: str, sign: str) -> list[dict[str, str | int]]:
    """Return a row for each person, as text with 95% intervals."""
    return [
        {
            "annotator": person.name,
            "done": person.done,
            "minutes": f"{person.minutes:.1f}",
            f"s per {kind.removesuffix('s')}": _format(person.per_example, 1),
            "s per token": _format(person.per_token, 2),
            "cost": f"{sign}{person.price:,.2f}",
            "gold %": _format(person.gold, 1),
            "others %": _format(person.others, 1),
            "kappa": _format(person.kappa, 2),
        }
        for person in people
    ]


def _format(value: Estimate | Measure | None, digits: int) -> str:
    if value is None or value.value is None:
        return "–"
    if value.low is None or value.high is None:
        return f"{value.value:.{digits}f}"
    return f"{value.value:.{digits}f} [{value.low:.{digits}f}, {value.high:.{digits}f}]"


def _annotated(task: str, example: Any, annotation: Mapping[str, Any]) -> Any:
    return content.annotated(task, example.unannotated(), dict(annotation))


def _active_seconds(store: Store, project: Project, task: str) -> dict[str, float]:
    spent, seconds = store.effort(project.id, task), dict[str, float]()
    for item in store.items(project.id, task=task):
        if item.annotator and item.purpose != REVIEW:
            seconds[item.annotator] = seconds.get(item.annotator, 0.0) + spent.get(item.id, (0.0, 0))[0]
    return seconds


def _seconds_per_example_and_token(items: Sequence[TimedItem]) -> tuple[Estimate | None, Estimate | None]:
    if len(items) < MIN_ITEMS:
        return None, None
    drawn = resample([(item.seconds, item.tokens) for item in items], np.random.default_rng(0))
    return estimate(drawn[:, 0] / len(items)), estimate(drawn[:, 0] / drawn[:, 1])


def _compared(kind: tasks.Task[Any], pairs: Sequence[tuple[Any, Any]]) -> Agreement | None:
    try:
        return agreement.agreement(kind, pairs)
    except FewshotError:  # nothing to compare
        return None


def _score(kind: tasks.Task[Any], agreed: Agreement | None) -> Measure | None:
    """Return the agreement in the metric of the task, or the observed agreement if that is accuracy."""
    return _measure(agreed, kind.metric) or _measure(agreed, "observed")


def _measure(agreed: Agreement | None, key: str) -> Measure | None:
    return next((measure for measure in agreed.measures if measure.key == key), None) if agreed else None

"""Annotators beside each other: what each did of a task, how fast, at what price, and how well they agree."""

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
from fewshot.costs.speed_up import MIN_ITEMS, REPLICATES, Estimate, estimate, resample
from fewshot.costs.time_model import Item
from fewshot.errors import FewshotError

ByPerson = Mapping[int, Mapping[str, Any]]
"""Annotated examples by the example's id and the annotator."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """What one person did of a task.

    Args:
        done: finished examples.
        minutes: active, also of what is not finished.
        price: of these minutes, in the currency of the project.
        per_example: seconds; None below `MIN_ITEMS` finished items with a measured time.
        per_token: seconds, likewise.
        gold: agreement with the reference, see `annotators`; None where nothing can be compared.
        others: agreement with other people's versions of the same examples, likewise.
        kappa: Cohen's, of the same; None as well for tasks without labels to choose from.
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
    """Return everybody who has finished something of a task, by name.

    The reference is what a curator decided, else the gold labels that the example came with: what versions agree on is
    none, since each of them would be right by construction. A version is as its annotator left it, whatever a curator
    has changed in many places since.
    """
    kind = tasks.get(task, project.labels[task])
    versions = gold.versions(store, project, task, own=True)
    came = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=versions)}
    made = {
        example: {
            one.item.annotator or "": _annotated(task, came[example], one.revision.annotation)
            for one in versions[example]
        }
        for example in came
    }
    reference = _reference(kind, came, gold.decisions(store, project, task), project.hides_gold)
    timed = effort.measured(store, project, task)
    spent = _seconds(store, project, task)
    return [
        _person(
            kind, name, made, reference, [item for item in timed if item.annotator == name], spent[name], project.wage
        )
        for name in sorted({name for by in made.values() for name in by})
    ]


def pairs(store: Store, project: Project, task: str) -> list[tuple[Any, Any]]:
    """Return each example that several people have finished as the first two of them left it, see `annotators`."""
    several = {key: made for key, made in gold.versions(store, project, task, own=True).items() if len(made) > 1}
    came = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=several)}
    return [
        (_annotated(task, came[key], one.revision.annotation), _annotated(task, came[key], other.revision.annotation))
        for key, (one, other, *_) in several.items()
    ]


def _person(
    kind: tasks.Task[Any], name: str, made: ByPerson, reference: Mapping[int, Any], timed: Sequence[Item],
    seconds: float, wage: float,
) -> Annotator:  # fmt: skip
    mine = {example: by[name] for example, by in made.items() if name in by}
    others = [(one, other) for key, one in mine.items() for who, other in made[key].items() if who != name]
    with_gold = _compared(kind, [(reference[key], one) for key, one in mine.items() if key in reference])
    with_others = _compared(kind, others)
    per_example, per_token = _pace(timed)
    return Annotator(
        name=name,
        done=len(mine),
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
    """Return what annotations are compared with, see `annotators`, by the example's id."""
    reference = {example: one for example, one in came.items() if came_as_gold and uploaded.is_valid(kind, one)}
    return reference | {
        example: _annotated(kind.name, came[example], annotation)
        for example, annotation in decided.items()
        if example in came
    }


def table(found: Sequence[Annotator], kind: str, sign: str) -> list[dict[str, str | int]]:
    """Return a row a person, as text with 95% intervals."""
    return [
        {
            "annotator": one.name,
            "done": one.done,
            "minutes": f"{one.minutes:.1f}",
            f"s a {kind.removesuffix('s')}": _shown(one.per_example, 1),
            "s a token": _shown(one.per_token, 2),
            "cost": f"{sign}{one.price:,.2f}",
            "gold %": _shown(one.gold, 1),
            "others %": _shown(one.others, 1),
            "kappa": _shown(one.kappa, 2),
        }
        for one in found
    ]


def _shown(one: Estimate | Measure | None, digits: int) -> str:
    if one is None or one.value is None:
        return "–"
    if one.low is None or one.high is None:
        return f"{one.value:.{digits}f}"
    return f"{one.value:.{digits}f} [{one.low:.{digits}f}, {one.high:.{digits}f}]"


def _annotated(task: str, example: Any, annotation: Mapping[str, Any]) -> Any:
    return content.annotated(task, example.unannotated(), dict(annotation))


def _seconds(store: Store, project: Project, task: str) -> dict[str, float]:
    """Return the active seconds of each person, without reviews."""
    spent, found = store.effort(project.id, task), dict[str, float]()
    for item in store.items(project.id, task=task):
        if item.annotator and item.purpose != REVIEW:
            found[item.annotator] = found.get(item.annotator, 0.0) + spent.get(item.id, (0.0, 0))[0]
    return found


def _pace(items: Sequence[Item]) -> tuple[Estimate | None, Estimate | None]:
    """Return seconds an example and seconds a token."""
    if len(items) < MIN_ITEMS:
        return None, None
    drawn = resample([(item.seconds, item.tokens) for item in items], np.random.default_rng(0), REPLICATES)
    return estimate(drawn[:, 0] / len(items)), estimate(drawn[:, 0] / drawn[:, 1])


def _compared(kind: tasks.Task[Any], pairs: Sequence[tuple[Any, Any]]) -> Agreement | None:
    try:
        return agreement.agreement(kind, pairs)
    except FewshotError:  # nothing that can be compared
        return None


def _score(kind: tasks.Task[Any], found: Agreement | None) -> Measure | None:
    """Return the score of the task between two versions; where that is accuracy, the observed agreement."""
    return _measure(found, kind.metric) or _measure(found, "observed")


def _measure(found: Agreement | None, key: str) -> Measure | None:
    return next((one for one in found.measures if one.key == key), None) if found else None

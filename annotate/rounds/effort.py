"""What annotation took: measured items for the time model, and for what suggestions save."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.editing import content
from annotate.editing.decisions import Decisions
from annotate.store import REVIEW, SHOTS, Project, Revision, Store
from annotate.store import Item as StoredItem
from fewshot import tasks
from fewshot.costs import time_model
from fewshot.costs.speed_up import SpeedUp, speed_up
from fewshot.costs.time_model import Item
from fewshot.curves.points import Curve


@dataclass(frozen=True, slots=True)
class Summary:
    """What the time that people took in a project says of one task.

    Args:
        speed_up: what suggestions save and do; None where it cannot be said yet.
        price: of annotating one more example, in the currency of the project; None where no time was measured, or
            nothing was trained on.
    """

    speed_up: SpeedUp | None
    price: float | None


def summary(store: Store, project: Project, task: str, curve: Curve) -> Summary:
    """Return what the measured time of a task says.

    Args:
        curve: of the task in the project; the next examples are taken to be as long as those of its last round.
    """
    items = measured(store, project, task)
    people = store.project_people(project.id)
    each = 1 + (project.double_share if len(people) != 1 else 0)
    minutes = _minutes_of_one(items, task, curve)
    return Summary(speed_up(items), None if minutes is None else each * minutes / 60 * project.wage)


def _minutes_of_one(items: Sequence[Item], task: str, curve: Curve) -> float | None:
    if not items or not curve.points[-1].k:
        return None
    tokens = curve.each("tokens")
    edits = sum(item.edits for item in items) / sum(item.tokens for item in items)
    return time_model.fit(items, tasks.get(task).time).predict([(tokens, edits * tokens)]).expected


def measured(store: Store, project: Project, task: str) -> list[Item]:
    """Return each finished item of a task as the time model takes it; imports, which took no time, are left out.

    Of suggestions, those count that were there when the item was begun, and of annotations the first that was finished:
    later models may have learnt from that annotation, and would agree with it. The test set, which other sentences are
    drawn for, is no measure of what suggestions do to the shots: its items have none here.
    """
    effort, tokens = store.effort(project.id, task), store.tokens(project.id, task)
    items = store.items(project.id, task=task)
    finished = store.first_of(project.id, task, done=True)
    suggested = _suggested(store, project, task, [item for item in items if item.purpose == SHOTS], finished)
    found = []
    for item in items:
        seconds, edits = effort.get(item.id, (0.0, 0))
        if item.status != "done" or item.purpose == REVIEW or not seconds or item.id not in finished:
            continue
        annotator, annotation = finished[item.id].annotator, finished[item.id].annotation
        suggestion = suggested.get(item.id)
        share = agreement(annotation, suggestion) if suggestion else None
        length = tokens[item.example_id]
        found.append(Item(annotator, length, edits, seconds, item.blind, suggestion is not None, share))
    return found


def _suggested(
    store: Store, project: Project, task: str, shots: Sequence[StoredItem], finished: Mapping[int, Revision]
) -> dict[int, Mapping[str, Any]]:
    """Return what was suggested for each item when it was begun, or would have been if it is blind, by the item's id.

    It is the model's suggestion as the decisions of the annotator had made it by then, see
    `annotate.editing.decisions`.
    """
    begun = store.first_of(project.id, task)
    proposed = store.suggestions([one.suggestion_id for one in begun.values() if one.suggestion_id])
    if not proposed:
        return {}
    examples = store.examples(project.id, ids={item.example_id for item in shots})
    words = {row.id: getattr(content.from_json(row.content), "words", ()) for row in examples}
    began = [(begun[item.id].id, 0, item) for item in shots if item.id in begun]
    ended = [(finished[item.id].id, 1, item) for item in shots if item.id in finished]
    decided: dict[str, Decisions] = defaultdict(Decisions)
    found: dict[int, Mapping[str, Any]] = {}
    for _, end, item in sorted(began + ended, key=lambda event: event[:2]):
        suggestion = proposed.get(begun[item.id].suggestion_id or 0)
        decisions = decided[begun[item.id].annotator]
        if end:
            annotation = finished[item.id].annotation
            decisions.learn(annotation.get("words", words[item.example_id]), annotation, suggestion)
        elif suggestion:
            found[item.id] = decisions.follow(words[item.example_id], suggestion)["annotation"]
    return found


def agreement(annotation: Mapping[str, Any], suggestion: Mapping[str, Any]) -> float | None:
    """Return the share of a suggestion's words, questions or label that stand in an annotation.

    Args:
        annotation: see `annotate.editing.content.annotation_of`.
        suggestion: of the same example and task.

    Returns:
        0 to 1; None where the two cannot be compared, because the words were repaired.
    """
    pairs = _pairs(annotation, suggestion)
    return sum(one == other for one, other in pairs) / len(pairs) if pairs else None


def _pairs(annotation: Mapping[str, Any], suggestion: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    if "label" in suggestion:
        return [(annotation.get("label"), suggestion["label"])]
    if "answers" in suggestion:
        given = annotation.get("answers", {})
        return [(given.get(name), answers) for name, answers in suggestion["answers"].items()]
    columns = [name for name in suggestion if name in annotation]
    mine, theirs = ([list(each[name]) for name in columns] for each in (annotation, suggestion))
    if "words" in annotation or [len(column) for column in mine] != [len(column) for column in theirs]:
        return []
    return list(zip(zip(*mine, strict=True), zip(*theirs, strict=True), strict=True))

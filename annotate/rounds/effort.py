"""What annotation took: measured items for the time model, and for what the suggestions of each source save."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.editing import content
from annotate.editing.decisions import Decisions
from annotate.store import BOTH, ENCODER, LLM, REVIEW, SHOTS, SUGGESTERS, Project, Revision, Store
from annotate.store import Item as StoredItem
from fewshot import tasks
from fewshot.costs import time_model
from fewshot.costs.speed_up import Estimate, SpeedUp, speed_up
from fewshot.costs.time_model import Item
from fewshot.curves.points import Curve
from fewshot.reports import findings

WHOSE = {
    SUGGESTERS[ENCODER]: "suggestions of the encoder",
    SUGGESTERS[LLM]: "suggestions of the language model",
    SUGGESTERS[BOTH]: "suggestions of both, shown together,",
}
RECENT = 60
"""Finished shots of a person that say how right suggestions have become, the newest."""

NAMES = {ENCODER: "the encoder", LLM: "the language model"}


@dataclass(frozen=True, slots=True)
class Effect:
    """What suggestions do.

    Args:
        sources: whose they are: of all that were shown, or hidden, on the same items.
        speed_up: of these items.
        anchoring: to the suggestions of each source, see `SpeedUp`.
    """

    sources: tuple[str, ...]
    speed_up: SpeedUp
    anchoring: Mapping[str, Estimate | None]

    def __str__(self) -> str:
        named = {NAMES[source] if len(self.sources) > 1 else "them": gap for source, gap in self.anchoring.items()}
        return findings.describe_suggestions(self.speed_up, WHOSE[self.sources], named)


@dataclass(frozen=True, slots=True)
class Measured:
    """A finished item.

    Args:
        item: as the time model takes it.
        agreements: with the suggestion of each source that there was when it was begun, see `agreement`; the first is
            that of the item.
    """

    item: Item
    agreements: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Summary:
    """What the time that people took in a project says of one task.

    Args:
        effects: what suggestions save and do, as far as it can be said yet.
        price: of annotating one more example, in the currency of the project; None where no time was measured, or
            nothing was trained on.
    """

    effects: Sequence[Effect]
    price: float | None


def summary(store: Store, project: Project, task: str, curve: Curve) -> Summary:
    """Return what the measured time of a task says.

    Args:
        curve: of the task in the project; the next examples are taken to be as long as those of its last round.
    """
    found = _measured(store, project, task)
    items = [one.item for one in found]
    people = store.project_people(project.id)
    each = 1 + (project.double_share if len(people) != 1 else 0)
    minutes = _minutes_of_one(items, task, curve)
    return Summary(_effects(found), None if minutes is None else each * minutes / 60 * project.wage)


def _minutes_of_one(items: Sequence[Item], task: str, curve: Curve) -> float | None:
    if not items or not curve.points[-1].k:
        return None
    tokens = curve.per_example("tokens")
    edits = sum(item.edits for item in items) / sum(item.tokens for item in items)
    return time_model.fit(items, tasks.get(task).time).predict([(tokens, edits * tokens)]).expected


def effects(store: Store, project: Project, task: str) -> list[Effect]:
    """Return what suggestions of each source alone, and of both together, save and do, where it can be said yet."""
    return _effects(_measured(store, project, task))


def _effects(found: Sequence[Measured]) -> list[Effect]:
    by_sources = {sources: [one for one in found if tuple(one.agreements) == sources] for sources in WHOSE}
    return [made for sources, mine in by_sources.items() if (made := _effect(sources, mine))]


def _effect(sources: tuple[str, ...], found: Sequence[Measured]) -> Effect | None:
    by_source = {
        source: made
        for source in sources
        if (made := speed_up([replace(one.item, agreement=one.agreements[source]) for one in found]))
    }
    if not by_source:
        return None
    anchoring = {source: made.anchoring for source, made in by_source.items()}
    return Effect(sources, by_source[sources[0]], anchoring)  # the time is the same, whichever the agreement is with


def measured(store: Store, project: Project, task: str) -> list[Item]:
    """Return each finished item of a task as the time model takes it; imports, which took no time, are left out.

    Of suggestions, those count that were there when the item was begun, and of annotations the first that was finished:
    later models may have learnt from that annotation, and would agree with it. The test set, which other sentences are
    drawn for, is no measure of what suggestions do to the shots: its items have none here.
    """
    return [one.item for one in _measured(store, project, task)]


def _measured(store: Store, project: Project, task: str) -> list[Measured]:
    effort, tokens = store.effort(project.id, task), store.tokens(project.id, task)
    items = store.items(project.id, task=task)
    finished = store.first_revisions(project.id, task, done=True)
    suggested = _suggested(store, project, task, [item for item in items if item.purpose == SHOTS], finished)
    found = []
    for item in items:
        seconds, edits = effort.get(item.id, (0.0, 0))
        if item.status != "done" or item.purpose == REVIEW or not seconds or item.id not in finished:
            continue
        annotator, annotation = finished[item.id].annotator, finished[item.id].annotation
        proposed = suggested.get(item.id, {})
        shares = {source: agreement(annotation, suggestion) for source, suggestion in proposed.items()}
        length, first = tokens[item.example_id], next(iter(shares.values()), None)
        found.append(Measured(Item(annotator, length, edits, seconds, item.blind, bool(shares), first), shares))
    return found


def _suggested(
    store: Store, project: Project, task: str, shots: Sequence[StoredItem], finished: Mapping[int, Revision]
) -> dict[int, dict[str, Mapping[str, Any]]]:
    """Return what was suggested for each item when it was begun, or would have been if it is blind.

    It is a model's suggestion as the decisions of the annotator had made it by then, see `annotate.editing.decisions`.

    Returns:
        By the item's id: by source, what was laid out first.
    """
    begun = store.first_revisions(project.id, task)
    proposed = store.suggestions([id for one in begun.values() for id in _proposed(one)])
    if not proposed:
        return {}
    examples = store.examples(project.id, ids={item.example_id for item in shots})
    words = {row.id: getattr(content.from_json(row.content), "words", ()) for row in examples}
    began = [(begun[item.id].id, 0, item) for item in shots if item.id in begun]
    ended = [(finished[item.id].id, 1, item) for item in shots if item.id in finished]
    decided: dict[str, Decisions] = defaultdict(Decisions)
    found: dict[int, dict[str, Mapping[str, Any]]] = {}
    for _, end, item in sorted(began + ended, key=lambda event: event[:2]):
        suggestions = [proposed[id] for id in _proposed(begun[item.id]) if id in proposed]
        decisions = decided[begun[item.id].annotator]
        if end:
            annotation = finished[item.id].annotation
            first = next(iter(suggestions), None)
            decisions.learn(annotation.get("words", words[item.example_id]), annotation, first)
        else:
            followed = ((one.source, decisions.follow(words[item.example_id], one)) for one in suggestions)
            found[item.id] = {source: data["annotation"] for source, data in followed}
    return found


def kept_shares(store: Store, project_id: int, task: str, annotator: str) -> list[float]:
    """Return which share of an encoder's suggestion stands in the annotation, of a person's newest finished shots.

    The suggestion is that with which the shot was begun, shown or blind, and the annotation the first that was called
    finished: no model has learned from it by then. So the shares are a learning curve that costs no training
    (prequential evaluation: Dawid 1984).

    Returns:
        0 to 1 each, in the order in which the shots were finished; of shots without a suggestion, none.
    """
    newest = store.revisions(store.newest_finished(project_id, task, annotator, RECENT))
    ids = [one.item_id for one in newest]
    begun, finished = (store.first_revisions(project_id, task, done, ids) for done in (False, True))
    proposed = store.suggestions([id for one in begun.values() for id in _proposed(one)])
    shares = []
    for one in sorted(finished.values(), key=lambda revision: revision.id):
        suggestions = (proposed[id] for id in _proposed(begun[one.item_id]) if id in proposed)
        made = next((suggestion for suggestion in suggestions if suggestion.source == ENCODER), None)
        shares.append(agreement(one.annotation, made.data["annotation"]) if made else None)
    return [share for share in shares if share is not None]


def _proposed(revision: Revision) -> list[int]:
    """Return the ids of the suggestions that there were."""
    return [id for id in (revision.suggestion_id, revision.second_suggestion) if id]


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

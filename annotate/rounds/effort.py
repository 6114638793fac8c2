"""Measured effort: items for the time model, and the effect of suggestions on time and labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.editing import content
from annotate.editing.lexicon import Lexicon
from annotate.store import BOTH, ENCODER, LLM, REVIEW, SHOTS, SUGGESTERS, Item, Project, Revision, Store
from fewshot import tasks
from fewshot.costs import time_model
from fewshot.costs.speed_up import Estimate, SpeedUp, speed_up
from fewshot.costs.time_model import TimedItem
from fewshot.curves.points import Curve
from fewshot.reports import findings

SOURCE_TITLES = {
    SUGGESTERS[ENCODER]: "suggestions of the encoder",
    SUGGESTERS[LLM]: "suggestions of the language model",
    SUGGESTERS[BOTH]: "suggestions of both, shown together,",
}
MAX_RECENT_SHOTS = 60
"""Newest finished shots of a person that are used for `accepted_shares`."""

MODEL_TITLES = {ENCODER: "the encoder", LLM: "the language model"}


@dataclass(frozen=True, slots=True)
class SuggestionEffect:
    """The effect on time and labels of sources' suggestions shown or hidden together, see `SpeedUp`."""

    sources: tuple[str, ...]
    speed_up: SpeedUp
    anchoring: Mapping[str, Estimate | None]

    def __str__(self) -> str:
        named = {
            MODEL_TITLES[source] if len(self.sources) > 1 else "them": gap for source, gap in self.anchoring.items()
        }
        return findings.describe_suggestions(self.speed_up, SOURCE_TITLES[self.sources], named)


@dataclass(frozen=True, slots=True)
class MeasuredItem:
    """A finished item, and its `agreement` with each source's suggestion when it was begun."""

    item: TimedItem
    agreements: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class EffortSummary:
    """The measured effort of one task: effects of suggestions, and the price of one more example.

    The price is in the currency of the project; None if no time was measured or nothing was trained.
    """

    effects: Sequence[SuggestionEffect]
    price: float | None


def summary(store: Store, project: Project, task: str, curve: Curve) -> EffortSummary:
    """Return the measured effort of a task; the next examples are as long as those of the last round."""
    measured = _measured_items(store, project, task)
    people = store.project_people(project.id)
    annotators = 1 + (project.double_share if len(people) != 1 else 0)
    minutes = _minutes_per_example([finished.item for finished in measured], task, curve)
    return EffortSummary(_effects(measured), None if minutes is None else annotators * minutes / 60 * project.wage)


def _minutes_per_example(items: Sequence[TimedItem], task: str, curve: Curve) -> float | None:
    if not items or not curve.points[-1].k:
        return None
    tokens = curve.per_example("tokens")
    edits = sum(item.edits for item in items) / sum(item.tokens for item in items)
    return time_model.fit(items, tasks.get(task).time).predict([(tokens, edits * tokens)]).expected


def effects(store: Store, project: Project, task: str) -> list[SuggestionEffect]:
    """Return the effects of each source's suggestions, and of both together, if there is enough data."""
    return _effects(_measured_items(store, project, task))


def _effects(measured: Sequence[MeasuredItem]) -> list[SuggestionEffect]:
    by_sources = {sources: [row for row in measured if tuple(row.agreements) == sources] for sources in SOURCE_TITLES}
    return [effect for sources, rows in by_sources.items() if (effect := _effect(sources, rows))]


def _effect(sources: tuple[str, ...], measured: Sequence[MeasuredItem]) -> SuggestionEffect | None:
    by_source = {
        source: estimate
        for source in sources
        if (estimate := speed_up([replace(row.item, agreement=row.agreements[source]) for row in measured]))
    }
    if not by_source:
        return None
    anchoring = {source: estimate.anchoring for source, estimate in by_source.items()}
    return SuggestionEffect(sources, by_source[sources[0]], anchoring)  # the time is the same for all sources


def measured_items(store: Store, project: Project, task: str) -> list[TimedItem]:
    """Return each finished item of a task for the time model, without imported items, which took no time.

    An item's suggestion is that at the time the item was begun, and its annotation the first finished one: later models
    may have learned from it. Items of the test set count as having no suggestions: its sentences differ from the shots.
    """
    return [finished.item for finished in _measured_items(store, project, task)]


def _measured_items(store: Store, project: Project, task: str) -> list[MeasuredItem]:
    effort, tokens = store.effort(project.id, task), store.tokens(project.id, task)
    items = store.items(project.id, task=task)
    finished = store.first_revisions(project.id, task, done=True)
    suggested = _suggested(store, project, task, [item for item in items if item.purpose == SHOTS], finished)
    measured = []
    for item in items:
        seconds, edits = effort.get(item.id, (0.0, 0))
        if item.status != "done" or item.purpose == REVIEW or not seconds or item.id not in finished:
            continue
        annotator, annotation = finished[item.id].annotator, finished[item.id].annotation
        proposed = suggested.get(item.id, {})
        shares = {source: agreement(annotation, suggestion) for source, suggestion in proposed.items()}
        length, first = tokens[item.example_id], next(iter(shares.values()), None)
        measured.append(
            MeasuredItem(TimedItem(annotator, length, edits, seconds, item.blind, bool(shares), first), shares)
        )
    return measured


def _suggested(
    store: Store, project: Project, task: str, shots: Sequence[Item], finished: Mapping[int, Revision]
) -> dict[int, dict[str, Mapping[str, Any]]]:
    """Return the suggestions for each item at the time it was begun, shown or not, by item id and source.

    A suggestion is taken after it was adjusted to the annotator's decisions, see `annotate.editing.lexicon`.
    """
    begun = store.first_revisions(project.id, task)
    proposed = store.suggestions([id for revision in begun.values() for id in _suggestion_ids(revision)])
    if not proposed:
        return {}
    examples = store.examples(project.id, ids={item.example_id for item in shots})
    words = {row.id: getattr(content.from_json(row.content), "words", ()) for row in examples}
    began = [(begun[item.id].id, 0, item) for item in shots if item.id in begun]
    ended = [(finished[item.id].id, 1, item) for item in shots if item.id in finished]
    decided: dict[str, Lexicon] = defaultdict(Lexicon)
    suggested: dict[int, dict[str, Mapping[str, Any]]] = {}
    for _, end, item in sorted(began + ended, key=lambda event: event[:2]):
        suggestions = [proposed[id] for id in _suggestion_ids(begun[item.id]) if id in proposed]
        decisions = decided[begun[item.id].annotator]
        if end:
            annotation = finished[item.id].annotation
            first = next(iter(suggestions), None)
            decisions.learn(annotation.get("words", words[item.example_id]), annotation, first)
        else:
            sentence = words[item.example_id]
            followed = ((made.source, decisions.follow(sentence, made)) for made in suggestions)
            suggested[item.id] = {source: data["annotation"] for source, data in followed if data}
    return suggested


def accepted_shares(store: Store, project_id: int, task: str, annotator: str) -> list[float]:
    """Return the share of the encoder's suggestion that a person kept, for their newest finished shots.

    The suggestion is that at the time the shot was begun, shown or blind; the annotation is the first finished one,
    from which no model had learned. So the shares, 0 to 1 in the order of finishing, are a learning curve without extra
    training (prequential evaluation, Dawid 1984).
    """
    newest = store.revisions(store.newest_finished(project_id, task, annotator, MAX_RECENT_SHOTS))
    ids = [revision.item_id for revision in newest]
    begun, finished = (store.first_revisions(project_id, task, done, ids) for done in (False, True))
    proposed = store.suggestions([id for revision in begun.values() for id in _suggestion_ids(revision)])
    shares = []
    for revision in sorted(finished.values(), key=lambda revision: revision.id):
        suggestions = (proposed[id] for id in _suggestion_ids(begun[revision.item_id]) if id in proposed)
        made = next((suggestion for suggestion in suggestions if suggestion.source == ENCODER), None)
        shares.append(agreement(revision.annotation, made.data["annotation"]) if made else None)
    return [share for share in shares if share is not None]


def _suggestion_ids(revision: Revision) -> list[int]:
    return [id for id in (revision.suggestion_id, revision.second_suggestion) if id]


def agreement(annotation: Mapping[str, Any], suggestion: Mapping[str, Any]) -> float | None:
    """Return the share of a suggestion's words, questions or label that an annotation kept, 0 to 1.

    None if the words were repaired, so that the two cannot be compared.
    """
    pairs = _pairs(annotation, suggestion)
    return sum(kept == proposed for kept, proposed in pairs) / len(pairs) if pairs else None


def _pairs(annotation: Mapping[str, Any], suggestion: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    if "label" in suggestion:
        return [(annotation.get("label"), suggestion["label"])]
    if "answers" in suggestion:
        given = annotation.get("answers", {})
        return [(given.get(name), answers) for name, answers in suggestion["answers"].items()]
    columns = [name for name in suggestion if name in annotation]
    mine, theirs = ([list(labels[name]) for name in columns] for labels in (annotation, suggestion))
    if "words" in annotation or [len(column) for column in mine] != [len(column) for column in theirs]:
        return []
    return list(zip(zip(*mine, strict=True), zip(*theirs, strict=True), strict=True))

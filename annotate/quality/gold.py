"""Gold: one annotation per example, chosen from all annotations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from annotate.editing import changed_values, content, uploaded
from annotate.store import REVIEW, Item, Project, Revision, Store, is_joined
from fewshot import tasks
from fewshot.corpora.tokenization import repair


@dataclass(frozen=True, slots=True)
class FinishedVersion:
    """One person's finished annotation of an example."""

    item: Item
    revision: Revision


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold annotations and their newest revisions' ids, by example id.

    ``open`` has the examples on which two people disagree and no curator has decided, ``begun`` those whose annotation
    is not finished.
    """

    annotations: Mapping[int, Mapping[str, Any]]
    open: tuple[int, ...]
    revisions: Mapping[int, int] = field(default_factory=dict, repr=False, compare=False)
    begun: Collection[int] = ()

    @classmethod
    def of(cls, revisions: Mapping[int, Revision]) -> Self:
        """Return the annotations of some revisions, by example id, as gold."""
        annotations = {example: revision.annotation for example, revision in revisions.items()}
        return cls(annotations, (), {example: revision.id for example, revision in revisions.items()})


def versions(
    store: Store, project: Project, task: str, own: bool = False, reviews: bool = False
) -> dict[int, list[FinishedVersion]]:
    """Return the finished annotations of each example; `own` ignores later bulk changes by curators.

    Args:
        reviews: whether to return the reviews of curators; else the versions of annotators.
    """
    newest = store.newest_revisions(project.id, task, own)
    finished: dict[int, list[FinishedVersion]] = defaultdict(list)
    for item in store.items(project.id, task=task):
        if item.status == "done" and item.id in newest and (item.purpose == REVIEW) == reviews:
            finished[item.example_id].append(FinishedVersion(item, newest[item.id]))
    return dict(finished)


def decisions(store: Store, project: Project, task: str) -> dict[int, FinishedVersion]:
    """Return the curators' decisions by example id."""
    reviews = versions(store, project, task, reviews=True)
    return {example: decided[-1] for example, decided in reviews.items()}


def gold(store: Store, project: Project, task: str, annotator: str | None = None) -> Gold:
    """Return the gold annotations of a task: a curator's decision, else the only or the common annotation.

    Values that a finished tree of the project corrects later are as corrected.

    Args:
        annotator: returns the finished annotations of this annotator instead.
    """
    own = _decided(store, project, task) if annotator is None else _of_annotator(store, project, task, annotator)
    columns = tasks.get(task).columns
    trees = [name for name in project.tasks if name != task and "heads" in tasks.get(name).columns]
    if not trees or not {*changed_values.CORRECTED}.intersection(columns):
        return own
    annotations = dict(own.annotations)
    for name in trees:
        later = gold(store, project, name, annotator)
        newer = {
            example: annotation
            for example, annotation in later.annotations.items()
            if later.revisions[example] > own.revisions.get(example, later.revisions[example])
            and any(column in annotation for column in changed_values.CORRECTED if column in columns)
        }
        for row in store.examples(project.id, ids=newer) if newer else ():
            made = [(task, annotations[row.id]), (name, newer[row.id])]
            example = content.combined(content.from_json(row.content), made)
            words = repair.named(example) if any("words" in annotation for _, annotation in made) else {}
            annotations[row.id] = content.annotation_of(task, example) | words
    return replace(own, annotations=annotations)


def _of_annotator(store: Store, project: Project, task: str, annotator: str) -> Gold:
    """Return the finished annotations of an annotator, without reviews."""
    finished = (version for versions_ in versions(store, project, task).values() for version in versions_)
    mine = (version for version in finished if version.item.annotator == annotator)
    return Gold.of({version.item.example_id: version.revision for version in mine})


def _decided(store: Store, project: Project, task: str) -> Gold:
    decided = decisions(store, project, task)
    annotations: dict[int, Mapping[str, Any]] = {}
    revisions: dict[int, int] = {}
    undecided: list[int] = []
    for example, finished in versions(store, project, task).items():
        made = [decided[example]] if example in decided else finished
        if differ(store, made):
            undecided.append(example)
            continue
        made.sort(key=lambda version: "words" not in version.revision.annotation)  # words are taken of the first
        annotations[example] = changed_values.with_all([version.revision.annotation for version in made])
        revisions[example] = max(version.revision.id for version in made)
    return Gold(annotations, tuple(undecided), revisions)


def differ(store: Store, versions: Sequence[FinishedVersion]) -> bool:
    """Return whether versions of an example differ in anything but MISC."""
    annotations = [version.revision.annotation for version in versions]
    if len({"words" in annotation for annotation in annotations}) > 1:
        (row,) = store.following(versions[0].item.example_id, 0)
        example = content.from_json(row.content)
        annotations = [content.with_words(annotation, example) for annotation in annotations]
    first, *rest = ({key: value for key, value in labels.items() if key != "misc"} for labels in annotations)
    return any(labels != first for labels in rest)


def examples(
    store: Store, project: Project, by_task: Mapping[str, Gold], split: str | None = None, everything: bool = False
) -> list[Any]:
    """Return examples of a split with the gold annotation of all tasks; other imported columns stay.

    Disputed examples stay unannotated, even if the file had labels. An example that the file marks as begun keeps the
    mark until all tasks are finished. Joined sentences are part of the sentence before.
    With `everything`, examples without gold annotation are included as imported.
    """
    wanted = sorted({example for kept in by_task.values() for example in kept.annotations})
    known = {task: kept.annotations.keys() | set(kept.open) for task, kept in by_task.items()}
    annotated: list[Any] = []
    joined = 0  # number of following sentences that belong to the last one
    for row in store.examples(project.id, split=split, ids=None if everything else wanted):
        if joined and is_joined(row.split):
            joined -= 1
            continue
        about = [(kept.revisions.get(row.id, 0), task) for task, kept in by_task.items() if row.id in known[task]]
        made = [(task, by_task[task].annotations.get(row.id, {})) for _, task in sorted(about)]
        example = content.combined(content.from_json(row.content), made)
        finished = all(row.id in kept.annotations for kept in by_task.values())
        begun = any(row.id in kept.begun for kept in by_task.values()) or (example.begun and not finished)
        annotated.append(replace(uploaded.with_hidden_misc(project, example), begun=begun))
        joined = getattr(annotated[-1], "joined", 0)
    return annotated

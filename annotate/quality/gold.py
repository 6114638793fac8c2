"""Gold: one annotation per example, chosen from all annotations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from annotate.editing import changed_values, content
from annotate.editing.changed_values import CHANGEABLE_COLUMNS
from annotate.store import REVIEW, Item, Project, Revision, Store, StoredExample
from fewshot import tasks
from fewshot.corpora.formats.conllu_columns import with_asked


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
    purpose = REVIEW if reviews else None
    newest = store.newest_revisions(project.id, task, own, purpose)
    finished: dict[int, list[FinishedVersion]] = defaultdict(list)
    for item in store.items(project.id, task=task, purpose=purpose):
        if item.status == "done" and item.id in newest and (item.purpose == REVIEW) == reviews:
            finished[item.example_id].append(FinishedVersion(item, newest[item.id]))
    return dict(finished)


def decisions(store: Store, project: Project, task: str) -> dict[int, FinishedVersion]:
    """Return the curators' decisions by example id."""
    reviews = versions(store, project, task, reviews=True)
    return {example: decided[-1] for example, decided in reviews.items()}


def versions_with_own_corrections(
    store: Store, project: Project, task: str, own: bool = False
) -> dict[int, list[FinishedVersion]]:
    """Return the versions of annotators, corrected by newer finished trees of the same annotator.

    Args:
        own: see `versions`.
    """
    finished = versions(store, project, task, own)
    trees: dict[int, list[FinishedVersion]] = defaultdict(list)
    for name in _correcting(project, task):
        for example, made in versions(store, project, name, own).items():
            trees[example] += made
    changed = {
        example
        for example in finished.keys() & trees.keys()
        if any(_own_corrections(version, trees[example]) for version in finished[example])
    }
    for row in store.examples(project.id, ids=changed) if changed else ():
        finished[row.id] = [with_own_corrections(row, version, trees[row.id]) for version in finished[row.id]]
    return finished


def with_own_corrections(
    row: StoredExample, version: FinishedVersion, others: Sequence[FinishedVersion]
) -> FinishedVersion:
    """Return a version as newer trees of its annotator correct it, on the words of the version."""
    annotation: Mapping[str, Any] = version.revision.annotation
    for tree in _own_corrections(version, others):
        annotation = _corrected(row, version.item.task, annotation, tree.item.task, tree.revision.annotation)
    return replace(version, revision=replace(version.revision, annotation=dict(annotation)))


def gold(store: Store, project: Project, task: str, annotator: str | None = None) -> Gold:
    """Return the gold annotations of a task: a curator's decision, else the only or the common annotation.

    Values that a finished tree of the project corrects later are as corrected. Only a curator's tree corrects the
    decision of a curator.

    Args:
        annotator: returns the finished annotations of this annotator instead.
    """
    if annotator is not None:
        return _of_annotator(store, project, task, annotator)
    trees = {name: _decided(store, project, name) for name in _correcting(project, task)}
    return corrected(store, project, task, _decided(store, project, task), trees)


def corrected(
    store: Store, project: Project, task: str, made: Gold, by_task: Mapping[str, Gold], annotator: str | None = None
) -> Gold:
    """Return annotations of a task with the values that newer trees correct.

    Args:
        by_task: annotations by task, of which trees count.
        annotator: of all annotations; None: those of a curator are corrected only by the tree of a curator.
    """
    annotations = dict(made.annotations)
    trees = [name for name in _correcting(project, task) if name in by_task]
    decided = decisions(store, project, task) if trees and annotator is None else {}
    for name in trees:
        later = by_task[name]
        final = decided.keys() - decisions(store, project, name).keys() if decided else set[int]()
        newer = {
            example: later.annotations[example]
            for example in later.annotations.keys() & annotations.keys() - final
            if later.revisions[example] > made.revisions[example]
            and corrects(later.annotations[example], annotations[example])
        }
        for row in store.examples(project.id, ids=newer) if newer else ():
            annotations[row.id] = _corrected(row, task, annotations[row.id], name, newer[row.id])
    return replace(made, annotations=annotations)


def _correcting(project: Project, task: str) -> list[str]:
    """Return the tasks of a project whose trees may correct columns of another task."""
    if not {*changed_values.CORRECTABLE_COLUMNS}.intersection(tasks.get(task).columns):
        return []
    return [name for name in project.tasks if name != task and "heads" in tasks.get(name).columns]


def tagging(project: Project, names: Collection[str]) -> list[str]:
    """Return the other tasks of a project whose columns trees of some tasks may correct."""
    others = (task for task in project.tasks if task not in names)
    return [task for task in others if not set(names).isdisjoint(_correcting(project, task))]


def correcting(project: Project, names: Collection[str]) -> list[str]:
    """Return the other tasks of a project whose trees may correct columns of some tasks."""
    trees = {tree for name in names for tree in _correcting(project, name)}
    return [task for task in project.tasks if task in trees.difference(names)]


def corrects(later: Mapping[str, Any], annotation: Mapping[str, Any]) -> bool:
    """Return whether an annotation of a tree has corrections of columns of another annotation."""
    if "heads" not in later or "heads" in annotation:
        return False
    return any(column in later and column in annotation for column in changed_values.CORRECTABLE_COLUMNS)


def _own_corrections(version: FinishedVersion, others: Sequence[FinishedVersion]) -> list[FinishedVersion]:
    """Return the newer trees of a version's annotator that correct columns of the version."""
    return [
        other
        for other in others
        if other.item.annotator == version.item.annotator
        and other.revision.id > version.revision.id
        and corrects(other.revision.annotation, version.revision.annotation)
    ]


def _corrected(
    row: StoredExample, task: str, annotation: Mapping[str, Any], tree_task: str, tree: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an annotation with the corrections of a tree, on the words of the annotation."""
    original = content.from_json(row.content)
    example = content.annotated(task, original, dict(annotation))
    carried = content.carried(original, tree_task, tree, example)
    corrections = {column: values for column, values in carried.items() if column not in CHANGEABLE_COLUMNS}
    return changed_values.with_newer_values(annotation, corrections)


def _of_annotator(store: Store, project: Project, task: str, annotator: str) -> Gold:
    """Return the finished annotations of an annotator, without reviews."""
    by_example = versions_with_own_corrections(store, project, task)
    mine = (version for made in by_example.values() for version in made if version.item.annotator == annotator)
    return Gold.of({version.item.example_id: version.revision for version in mine})


def _decided(store: Store, project: Project, task: str) -> Gold:
    decided = decisions(store, project, task)
    annotations: dict[int, Mapping[str, Any]] = {}
    revisions: dict[int, int] = {}
    undecided: list[int] = []
    for example, finished in versions_with_own_corrections(store, project, task).items():
        made = [decided[example]] if example in decided else finished
        if differ(store, made):
            undecided.append(example)
            continue
        made.sort(key=lambda version: "words" not in version.revision.annotation)  # words are taken of the first
        annotations[example] = changed_values.with_all_changes([version.revision.annotation for version in made])
        revisions[example] = max(version.revision.id for version in made)
    return Gold(annotations, tuple(undecided), revisions)


def differ(store: Store, versions: Sequence[FinishedVersion]) -> bool:
    """Return whether versions of an example differ in anything but MISC.

    A correction is no difference from a version whose annotator sees the same value, in the file or in own tags.
    """
    annotations = [version.revision.annotation for version in versions]
    if len({"words" in annotation for annotation in annotations}) > 1:
        (row,) = store.following(versions[0].item.example_id, 0)
        example = content.from_json(row.content)
        annotations = [content.with_words(annotation, example) for annotation in annotations]
    corrected = changed_values.CORRECTABLE_COLUMNS if "heads" in annotations[0] else ()
    ignored = {"misc", *corrected}
    first, *rest = ({key: value for key, value in labels.items() if key not in ignored} for labels in annotations)
    if any(labels != first for labels in rest):
        return True
    changed = [[labels.get(column) for column in corrected] for labels in annotations]
    return any(values != changed[0] for values in changed) and _correct_differently(store, versions)


def _correct_differently(store: Store, versions: Sequence[FinishedVersion]) -> bool:
    """Return whether trees on the same words give different values to a word that one of them corrects.

    Columns that every annotator has finished in another task are left out: they are compared there.
    """
    (row,) = store.following(versions[0].item.example_id, 0)
    original = content.from_json(row.content)
    others = [
        FinishedVersion(item, revision)
        for item, revision in store.saved_items([row.id]).get(row.id, ())
        if revision and item.status == "done" and item.purpose != REVIEW and item.task != versions[0].item.task
    ]
    tags = [[other for other in others if other.item.annotator == version.item.annotator] for version in versions]
    shown = [_shown(original, version, own) for version, own in zip(versions, tags, strict=True)]
    for column in changed_values.CORRECTABLE_COLUMNS:
        if all(any(column in other.revision.annotation for other in own) for own in tags):
            continue
        changed = (version.revision.annotation.get(column, ()) for version in versions)
        places = {place for values in changed for place, value in enumerate(values) if value is not None}
        if any(len({getattr(example, column)[place] for example in shown}) > 1 for place in places):
            return True
    return False


def _shown(original: Any, version: FinishedVersion, tags: Sequence[FinishedVersion]) -> Any:
    """Return an example with a tree and with the tags that its annotator sees below the tree."""
    tree = content.with_words(version.revision.annotation, original)
    tags = [
        other
        for other in tags
        if {*changed_values.CORRECTABLE_COLUMNS}.intersection(tasks.get(other.item.task).columns)
    ]
    on_words = content.annotated(version.item.task, original, tree)
    newer = [(other.item.task, other.revision.annotation) for other in tags if other.revision.id > version.revision.id]
    made = [(other.item.task, other.revision.annotation) for other in tags]
    shown = content.with_newer_values(original, tree, newer, on_words)
    example = content.combined(original, [*made, (version.item.task, shown)])
    return with_asked(example, changed_values.CORRECTABLE_COLUMNS)

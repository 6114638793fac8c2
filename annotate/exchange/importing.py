"""Import annotations of a file as revisions of an annotator's items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from annotate.editing import changed_values, content, joining, labels, saving, session, uploaded, validation
from annotate.editing.state import state
from annotate.exchange import fitting, imported_changes, matching
from annotate.exchange.project_data import refuses_nested
from annotate.store import REVIEW, Item, NewItem, Project, Store
from fewshot import tasks
from fewshot.corpora import formats, nested
from fewshot.corpora.tokenization.joining import with_following
from fewshot.corpora.types import Sentence
from fewshot.errors import CorpusError, FewshotError

CLIENT = "import"
"""Client of imported revisions; editors have clients of their own."""

PURPOSES = {"pool": "shots", "test": "test"}
"""Purpose of the rounds with examples of each split."""

Annotations: TypeAlias = dict[int, dict[str, Any]]
"""Annotations by example id."""

Remark: TypeAlias = str | tasks.Problem
"""A problem of an example, or of one of its words."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import; numbers count examples of the file unless they say otherwise.

    Args:
        problems: unreadable rows, why examples were not saved, and what was left out of saved ones.
        added: labels that the project did not have before.
        unread: number of unreadable rows.
        saved: with saved annotation.
        unfinished: saved, but open: marked as begun, or some word, question or label is not annotated.
        unknown: not in the project.
        wrong: not saved, because the annotation is invalid or could belong to several examples.
        empty: without annotation.
    """

    problems: formats.BadRows
    added: Sequence[str]
    unread: int
    saved: int = 0
    unknown: int = 0
    wrong: int = 0
    empty: int = 0
    unfinished: int = 0


def import_annotations(store: Store, project: Project, task: str, path: Path, annotator: str) -> Imported:
    """Save the annotations of a file as revisions of an annotator's items.

    Examples are matched by their words or texts, and by their ids if the project has a text several times. A sentence
    with a known text and other words gets repaired words. Sentences that an export has split are joined again.

    Args:
        path: a file in any format of `fewshot.corpora.formats`. A sentence that another task of the project could not
            read counts as a bad row.

    Raises:
        FewshotError: when the file cannot be read or has another kind of example.
    """
    others = [tasks.get(name) for name in project.tasks if name != task]
    examples, problems = formats.check(path, None, project.lang, tasks.get(task), also=others)
    if refuses_nested([task], project.nested):
        examples = list(nested.flat(examples, lambda error: problems.add(error.where, error.message)))
    if not examples:
        if problems:
            raise FewshotError(f"{problems[0].where}: {problems[0].message}")
        raise FewshotError(f"no {project.kind} in {path.name}")
    given = imported_changes.filled_columns(examples, imported_changes.importable_columns(store, project, task))
    taken = _Taken(formats.BadRows(problems, problems.total))
    left, frees = list(examples), True
    while left and frees:  # a saved sentence may free sentences that were joined to it
        left, frees = _take(store, project, task, annotator, given, left, taken)
    counts = Counter(taken.counts) + Counter(unknown=len(left))
    return Imported(taken.problems, taken.added, problems.total, **counts)


@dataclass(frozen=True, slots=True)
class _Taken:
    """The result of an import so far, see `Imported`."""

    problems: formats.BadRows
    added: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def _take(
    store: Store,
    project: Project,
    task: str,
    annotator: str,
    given: Collection[str],
    examples: Sequence[Any],
    taken: _Taken,
) -> tuple[list[Any], bool]:
    """Save the annotations of the examples that the project has.

    Returns:
        The examples that the project does not have, and whether some saved sentence freed sentences joined to it.
    """
    examples, rows = matching.matched(store, project, examples)
    mine = [example for example in examples if rows.keys() & matching.keys(example)]
    own = tasks.get(task, store.project(project.id).labels.get(task))
    kind = own.with_labels(tasks.get(task).labels_in(mine))
    newest = store.newest_revisions(project.id, task)
    items = session.items(store, project, task, annotator)
    versions = {item.example_id: newest[item.id].annotation for item in items if item.id in newest}
    valid: dict[str, Annotations] = {"pool": {}, "test": {}}
    counts, saved, left, frees = taken.counts, [], list[Any](), False
    places, begun = dict[int, str](), set[int]()
    for example in sorted(examples, key=lambda each: not rows.keys() & matching.ids(each)):
        match = next((rows[key] for key in matching.keys(example) if key in rows), None)
        if match is None:
            left.append(example)
            continue
        if content.annotation_of(task, example) == content.annotation_of(task, example.unannotated()):
            counts["empty"] += 1
            continue
        annotation, remarks = None, list[Remark]()
        before = versions.get(match.id, {})
        if match.is_one_of_several:
            remarks = [f"the project has this text several times, none with the id {example.id!r}; give an id of these"]
        elif match.id in places:
            remarks = [f"{places[match.id]} is the same text, which the project has once; keep one of the two"]
        else:
            places[match.id] = example.where or example.id
            annotation, remarks = _annotation(store, kind, annotator, given, example, match, before)
        _note(taken.problems, example, remarks)
        counts["wrong" if annotation is None else "saved"] += 1
        if annotation is not None:
            valid[match.split][match.id] = annotation
            saved.append(example)
            begun.update([match.id] * example.begun)
            frees = frees or before.get("joined", 0) > annotation.get("joined", 0)
    taken.added.extend(labels.add(store, project, task, tasks.get(task).labels_in(saved)))
    kind = tasks.get(task, store.project(project.id).labels.get(task))
    for split, by_example in valid.items():
        opened = _items(store, project, {task: by_example}, annotator, split).values()
        counts["unfinished"] += _save(store, project, kind, by_example, opened, begun)
    return left, frees


def _note(problems: formats.BadRows, example: Any, remarks: Iterable[Remark]) -> None:
    """Add remarks about an example, each with its place in the file."""
    for remark in remarks:
        if isinstance(remark, str):
            problems.add(example.where or example.id, remark)
        else:
            problems.add(tasks.place_of(example, remark), remark.message)


def continue_upload(store: Store, project: Project, annotator: str) -> int:
    """Save examples that the files of a project have finished as an annotator's finished items.

    These examples are not drawn again, and trainings use them. Partly annotated examples are continued when they are
    drawn (`annotate.editing.uploaded`). Examples that were drawn already stay as they are.

    Returns:
        The number of these examples in the pool.
    """
    drawn = store.drawn_examples(project.id)
    kinds = {task: tasks.get(task, project.labels.get(task)) for task in project.tasks}
    finished: dict[str, dict[str, Annotations]] = {split: {task: {} for task in kinds} for split in PURPOSES}
    for row in store.examples(project.id):
        example = content.from_json(row.content)
        is_open = row.split in PURPOSES and row.id not in drawn and not example.begun
        if is_open and all(uploaded.is_finished(kind, example) for kind in kinds.values()):
            for task in kinds:
                finished[row.split][task][row.id] = uploaded.annotation(project, task, example) or {}
    for split, by_task in finished.items():
        items = _items(store, project, by_task, annotator, split).values()
        store.add_finished(annotator, CLIENT, {item.id: by_task[item.task][item.example_id] for item in items})
    return len(finished["pool"][project.tasks[0]])


def _annotation(
    store: Store,
    kind: tasks.Task[Any],
    annotator: str,
    given: Collection[str],
    example: Any,
    match: matching.Match,
    before: Mapping[str, Any],
) -> tuple[dict[str, Any] | None, list[Remark]]:
    """Return the annotation to save of an example, or None if it cannot be saved, and remarks.

    Args:
        given: columns of changed values that the file has, see `imported_changes.filled_columns`.
        before: the annotator's newest annotation, which keeps values that the file does not have.
    """
    own = with_following(match.example, match.joined) if isinstance(example, Sentence) else match.example
    given = [column for column in given if column not in example.predicted]
    try:
        if set(kind.columns) & set(example.predicted):
            raise CorpusError(tasks.UNCHECKED_MESSAGE.format(task=kind.name))
        example, left_out = fitting.fitted(own, uploaded.in_iob2(example))
        remarks: list[Remark] = [*left_out]
    except CorpusError as error:
        return None, [error.message]
    errors = [problem for problem in validation.problems(kind, example) if problem.level == "error"]
    if errors and not example.begun:
        return None, [*remarks, errors[0]]
    if match.joined and (reason := joining.refused(store, match.id, annotator, match.joined)):
        return None, [*remarks, reason]
    changed, faults = imported_changes.find_changes(own, example, given)
    remarks += [f"{message}; the word keeps what it has in the project" for message in faults]
    annotation = (
        content.annotation_of(kind.name, example)
        | changed
        | imported_changes.find_words(own, example, match.joined, before)
    )
    if "answers" in annotation:
        annotation["answers"] = {**before.get("answers", {}), **annotation["answers"]}
    if annotation.get("words") == before.get("words"):
        kept = (column for column in changed_values.columns(annotation) if column in before and column not in given)
        annotation |= {column: before[column] for column in kept}
    return annotation, remarks


def _items(
    store: Store, project: Project, by_task: Mapping[str, Annotations], annotator: str, split: str
) -> dict[tuple[str, int], Item]:
    """Return the items in which annotations of a split are saved, by task and example id.

    These are the annotator's items, else unassigned items, else new items in a new round.
    """
    wanted = {(task, example) for task, annotations in by_task.items() for example in annotations}
    mine = (item for task in by_task for item in session.items(store, project, task, annotator))
    items = {key: item for item in mine if (key := (item.task, item.example_id)) in wanted}
    for item in store.items(project.id, annotator=None):
        key = item.task, item.example_id
        if key in wanted and key not in items and item.purpose != REVIEW and store.claim(item.id, annotator):
            items[key] = replace(item, annotator=annotator)
    blind = split == "test"
    missing = [NewItem(example, task, annotator, blind) for task, example in sorted(wanted - items.keys())]
    if missing:
        k = len({item.example_id for item in missing})
        drawn = store.add_round(
            project_id=project.id, purpose=PURPOSES[split], sampler=CLIENT, k=k, seed=project.seed, items=missing
        )
        items |= {(item.task, item.example_id): item for item in store.items(project.id, round_id=drawn.id)}
    return items


def _save(
    store: Store,
    project: Project,
    kind: tasks.Task[Any],
    annotations: Annotations,
    items: Iterable[Item],
    begun: Set[int],
) -> int:
    """Save the annotations of a task, and carry other tasks of the examples over to their words.

    An item without a gap is done. An item is left open if its example is ``begun``, or, for example, if another task
    has words that the file lacks, or if the file has only some questions of an article.

    Returns:
        The number of open items.
    """
    unfinished = 0
    for item in items:
        annotation, known = annotations[item.example_id], state(store, project, item)
        if "words" not in annotation and known.others:  # keep the words of other tasks
            annotation = content.carried(known.original, item.task, annotation, known.example)
            annotation = content.with_words(annotation, known.example)
        unsaved = saving.unsaved(store, project, item, annotation)
        done = item.example_id not in begun and not kind.errors(unsaved.example)
        unfinished += not done
        saving.save(store, project, unsaved, CLIENT, 1 + store.acks(item.id).get(CLIENT, 0), done)
        store.release(item.id, item.annotator or "")
    return unfinished

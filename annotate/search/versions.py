"""Versions for a search: each example with each annotator's annotations of all tasks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.editing import changed_values, content, uploaded
from annotate.store import REVIEW, ExampleFilter, Item, Project, Revision, Store, StoredExample
from fewshot import tasks
from fewshot.corpora.iob import to_iob2
from fewshot.corpora.types import Sentence


@dataclass(frozen=True, slots=True)
class Version:
    """An example with one person's annotations, on top of imported labels if the project continues them.

    Args:
        item: of the searched task; None if the example is not drawn.
        saved: the person's items by task, each with its newest revision or None.
        decided: tasks in which a curator has decided.
    """

    row: StoredExample
    example: Any
    item: Item | None
    saved: Mapping[str, tuple[Item, Revision | None]]
    decided: Collection[str]

    @property
    def annotator(self) -> str | None:
        """The annotator of the item; None for an example that is not drawn, or an item that nobody has taken."""
        return self.item.annotator if self.item else None


def versions(
    store: Store,
    project: Project,
    wanted: ExampleFilter,
    holding: Sequence[Collection[str]] = (),
    ids: Collection[int] | None = None,
) -> Iterator[Version]:
    """Yield the versions that match a filter; see `Store.search_batches` for `holding` and `ids`."""
    for batch in store.search_batches(project.id, wanted, holding, ids):
        for row, item in batch.rows:
            about = batch.saved.get(row.id, ())
            mine = {
                saved.task: (saved, revision)
                for saved, revision in about
                if item and saved.purpose == item.purpose and saved.annotator == item.annotator
            }
            yield Version(row, _example(project, row, mine), item, mine, decided_tasks(about))


def decided_tasks(about: Iterable[tuple[Item, Revision | None]]) -> set[str]:
    """Return the tasks in which a curator has decided, from the items of an example."""
    return {item.task for item, _ in about if item.purpose == REVIEW and item.status == "done"}


def visible_import(project: Project, row: StoredExample) -> Any:
    """Return an example with the imported annotation that annotators see, without predictions of models."""
    example = content.from_json(row.content)
    if project.hides_gold:
        return uploaded.without_gold(example)
    for task in project.tasks if example.predicted else ():
        if set(tasks.get(task).columns) & set(example.predicted):
            example = content.annotated(task, example, {})
    if isinstance(example, Sentence) and example.scheme:
        return replace(example, entities=tuple(to_iob2(example.entities)))
    return example


def corrections(project: Project, task: str, version: Version, sentence: Sentence) -> dict[str, Any]:
    """Return the corrections of a tree that no newer annotation has changed, on other words."""
    newest = version.saved[task][1]
    if newest is None:
        return {}
    original = visible_import(project, version.row)
    carried = content.carried(original, task, newest.annotation, sentence)
    others = [(item, revision) for item, revision in version.saved.values() if revision and revision.id > newest.id]
    others.sort(key=lambda pair: pair[1].id)
    newer = ((item.task, revision.annotation) for item, revision in others)
    kept = content.with_newer_values(original, carried, newer, sentence)
    columns = (column for column in changed_values.columns(kept) if column in changed_values.CORRECTABLE_COLUMNS)
    return {column: kept[column] for column in columns if column in kept}


def _example(project: Project, row: StoredExample, mine: Mapping[str, tuple[Item, Revision | None]]) -> Any:
    made = sorted((revision.id, task, revision.annotation) for task, (_, revision) in mine.items() if revision)
    example = visible_import(project, row)
    if any("words" in annotation for _, _, annotation in made):
        return content.combined(example, [(task, annotation) for _, task, annotation in made])
    for _, task, annotation in made:  # faster than `combined`: no words were repaired
        example = content.annotated(task, example, annotation)
    return example

"""What is looked through: each example as each of its annotators has it, in all tasks at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.editing import content
from annotate.store import REVIEW, Example, ExampleFilter, Item, Project, Revision, Store
from fewshot import tasks
from fewshot.corpora.iob import to_iob2
from fewshot.corpora.types import Sentence


@dataclass(frozen=True, slots=True)
class Version:
    """An example with what one person has saved of it, over what its file had where the project continues that.

    Args:
        row: what the store has of the example.
        example: with the annotation.
        item: of the task that was asked for; None where the example is not drawn.
        saved: items of the same person by task, each with its newest revision, None where nothing is saved.
        decided: tasks in which a curator has decided what counts.
    """

    row: Example
    example: Any
    item: Item | None
    saved: Mapping[str, tuple[Item, Revision | None]]
    decided: Collection[str]

    @property
    def annotator(self) -> str | None:
        """Whose it is."""
        return self.item.annotator if self.item else None


def versions(
    store: Store,
    project: Project,
    wanted: ExampleFilter,
    holding: Sequence[Collection[str]] = (),
    ids: Collection[int] | None = None,
) -> Iterator[Version]:
    """Yield the examples that match a filter, by position; see `Store.search_batches` for `holding` and `ids`."""
    for batch in store.search_batches(project.id, wanted, holding, ids):
        for row, item in batch.rows:
            about = batch.saved.get(row.id, ())
            mine = {
                one.task: (one, revision)
                for one, revision in about
                if item and one.purpose == item.purpose and one.annotator == item.annotator
            }
            yield Version(row, _example(project, row, mine), item, mine, decided(about))


def decided(about: Iterable[tuple[Item, Revision | None]]) -> set[str]:
    """Return the tasks in which a curator has decided what counts, of the items of an example."""
    return {one.task for one, _ in about if one.purpose == REVIEW and one.status == "done"}


def came(project: Project, row: Example) -> Any:
    """Return an example with the annotation that it came with and that people see; that of models is no annotation."""
    example = content.from_json(row.content)
    if project.hides_gold:
        return example.unannotated()
    for task in project.tasks if example.predicted else ():
        if set(tasks.get(task).columns) & set(example.predicted):
            example = content.annotated(task, example, {})
    if isinstance(example, Sentence) and example.scheme:
        return replace(example, entities=tuple(to_iob2(example.entities)))
    return example


def _example(project: Project, row: Example, mine: Mapping[str, tuple[Item, Revision | None]]) -> Any:
    made = sorted((revision.id, task, revision.annotation) for task, (_, revision) in mine.items() if revision)
    example = came(project, row)
    if any("words" in annotation for _, _, annotation in made):
        return content.combined(example, [(task, annotation) for _, task, annotation in made])
    for _, task, annotation in made:  # the same, without looking for what was repaired
        example = content.annotated(task, example, annotation)
    return example

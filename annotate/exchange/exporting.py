"""Export the annotations of a project: gold, or one annotator's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.editing import changed_values, content, uploaded
from annotate.quality import gold
from annotate.store import JOINED, REVIEW, SHOTS, TEST, Project, Revision, Store, is_joined
from fewshot.corpora import nested
from fewshot.corpora.formats.registry import FORMATS
from fewshot.corpora.tokenization.sentences import separated
from fewshot.corpora.types import UNANNOTATED

PARTS = ("annotated", "all", "shots", "test")
"""Parts of an export: annotated examples, the whole files, annotated shots, annotated test examples."""

SPLITS = {"shots": "pool", "test": "test"}

PURPOSES = {"shots": (SHOTS,), "test": (TEST,)}
"""Purposes of the items of a part; other parts have both."""


@dataclass(frozen=True, slots=True)
class Export:
    """The examples of an export.

    Args:
        disputed: number of examples that are left out because two people differ; counted for each task.
        begun: number of examples that are begun and not finished; counted for each task.
    """

    examples: Sequence[Any]
    disputed: int
    begun: int

    def held_by(self, format: str) -> Sequence[Any]:
        """Return the examples for a format: split sentences are separate if the format allows."""
        return self.examples if format in FORMATS and FORMATS[format].units else separated(self.examples)

    def inner(self, format: str) -> list[str]:
        """Return the entities that a format cannot hold, since they are inside others: ``Dakar (LOC)``."""
        return [] if FORMATS[format].nested else [name for example in self.examples for name in nested.inner(example)]


def annotators(store: Store, project: Project, as_it_is: bool = False) -> list[str]:
    """Return the people who have finished examples of a project; for an export as it is, who have items."""
    rows = (row for row in store.progress(project.id) if (row.done or as_it_is) and row.purpose != REVIEW)
    return sorted({row.annotator for row in rows if row.annotator})


def export_annotations(
    store: Store, project: Project, names: Sequence[str], annotator: str | None, part: str, as_it_is: bool = False
) -> Export:
    """Return examples of a project with the annotation of people; everything else of the file stays.

    Args:
        annotator: exports only this annotator's annotation; None: gold, see `annotate.quality.gold`.
        part: one of `PARTS`.
        as_it_is: exports begun annotation too; its examples are marked (`fewshot.corpora.types.BEGUN`).
    """
    related = [*gold.tagging(project, names), *(gold.correcting(project, names) if as_it_is else ())]
    by_task = {task: gold.gold(store, project, task, annotator) for task in dict.fromkeys((*names, *related))}
    purposes = PURPOSES.get(part, (SHOTS, TEST))
    begun = {task: _begun(store, project, task, annotator, purposes, kept) for task, kept in by_task.items()}
    drawn = {item.example_id for item in store.items(project.id) if item.purpose in purposes}
    disputed = sum(len(drawn.intersection(by_task[task].open)) for task in names)
    count = sum(len(begun[task]) for task in names)
    if as_it_is:
        made = {task: _with_begun(kept, begun[task]) for task, kept in by_task.items()}
        by_task = {task: gold.corrected(store, project, task, kept, made, annotator) for task, kept in made.items()}
    chosen = {task: by_task[task] for task in names}
    return Export(examples(store, project, chosen, SPLITS.get(part), part == "all", by_task), disputed, count)


def _begun(
    store: Store,
    project: Project,
    task: str,
    annotator: str | None,
    purposes: Collection[str],
    finished: gold.Gold,
) -> dict[int, Revision]:
    """Return the newest revision of each example that was begun and not finished."""
    saved = store.newest_revisions(project.id, task)
    items = [item for item in store.items(project.id, task=task, annotator=annotator) if item.purpose in purposes]
    kept = {*finished.annotations, *finished.open}
    begun = [item for item in items if item.id in saved and item.status != JOINED and item.example_id not in kept]
    return {item.example_id: saved[item.id] for item in sorted(begun, key=lambda item: saved[item.id].id)}


def _with_begun(finished: gold.Gold, begun: Mapping[int, Revision]) -> gold.Gold:
    more = gold.Gold.of(begun)
    annotations, revisions = {**more.annotations, **finished.annotations}, {**more.revisions, **finished.revisions}
    return gold.Gold(annotations, finished.open, revisions, frozenset(begun))


def examples(
    store: Store,
    project: Project,
    by_task: Mapping[str, gold.Gold],
    split: str | None = None,
    everything: bool = False,
    tags: Mapping[str, gold.Gold] | None = None,
) -> list[Any]:
    """Return examples of a split with the gold annotation of all tasks; other imported columns stay.

    Disputed examples stay unannotated, even if the file had labels. An example that the file marks as begun keeps the
    mark until all tasks are finished. Joined sentences are part of the sentence before.
    With `everything`, examples without gold annotation are included as imported.

    Args:
        tags: gold of tasks whose tags replace corrections in trees, see `gold.tagging`; by default, of ``by_task``.
    """
    tags = by_task if tags is None else tags
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
        tagged = [(task, kept.annotations[row.id]) for task, kept in tags.items() if row.id in kept.annotations]
        example = _with_tags(content.from_json(row.content), made, tagged)
        finished = all(row.id in kept.annotations for kept in by_task.values())
        begun = any(row.id in kept.begun for kept in by_task.values()) or (example.begun and not finished)
        annotated.append(replace(uploaded.with_hidden_misc(project, example), begun=begun))
        joined = getattr(annotated[-1], "joined", 0)
    return annotated


def _with_tags(
    original: Any, made: Sequence[tuple[str, Mapping[str, Any]]], tags: Sequence[tuple[str, Mapping[str, Any]]]
) -> Any:
    """Return an example with gold of several tasks; gold tags replace corrections in a tree."""
    example = content.combined(original, made)
    for tree_task, tree in made:
        correcting = [(task, annotation) for task, annotation in tags if gold.corrects(tree, annotation)]
        corrections = content.carried(original, tree_task, tree, example) if correcting else {}
        for task, annotation in correcting:
            own = content.carried(original, task, annotation, example)
            for column in {*changed_values.CORRECTABLE_COLUMNS} & corrections.keys() & own.keys():
                rows = zip(corrections[column], own[column], getattr(example, column), strict=True)
                values = tuple(old if new is None else new if tag == UNANNOTATED else tag for new, tag, old in rows)
                example = example.annotated(**{column: values})
    return example

"""What somebody has made of an example so far, in one task and in all: where an editor goes on.

Words that were repaired, the ends of sentences, and sentences that were joined hold for all tasks of a person: the last
revision that names them has the last word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from annotate.editing import content, uploaded
from annotate.store import REVIEW, Item, Project, Revision, Store
from fewshot.errors import FewshotError

WORDS = ("words", "ranges", "ends", "joined")
"""What an annotation on repaired words also holds, see `fewshot.corpora.tokenization.repair.named`."""


@dataclass(frozen=True, slots=True)
class State:
    """What the annotator of an item has made of its example.

    Args:
        original: as annotators see it before anybody annotates it, see `uploaded.shown`.
        example: with what they made of it in other tasks, on repaired words where they repaired them there.
        begun: the newest saved annotation, else that of the file where the project continues it, else None.
        annotation: the same, on these words where they were repaired in another task since.
        newest: the newest revision, None where there is none.
        others: what they made of it in other tasks, oldest first.
    """

    original: Any
    example: Any
    begun: Mapping[str, Any] | None
    annotation: Mapping[str, Any] | None
    newest: Revision | None
    others: Sequence[tuple[Item, Revision]]

    @property
    def joined(self) -> int:
        """How many sentences the example goes on in, in any task."""
        return _joined(self.newest, self.others)


def state(store: Store, project: Project, item: Item) -> State:
    """Return what the annotator of an item has made of its example.

    Raises:
        FewshotError: when the item is not of the project.
    """
    newest = store.latest(item.id)
    is_review = item.purpose == REVIEW  # which begins from versions
    others = [] if is_review else in_other_tasks(store, project, item)
    found = example_of(store, project, item, _joined(newest, others))
    original = uploaded.shown(project, found)
    example = content.combined(original, [(other.task, revision.annotation) for other, revision in others])
    begun = newest.annotation if newest else None if is_review else uploaded.annotation(project, item.task, found)
    later = [revision.annotation for _, revision in others if newest and revision.id > newest.id]
    annotation = begun
    if begun is not None and ("words" not in begun or any("words" in other for other in later)):
        annotation = content.carried(original, item.task, begun, example)
    return State(original, example, begun, annotation and _without_older(annotation, later), newest, others)


def example_of(store: Store, project: Project, item: Item, joined: int = 0) -> Any:
    """Return the example of an item as it was imported, with at least so many sentences that follow.

    Raises:
        FewshotError: when the item is not of the project.
    """
    found = imported(store, project.id, project.created, item.example_id, joined)
    if found is None:
        raise FewshotError(f"item {item.id} is not of project {project.name}; open it there")
    return found


def in_other_tasks(store: Store, project: Project, item: Item) -> list[tuple[Item, Revision]]:
    """Return what the annotator of an item gave its example in other tasks, of a review what anybody did, in order."""
    if len(project.tasks) == 1:
        return []
    saved = store.saved_items([item.example_id]).get(item.example_id, [])
    others = [(one, revision) for one, revision in saved if revision and one.task != item.task]
    if item.purpose != REVIEW:
        others = [pair for pair in others if pair[0].annotator == item.annotator and pair[0].purpose != REVIEW]
    return sorted(others, key=lambda pair: pair[1].id)


@lru_cache(maxsize=2000)
def imported(store: Store, project_id: int, created: datetime, example_id: int, joined: int = 0) -> Any:
    """Return an example as it was imported; None where the project has no such example.

    It never changes, but for the sentences that are joined to it: with more of them it is read again.

    Args:
        created: tells a project from one that was deleted and had its ids.
        joined: how many of the sentences that follow it has by now, at least.
    """
    row = next(store.examples(project_id, ids=[example_id]), None)
    return None if row is None else content.from_json(row.content)


def _joined(newest: Revision | None, others: Sequence[tuple[Item, Revision]]) -> int:
    revisions = [revision for _, revision in others] + ([newest] if newest else [])
    return max((revision.annotation.get("joined", 0) for revision in revisions), default=0)


def _without_older(annotation: Mapping[str, Any], later: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return an annotation without what it says beside its columns of words of which another task has said so since."""
    found = dict(annotation)
    for column in content.BESIDE:
        for values in (other[column] for other in later if column in other):
            if len(values) == len(found.get(column, ())):
                found[column] = [old if new is None else None for old, new in zip(found[column], values, strict=True)]
    return found

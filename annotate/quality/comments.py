"""Flagged items and comments, for a curator to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotate.quality import adjudication
from annotate.store import Comment, Item, Project, Store


@dataclass(frozen=True, slots=True)
class Thread:
    """A flagged or commented example in one task; without comments, only with the items that are flagged."""

    example_id: int
    task: str
    items: Sequence[Item]
    comments: Sequence[Comment]

    @property
    def annotators(self) -> list[str]:
        """The annotators to whom the example is assigned."""
        return [item.annotator for item in self.items if item.annotator]

    @property
    def flagged(self) -> list[Item]:
        """The flagged items."""
        return [item for item in self.items if item.flagged]


def threads(store: Store, project: Project) -> list[Thread]:
    """Return the flagged or commented examples of all tasks, newest comment first."""
    items: dict[tuple[int, str], dict[int, Item]] = {}
    comments: dict[tuple[int, str], dict[int, Comment]] = {}
    for item, comment in store.flagged_or_commented(project.id):
        key = item.example_id, item.task
        items.setdefault(key, {})[item.id] = item
        comments.setdefault(key, {}).update({comment.id: comment} if comment else {})
    threads = [Thread(*key, tuple(items[key].values()), tuple(comments[key].values())) for key in items]
    return sorted(threads, key=lambda thread: thread.comments[-1].id if thread.comments else 0, reverse=True)


def compare(store: Store, thread: Thread, example: Any) -> list[dict[str, str]]:
    """Return a row for each part of the annotators' newest annotations, see `adjudication.compare`."""
    newest = [(item, store.latest(item.id)) for item in thread.items]
    saved = {item.annotator or "?": revision.annotation for item, revision in newest if revision}
    return adjudication.compare(saved, getattr(example, "words", ()))


def unflag(store: Store, thread: Thread) -> None:
    """Remove the flags."""
    for item in thread.flagged:
        store.flag(item.id, False)

"""What annotators flagged and what was said of it, for a curator to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotate.quality import adjudication
from annotate.store import Comment, Item, Project, Store


@dataclass(frozen=True, slots=True)
class Thread:
    """An example that is flagged or has comments, in one task.

    Args:
        items: of the annotators: all of them where there are comments, else of those who flagged it.
        comments: oldest first.
    """

    example_id: int
    task: str
    items: Sequence[Item]
    comments: Sequence[Comment]

    @property
    def annotators(self) -> list[str]:
        """Who has annotated it or is about to."""
        return [item.annotator for item in self.items if item.annotator]

    @property
    def flagged(self) -> list[Item]:
        """The items that are flagged."""
        return [item for item in self.items if item.flagged]


def threads(store: Store, project: Project) -> list[Thread]:
    """Return what is flagged or has comments in any task, the newest comment first, what has none last."""
    items: dict[tuple[int, str], dict[int, Item]] = {}
    comments: dict[tuple[int, str], dict[int, Comment]] = {}
    for item, comment in store.flagged_or_commented(project.id):
        key = item.example_id, item.task
        items.setdefault(key, {})[item.id] = item
        comments.setdefault(key, {}).update({comment.id: comment} if comment else {})
    threads = [Thread(*key, tuple(items[key].values()), tuple(comments[key].values())) for key in items]
    return sorted(threads, key=lambda thread: thread.comments[-1].id if thread.comments else 0, reverse=True)


def beside(store: Store, thread: Thread, example: Any) -> list[dict[str, str]]:
    """Return a row for each part of what the annotators have saved last, finished or not; see `adjudication.beside`."""
    newest = [(item, store.latest(item.id)) for item in thread.items]
    saved = {item.annotator or "?": revision.annotation for item, revision in newest if revision}
    return adjudication.beside(saved, getattr(example, "words", ()))


def unflag(store: Store, thread: Thread) -> None:
    """Take the flags away."""
    for item in thread.flagged:
        store.flag(item.id, False)

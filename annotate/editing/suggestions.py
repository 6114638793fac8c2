"""The suggestions of an open item: those of models, changed by what the project knows of the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from annotate.editing import content
from annotate.editing.lexicon import MAX_SENTENCES, Lexicon
from annotate.editing.state import imported
from annotate.store import REVIEW, Item, Project, Store, Suggestion
from fewshot import tasks
from fewshot.corpora.tokenization import repair
from fewshot.corpora.types import Sentence
from fewshot.tasks.pos import UPOS_COLUMN


def shown(
    store: Store,
    project: Project,
    item: Item,
    original: Any,
    suggested: Sequence[Suggestion],
    finished: tuple[int, ...],
) -> list[dict[str, Any]]:
    """Return the data of the suggestions that an annotator sees.

    Without a suggestion of a model, what is known of the words is one; a blind item and a review have none.

    Args:
        suggested: by models.
        finished: ids of the revisions of the annotator's finished sentences.
    """
    data: list[tuple[Suggestion | None, Mapping[str, Any] | None]] = [(each, each.data) for each in suggested]
    if isinstance(original, Sentence) and item.annotator and not item.blind and item.purpose != REVIEW:
        lexicon = _lexicon_for(store, project, item, original, finished)
        columns = tasks.get(item.task).columns
        filled = columns if UPOS_COLUMN in columns else ()
        proposed: Sequence[Suggestion | None] = suggested or [None]
        data = [(each, lexicon.follow(original.words, each, filled)) for each in proposed]
    shown = (_shown(project, item, original, each, changed) for each, changed in data if changed)
    return [each for each in shown if each]


def _lexicon_for(store: Store, project: Project, item: Item, original: Sentence, finished: tuple[int, ...]) -> Lexicon:
    everybody = store.newest_finished(project.id, item.task, None, MAX_SENTENCES)
    others = tuple(revision for revision in everybody if revision not in finished)
    lexicon = _lexicon(store, project.id, project.created, item.task, finished, others)
    return lexicon.with_entries(store.lexicon_entries(project.id, original.words))


@lru_cache(maxsize=64)
def _lexicon(
    store: Store, project_id: int, created: datetime, task: str, mine: tuple[int, ...], others: tuple[int, ...]
) -> Lexicon:
    """Return what finished sentences say of their words, given by the ids of their revisions.

    Args:
        others: revisions of other people. Sentences that several people annotate are left out, so that nobody sees
            what somebody else decided in the same sentence.
    """
    items = {item.id: item.example_id for item in store.items(project_id, task=task)}
    people = Counter(items.values())
    revisions = store.revisions(mine)
    proposed = store.suggestions([revision.suggestion_id for revision in revisions if revision.suggestion_id])
    revisions += [each for each in store.revisions(others) if people[items[each.item_id]] == 1]
    lexicon = Lexicon()
    for revision in revisions:
        sentence = imported(store, project_id, created, items[revision.item_id])
        words = revision.annotation.get("words", sentence.words)
        lexicon.learn(words, revision.annotation, proposed.get(revision.suggestion_id or 0))
    return lexicon


def _shown(
    project: Project, item: Item, original: Any, suggested: Suggestion | None, data: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the data of a suggestion, limited to labels of the project; None if no label is left.

    Without a model, ``by`` is empty: the suggestion is the lexicon's.
    """
    data, task = dict(data), tasks.get(item.task, project.labels.get(item.task))
    data |= {"id": suggested.id, "by": _name(suggested.model)} if suggested else {"id": None, "by": ""}
    if isinstance(original, Sentence):
        data |= repair.named(original)
    if not task.open:
        return data
    kept = task.masked(content.annotated(item.task, original, data["annotation"]))
    return data | {"annotation": content.annotation_of(item.task, kept)} if task.is_annotated(kept) else None


def _name(title: str) -> str:
    """Return the name of a model from its title, see `Suggestion.model`."""
    return " ".join(title.split()[1:-1]) or title

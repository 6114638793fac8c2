"""Sentences that are joined with the next one of their file: which can be, with what annotation, and all tasks at once.

The annotation of the first one has the words of both; the next one is no example of its own any more, see
`annotate.store.joins`. What its annotator made of it is where the annotation goes on from; what others made stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.editing import content, uploaded
from annotate.editing.state import state
from annotate.language import _
from annotate.store import REVIEW, TEST, Example, Item, Project, Revision, Store, is_joined
from fewshot import tasks
from fewshot.corpora.formats.conllu import comment
from fewshot.corpora.formats.conllu_rows import is_comment
from fewshot.corpora.formats.registry import FORMATS
from fewshot.corpora.tokenization import repair
from fewshot.corpora.tokenization.joining import spaced
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError

CLIENT = "joined"
"""What stands for the window where the annotation of another task follows."""


@dataclass(frozen=True, slots=True)
class Next:
    """A sentence that follows on another one, for one person.

    Args:
        example: with what they made of it in other tasks; None where none follows.
        annotation: their own, else that of the file; None where there is none.
        refused: why the two cannot be joined; empty where they can.
        spaced: whether a space is before it in the text.
    """

    example: Any
    annotation: Mapping[str, Any] | None
    refused: str = ""
    spaced: bool = True


def following(store: Store, project: Project, item: Item, joined: int) -> list[Next]:
    """Return the sentences that an item's goes on in, and the one behind.

    Args:
        joined: how many sentences it goes on in.
    """
    own, *rows = store.following(item.example_id, joined + 1)
    examples: list[Any] = [content.from_json(row.content) for row in (own, *rows)]
    found = []
    for row, before, example in zip(rows, examples, examples[1:], strict=False):
        versions = store.saved_items([row.id]).get(row.id, [])
        why = _refused(before, example) or _held(store, own, row, versions, item.annotator or "")
        apart = not isinstance(example, Sentence) or spaced(before, example)
        found.append(replace(_next(store, project, item, example, versions), refused=why, spaced=apart))
    return found if len(found) > joined else [*found, Next(None, None, _("no sentence follows"))]


def refused(store: Store, example_id: int, annotator: str, joined: int) -> str:
    """Return why a sentence cannot be joined with so many that follow; empty where it can."""
    own, *rows = store.following(example_id, joined)
    examples = [content.from_json(row.content) for row in (own, *rows)]
    if len(rows) < joined:
        return _("no sentence follows")
    whys = (
        _refused(before, example) or _held(store, own, row, store.saved_items([row.id]).get(row.id, []), annotator)
        for row, before, example in zip(rows, examples, examples[1:], strict=False)
    )
    return next(filter(None, whys), "")


def joinable(store: Store, project: Project, item: Item, original: Any, joined: int) -> Any:
    """Return an original that so many sentences can be joined to.

    Raises:
        FewshotError: when one of them cannot be.
    """
    if not isinstance(original, Sentence) or joined <= len(original.following):
        return original
    if why := refused(store, item.example_id, item.annotator or "", joined):
        raise FewshotError(why)
    _own, *rows = store.following(item.example_id, joined)
    more = (uploaded.shown(project, content.from_json(row.content)) for row in rows[len(original.following) :])
    return replace(original, following=(*original.following, *more))


def follow(store: Store, project: Project, item: Item, sentence: Sentence) -> None:
    """Let what the annotator of an item has made of its example in other tasks be about its words as they are now.

    Args:
        sentence: that of the item, joined with more or fewer than before; of those that are new, each task gets the
            annotation that they had.
    """
    mine = store.items(project.id, annotator=item.annotator, example_id=item.example_id)
    for other in (one for one in mine if one.task != item.task and one.purpose == item.purpose):
        before = state(store, project, other)
        parts = following(store, project, other, sentence.joined)[: sentence.joined]
        if before.begun is None and all(part.annotation is None for part in parts):
            continue
        annotated = [content.annotated(other.task, part.example, dict(part.annotation or {})) for part in parts]
        rest = before.original.following[len(annotated) :]
        original = replace(before.original, following=(*annotated, *rest))
        made = content.carried(original, other.task, before.begun or {}, sentence)
        kind = tasks.get(other.task, project.labels[other.task])
        whole = content.annotated(other.task, sentence, made)
        words = repair.named(sentence) if repair.named(sentence) != repair.named(before.original) else {}
        seq = 1 + store.acks(other.id).get(CLIENT, 0)
        store.save(
            other.id, other.annotator or "", CLIENT, seq, made | words, seconds=0.0, edits=0, joined=sentence.joined,
            done=other.status == "done" and not kind.errors(whole),
        )  # fmt: skip


def _refused(before: Any, example: Any) -> str:
    """Return why a file has its sentences apart; empty where it says nothing against joining them."""
    if not isinstance(example, Sentence):
        return _("no sentence follows")
    record = example.record or before.record
    if record and FORMATS[record.format].units:
        return _("in {format} each sentence is a unit of its own; join them there", format=FORMATS[record.format].title)
    if example.where.rpartition(":")[0] != before.where.rpartition(":")[0]:
        return _("the next sentence is of another file")
    if any(comment(line)[0].partition(" ")[0] == "newdoc" for line in example.lines if is_comment(line)):
        return _("another document begins with the next sentence")
    return _("other sentences were joined with the next one; take that back first") if example.following else ""


def _held(
    store: Store, own: Example, row: Example, versions: Sequence[tuple[Item, Revision | None]], annotator: str
) -> str:
    """Return why people have two sentences apart; empty where they may be joined, or are already."""
    if is_joined(row.split):
        return ""
    if row.split == TEST != own.split:
        return _("the next sentence is in the test set")
    if own.split == TEST != row.split and versions:
        return _("the next sentence is not in the test set, and somebody has it already")
    if any(one.purpose == REVIEW and one.status == "done" for one, _revision in versions):
        return _("a curator has decided on the next sentence")
    if holder := store.other_holder(row.id, annotator):
        return _("{person} has the next sentence open; join them once that is closed", person=holder)
    return ""


def _next(
    store: Store,
    project: Project,
    item: Item,
    example: Any,
    versions: Sequence[tuple[Item, Revision | None]],
) -> Next:
    """Return a sentence with its annotation: the annotator's own, else that of the file.

    Nobody is shown what others have annotated, but curators in a review: theirs, else a finished one, else one begun.
    """
    ranked = sorted(
        (one.annotator != item.annotator, not (revision and revision.done), one.id)
        for one, revision in versions
        if one.task == item.task and one.purpose != REVIEW
        if one.annotator == item.annotator or (revision and item.purpose == REVIEW)
    )
    if not ranked:
        return Next(uploaded.shown(project, example), uploaded.annotation(project, item.task, example))
    known = state(store, project, store.item(ranked[0][-1]))
    return Next(known.example, known.annotation)

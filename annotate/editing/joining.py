"""Join a sentence with the next ones of its file, in all tasks of an annotator at once.

The annotation of the first sentence then has the words of both, and the next sentence is no example of its own any more
(`annotate.store.joins`). The annotator's annotation of both is kept; annotation by others stays in the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from annotate.editing import content, uploaded
from annotate.editing.state import state
from annotate.language import _
from annotate.store import REVIEW, TEST, Item, Project, Revision, Store, StoredExample, is_joined
from fewshot import tasks
from fewshot.corpora.documents.comments import begins
from fewshot.corpora.formats.registry import FORMATS
from fewshot.corpora.tokenization import repair
from fewshot.corpora.tokenization.joining import spaced
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError

CLIENT = "joined"
"""Client of the revisions by which other tasks follow; editors have clients of their own."""

Versions: TypeAlias = Sequence[tuple[Item, Revision | None]]
"""The items of an example, each with its newest revision."""


@dataclass(frozen=True, slots=True)
class Next:
    """A sentence after another one, as one annotator sees it.

    Args:
        example: with the annotator's annotation of other tasks; None if no sentence follows.
        annotation: the annotator's, else that of the file, else None.
        refused: why the two sentences cannot be joined, or an empty string.
        spaced: whether the text has a space before the sentence.
    """

    example: Any
    annotation: Mapping[str, Any] | None
    refused: str = ""
    spaced: bool = True


def following(store: Store, project: Project, item: Item, joined: int) -> list[Next]:
    """Return the sentences that are joined to an item's sentence, and the next one.

    Args:
        joined: number of joined sentences.
    """
    sentences = []
    for before, example, versions, reason in _followers(store, item.example_id, item.annotator or "", joined + 1):
        is_spaced = not isinstance(example, Sentence) or spaced(before, example)
        following_one = _next(store, project, item, example, versions)
        sentences.append(replace(following_one, refused=reason, spaced=is_spaced))
    return sentences if len(sentences) > joined else [*sentences, Next(None, None, _("no sentence follows"))]


def refused(store: Store, example_id: int, annotator: str, joined: int) -> str:
    """Return why a sentence cannot be joined with that many following ones, or an empty string."""
    reasons = [reason for *_rest, reason in _followers(store, example_id, annotator, joined)]
    return _("no sentence follows") if len(reasons) < joined else next(filter(None, reasons), "")


def joinable(store: Store, project: Project, item: Item, original: Any, joined: int) -> Any:
    """Return an original with the sentences that can be joined to it.

    Raises:
        FewshotError: when one of the sentences cannot be joined.
    """
    if not isinstance(original, Sentence) or joined <= len(original.following):
        return original
    if reason := refused(store, item.example_id, item.annotator or "", joined):
        raise FewshotError(reason)
    _own, *rows = store.following(item.example_id, joined)
    more = (uploaded.shown(project, content.from_json(row.content)) for row in rows[len(original.following) :])
    return replace(original, following=(*original.following, *more))


def follow(store: Store, project: Project, item: Item, sentence: Sentence) -> None:
    """Carry the annotator's other tasks over to a sentence that was joined or separated.

    Args:
        sentence: of the item; newly joined sentences bring their annotation of each task.
    """
    mine = store.items(project.id, annotator=item.annotator, example_id=item.example_id)
    for other in (each for each in mine if each.task != item.task and each.purpose == item.purpose):
        before = state(store, project, other)
        parts = following(store, project, other, sentence.joined)[: sentence.joined]
        if before.begun is None and all(part.annotation is None for part in parts):
            continue
        annotated = [content.annotated(other.task, part.example, dict(part.annotation or {})) for part in parts]
        rest = before.original.following[len(annotated) :]
        original = replace(before.original, following=(*annotated, *rest))
        more = [part.annotation or {} for part in parts]
        carried = content.carried(original, other.task, before.begun or {}, sentence, more)
        newer = ((each.task, revision.annotation) for each, revision in before.newer)
        carried = content.with_newer_values(original, carried, newer, sentence)
        kind = tasks.get(other.task, project.labels[other.task])
        whole = content.annotated(other.task, sentence, carried)
        words = repair.named(sentence) if repair.named(sentence) != repair.named(before.original) else {}
        seq = 1 + store.acks(other.id).get(CLIENT, 0)
        store.save(
            other.id, other.annotator or "", CLIENT, seq, carried | words, seconds=0.0, edits=0, joined=sentence.joined,
            done=other.status == "done" and not kind.errors(whole),
        )  # fmt: skip


def _followers(store: Store, example_id: int, annotator: str, count: int) -> Iterator[tuple[Any, Any, Versions, str]]:
    """Yield the sentence before, each next sentence, its versions, and why the two cannot be joined."""
    own, *rows = store.following(example_id, count)
    examples = [content.from_json(row.content) for row in (own, *rows)]
    for row, before, example in zip(rows, examples, examples[1:], strict=False):
        versions = store.saved_items([row.id]).get(row.id, [])
        yield before, example, versions, _refused(before, example) or _held(store, own, row, versions, annotator)


def _refused(before: Any, example: Any) -> str:
    """Return why the file does not allow two sentences to be joined, or an empty string."""
    if not isinstance(example, Sentence):
        return _("no sentence follows")
    record = example.record or before.record
    if record and FORMATS[record.format].units:
        return _(
            "in {format} every sentence is a separate unit; join the sentences in the file",
            format=FORMATS[record.format].title,
        )
    if example.where.rpartition(":")[0] != before.where.rpartition(":")[0]:
        return _("the next sentence is in another file")
    if example.source and begins(example.source.comments, "newdoc"):
        return _("another document begins with the next sentence")
    return _("the next sentence is already joined with others; undo that first") if example.following else ""


def _held(store: Store, own: StoredExample, row: StoredExample, versions: Versions, annotator: str) -> str:
    """Return why the work of others does not allow two sentences to be joined, or an empty string."""
    if is_joined(row.split):
        return ""
    if row.split == TEST != own.split:
        return _("the next sentence is in the test set")
    if own.split == TEST != row.split and versions:
        return _("the next sentence is not in the test set, and is already assigned")
    if any(each.purpose == REVIEW and each.status == "done" for each, _revision in versions):
        return _("a curator has already reviewed the next sentence")
    if holder := store.other_holder(row.id, annotator):
        return _("{person} has opened the next sentence; join the two when it is closed", person=holder)
    return ""


def _next(store: Store, project: Project, item: Item, example: Any, versions: Versions) -> Next:
    """Return a sentence with the annotator's annotation, else that of the file.

    Only in a review the annotation of others is shown: the curator's own, else a finished one, else one that is begun.
    """
    ranked = sorted(
        (each.annotator != item.annotator, not (revision and revision.done), each.id)
        for each, revision in versions
        if each.task == item.task and each.purpose != REVIEW
        if each.annotator == item.annotator or (revision and item.purpose == REVIEW)
    )
    if not ranked:
        return Next(uploaded.shown(project, example), uploaded.annotation(project, item.task, example))
    known = state(store, project, store.item(ranked[0][-1]))
    return Next(known.example, known.annotation)

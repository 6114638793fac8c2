"""Bulk changes: proposed for each search hit, made together, undone in one step.

A change adds a revision on top of each annotation. The test set and reviewed examples are not changed, nor, except by
curators, other people's annotations. Only annotated words are changed; unannotated ones keep their suggestions.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.editing import content, uploaded, validation
from annotate.search import differences, settings
from annotate.search.queries import Hit
from annotate.search.settings import Change
from annotate.search.versions import Version, corrections, decided_tasks, visible_import
from annotate.store import TEST, BulkChange, Edit, Item, Project, Revision, Store
from annotate.store.changes import CHANGE, UNDONE
from annotate.store.database import CHUNK_ROWS, chunks
from fewshot import tasks
from fewshot.corpora.patterns.commands import RefusedError
from fewshot.corpora.tokenization import repair
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError

MAX_PLACES = 1000
"""Places changed at once, see `ChangePreview`."""

MAX_TITLE = 200
"""Characters of the title of a change."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change in one place.

    Args:
        words: numbers of the words that change; none for the whole example.
        before: current values, for display.
        after: new values, for display.
        refused: why the change is impossible; empty if it is possible.
    """

    hit: Hit
    words: tuple[int, ...]
    before: str
    after: str
    refused: str


@dataclass(frozen=True, slots=True)
class ChangePreview:
    """The first possible changes, and the number of impossible ones before the last, by reason.

    ``more``: whether further changes are possible, which come first after these are made.
    """

    proposals: Sequence[Proposal]
    refused: Mapping[str, int]
    more: bool


@dataclass(frozen=True, slots=True)
class BulkChangeResult:
    """Numbers of annotated examples that were changed or left alone, and of refused places.

    Examples are left alone if somebody has saved or reviewed them in the meantime. A place is refused if the changes
    before it make its own impossible.
    """

    changed: int
    left: int
    refused: int


def columns(project: Project) -> dict[str, str]:
    """Return the task of each column that can be changed in a project."""
    return {column: task for column in settings.COLUMNS for task in project.tasks if column in tasks.get(task).columns}


def choices(project: Project, column: str) -> Sequence[str]:
    """Return the project's labels for a column; none for free text."""
    if column in Sentence.asked:
        return ()
    task = columns(project)[column]
    known = tasks.get(task, project.labels.get(task)).choices
    return [*known, settings.NO_ENTITY] if column == "entities" else known


def preview(project: Project, hits: Iterable[Hit], change: Change, author: str, curates: bool) -> ChangePreview:
    """Return the first possible changes, see `propose`, consuming no more hits than needed."""
    proposals: list[Proposal] = []
    refused: Counter[str] = Counter()
    for proposal in propose(project, hits, change, author, curates):
        if proposal.refused:
            refused[proposal.refused] += 1
        elif len(proposals) == MAX_PLACES:
            return ChangePreview(proposals, refused, more=True)
        else:
            proposals.append(proposal)
    return ChangePreview(proposals, refused, more=False)


def propose(project: Project, hits: Iterable[Hit], change: Change, author: str, curates: bool) -> Iterator[Proposal]:
    """Yield a change for each hit that needs one, at most one for each place.

    Changes of one example follow each other, so that each proposal sees those before it.

    Raises:
        FewshotError: when the column or the value is invalid.
    """
    _check(project, change)
    seen = set[Hashable]()
    place: Hashable = None
    example: Any = None
    for hit in hits:
        version = hit.version
        if not settings.is_place(change, hit):
            continue
        if (version.row.id, version.annotator) != place:
            place, example = (version.row.id, version.annotator), version.example
        try:
            after = settings.changed(change, example, hit)
        except RefusedError as error:
            after, proposal = example, Proposal(hit, _named(change, hit), "", "", str(error))
        else:
            if not (cells := differences.find(settings.columns(change), example, after)):
                continue
            reason = _refusal(project, version, example, after, cells, author, curates)
            cells = differences.with_whole_entity(cells, hit.span)
            texts = [differences.describe(each, cells) for each in (example, after)]
            proposal = Proposal(hit, differences.words(cells), texts[0], texts[1], reason)
        key = place, proposal.words, proposal.refused, isinstance(change, settings.Setting) or proposal.after
        if key in seen:
            continue
        seen.add(key)
        example = example if proposal.refused else after
        yield proposal


def protected(item: Item | None, decided: Collection[str], author: str, curates: bool) -> str:
    """Return why somebody may not change an item, or an empty string."""
    if item is None or item.annotator is None:
        return "not drawn yet"
    if item.purpose == TEST:
        return "of the test set"
    if item.task in decided:
        return "decided on the page Review"
    return "" if curates or item.annotator == author else f"annotated by {item.annotator}"


def carry_out(
    store: Store, project: Project, proposals: Iterable[Proposal], change: Change, author: str, curates: bool
) -> BulkChangeResult:
    """Make the changes of a preview, or some of them, that are not refused, together."""
    by_version: dict[tuple[int, str | None], list[Proposal]] = {}
    for proposal in proposals:
        if not proposal.refused:
            version = proposal.hit.version
            by_version.setdefault((version.row.id, version.annotator), []).append(proposal)
    items = _changeable(store, {example for example, _ in by_version}, author, curates)
    edits: dict[int, list[Edit]] = {}
    left = refused = 0
    for number, mine in enumerate(by_version.values()):
        version = mine[0].hit.version
        after, wrong = _all_changed(project, change, mine)
        refused += wrong
        cells = differences.find(settings.columns(change), version.example, after)
        saved = [version.saved[task] for task in _tasks(project, cells)]
        if saved and all(item.id in items for item, _ in saved):
            made = [(items[item.id], newest, _annotation(project, item.task, version, after)) for item, newest in saved]
            edits[number] = [_edit(*each) for each in made]
        else:
            left += bool(saved)
    flat = [edit for some in edits.values() for edit in some]
    name = f"{CHANGE}{secrets.token_hex(4)} {change.text[:MAX_TITLE]}"
    made_ids = set(store.change(name, author, flat)) if flat else set()
    done = sum(any(edit.item_id in made_ids for edit in some) for some in edits.values())
    return BulkChangeResult(done, left + len(edits) - done, refused)


def undo(store: Store, project: Project, change: BulkChange, author: str, curates: bool) -> BulkChangeResult:
    """Undo a bulk change, except for annotations saved since; FewshotError if undone or another's."""
    if not (curates or change.author == author):
        raise FewshotError(f"{change.author} made this change; ask them or a curator to undo it")
    if change.undone:
        raise FewshotError("this change is undone already")
    made = store.changed_revisions(project.id, change.name)
    all_items = {item.id: item for item in store.items(project.id)}
    examples = {all_items[revision.item_id].example_id for revision, _ in made}
    imported = {row.id: content.from_json(row.content) for row in store.examples(project.id, ids=examples)}
    items = _changeable(store, examples, author, curates)
    edits = []
    for revision, before in made:
        item = items.get(revision.item_id)
        if item is None:
            continue
        annotation = before.annotation if before else uploaded.annotation(project, item.task, imported[item.example_id])
        edits.append(_edit(item, revision, annotation or {}))
    undone = store.change(UNDONE + change.name, author, edits)
    done, whole = (
        {(all_items[id].example_id, all_items[id].annotator) for id in ids}
        for ids in (undone, [revision.item_id for revision, _ in made])
    )
    return BulkChangeResult(len(done), len(whole - done), 0)


def _changeable(store: Store, examples: Collection[int], author: str, curates: bool) -> dict[int, Item]:
    """Return the current items of examples that somebody may change, by id."""
    return {
        item.id: item
        for chunk in chunks(sorted(examples), CHUNK_ROWS)
        for about in store.saved_items(chunk).values()
        for item, _ in about
        if not protected(item, decided_tasks(about), author, curates)
    }


def title(change: BulkChange) -> str:
    """Return the title of a change for display."""
    return change.name.removeprefix(CHANGE).partition(" ")[2]


def _check(project: Project, change: Change) -> None:
    for column in sorted(settings.columns(change)):
        if column not in columns(project):
            raise FewshotError(f"no task of {project.name} has a {settings.COLUMNS.get(column, column)}")
    if isinstance(change, settings.Setting):
        change.check()


def _all_changed(project: Project, change: Change, proposals: Sequence[Proposal]) -> tuple[Any, int]:
    """Return the example of some proposals with all possible changes, and the number of impossible ones."""
    example, refused = proposals[0].hit.version.example, 0
    for proposal in proposals:
        try:
            after = settings.changed(change, example, proposal.hit)
            cells = differences.find(settings.columns(change), example, after)
            reason = _new_error(project, example, after, cells)
        except RefusedError as error:
            reason = str(error)
        if reason:
            refused += 1
        else:
            example = after
    return example, refused


def _named(change: Change, hit: Hit) -> tuple[int, ...]:
    """Return the words of a refused change: that of a setting, else all of the hit."""
    if isinstance(change, settings.Setting) and change.node in hit.words:
        return (hit.words[change.node],)
    return tuple(sorted(set(hit.words.values())))


def _tasks(project: Project, cells: Iterable[str]) -> list[str]:
    known = columns(project)
    return list(dict.fromkeys(known[column] for column in cells))


def _refusal(
    project: Project, version: Version, before: Any, after: Any, cells: Mapping[str, Any], author: str, curates: bool
) -> str:
    """Return why a change may not be made, or an empty string."""
    for task in _tasks(project, cells):
        item, _ = version.saved.get(task, (None, None))
        if reason := protected(item, version.decided, author, curates):
            return reason
    return _new_error(project, before, after, cells)


def _new_error(project: Project, before: Any, after: Any, cells: Iterable[str]) -> str:
    for task in _tasks(project, cells):
        kind = tasks.get(task, project.labels.get(task))
        known = {problem.message for problem in _errors(kind, before)}
        if error := next((problem.message for problem in _errors(kind, after) if problem.message not in known), ""):
            return error
    return ""


def _errors(task: tasks.Task[Any], example: Any) -> list[validation.Problem]:
    return [problem for problem in validation.problems(task, example) if problem.level == "error"]


def _annotation(project: Project, task: str, version: Version, changed: Any) -> dict[str, Any]:
    """Return the annotation to save, with its words if they differ from the imported ones."""
    annotation = content.annotation_of(task, changed)
    if not isinstance(changed, Sentence):
        return annotation
    annotation |= corrections(project, task, version, changed)
    words = repair.named(changed)
    return annotation if words == repair.named(visible_import(project, version.row)) else annotation | words


def _edit(item: Item, newest: Revision | None, annotation: Mapping[str, Any]) -> Edit:
    suggestion = newest.suggestion_id if newest else None
    return Edit(item.id, newest.id if newest else 0, dict(annotation), item.status == "done", suggestion)

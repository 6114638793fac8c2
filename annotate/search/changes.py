"""Bulk changes: proposed for each search hit, made together, undone in one step.

A change adds a revision on top of each annotation. The test set and reviewed examples are not changed, nor, except by
curators, other people's annotations. Only annotated words are changed; unannotated ones stay so, with their
suggestions.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotate.editing import content, uploaded, validation
from annotate.language import gettext_noop
from annotate.search.queries import Hit
from annotate.search.versions import Version, decided_tasks, visible_import
from annotate.store import TEST, BulkChange, Edit, Item, Project, Revision, Store
from annotate.store.changes import CHANGE, UNDONE
from annotate.store.database import CHUNK_ROWS, chunks
from fewshot import tasks
from fewshot.corpora.consistency import OUTSIDE
from fewshot.corpora.tokenization import repair
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import FewshotError
from fewshot.tasks import morphology
from fewshot.tasks.dep import ROOT

COLUMNS = {
    "upos": "UPOS",
    "lemmas": gettext_noop("lemma"),
    "xpos": "XPOS",
    "feats": gettext_noop("features"),
    "deprels": gettext_noop("relation"),
    "heads": gettext_noop("head"),
    "entities": gettext_noop("entity"),
    "label": gettext_noop("label"),
}
"""Columns that can be changed, with their display names."""

FREE_TEXT_COLUMNS = ("lemmas", "xpos", "feats", "deprels")
"""Columns that accept values besides `choices`."""

NO_ENTITY = gettext_noop("no entity")
"""Value that removes an entity."""

MAX_PLACES = 1000
"""Places changed at once, see `ChangePreview`."""

UNDECIDED = (UNANNOTATED, -1)
"""Values of a column that mean not annotated."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The value to set.

    Args:
        node: of the pattern, whose word is changed; ignored for entities, which cover all matched words.
        column: of `COLUMNS`.
        value: a label or `NO_ENTITY`; for ``feats`` see `morphology.SETTING`; for ``heads`` the node of the new head.
    """

    node: str
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change in one place.

    Args:
        span: numbers of the first and last word; (0, 0) for the whole example.
        before: current value, for display.
        after: new value, for display.
        refused: why the change is impossible; empty if it is possible.
    """

    hit: Hit
    span: tuple[int, int]
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
    """Numbers of annotations that were changed, left alone or refused.

    Annotations are left alone if somebody has saved or reviewed them in the meantime, and refused if all changes
    together would make them invalid.
    """

    changed: int
    left: int
    refused: int


def columns(project: Project) -> dict[str, str]:
    """Return the task of each column that can be changed in a project."""
    return {column: task for column in COLUMNS for task in project.tasks if column in tasks.get(task).columns}


def choices(project: Project, column: str) -> Sequence[str]:
    """Return the project's labels for a column; none for free text."""
    if column in Sentence.asked:
        return ()
    task = columns(project)[column]
    known = tasks.get(task, project.labels.get(task)).choices
    return [*known, NO_ENTITY] if column == "entities" else known


def preview(project: Project, hits: Iterable[Hit], setting: Setting, author: str, curates: bool) -> ChangePreview:
    """Return the first possible changes, see `propose`, consuming no more hits than needed."""
    proposals: list[Proposal] = []
    refused: Counter[str] = Counter()
    for proposal in propose(project, hits, setting, author, curates):
        if proposal.refused:
            refused[proposal.refused] += 1
        elif len(proposals) == MAX_PLACES:
            return ChangePreview(proposals, refused, more=True)
        else:
            proposals.append(proposal)
    return ChangePreview(proposals, refused, more=False)


def propose(project: Project, hits: Iterable[Hit], setting: Setting, author: str, curates: bool) -> Iterator[Proposal]:
    """Yield a change for each hit that needs one, at most one for each place.

    Raises:
        FewshotError: when the column or the value is invalid.
    """
    task = columns(project).get(setting.column)
    if task is None:
        raise FewshotError(f"no task of {project.name} has a {COLUMNS.get(setting.column, setting.column)}")
    if setting.column != "heads" and setting.value in UNDECIDED:
        raise FewshotError(f"{setting.value!r} means not annotated; choose another value")
    if setting.column == "feats" and not morphology.SETTING.fullmatch(setting.value):
        raise FewshotError(f"{setting.value!r} are not features; write Case=Nom|Number=Sing, or Case= to remove it")
    seen = set[tuple[int, str | None, tuple[int, int]]]()
    for hit in hits:
        span = _span(hit, setting)
        if span is None or (hit.version.row.id, hit.version.annotator, span) in seen:
            continue
        seen.add((hit.version.row.id, hit.version.annotator, span))
        example = _with_column(hit.version.example, setting.column)
        before, changed = _describe(example, setting.column, span), _set_value(example, span, hit, setting)
        if changed is None:
            yield Proposal(hit, span, before, setting.value, "part of a longer entity")
        elif changed != example:
            item, _ = hit.version.saved.get(task, (None, None))
            reason = protected(item, hit.version.decided, author, curates)
            reason = "not annotated yet" if _is_open(example, setting.column, span) else reason
            refused = reason or _new_error(project, task, example, changed)
            yield Proposal(hit, span, before, _describe(changed, setting.column, span), refused)


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
    store: Store, project: Project, proposals: Iterable[Proposal], setting: Setting, author: str, curates: bool
) -> BulkChangeResult:
    """Make the changes of a preview, or some of them, that are not refused, together."""
    task = columns(project)[setting.column]
    by_item: dict[int, list[Proposal]] = {}
    for proposal in proposals:
        if not proposal.refused:
            by_item.setdefault(proposal.hit.version.saved[task][0].id, []).append(proposal)
    items = _changeable(store, {mine[0].hit.version.row.id for mine in by_item.values()}, author, curates)
    edits, refused = [], 0
    for item_id, mine in by_item.items():
        version = mine[0].hit.version
        if item_id not in items:
            continue
        changed: Any = version.example
        for proposal in mine:
            changed = None if changed is None else _set_value(changed, proposal.span, proposal.hit, setting)
        if changed is None or _new_error(project, task, version.example, changed):
            refused += 1
            continue
        _, newest = version.saved[task]
        edits.append(_edit(items[item_id], newest, _annotation(project, task, version, changed)))
    label = f"{COLUMNS[setting.column]} {setting.value}"
    changed_ids = store.change(f"{CHANGE}{secrets.token_hex(4)} {label}", author, edits) if edits else []
    return BulkChangeResult(len(changed_ids), len(by_item) - len(changed_ids) - refused, refused)


def undo(store: Store, project: Project, change: BulkChange, author: str, curates: bool) -> BulkChangeResult:
    """Undo a bulk change, except for annotations saved since; FewshotError if undone or another's."""
    if not (curates or change.author == author):
        raise FewshotError(f"{change.author} made this change; ask them or a curator to undo it")
    if change.undone:
        raise FewshotError("this change is undone already")
    made = store.changed_revisions(project.id, change.name)
    places = {item.id: item.example_id for item in store.items(project.id)}
    examples = {places[revision.item_id] for revision, _ in made}
    rows = {row.id: row for row in store.examples(project.id, ids=examples)}
    items = _changeable(store, examples, author, curates)
    edits = []
    for revision, before in made:
        item = items.get(revision.item_id)
        if item is None:
            continue
        annotation = before.annotation if before else _initial_annotation(project, item, rows[item.example_id])
        edits.append(_edit(item, revision, annotation))
    undone = store.change(UNDONE + change.name, author, edits)
    return BulkChangeResult(len(undone), len(made) - len(undone), 0)


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


def _span(hit: Hit, setting: Setting) -> tuple[int, int] | None:
    """Return the first and last word to change, see `Proposal`, or None if the hit lacks them."""
    if setting.column == "label":
        return 0, 0
    if setting.column == "entities":
        return hit.span
    word = hit.words.get(setting.node, 0)
    known = word and (setting.column != "heads" or setting.value in hit.words)
    return (word, word) if known else None


def _with_column(example: Any, column: str) -> Any:
    """Return an example with a column of `Sentence.asked`, filled as unannotated if missing."""
    if column not in Sentence.asked or getattr(example, column):
        return example
    return example.annotated(**{column: (UNANNOTATED,) * len(example.words)})


def _set_value(example: Any, span: tuple[int, int], hit: Hit, setting: Setting) -> Any:
    """Return an example with the value set at one place, or None if that is part of a longer entity."""
    if setting.column == "label":
        return replace(example, label=setting.value)
    first, last = span
    entries: list[Any] = list(getattr(example, setting.column))
    if setting.column == "entities":
        if any(tag.startswith("I-") for tag in (entries[first - 1], *entries[last : last + 1])):
            return None
        inside = [f"{'I' if place else 'B'}-{setting.value}" for place in range(last - first + 1)]
        entries[first - 1 : last] = [OUTSIDE] * len(inside) if setting.value == NO_ENTITY else inside
    elif setting.column == "feats":
        known = "" if entries[first - 1] in UNDECIDED else entries[first - 1]
        entries[first - 1] = morphology.set_features(known, setting.value)
    else:
        entries[first - 1] = hit.words[setting.value] if setting.column == "heads" else setting.value
    return example.annotated(**{setting.column: tuple(entries)})


def _is_open(example: Any, column: str, span: tuple[int, int]) -> bool:
    first, last = span
    entries = [example.label] if column == "label" else getattr(example, column)[first - 1 : last]
    return any(entry in UNDECIDED for entry in entries)


def _new_error(project: Project, task: str, before: Any, after: Any) -> str:
    kind = tasks.get(task, project.labels.get(task))
    known = {problem.message for problem in _errors(kind, before)}
    return next((problem.message for problem in _errors(kind, after) if problem.message not in known), "")


def _errors(task: tasks.Task[Any], example: Any) -> list[validation.Problem]:
    return [problem for problem in validation.problems(task, example) if problem.level == "error"]


def _annotation(project: Project, task: str, version: Version, changed: Any) -> dict[str, Any]:
    """Return the annotation to save, with its words if they differ from the imported ones."""
    annotation = content.annotation_of(task, changed)
    if not isinstance(changed, Sentence):
        return annotation
    words = repair.named(changed)
    return annotation if words == repair.named(visible_import(project, version.row)) else annotation | words


def _edit(item: Item, newest: Revision | None, annotation: Mapping[str, Any]) -> Edit:
    suggestion = newest.suggestion_id if newest else None
    return Edit(item.id, newest.id if newest else 0, dict(annotation), item.status == "done", suggestion)


def _initial_annotation(project: Project, item: Item, row: Any) -> dict[str, Any]:
    return uploaded.annotation(project, item.task, content.from_json(row.content)) or {}


def _describe(example: Any, column: str, span: tuple[int, int]) -> str:
    if column == "label":
        return str(example.label)
    first, last = span
    entries = getattr(example, column)[first - 1 : last]
    if column != "heads":
        return " ".join(entries)
    (head,) = entries
    return ROOT if head == 0 else "_" if head < 0 else f"{head} {example.words[head - 1]}"

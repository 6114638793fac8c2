"""Change what was found in many places at once: proposed for each place, carried out together, undone in one step.

A change is a revision on top of each annotation, by whoever makes it. What is scored on, what a curator has decided,
and, but for curators, what others have annotated stays as it is. Only what somebody has annotated is changed: a word
that is open stays open, and what a model suggests for it a suggestion.
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
from annotate.search.versions import Version, came, decided
from annotate.store import TEST, Change, Edit, Item, Project, Revision, Store
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
"""What can be changed at many places, and what people call it."""

TYPED = ("lemmas", "xpos", "feats", "deprels")
"""Columns whose values can be others than `choices`."""

NO_ENTITY = gettext_noop("no entity")
"""What is set where an entity is to be none."""

MOST = 1000
"""Places that are changed at once, see `Preview`."""

OPEN = (UNANNOTATED, -1)
"""What stands in a column where nobody has decided."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is to be set.

    Args:
        node: of the pattern, whose word it is; entities are of all words that were found.
        column: of `COLUMNS`.
        value: a label, or `NO_ENTITY`; of ``feats`` those to set, see `morphology.SETTING`; of ``heads`` the node that
            is the head from now on.
    """

    node: str
    column: str
    value: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change in one place.

    Args:
        span: the numbers of its first and last word; (0, 0) is all of an example.
        before: what stands there, for people to read.
        after: what would, likewise.
        refused: why it cannot be; empty where it can.
    """

    hit: Hit
    span: tuple[int, int]
    before: str
    after: str
    refused: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What can be changed at once.

    Args:
        proposals: those that are not refused, the first `MOST`.
        refused: how many places before the last of these stay as they are, by reason.
        more: whether there are more that can be changed; once the first are, these are the first.
    """

    proposals: Sequence[Proposal]
    refused: Mapping[str, int]
    more: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a change.

    Args:
        changed: annotations that were changed.
        left: those that stay as they are, since somebody has saved them or decided on them meanwhile.
        refused: those that stay since all changes together would make them wrong.
    """

    changed: int
    left: int
    refused: int


def columns(project: Project) -> dict[str, str]:
    """Return the task of each column that can be changed in a project."""
    return {column: task for column in COLUMNS for task in project.tasks if column in tasks.get(task).columns}


def choices(project: Project, column: str) -> Sequence[str]:
    """Return the labels that a project has for a column; of what is typed anew there are none."""
    if column in Sentence.asked:
        return ()
    task = columns(project)[column]
    known = tasks.get(task, project.labels.get(task)).choices
    return [*known, NO_ENTITY] if column == "entities" else known


def preview(project: Project, hits: Iterable[Hit], setting: Setting, author: str, curates: bool) -> Preview:
    """Return the first places that can be changed, see `propose`; no more hits are asked for than that takes."""
    found: list[Proposal] = []
    refused: Counter[str] = Counter()
    for one in propose(project, hits, setting, author, curates):
        if one.refused:
            refused[one.refused] += 1
        elif len(found) == MOST:
            return Preview(found, refused, more=True)
        else:
            found.append(one)
    return Preview(found, refused, more=False)


def propose(project: Project, hits: Iterable[Hit], setting: Setting, author: str, curates: bool) -> Iterator[Proposal]:
    """Yield a change for each hit; one that is as it should be already has none, and no place has two.

    Args:
        author: who makes it.
        curates: whether this person may change what others have annotated.

    Raises:
        FewshotError: when no such thing can be set.
    """
    task = columns(project).get(setting.column)
    if task is None:
        raise FewshotError(f"no task of {project.name} has a {COLUMNS.get(setting.column, setting.column)}")
    if setting.column != "heads" and setting.value in OPEN:
        raise FewshotError(f"{setting.value} is no {COLUMNS[setting.column]}: it stands where nobody has decided")
    if setting.column == "feats" and not morphology.SETTING.fullmatch(setting.value):
        raise FewshotError(f"{setting.value!r} are no features; write Case=Nom|Number=Sing, or Case= to take it away")
    seen = set[tuple[int, str | None, tuple[int, int]]]()
    for hit in hits:
        span = _span(hit, setting)
        if span is None or (hit.version.row.id, hit.version.annotator, span) in seen:
            continue
        seen.add((hit.version.row.id, hit.version.annotator, span))
        example = _asked(hit.version.example, setting.column)
        before, changed = _said(example, setting.column, span), _set(example, span, hit, setting)
        if changed is None:
            yield Proposal(hit, span, before, setting.value, "part of a longer entity")
        elif changed != example:
            item, _ = hit.version.saved.get(task, (None, None))
            kept = protected(item, hit.version.decided, author, curates)
            kept = "not annotated yet" if _is_open(example, setting.column, span) else kept
            refused = kept or _wrong(project, task, example, changed)
            yield Proposal(hit, span, before, _said(changed, setting.column, span), refused)


def protected(item: Item | None, decided: Collection[str], author: str, curates: bool) -> str:
    """Return why somebody may not change an item; empty where they may.

    Args:
        decided: tasks in which a curator has decided on its example.
    """
    if item is None or item.annotator is None:
        return "not drawn yet"
    if item.purpose == TEST:
        return "of the test set"
    if item.task in decided:
        return "decided on the page Review"
    return "" if curates or item.annotator == author else f"annotated by {item.annotator}"


def carry_out(
    store: Store, project: Project, proposals: Iterable[Proposal], setting: Setting, author: str, curates: bool
) -> Outcome:
    """Make the changes that are not refused, all at once.

    Args:
        proposals: of `preview`, or some of them.
        setting: that they were proposed for.
    """
    task = columns(project)[setting.column]
    by_item: dict[int, list[Proposal]] = {}
    for one in proposals:
        if not one.refused:
            by_item.setdefault(one.hit.version.saved[task][0].id, []).append(one)
    items = _changeable(store, {mine[0].hit.version.row.id for mine in by_item.values()}, author, curates)
    edits, refused = [], 0
    for item_id, mine in by_item.items():
        version = mine[0].hit.version
        if item_id not in items:
            continue
        changed: Any = version.example
        for one in mine:
            changed = None if changed is None else _set(changed, one.span, one.hit, setting)
        if changed is None or _wrong(project, task, version.example, changed):
            refused += 1
            continue
        _, newest = version.saved[task]
        edits.append(_edit(items[item_id], newest, _annotation(project, task, version, changed)))
    what = f"{COLUMNS[setting.column]} {setting.value}"
    changed_ids = store.change(f"{CHANGE}{secrets.token_hex(4)} {what}", author, edits) if edits else []
    return Outcome(len(changed_ids), len(by_item) - len(changed_ids) - refused, refused)


def undo(store: Store, project: Project, change: Change, author: str, curates: bool) -> Outcome:
    """Take a change back in one step: each annotation is again as it was before, but where it was saved since.

    Raises:
        FewshotError: when it is somebody else's, or was taken back already.
    """
    if not (curates or change.author == author):
        raise FewshotError(f"{change.author} made this change; ask them, or a curator, to take it back")
    if change.undone:
        raise FewshotError("this change was taken back already")
    made = store.changed_revisions(project.id, change.name)
    places = {item.id: item.example_id for item in store.items(project.id)}
    examples = {places[one.item_id] for one, _ in made}
    rows = {row.id: row for row in store.examples(project.id, ids=examples)}
    items = _changeable(store, examples, author, curates)
    edits = []
    for one, before in made:
        item = items.get(one.item_id)
        if item is None:
            continue
        annotation = before.annotation if before else _uploaded(project, item, rows[item.example_id])
        edits.append(_edit(item, one, annotation))
    undone = store.change(UNDONE + change.name, author, edits)
    return Outcome(len(undone), len(made) - len(undone), 0)


def _changeable(store: Store, examples: Collection[int], author: str, curates: bool) -> dict[int, Item]:
    """Return the items of some examples, as they are now, that somebody may change, by id."""
    return {
        item.id: item
        for chunk in chunks(sorted(examples), CHUNK_ROWS)
        for about in store.saved_items(chunk).values()
        for item, _ in about
        if not protected(item, decided(about), author, curates)
    }


def title(change: Change) -> str:
    """Return what a change set, as people read it."""
    return change.name.removeprefix(CHANGE).partition(" ")[2]


def _span(hit: Hit, setting: Setting) -> tuple[int, int] | None:
    """Return the first and the last word that are changed, see `Proposal`; None where a hit has no such words."""
    if setting.column == "label":
        return 0, 0
    if setting.column == "entities":
        return hit.span
    word = hit.words.get(setting.node, 0)
    known = word and (setting.column != "heads" or setting.value in hit.words)
    return (word, word) if known else None


def _asked(example: Any, column: str) -> Any:
    """Return an example with a column of `Sentence.asked`, which one that nobody has annotated may lack: open."""
    if column not in Sentence.asked or getattr(example, column):
        return example
    return example.annotated(**{column: (UNANNOTATED,) * len(example.words)})


def _set(example: Any, span: tuple[int, int], hit: Hit, setting: Setting) -> Any:
    """Return an example with what is set at one place; None where that is part of a longer entity."""
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
        known = "" if entries[first - 1] in OPEN else entries[first - 1]
        entries[first - 1] = morphology.set_features(known, setting.value)
    else:
        entries[first - 1] = hit.words[setting.value] if setting.column == "heads" else setting.value
    return example.annotated(**{setting.column: tuple(entries)})


def _is_open(example: Any, column: str, span: tuple[int, int]) -> bool:
    first, last = span
    entries = [example.label] if column == "label" else getattr(example, column)[first - 1 : last]
    return any(entry in OPEN for entry in entries)


def _wrong(project: Project, task: str, before: Any, after: Any) -> str:
    """Return what would be wrong after a change and was not before."""
    kind = tasks.get(task, project.labels.get(task))
    known = {problem.message for problem in _errors(kind, before)}
    return next((problem.message for problem in _errors(kind, after) if problem.message not in known), "")


def _errors(task: tasks.Task[Any], example: Any) -> list[validation.Problem]:
    return [problem for problem in validation.problems(task, example) if problem.level == "error"]


def _annotation(project: Project, task: str, version: Version, changed: Any) -> dict[str, Any]:
    """Return the annotation to save, with its words where they are not those that the example came with."""
    found = content.annotation_of(task, changed)
    if not isinstance(changed, Sentence):
        return found
    words = repair.named(changed)
    return found if words == repair.named(came(project, version.row)) else found | words


def _edit(item: Item, newest: Revision | None, annotation: Mapping[str, Any]) -> Edit:
    suggestion = newest.suggestion_id if newest else None
    return Edit(item.id, newest.id if newest else 0, dict(annotation), item.status == "done", suggestion)


def _uploaded(project: Project, item: Item, row: Any) -> dict[str, Any]:
    """Return the annotation that an item began from where nothing was saved before."""
    return uploaded.annotation(project, item.task, content.from_json(row.content)) or {}


def _said(example: Any, column: str, span: tuple[int, int]) -> str:
    """Return what stands at a place, for people to read."""
    if column == "label":
        return str(example.label)
    first, last = span
    entries = getattr(example, column)[first - 1 : last]
    if column != "heads":
        return " ".join(entries)
    (head,) = entries
    return ROOT if head == 0 else "_" if head < 0 else f"{head} {example.words[head - 1]}"

"""Adjudication: a curator merges two annotations of an example by deciding where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from annotate.editing import changed_values, content
from annotate.editing.state import WORDS
from annotate.quality import gold
from annotate.store import REVIEW, ConflictError, Item, NewItem, Project, Store
from fewshot.corpora.documents.alignment import aligned, blocks
from fewshot.corpora.tokenization.comparison import map_words
from fewshot.corpora.types import UNANNOTATED
from fewshot.tasks.ner import spans


@dataclass(frozen=True, slots=True)
class Case:
    """An example that two or more annotators have finished, and the item of its review, if begun."""

    example_id: int
    versions: Sequence[gold.FinishedVersion]
    differ: bool
    item: Item | None

    @property
    def is_decided(self) -> bool:
        """Whether the review is finished."""
        return self.item is not None and self.item.status == "done"


def cases(store: Store, project: Project, task: str) -> list[Case]:
    """Return every example of a task that two or more annotators have finished, disputed ones first.

    Decisions leave the order as it is, so that Back leads to the case that was decided last.
    """
    reviews = {item.example_id: item for item in store.items(project.id, task=task, purpose=REVIEW)}
    several = [
        Case(example, _order_versions(store, versions), gold.differ(store, versions), reviews.get(example))
        for example, versions in gold.versions_with_own_corrections(store, project, task).items()
        if len(versions) > 1
    ]
    return sorted(several, key=lambda case: not case.differ)


def neighbour(cases: Sequence[Case], example_id: int, go: str, decided: bool) -> int | None:
    """Return the example of the case to show after another one, or None for the first undecided case.

    Args:
        go: ``back`` goes to the case before; otherwise to the case after, or to the next undecided one if this case is
            ``decided``.
    """
    place = [case.example_id for case in cases].index(example_id)
    if go == "back":
        return cases[max(place - 1, 0)].example_id
    return next((case.example_id for case in cases[place + 1 :] if not (decided and case.is_decided)), None)


def open_review(store: Store, project: Project, task: str, case: Case, curator: str) -> Item:
    """Return the item of a case's review, new or existing; the latter may be another curator's."""
    if case.item is None:
        new = [NewItem(case.example_id, task)]
        with suppress(ConflictError):  # another curator has begun it since the cases were listed
            store.add_round(project_id=project.id, purpose=REVIEW, sampler="all", k=1, seed=project.seed, items=new)
    item = case.item or store.items(project.id, task=task, purpose=REVIEW, example_id=case.example_id)[0]
    store.claim(item.id, curator)
    return store.item(item.id)


def versions_to_decide(case: Case, example: Any) -> list[dict[str, Any]]:
    """Return the two versions for the curator, each with the name of its annotator."""
    return [
        {"name": version.item.annotator, "annotation": content.with_words(version.revision.annotation, example)}
        for version in case.versions[:2]
    ]


def merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the annotation on which two annotations of an example agree; the rest is unannotated.

    The words of the first are kept; where the second has other words, nothing is agreed on. Either both have ``words``
    or neither.
    """
    if "words" in first:
        second = _on_words(second, second, first)
    named = (*WORDS, *changed_values.columns(first))
    agreed = {key: _agreed(key, value, second.get(key)) for key, value in first.items() if key not in named}
    if "entities" in first:
        own, other = _entities(first), _entities(second)
        for _, start, end in own ^ other:  # an entity is one decision, with the entities around it
            around = [span for span in own | other if span[1] <= start and end <= span[2]]
            start, end = min(span[1] for span in around), max(span[2] for span in around)
            agreed["entities"][start:end] = [UNANNOTATED] * (end - start)
    return changed_values.with_all_changes([first, second]) | agreed


def parts(annotation: Mapping[str, Any]) -> dict[tuple[str, int | str], str]:
    """Return the label of each word or question by (column, place), as text."""
    labels: dict[tuple[str, int | str], str] = {}
    for column, value in annotation.items():
        if isinstance(value, dict):
            labels |= {(column, name): " | ".join(answer["text"] for answer in value[name]) or "∅" for name in value}
        elif isinstance(value, list):
            labels |= {(column, place): str(label) for place, label in enumerate(value) if label is not None}
        else:
            labels[column, ""] = str(value)
    return labels


def compare(versions: Mapping[str, Mapping[str, Any]], words: Sequence[str]) -> list[dict[str, str]]:
    """Return a row for each part of annotations, by heading: where, what, and the label in each version.

    `words` are the forms of annotations without ``words``. Rows follow the words of the first version, and heads are
    shown as words; other segmentations get rows of their own.
    """
    cut = {name: annotation.get("words", words) for name, annotation in versions.items()}
    words = next(iter(cut.values()), words)
    by_version = {
        name: parts(_on_words(annotation, {"words": cut[name]}, {"words": words}))
        for name, annotation in versions.items()
    }
    for start, cuts in _cuts(words, cut).items():
        for name, own in cuts.items():
            by_version[name]["words", start] = own
    for name, annotation in versions.items():
        if ends := annotation.get("ends"):
            same, _ = map_words(words, cut[name])
            by_version[name] |= {("sentence end", same.get(end - 1, end - 1)): "yes" for end in ends}
        if joined := annotation.get("joined"):
            by_version[name]["joined sentences", ""] = str(joined)
    named = {str(number): f"{number} {word}" for number, word in enumerate(words, start=1)} | {"0": "root", "-1": ""}
    forms, rows = dict(enumerate(words)), []
    for column, place in sorted(dict.fromkeys(part for labels in by_version.values() for part in labels), key=_place):
        where = f"{place + 1} {forms.get(place, '')}".strip() if isinstance(place, int) else place
        labels = {name: values.get((column, place), "") for name, values in by_version.items()}
        if column == "heads":
            labels = {name: named.get(head, head) for name, head in labels.items()}
        rows.append({"where": where, "what": column, **labels})
    return rows


def _on_words(annotation: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return an annotation on other ``words``; new words and differing ``ranges`` are unannotated."""
    columns = {key: value for key, value in annotation.items() if key not in WORDS and value}
    if all((before.get(key) or None) == (after.get(key) or None) for key in WORDS):
        return columns
    columns = {key: value for key, value in columns.items() if key not in changed_values.columns(columns)}
    same, targets = map_words(before["words"], after["words"])
    numbers = {old + 1: new + 1 for new, old in same.items()}
    shared = (token for token in before.get("ranges", ()) if token[0] in numbers and token[1] in numbers)
    tokens = {(numbers[first], numbers[last], form) for first, last, form in shared}
    differ = tokens ^ {tuple(token) for token in after.get("ranges", ())}
    apart = {word - 1 for first, last, _ in differ for word in range(first, last + 1)}
    known = [None if word in apart else same.get(word) for word in range(len(after["words"]))]

    def on_words(column: str, values: list[Any]) -> list[Any]:
        moved = [None if word is None else values[word] for word in known]
        if column == "heads":
            return [-1 if head is None else targets.get(head - 1, -2) + 1 if head > 0 else head for head in moved]
        return [UNANNOTATED if label is None else label for label in moved]

    return {key: on_words(key, value) if isinstance(value, list) else value for key, value in columns.items()}


def _entities(annotation: Mapping[str, Any]) -> set[tuple[str, int, int]]:
    return spans(["O" if tag == UNANNOTATED else tag for tag in annotation["entities"]])


def _cuts(words: Sequence[str], cut: Mapping[str, Sequence[str]]) -> dict[int, dict[str, str]]:
    """Return the words of each version, by place, where the segmentations differ."""
    cuts: dict[int, dict[str, str]] = {}
    for name, own in cut.items():
        for olds, news in blocks(aligned(words, own)) if list(own) != list(words) else ():
            if not len(olds) == len(news) == 1:
                form = " ".join(words[word] for word in olds)
                cuts.setdefault(olds[0], dict.fromkeys(cut, form))[name] = " ".join(own[word] for word in news)
    return cuts


def _place(part: tuple[str, int | str]) -> int:
    return part[1] if isinstance(part[1], int) else -1


def _agreed(key: str, first: Any, second: Any) -> Any:
    if isinstance(first, dict):
        return {name: value for name, value in first.items() if (second or {}).get(name) == value}
    if isinstance(first, list) and key not in WORDS:
        empty = -1 if key == "heads" else UNANNOTATED
        return [label if label == opposed else empty for label, opposed in zip(first, second, strict=True)]
    return first if first == second else UNANNOTATED


def _order_versions(store: Store, versions: Sequence[gold.FinishedVersion]) -> list[gold.FinishedVersion]:
    """Return the versions, the one with most joined sentences first, then one that differs from it.

    A review starts with the words of the first version; words of the other sentences would never be shown otherwise.
    """
    first, *rest = sorted(versions, key=lambda version: -version.revision.annotation.get("joined", 0))
    return [first, *sorted(rest, key=lambda version: not gold.differ(store, [first, version]))]

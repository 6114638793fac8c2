"""Adjudication: two people's versions of an example become one, by deciding only where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.quality import gold
from annotate.store import REVIEW, Item, NewItem, Project, Store
from fewshot.corpora.types import UNANNOTATED
from fewshot.tasks.ner import spans

WORDS = ("words", "ranges")
"""What an annotation on repaired words also holds."""


@dataclass(frozen=True, slots=True)
class Case:
    """An example that two or more people have finished.

    Args:
        versions: what each of them made of it.
        differ: whether they disagree.
        item: of the curator who decides or has decided, None where nobody has begun.
    """

    example_id: int
    versions: Sequence[gold.Version]
    differ: bool
    item: Item | None


def cases(store: Store, project: Project, task: str) -> list[Case]:
    """Return every example of a task that two or more people have finished, those in dispute first."""
    begun = {item.example_id: item for item in store.items(project.id, task=task, purpose=REVIEW)}
    several = [
        Case(example, _apart(versions), _differ(versions), begun.get(example))
        for example, versions in gold.versions(store, project, task).items()
        if len(versions) > 1
    ]
    return sorted(several, key=lambda case: (not case.differ, case.item is not None and case.item.status == "done"))


def begin(store: Store, project: Project, task: str, case: Case, curator: str) -> Item:
    """Return the item in which a case is decided, a new one where nobody has begun.

    It is the curator's, unless another one has saved something or looks at it now: see its ``annotator``.
    """
    item = case.item
    if item is None:
        new = [NewItem(case.example_id, task)]
        drawn = store.add_round(project_id=project.id, purpose=REVIEW, sampler="all", k=1, seed=project.seed, items=new)
        item = store.items(project.id, round_id=drawn.id)[0]
    store.claim(item.id, curator)
    return store.item(item.id)


def merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return what two annotations agree on; the rest is open, as before anybody annotated it.

    Args:
        first: see `annotate.editing.content.annotation_of`; where the two cut words differently, nothing is agreed on,
            and the words are this one's.
        second: of the same example and task.
    """
    if any(first.get(key) != second.get(key) for key in WORDS):
        columns = ((key, value) for key, value in first.items() if key not in WORDS)
        return {**first, **{key: _agreed(key, value, [None] * len(value)) for key, value in columns}}
    agreed = {key: _agreed(key, value, second.get(key)) for key, value in first.items()}
    if "entities" in first:
        disputed = spans(first["entities"]) ^ spans(second["entities"])
        for _, start, end in disputed:  # an entity is decided as a whole
            agreed["entities"][start:end] = [UNANNOTATED] * (end - start)
    return agreed


def parts(annotation: Mapping[str, Any]) -> dict[tuple[str, int | str], str]:
    """Return what an annotation says of each word or question, by column and place, for people to read."""
    said: dict[tuple[str, int | str], str] = {}
    for column, value in annotation.items():
        if isinstance(value, dict):
            said |= {(column, name): " | ".join(answer["text"] for answer in value[name]) or "∅" for name in value}
        elif isinstance(value, list) and column not in WORDS:
            said |= {(column, place): str(label) for place, label in enumerate(value)}
        else:
            said[column, ""] = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return said


def beside(versions: Mapping[str, Mapping[str, Any]], words: Sequence[str]) -> list[dict[str, str]]:
    """Return a row for each part of an annotation: where, what, and what each version says of it.

    Args:
        versions: annotations, by the heading of their column.
        words: forms, where the parts are words; the rows are in their order, and a head is named.
    """
    by_version = {name: parts(annotation) for name, annotation in versions.items()}
    named = {str(number): f"{number} {word}" for number, word in enumerate(words, start=1)} | {"0": "root", "-1": ""}
    forms, rows = dict(enumerate(words)), []
    for column, place in sorted(dict.fromkeys(part for said in by_version.values() for part in said), key=_place):
        where = f"{place + 1} {forms.get(place, '')}".strip() if isinstance(place, int) else place
        said = {name: values.get((column, place), "") for name, values in by_version.items()}
        if column == "heads":
            said = {name: named.get(head, head) for name, head in said.items()}
        rows.append({"where": where, "what": column, **said})
    return rows


def _place(part: tuple[str, int | str]) -> int:
    return part[1] if isinstance(part[1], int) else -1


def _agreed(key: str, first: Any, second: Any) -> Any:
    if isinstance(first, dict):
        return {name: value for name, value in first.items() if (second or {}).get(name) == value}
    if isinstance(first, list) and key not in WORDS:
        empty = -1 if key == "heads" else UNANNOTATED
        return [label if label == other else empty for label, other in zip(first, second, strict=True)]
    return first if first == second else UNANNOTATED


def _apart(versions: Sequence[gold.Version]) -> list[gold.Version]:
    """Return the versions, two that differ in front where there are such."""
    first, *rest = versions
    return [first, *sorted(rest, key=lambda version: version.revision.annotation == first.revision.annotation)]


def _differ(versions: Sequence[gold.Version]) -> bool:
    return any(version.revision.annotation != versions[0].revision.annotation for version in versions)

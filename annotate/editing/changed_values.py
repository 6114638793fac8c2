"""Changed values of words: checked, merged, and carried to other words.

Every annotation of words may change MISC, empty nodes and DEPS. The annotation of a tree may also correct tags, lemmas,
XPOS and features that are not columns of its own task. None keeps the earlier value of a word, that of the file or of
another task; the newest value counts.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from typing import Any

from fewshot.corpora.documents import deps, misc
from fewshot.corpora.documents.model import OPEN, EmptyNode
from fewshot.corpora.documents.nodes import with_values
from fewshot.corpora.tokenization.repair import named, retokenized
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.corpora.upos import UPOS
from fewshot.tasks.word_columns import WORD_COLUMNS

CHANGEABLE_COLUMNS = ("misc", "nodes", "deps")
"""Columns that every annotation of words may change; arcs of ``deps`` may begin at the new ``nodes``."""

CORRECTABLE_COLUMNS = ("upos", "lemmas", "xpos", "feats")
"""Columns that an annotation of a tree may change too."""

MAX_NODES = 200
"""Maximum number of empty nodes of a sentence whose empty nodes people change."""

FAULTS = {column.name: column.fault for column in WORD_COLUMNS}
"""What is wrong with a value of a form, by column."""


def columns(kind: Container[str]) -> tuple[str, ...]:
    """Return the columns of changed values in a kind of annotation.

    Args:
        kind: the columns of its task, or an annotation.
    """
    return (*CHANGEABLE_COLUMNS, *CORRECTABLE_COLUMNS) if "heads" in kind else CHANGEABLE_COLUMNS


def fault(sentence: Sentence, column: str, value: str, word: int, any_node: bool = False) -> str:
    """Return why a changed value of a word is invalid, or an empty string.

    Args:
        sentence: with the changed empty nodes.
        word: its number.
        any_node: whether arcs may begin at empty nodes that the sentence lacks.
    """
    if column == "misc":
        return misc.fault(value)
    if column == "upos":
        return "" if value in (UNANNOTATED, *UPOS) else f"{value[:40]!r} is not a UPOS tag"
    if column in CORRECTABLE_COLUMNS:
        return "" if value == UNANNOTATED else FAULTS[column](sentence.words[word - 1], value)
    nodes = with_values(sentence.source.nodes if sentence.source else (), sentence.nodes)
    if column == "nodes" and len(nodes) > MAX_NODES:
        return f"{len(nodes)} empty nodes in a sentence; give it {MAX_NODES} at most"
    ids = {*map(str, range(len(sentence.words) + 1)), *(node.id for node in nodes)}
    own = [node for node in nodes if max(node.after, 1) == word] if column == "nodes" else []
    columns = [node.deps.text for node in own] if column == "nodes" else [value]
    if any_node:
        ids.update(head for arcs in columns for arc in arcs.split("|") if "." in (head := arc.partition(":")[0]))
    return next(filter(None, [*map(_node_fault, own), *(deps.fault(arcs, ids) for arcs in columns)]), "")


def _node_fault(node: EmptyNode) -> str:
    """Return what is wrong with an empty node, but for the heads of its arcs."""
    heads = [arc.partition(":")[0] for arc in node.deps.text.split("|")]
    if deps.TREE in heads or node.id in heads:
        return f"the arcs {node.deps.text[:40]!r} of empty node {node.id}; write head:relation, as in 4:nsubj"
    if node.head != OPEN or node.deprel != UNANNOTATED:
        return f"empty node {node.id} has a HEAD or DEPREL, which only words have; write its arcs in DEPS"
    return misc.fault(node.misc.text) if node.misc else ""


def missing_node(sentence: Sentence) -> str:
    """Return which changed arc begins at an empty node that the sentence lacks; empty if none does."""
    values = (
        (name, word, value) for name in ("nodes", "deps") for word, value in enumerate(getattr(sentence, name), 1)
    )
    faults = (fault(sentence, name, value, word) for name, word, value in values if value is not None)
    return next(filter(None, faults), "")


def with_changes(sentence: Sentence, column: str, given: Any) -> Sentence:
    """Return a sentence with the changed values of an annotation in place of the earlier ones in a column.

    The merged work of several people may have arcs from an empty node that one of them has deleted; such arcs are not
    written, see `fewshot.corpora.documents.nodes.with_nodes`.

    Raises:
        ValueError: for a value that is invalid in its column, see `fault`.
    """
    before = getattr(sentence, column) or (None,) * len(sentence.words)
    values = [value if value is None else checked(value, str) for value in given]
    merged = tuple(old if new is None else new for old, new in zip(before, values, strict=True))
    made = sentence.annotated(**{column: merged if any(value is not None for value in merged) else ()})
    for word, value in enumerate(values, start=1):
        if value is not None and (wrong := fault(made, column, value, word, any_node=True)):
            raise ValueError(wrong)
    return made


def with_all_changes(annotations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the first of several annotations, with the changed values of all of them.

    DEPS and empty nodes are those of one annotation where some have other nodes: arcs name nodes by their numbers.
    """
    merged = dict(annotations[0])
    for column in columns(merged):
        changed = [annotation[column] for annotation in annotations if column in annotation]
        if changed:
            rows = zip(*changed, strict=True)
            merged[column] = [next((value for value in row if value is not None), None) for row in rows]
    nodes = [annotation.get("nodes") for annotation in annotations]
    if any(column != nodes[0] for column in nodes):
        chosen = next(annotation for annotation in annotations if annotation.get("nodes"))
        merged = {name: values for name, values in merged.items() if name not in ("nodes", "deps")}
        merged |= {name: chosen[name] for name in ("nodes", "deps") if name in chosen}
    return merged


def with_newer_values(annotation: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an annotation with the values that a newer annotation of another task sets too.

    A word without a correction keeps none: it follows the file or the other task. An open value of the newer one sets
    nothing. The columns of its own task change only by the corrections of a tree.

    Args:
        newer: on the same words.
    """
    made = dict(annotation)
    for column in (name for name in columns({**annotation, **newer}) if name in annotation and name in newer):
        unset = (None,) if column in CHANGEABLE_COLUMNS else (None, UNANNOTATED)
        pairs = zip(annotation[column], newer[column], strict=True)
        made[column] = [old if old is None or new in unset else new for old, new in pairs]
    return made


def with_current_values(
    annotation: Mapping[str, Any], changed: Mapping[str, Collection[int]], current: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an annotation in which values that a window has not changed are the current ones.

    Other tasks may have set values since the window was opened.

    Args:
        changed: places of the words whose value the window has changed, by column.
        current: the newest annotation on the same ``words``, see `State.annotation`.
    """
    merged, blank = dict(annotation), [None] * len(current["words"])
    for column in (*CHANGEABLE_COLUMNS, *CORRECTABLE_COLUMNS):
        is_task_column = column not in columns(annotation)
        sent, now = (each.get(column) or ([] if is_task_column else blank) for each in (annotation, current))
        if sent != now and len(sent) == len(now):
            places = set(changed.get(column, ()))
            merged[column] = [
                new if place in places else old for place, (new, old) in enumerate(zip(sent, now, strict=True))
            ]
    return merged


def carried_corrections(
    before: Sentence, annotation: Mapping[str, Any], example: Any, following: Sequence[Mapping[str, Any]]
) -> dict[str, list[str | None]]:
    """Return the corrections of an annotation on the words of another example.

    Args:
        before: the example with the annotation, on its own words.
        following: the annotations of the next sentences, which the other example may have.
    """
    if not any(column in each for each in (annotation, *following) for column in CORRECTABLE_COLUMNS):
        return {}
    rest = before.following[len(following) :]
    later = zip(before.following, [*following, *({} for _ in rest)], strict=True)
    marked = replace(
        _with_corrections_only(before, annotation), following=tuple(starmap(_with_corrections_only, later))
    )
    after = retokenized(marked, **named(example))
    made = {
        column: [None if value == UNANNOTATED else value for value in getattr(after, column)]
        for column in CORRECTABLE_COLUMNS
    }
    return {column: values for column, values in made.items() if any(value is not None for value in values)}


def _with_corrections_only(sentence: Sentence, annotation: Mapping[str, Any]) -> Sentence:
    """Return a sentence that has only corrections in the columns that can be corrected."""
    unchanged = (None,) * len(sentence.words)
    values = {column: annotation.get(column) or unchanged for column in CORRECTABLE_COLUMNS}
    marked = {column: tuple(UNANNOTATED if value is None else value for value in values[column]) for column in values}
    return sentence.annotated(**marked)


def checked(value: Any, kind: type[Any]) -> Any:
    """Return a value of a type; raises TypeError for another type."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{str(value)[:40]!r} is not of type {kind.__name__}")
    return value

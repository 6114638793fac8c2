"""What is changed at each hit: a value that is chosen in a form, or the commands of a rewriting rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from annotate.language import _, gettext_noop
from annotate.search.queries import Hit
from fewshot.corpora import iob
from fewshot.corpora.consistency import OUTSIDE
from fewshot.corpora.patterns import Rule
from fewshot.corpora.patterns.commands import (
    OPEN,
    AddArc,
    Command,
    DeleteArc,
    RefusedError,
    SetFeature,
    SetRelation,
    rewrite,
)
from fewshot.corpora.patterns.pattern import LABEL, Term
from fewshot.corpora.types import UNANNOTATED
from fewshot.errors import FewshotError
from fewshot.tasks import morphology

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
"""Columns that accept values besides those of `changes.choices`."""

NO_ENTITY = gettext_noop("no entity")
"""Value that removes an entity."""


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

    @property
    def text(self) -> str:
        """The setting as the title of a change."""
        return f"{COLUMNS[self.column]} {self.value}"

    @property
    def commands(self) -> Sequence[Command]:
        """The commands that set the value; none for entities and labels, which belong to no word."""
        node, value = self.node, self.value
        if self.column == "feats":
            pairs = (pair.partition("=") for pair in value.split("|"))
            return [SetFeature(node, name, new or None) for name, _, new in pairs]
        if self.column == "deprels":
            return [SetRelation(node, LABEL, value)]
        if self.column == "heads":
            return [DeleteArc(None, node), AddArc(value, node, Term(node, LABEL, of_arc=True))]
        return [SetFeature(node, {"lemmas": "lemma"}.get(self.column, self.column), value)]

    def check(self) -> None:
        """Raise a FewshotError for a value that means nothing."""
        if self.column != "heads" and self.value == UNANNOTATED:
            raise FewshotError(f"{self.value!r} means not annotated; choose another value")
        if self.column == "feats" and not morphology.SETTING.fullmatch(self.value):
            raise FewshotError(f"{self.value!r} are not features; write Case=Nom|Number=Sing, or Case= to remove it")


Change: TypeAlias = Setting | Rule


def columns(change: Change) -> set[str]:
    """Return the columns that a change may write."""
    if isinstance(change, Setting):
        return {change.column}
    return {column for command in change.commands for column in command.columns}


def is_place(change: Change, hit: Hit) -> bool:
    """Return whether a hit has what a change needs: a word and its new head, or the span of a name."""
    if not isinstance(change, Setting) or change.column == "label":
        return True
    if change.column == "entities":
        return hit.span is not None
    return bool(hit.words.get(change.node)) and (change.column != "heads" or change.value in hit.words)


def changed(change: Change, example: Any, hit: Hit) -> Any:
    """Return an example with the change made at one hit.

    Raises:
        RefusedError: when it is impossible there, or a value is not annotated yet.
    """
    if isinstance(change, Setting) and change.column == "label":
        if example.label == UNANNOTATED:
            raise RefusedError(OPEN)
        return replace(example, label=change.value)
    if isinstance(change, Setting) and change.column == "entities":
        return _with_entity(change.value, example, hit)
    return rewrite(example, hit.words, change.commands)


def _with_entity(value: str, example: Any, hit: Hit) -> Any:
    first, last = hit.span or (1, 0)
    tags = list(example.entities)
    if any(tag.startswith("I-") for tag in (tags[first - 1], *tags[last : last + 1])):
        raise RefusedError(_("part of a longer entity"))
    if UNANNOTATED in tags[first - 1 : last]:
        raise RefusedError(OPEN)
    if len(iob.layers(tags[first - 1 : last])) > 1:
        raise RefusedError(_("nested entities, which are changed one by one in the editor"))
    inside = [f"{'I' if place else 'B'}-{value}" for place in range(last - first + 1)]
    tags[first - 1 : last] = [OUTSIDE] * len(inside) if value == NO_ENTITY else inside
    return example.annotated(entities=tuple(tags))

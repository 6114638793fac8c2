"""MISC and DEPS that people have edited, after the words of a sentence were changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fewshot.corpora.documents import misc, model
from fewshot.corpora.documents.annotate import relative_deps
from fewshot.corpora.types import Sentence


def editable(word: model.Word) -> tuple[str, str]:
    """Return MISC without derived keys, and DEPS relative to the arc of the tree."""
    return misc.editable(word.misc.text), relative_deps(word)


def are_edited(sentence: Sentence) -> dict[str, list[bool]]:
    """Return for each word whether people have edited MISC and DEPS, see `Sentence`."""
    unchanged = (None,) * len(sentence.words)
    return {name: [value is not None for value in getattr(sentence, name) or unchanged] for name in ("misc", "deps")}


def edited_columns(made: model.ConlluSentence, edited: Mapping[str, Sequence[bool]]) -> dict[str, Any]:
    """Return the `Sentence` columns ``misc`` and ``deps`` of people after words were changed.

    Args:
        edited: flags as returned by `are_edited`; may be longer than the sentence.
    """
    columns = {}
    for name, values in zip(("misc", "deps"), zip(*map(editable, made.words), strict=True), strict=True):
        own = tuple(value if is_own else None for value, is_own in zip(values, edited[name], strict=False))
        columns[name] = own if any(value is not None for value in own) else ()
    return columns

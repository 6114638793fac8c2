"""MISC, DEPS and empty nodes that people have edited, after the words of a sentence were changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fewshot.corpora.documents import misc, model, nodes
from fewshot.corpora.documents.annotate import relative_deps
from fewshot.corpora.types import Sentence


def editable(made: model.ConlluSentence) -> dict[str, list[str]]:
    """Return what people can edit of each word: MISC without derived keys, relative DEPS, empty nodes."""
    return {
        "misc": [misc.editable(word.misc.text) for word in made.words],
        "deps": [relative_deps(word) for word in made.words],
        "nodes": nodes.values_of(made),
    }


def are_edited(sentence: Sentence) -> dict[str, list[bool]]:
    """Return for each word whether people have edited MISC, DEPS and empty nodes, see `Sentence`."""
    unchanged = (None,) * len(sentence.words)
    columns = {"misc": sentence.misc, "deps": sentence.deps, "nodes": sentence.nodes}
    return {name: [value is not None for value in values or unchanged] for name, values in columns.items()}


def edited_columns(made: model.ConlluSentence, edited: Mapping[str, Sequence[bool]]) -> dict[str, Any]:
    """Return the `Sentence` columns ``misc``, ``deps`` and ``nodes`` of people after words were changed.

    Args:
        edited: flags as returned by `are_edited`; may be longer than the sentence.
    """
    columns = {}
    for name, values in editable(made).items():
        own = tuple(value if is_own else None for value, is_own in zip(values, edited[name], strict=False))
        columns[name] = own if any(value is not None for value in own) else ()
    return columns

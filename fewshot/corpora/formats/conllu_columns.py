"""Columns of CoNLL-U that are read only when a task asks for them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from fewshot.corpora.documents.comments import ANNOTATED
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.types import UNANNOTATED, Sentence

CELLS = {"lemmas": 2, "xpos": 4, "feats": 5}
"""The place in a line of each column of `Sentence.asked`."""


def filled_columns(sentence: Sentence, columns: Collection[str]) -> set[str]:
    """Return those of some columns in which a word has a value, read or not; faster than `with_asked`."""
    read = {name for name in columns if {*getattr(sentence, name)} - {UNANNOTATED, ""}}
    unread = [name for name in columns if name in CELLS and not getattr(sentence, name)]
    if not unread:
        return read
    words = [cells for line in sentence.lines if (cells := line.split("\t"))[0].isdecimal()]
    return read | {name for name in unread if any(cells[CELLS[name]] != UNANNOTATED for cells in words)}


def with_asked(sentence: Sentence, columns: Collection[str]) -> Sentence:
    """Return a sentence with columns of `Sentence.asked`; those that were not read are as in the file.

    Args:
        columns: names; other columns are left out.
    """
    names = [name for name in columns if name in Sentence.asked and not getattr(sentence, name)]
    if not names:
        return sentence
    words, values = to_model(sentence).words, dict[str, Any]()
    for name in names:
        if name == "feats":  # blank ones mean none, which is written as the file writes it
            values["feats"] = tuple("" if word.feats.text == UNANNOTATED else word.feats.text for word in words)
            values["has_feats"] = not any(map(ANNOTATED.match, sentence.lines))
        else:
            values[name] = tuple(word.lemma if name == "lemmas" else word.xpos for word in words)
    return replace(sentence, **values)

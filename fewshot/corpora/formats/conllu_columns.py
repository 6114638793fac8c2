"""Columns of CoNLL-U that are read only when a task asks for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from fewshot.corpora.documents import rows
from fewshot.corpora.documents.comments import ANNOTATED
from fewshot.corpora.types import UNANNOTATED, Sentence

CELLS = {"lemmas": rows.LEMMA, "xpos": rows.XPOS, "feats": rows.FEATS}
"""The place in a line of each column of `Sentence.asked`."""


def word_cells(lines: Iterable[str]) -> list[list[str]]:
    """Return the cells of each word in the CoNLL-U lines of a sentence.

    They are read faster than `Sentence.source`, which also has multiword tokens, features and arcs.
    """
    parts = (line.strip("\ufeff\r\n").split("\t") for line in lines)
    return [cells for cells in parts if cells[rows.ID].isdecimal()]


def filled_columns(read: Mapping[str, Any], lines: Iterable[str], columns: Collection[str]) -> set[str]:
    """Return those of some columns in which a word has a value, read or not.

    Args:
        read: values of the columns of a sentence that were read, by name.
        lines: CoNLL-U lines of the sentence; empty for other sources.
    """
    filled = {name for name in columns if {*read.get(name, ())} - {UNANNOTATED, ""}}
    unread = [name for name in columns if name in CELLS and not read.get(name)]
    words = word_cells(lines) if unread else ()
    return filled | {name for name in unread if any(cells[CELLS[name]] != UNANNOTATED for cells in words)}


def with_asked(sentence: Sentence, columns: Collection[str]) -> Sentence:
    """Return a sentence with columns of `Sentence.asked`; those that were not read are as in the file.

    Args:
        columns: names; other columns are left out.
    """
    names = [name for name in columns if name in Sentence.asked and not getattr(sentence, name)]
    if not names:
        return sentence
    words, values = word_cells(sentence.lines), dict[str, Any]()
    for name in names:
        values[name] = tuple(cells[CELLS[name]] for cells in words) or (UNANNOTATED,) * len(sentence.words)
    if "feats" in names:  # blank ones mean none, which is written as the file writes it
        values["feats"] = tuple("" if value == UNANNOTATED else value for value in values["feats"])
        values["has_feats"] = not any(map(ANNOTATED.match, sentence.lines))
    return replace(sentence, **values)

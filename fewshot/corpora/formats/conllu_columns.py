"""Columns of CoNLL-U that are read only when a task asks for them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from fewshot.corpora.documents.comments import ANNOTATED
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.types import UNANNOTATED, Sentence


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

"""Annotated data of the probes in Fake-English, or with a mark of its language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fewshot.corpora.types import UNANNOTATED, Pair, Sentence
from fewshot.papers.small_encoders.corpora import separated
from fewshot.pretraining import transforms

KEPT = ("fake", "mark")
"""Transforms of a pretraining corpus that its probes' data get too; order and frequencies stay (section 3.2.2)."""


def change(example: Any, names: Sequence[str]) -> Any:
    """Do to an example what was done to the text of its language in pretraining; the labels stay.

    Args:
        example: annotated; a sentence or a pair.
        names: of transforms; those that are not `KEPT` are left out.
    """
    for name in names:
        if name.partition("-")[0] not in KEPT:
            continue
        if isinstance(example, Pair):
            premise, hypothesis = transforms.apply([name], [example.premise, example.hypothesis])
            example = replace(example, premise=premise, hypothesis=hypothesis)
        else:
            example = _changed(example, name)
    return example


def _changed(sentence: Sentence, name: str) -> Sentence:
    (text,) = transforms.apply([name], [sentence.text])
    if name != "fake":
        return _marked(sentence, text)
    words = transforms.fake([separated(word) for word in sentence.words])
    return replace(sentence, words=tuple(words), text=text, record=None)


def _marked(sentence: Sentence, text: str) -> Sentence:
    """Set the first word of a text, which nobody has annotated, before the words."""
    return replace(
        sentence,
        text=text,
        words=(text.split(maxsplit=1)[0], *sentence.words),
        upos=(UNANNOTATED, *sentence.upos),
        heads=(-1, *(head + (head > 0) for head in sentence.heads)),
        deprels=(UNANNOTATED, *sentence.deprels),
        entities=(UNANNOTATED, *sentence.entities),
        lemmas=(),
        feats=(),
        record=None,
    )

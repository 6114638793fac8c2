"""Glosses and translations of a sentence from any source."""

from __future__ import annotations

from fewshot.corpora.documents import misc
from fewshot.corpora.documents.cells import pairs
from fewshot.corpora.documents.comments import HELP, comment
from fewshot.corpora.types import UNANNOTATED, Interlinear, Sentence

GLOSSES = ("Translit", "Gloss", "MSeg")
"""Keys of MISC with interlinear glosses; ``MSeg`` are the morphs of a word."""


def interlinear(sentence: Sentence) -> Interlinear:
    """Return the glosses and translations of a sentence from any source."""
    if sentence.interlinear:
        return sentence.interlinear
    source = sentence.source
    columns = [word.misc.text for word in source.words] if source else [UNANNOTATED] * len(sentence.words)
    if sentence.misc:
        columns = list(map(misc.replace_editable, columns, sentence.misc))
    words = tuple({key: value for key, value in pairs(column).items() if key in GLOSSES} for column in columns)
    comments = map(comment, source.comments if source else ())
    return Interlinear(words, {key: value for key, value in comments if HELP.fullmatch(key)})

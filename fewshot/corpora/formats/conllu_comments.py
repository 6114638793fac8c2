"""The comments in CoNLL-U that we write about the columns of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from fewshot.corpora.documents.comments import ANNOTATED, SAYS_FEATS
from fewshot.corpora.types import BEGUN, UNANNOTATED, Sentence

NAMES = {
    "upos": "UPOS",
    "heads": "HEAD",
    "deprels": "DEPREL",
    "entities": "NER",
    "lemmas": "LEMMA",
    "feats": "FEATS",
    "xpos": "XPOS",
}
"""Names of columns in the comment of predicted columns."""

PREDICTED = "predicted"
"""Key of the comment of predicted columns."""

IS_BEGUN, STATUS = f"# status = {BEGUN}", re.compile(rf"#\s*status\s*=\s*{BEGUN}\s*$")
"""The comment that the annotation is begun and not finished."""

COMMENT = re.compile(rf"#\s*{PREDICTED}\s*=((?:\s*\b(?:{'|'.join(NAMES.values())})\b)+)\s*$")


def comments_above(lines: Iterable[str]) -> Iterator[str]:
    """Yield the comments above the first word of a sentence; later ones are about something else."""
    for line in lines:
        body = line.removeprefix("\ufeff")
        if body.startswith("#"):
            yield body
        elif body.strip():
            return


def with_marks(sentence: Sentence, comments: tuple[str, ...]) -> tuple[str, ...]:
    """Return the comments of a sentence with those on its columns; existing ones stay in place."""
    wanted = [_predicted_comment(sentence.predicted)] * bool(sentence.predicted)
    wanted += [SAYS_FEATS] * _needs_feats_comment(sentence, comments) + [IS_BEGUN] * sentence.begun
    present = [_normalized(line) for line in comments]
    kept = [line for line, comment in zip(comments, present, strict=True) if comment in ("", *wanted)]
    return (*kept, *(comment for comment in wanted if comment not in present))


def _normalized(line: str) -> str:
    """Return the normalized form of such a comment, empty for other lines."""
    if ANNOTATED.match(line):
        return SAYS_FEATS
    if STATUS.match(line):
        return IS_BEGUN
    if filled := COMMENT.match(line):
        return _predicted_comment([column for column, name in NAMES.items() if name in filled[1].split()])
    return ""


def _predicted_comment(predicted: Sequence[str]) -> str:
    return f"# {PREDICTED} = {' '.join(name for column, name in NAMES.items() if column in predicted)}"


def _needs_feats_comment(sentence: Sentence, comments: Sequence[str]) -> bool:
    """Return whether the sentence needs the comment that blank features mean none."""
    if not sentence.feats:
        return any(map(ANNOTATED.match, comments))
    return not sentence.has_feats and UNANNOTATED not in sentence.feats and "feats" not in sentence.predicted

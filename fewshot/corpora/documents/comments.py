"""Comments of CoNLL-U sentences with a meaning for this project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fewshot.corpora.documents.cells import BEGUN, UNANNOTATED

if TYPE_CHECKING:
    from fewshot.corpora.types import Sentence

SAYS_FEATS, ANNOTATED = "# annotated = FEATS", re.compile(r"#\s*annotated\s*=\s*FEATS\s*$")
"""The comment that blank features mean none."""

SENT_ID = re.compile(r"^(\ufeff?#\s*sent_id\s*=\s*)([^\r\n]*)")
"""The comment with the id of a sentence."""

HELP = re.compile(r"(?:text|literal|note)_[\w-]+|translit|ref")
"""Keys of comments with translations and interlinear glosses."""

COLUMN_NAMES = {
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

PREDICTED_COMMENT = re.compile(rf"#\s*{PREDICTED}\s*=((?:\s*\b(?:{'|'.join(COLUMN_NAMES.values())})\b)+)\s*$")


def comment(line: str) -> tuple[str, str]:
    """Return key and value of a comment; a comment without an equals sign is a key."""
    key, _, value = line.lstrip("\ufeff").removeprefix("#").partition("=")
    return key.strip(), value.strip()


def begins(lines: Iterable[str], unit: str) -> bool:
    """Return whether a comment marks the beginning of a ``newdoc`` or ``newpar``."""
    return any(comment(line)[0].partition(" ")[0] == unit for line in lines)


def comments_above(lines: Iterable[str]) -> Iterator[str]:
    """Yield the comments above the first word of a sentence; later ones are about something else."""
    for line in lines:
        body = line.removeprefix("\ufeff")
        if body.startswith("#"):
            yield body
        elif body.strip():
            return


def read_comments(lines: Sequence[str]) -> tuple[dict[str, str], list[str], bool]:
    """Return the comments above the first word by key, the predicted columns, and whether it is begun."""
    above = list(comments_above(lines))
    filled = [name for match in filter(None, map(PREDICTED_COMMENT.match, above)) for name in match[1].split()]
    return dict(comment(line) for line in above if "=" in line), filled, any(map(STATUS.match, above))


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
    if filled := PREDICTED_COMMENT.match(line):
        return _predicted_comment([column for column, name in COLUMN_NAMES.items() if name in filled[1].split()])
    return ""


def _predicted_comment(predicted: Sequence[str]) -> str:
    return f"# {PREDICTED} = {' '.join(name for column, name in COLUMN_NAMES.items() if column in predicted)}"


def _needs_feats_comment(sentence: Sentence, comments: Sequence[str]) -> bool:
    """Return whether the sentence needs the comment that blank features mean none."""
    if not sentence.feats:
        return any(map(ANNOTATED.match, comments))
    return not sentence.has_feats and UNANNOTATED not in sentence.feats and "feats" not in sentence.predicted

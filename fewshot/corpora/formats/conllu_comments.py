"""Comments of CoNLL-U: key and value, and the comments that we write about columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from fewshot.corpora.formats.conllu_rows import is_row
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

SAYS_FEATS, ANNOTATED = "# annotated = FEATS", re.compile(r"#\s*annotated\s*=\s*FEATS\s*$")
"""The comment that blank features mean none."""

IS_BEGUN, STATUS = f"# status = {BEGUN}", re.compile(rf"#\s*status\s*=\s*{BEGUN}\s*$")
"""The comment that the annotation is begun and not finished."""

COMMENT = re.compile(rf"#\s*{PREDICTED}\s*=((?:\s*\b(?:{'|'.join(NAMES.values())})\b)+)\s*$")


def comment(line: str) -> tuple[str, str]:
    """Return key and value of a comment; a comment without an equals sign is a key."""
    key, _, value = line.lstrip("\ufeff").removeprefix("#").partition("=")
    return key.strip(), value.strip()


def comments_above(lines: Iterable[str]) -> Iterator[str]:
    """Yield the comments above the first word of a sentence; later comments are about something else."""
    for line in lines:
        body = line.removeprefix("\ufeff")
        if body.startswith("#"):
            yield line
        elif body.strip():
            return


def is_begun(lines: Iterable[str]) -> bool:
    """Return whether a sentence is marked as begun and not finished."""
    return any(STATUS.match(line.removeprefix("\ufeff")) for line in comments_above(lines))


def with_marks(sentence: Sentence, lines: Sequence[str]) -> list[str]:
    """Return the lines of a sentence with the comments on its columns; existing ones stay in place."""
    wanted = [_predicted_comment(sentence.predicted)] * bool(sentence.predicted)
    wanted += [SAYS_FEATS] * _needs_feats_comment(sentence) + [IS_BEGUN] * sentence.begun
    present = [_normalized(line) for line in lines]
    kept = [line for line, comment in zip(lines, present, strict=True) if comment in ("", *wanted)]
    place = next(number for number, line in enumerate(kept) if is_row(line))
    end = "\r\n" if any(line.endswith("\r\n") for line in kept) else "\n"
    return [*kept[:place], *(comment + end for comment in wanted if comment not in present), *kept[place:]]


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


def _needs_feats_comment(sentence: Sentence) -> bool:
    """Return whether the sentence needs the comment that blank features mean none."""
    if not sentence.feats:
        return any(map(ANNOTATED.match, sentence.lines))
    return not sentence.has_feats and UNANNOTATED not in sentence.feats and "feats" not in sentence.predicted

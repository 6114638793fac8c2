"""The schemes of entity tags: IOB1, IOB2, BIOES and BILOU."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fewshot.corpora.types import UNANNOTATED, Sentence

TAG = re.compile(r"[BIESLU]-.+")
"""A tag inside an entity: B begins, I goes on, E and L end, S and U stand alone."""

ENDS = {"BIOES": ("E", "S"), "BILOU": ("L", "U")}
"""What ends an entity of several words, and what is the only word of one, in the schemes that say so."""


def is_tag(tag: str) -> bool:
    """Return whether a tag is one of the schemes that are read, or ``_``."""
    return tag in ("O", UNANNOTATED) or TAG.fullmatch(tag) is not None


def to_iob2(tags: Sequence[str]) -> tuple[str, ...]:
    """Read gold tags of any usual scheme as IOB2: IOB1, IOB2 itself, BIOES, BILOU.

    B, S and U begin an entity, and so do I, E and L where there is none of their type to continue; E, L, S and U end
    one. A tag of no such scheme stays as it is.
    """
    return tuple(_to_iob2(before, tag) for before, tag in zip(("O", *tags), tags, strict=False))


def _to_iob2(before: str, tag: str) -> str:
    prefix, kind = tag[:2], tag[2:]
    if prefix not in ("B-", "I-", "E-", "L-", "S-", "U-"):
        return tag
    continues = prefix in ("I-", "E-", "L-") and before in (f"B-{kind}", f"I-{kind}")
    return f"{'I' if continues else 'B'}-{kind}"


def with_scheme(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences of a file with the scheme of its entity tags: IOB1, BIOES or BILOU; empty for IOB2."""
    scheme = _scheme(sentence.entities for sentence in sentences)
    return [replace(sentence, scheme=scheme) for sentence in sentences] if scheme else list(sentences)


def in_scheme(tags: Sequence[str], file_tags: Sequence[str], scheme: str) -> tuple[str, ...]:
    """Return tags as a file has them: its own where they mean the same, others in its scheme.

    Args:
        tags: of a sentence, IOB2 or those of the file.
        file_tags: those that the file has.
        scheme: of the file; empty for IOB2, in which tags stay as they are.
    """
    if not scheme:
        return tuple(tags)
    found = to_iob2(tags)
    if found == to_iob2(file_tags):
        return tuple(file_tags)
    return tuple(_written(scheme, *each) for each in zip(("O", *found), found, (*found[1:], "O"), strict=False))


def _scheme(columns: Iterable[Sequence[str]]) -> str:
    pairs = [pair for column in columns for pair in zip(("O", *column), column, strict=False) if TAG.fullmatch(pair[1])]
    letters = {tag[0] for _, tag in pairs}
    for scheme, ends in ENDS.items():
        if letters.intersection(ends):
            return scheme
    first = {tag[0] for before, tag in pairs if before[:1] not in ("B", "I") or before[1:] != tag[1:]}
    return "IOB1" if first == {"I"} else ""


def _written(scheme: str, before: str, tag: str, after: str) -> str:
    """Return a tag of IOB2 in another scheme.

    Args:
        scheme: another one.
        before: the tag of IOB2 before it.
        tag: of IOB2, or any other, which stays as it is.
        after: the tag of IOB2 behind it.
    """
    if not TAG.fullmatch(tag):
        return tag
    begins, ends, kind = tag.startswith("B-"), after != f"I-{tag[2:]}", tag[2:]
    if scheme == "IOB1":
        return f"{'B' if begins and before in (f'B-{kind}', f'I-{kind}') else 'I'}-{kind}"
    if scheme in ENDS and ends:
        return f"{ENDS[scheme][begins]}-{kind}"
    return tag

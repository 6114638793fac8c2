"""The schemes of entity tags: IOB1, IOB2, BIOES and BILOU."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fewshot.corpora.documents.cells import UNANNOTATED

if TYPE_CHECKING:
    from fewshot.corpora.types import Sentence

TAG = re.compile(r"[BIESLU]-.+")
"""A tag inside an entity: B begins, I continues, E and L end it, S and U are single words."""

ENDS = {"BIOES": ("E", "S"), "BILOU": ("L", "U")}
"""Schemes that mark ends: the prefix of an entity's last word, and of an entity of one word."""


def is_tag(tag: str) -> bool:
    """Return whether a tag belongs to a known scheme, or is ``_``."""
    return tag in ("O", UNANNOTATED) or TAG.fullmatch(tag) is not None


def to_iob2(tags: Sequence[str]) -> tuple[str, ...]:
    """Convert tags of any usual scheme (IOB1, IOB2, BIOES, BILOU) to IOB2.

    B, S and U begin an entity; so do I, E and L when no entity of their type precedes. E, L, S and U end an entity.
    Other tags stay unchanged.
    """
    return tuple(_to_iob2(before, tag) for before, tag in zip(("O", *tags), tags, strict=False))


def _to_iob2(before: str, tag: str) -> str:
    prefix, kind = tag[:2], tag[2:]
    if prefix not in ("B-", "I-", "E-", "L-", "S-", "U-"):
        return tag
    continues = prefix in ("I-", "E-", "L-") and before in (f"B-{kind}", f"I-{kind}")
    return f"{'I' if continues else 'B'}-{kind}"


def set_scheme(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences of a file with `Sentence.scheme` set to IOB1, BIOES or BILOU; empty for IOB2."""
    scheme = _scheme(sentence.entities for sentence in sentences)
    return [replace(sentence, scheme=scheme) for sentence in sentences] if scheme else list(sentences)


def to_scheme(tags: Sequence[str], file_tags: Sequence[str], scheme: str) -> tuple[str, ...]:
    """Convert tags to the scheme of a file; keep the file's own tags where they mean the same.

    Args:
        tags: IOB2 tags of a sentence, or those of the file.
        file_tags: tags of the sentence in the file.
        scheme: of the file; empty for IOB2, which leaves ``tags`` unchanged.
    """
    if not scheme:
        return tuple(tags)
    iob2 = to_iob2(tags)
    if iob2 == to_iob2(file_tags):
        return tuple(file_tags)
    return tuple(_written(scheme, *tags) for tags in zip(("O", *iob2), iob2, (*iob2[1:], "O"), strict=False))


def _scheme(columns: Iterable[Sequence[str]]) -> str:
    pairs = [pair for column in columns for pair in zip(("O", *column), column, strict=False) if TAG.fullmatch(pair[1])]
    letters = {tag[0] for _, tag in pairs}
    for scheme, ends in ENDS.items():
        if letters.intersection(ends):
            return scheme
    first = {tag[0] for before, tag in pairs if before[:1] not in ("B", "I") or before[1:] != tag[1:]}
    return "IOB1" if first == {"I"} else ""


def _written(scheme: str, before: str, tag: str, after: str) -> str:
    """Convert an IOB2 tag to another scheme, given its neighbours; other tags stay unchanged."""
    if not TAG.fullmatch(tag):
        return tag
    begins, ends, kind = tag.startswith("B-"), after != f"I-{tag[2:]}", tag[2:]
    if scheme == "IOB1":
        return f"{'B' if begins and before in (f'B-{kind}', f'I-{kind}') else 'I'}-{kind}"
    if scheme in ENDS and ends:
        return f"{ENDS[scheme][begins]}-{kind}"
    return tag

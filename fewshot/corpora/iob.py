"""The schemes of entity tags: IOB1, IOB2, BIOES and BILOU."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fewshot.corpora.types import UNANNOTATED

TAG = re.compile(r"[BIESLU]-.+")
"""A tag inside an entity: B begins, I goes on, E and L end, S and U stand alone."""


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

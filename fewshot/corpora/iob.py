"""The schemes of entity tags: IOB1, IOB2, BIOES and BILOU.

Words of nested entities have a tag of each layer, outermost first and joined by bars: ``I-ORG|B-LOC`` begins a location
inside an organisation. An entity is in the same layer at all of its words.
"""

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


BAR = re.compile(r"\|(?=[BIESLU]-)")
"""The bar between two layers of a tag; other bars belong to the type."""

Span = tuple[int, int, str]
"""An entity: its first word, the word after its last one, and its type."""


def layers(tags: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the tags of each layer, at least one, outermost first; ``O`` outside its entities."""
    if not any("|" in tag for tag in tags):
        return [tuple(tags)]
    split = [BAR.split(tag) for tag in tags]
    depths = range(max(map(len, split)))
    return [tuple(parts[depth] if depth < len(parts) else "O" for parts in split) for depth in depths]


def join_layers(columns: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the tags of words with these layers; the inverse of `layers`."""
    if len(columns) == 1:
        return tuple(columns[0])
    words = zip(*columns, strict=True)
    return tuple("|".join(tag for tag in word if tag != "O") or "O" for word in words)


def outermost(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags without entities that are inside another one."""
    return layers(tags)[0]


def spans(tags: Sequence[str]) -> list[Span]:
    """Return the entities of a sentence by their first word, outer ones before those inside them.

    Args:
        tags: in any scheme.
    """
    made: list[Span] = []
    open_: list[int] = []  # places in ``made`` of the entities of the last word, outermost first
    for word, tag in enumerate(to_iob2(tags)):
        for depth, layer in enumerate(BAR.split(tag)):
            if layer.startswith("B-"):
                open_[depth:] = [len(made)]
                made.append((word, word + 1, layer[2:]))
            elif layer.startswith("I-"):
                first, _, kind = made[open_[depth]]
                made[open_[depth]] = first, word + 1, kind
    return made


def crossing(spans: Sequence[Span]) -> int | None:
    """Return the place of an entity that crosses the end of another one or repeats it, or None."""
    ends: list[int] = []  # of the entities around, outermost first
    seen: set[Span] = set()
    for place in _outer_first(spans):
        first, end, _ = spans[place]
        while ends and ends[-1] <= first:
            ends.pop()
        if (ends and ends[-1] < end) or spans[place] in seen:
            return place
        ends.append(end)
        seen.add(spans[place])
    return None


def tags_of(spans: Sequence[Span], length: int) -> tuple[str, ...]:
    """Return the IOB2 tags of a sentence of some length; the inverse of `spans`.

    Args:
        spans: in any order, without `crossing`; of two with the same words the first is the outer one.
    """
    made: list[list[str]] = [[] for _ in range(length)]
    for first, end, kind in (spans[place] for place in _outer_first(spans)):
        for word in range(first, end):
            made[word].append(f"{'I' if word > first else 'B'}-{kind}")
    return tuple("|".join(tags) or "O" for tags in made)


def moved(tags: Sequence[str], places: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return the IOB2 tags of other words that were made of the words of a sentence.

    Whole entities move. A word made of several belongs to the first entity there, to those around it and inside it; an
    entity apart from these begins at the next word, and one without words, or equal to another one, is gone.

    Args:
        tags: of the old words, in any scheme.
        places: for each old word, the first word made of it and the word after the last one; no new word is left out.
    """
    made = ["O"] * places[-1][1]
    for tag, (start, end) in reversed(list(zip(tags, places, strict=True))):
        made[start:end] = [tag] * (end - start)
    kept: dict[Span, Span] = {}
    for first, end, kind in spans(tags):
        apart = [new_end for (_, old_end, _), (_, new_end, _) in kept.items() if old_end <= first]
        new = max([places[first][0], *apart]), places[end - 1][1], kind
        if new[0] < new[1] and new not in kept.values():
            kept[first, end, kind] = new
    columns = zip(made, tags_of(list(kept.values()), len(made)), strict=True)
    return tuple(tag if tag != "O" else old for old, tag in columns)


def _outer_first(spans: Sequence[Span]) -> list[int]:
    return sorted(range(len(spans)), key=lambda place: (spans[place][0], -spans[place][1]))


def begun(tag: str) -> str:
    """Return the IOB2 tag of a word at which all of its entities begin."""
    return "|".join(re.sub("^I-", "B-", layer) for layer in BAR.split(tag))


def continued(tag: str) -> str:
    """Return the IOB2 tag of a word at which all of its entities continue."""
    return "|".join(re.sub("^B-", "I-", layer) for layer in BAR.split(tag))


def is_tag(tag: str) -> bool:
    """Return whether a tag belongs to a known scheme, or is ``_``."""
    return tag in ("O", UNANNOTATED) or TAG.fullmatch(tag) is not None


def to_iob2(tags: Sequence[str]) -> tuple[str, ...]:
    """Convert tags of any usual scheme (IOB1, IOB2, BIOES, BILOU) to IOB2.

    B, S and U begin an entity; so do I, E and L when no entity of their type precedes. E, L, S and U end an entity.
    Other tags stay unchanged. An entity inside another one begins, at the latest, where that one begins.
    """
    made: list[tuple[str, ...]] = []
    for layer in layers(tags):
        iob2 = tuple(_to_iob2(before, tag) for before, tag in zip(("O", *layer), layer, strict=False))
        around = made[-1] if made else iob2
        rows = zip(iob2, around, strict=True)
        made.append(tuple(begun(tag) if outer.startswith("B-") else tag for tag, outer in rows))
    return join_layers(made)


def _to_iob2(before: str, tag: str) -> str:
    prefix, kind = tag[:2], tag[2:]
    if prefix not in ("B-", "I-", "E-", "L-", "S-", "U-"):
        return tag
    continues = prefix in ("I-", "E-", "L-") and before in (f"B-{kind}", f"I-{kind}")
    return f"{'I' if continues else 'B'}-{kind}"


def set_scheme(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences of a file with `Sentence.scheme` set, see `scheme_of`."""
    scheme = scheme_of(layer for sentence in sentences for layer in layers(sentence.entities))
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
    return join_layers(
        [
            tuple(_written(scheme, *tags) for tags in zip(("O", *layer), layer, (*layer[1:], "O"), strict=False))
            for layer in layers(iob2)
        ]
    )


def scheme_of(columns: Iterable[Sequence[str]]) -> str:
    """Return the scheme of the tags of sentences, ``BIOES``, ``BILOU`` or ``IOB1``; empty for IOB2."""
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

"""The example types that every reader returns and every task works on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

UNANNOTATED = "_"
"""What a word's column holds when nobody has annotated it, as in CoNLL-U."""


class Example(Protocol):
    """Anything that can be sampled, annotated and learned from."""

    @property
    def id(self) -> str:
        """Unique within its corpus."""

    @property
    def length(self) -> int:
        """Size in tokens: what the 3-50 filter, the length samplers and token prices count."""

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two examples the same text; used to remove duplicates."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and the annotation of its syntactic words.

    Every column has one entry a word; an entry nobody has annotated is ``"_"`` (``-1`` for a head).

    Args:
        id: ``sent_id`` of the treebank, or ``file stem-number`` where there is none.
        text: the sentence as written.
        words: syntactic words; multiword-token ranges and empty nodes are not words.
        upos: universal part-of-speech tags.
        heads: index of each word's head, 1-based, 0 for the root.
        deprels: relation to the head.
        entities: IOB2 tags such as ``B-PER``.
        lines: the CoNLL-U lines the sentence was read from, with their line ends and the blank lines after
            them, so that writing gives back the same bytes. Empty for other sources.
        where: ``file:line`` of the first line, for messages.
    """

    id: str
    text: str
    words: tuple[str, ...]
    upos: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    deprels: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    lines: tuple[str, ...] = field(default=(), repr=False, compare=False)
    where: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        blank: dict[str, Any] = {"upos": UNANNOTATED, "heads": -1, "deprels": UNANNOTATED, "entities": UNANNOTATED}
        for column, empty in blank.items():
            values = getattr(self, column)
            if not values:
                object.__setattr__(self, column, (empty,) * len(self.words))
            elif len(values) != len(self.words):
                raise ValueError(f"{self.id}: {len(values)} {column} for {len(self.words)} words")

    @property
    def length(self) -> int:
        """Number of syntactic words."""
        return len(self.words)

    @property
    def key(self) -> tuple[str, ...]:
        """The words."""
        return self.words

    def annotated(self, **columns: Any) -> Sentence:
        """Return a copy with the given columns replaced, for example ``annotated(upos=("NOUN", "VERB"))``."""
        return replace(self, **columns)

    def unannotated(self) -> Sentence:
        """Return a copy with every annotation removed: what an annotator is shown."""
        return replace(self, upos=(), heads=(), deprels=(), entities=())

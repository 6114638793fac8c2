"""Documents, sentences, words, multiword tokens and empty nodes; none of them can be changed.

Words and tokens have no numbers of their own: the first word of a sentence is word 1. Heads are such numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from fewshot.corpora.documents.cells import UNANNOTATED, Arcs, Items
from fewshot.corpora.documents.comments import comment
from fewshot.corpora.documents.layout import Layout
from fewshot.corpora.documents.misc import NO_SPACE, entity
from fewshot.corpora.iob import spans

OPEN = -1
"""The head of a word that nobody has attached."""

NO_ITEMS, NO_ARCS, PLAIN = Items(), Arcs(), Layout()


@dataclass(frozen=True, slots=True)
class Word:
    """A syntactic word.

    Args:
        form: as written; the other fields are ``"_"``, empty or `OPEN` if nobody has annotated them.
        feats: morphological features such as ``{"Case": "Nom"}``.
        head: number of the head, from 1; 0 for the root.
        deprel: relation to the head.
        deps: enhanced dependencies.
        misc: further items, such as ``SpaceAfter`` and ``Gloss``.
    """

    form: str
    lemma: str = UNANNOTATED
    upos: str = UNANNOTATED
    xpos: str = UNANNOTATED
    feats: Items = NO_ITEMS
    head: int = OPEN
    deprel: str = UNANNOTATED
    deps: Arcs = NO_ARCS
    misc: Items = NO_ITEMS


AnyWord = TypeVar("AnyWord", bound=Word)
"""A word, a multiword token or an empty node."""


@dataclass(frozen=True, slots=True)
class Token(Word):
    """A multiword token: the words from ``first`` to ``last``, written as one."""

    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class EmptyNode(Word):
    """A word that the text does not have: the ``number``-th after a word (0: before the first)."""

    after: int = 0
    number: int = 1

    @property
    def id(self) -> str:
        """The id in CoNLL-U, such as ``4.1``."""
        return f"{self.after}.{self.number}"


class EntitySpan(NamedTuple):
    """An entity: the words from ``first`` to ``last``, and their label."""

    first: int
    last: int
    label: str


@dataclass(frozen=True, slots=True)
class ConlluSentence:
    """A sentence with all that CoNLL-U has of it.

    `fewshot.corpora.types.Sentence` has the columns that tasks learn from.

    Args:
        comments: lines above the words, such as ``# text_en = ...``.
        tokens: multiword tokens, in order.
        nodes: empty nodes, in order.
        layout: how the sentence was written.
    """

    words: tuple[Word, ...]
    tokens: tuple[Token, ...] = ()
    nodes: tuple[EmptyNode, ...] = ()
    comments: tuple[str, ...] = ()
    layout: Layout = field(default=PLAIN, repr=False, compare=False)

    @property
    def metadata(self) -> Mapping[str, str]:
        """The comments that have a value, such as ``{"sent_id": "s1"}``."""
        return dict(comment(line) for line in self.comments if "=" in line)

    @property
    def id(self) -> str:
        """The ``sent_id``, or an empty string."""
        return self.metadata.get("sent_id", "")

    @property
    def text(self) -> str:
        """The text as written; without a comment ``text`` the forms, with spaces as SpaceAfter says."""
        return self.metadata.get("text") or text_of(self.surface)

    @property
    def surface(self) -> Iterator[tuple[int, Word]]:
        """The number of the last word and the token, of each multiword token and each word outside of them."""
        tokens = {token.first: token for token in self.tokens}
        covered = 0
        for number, word in enumerate(self.words, start=1):
            if number > covered:
                token = tokens.get(number)
                covered = token.last if token else number
                yield covered, token or word

    @property
    def rows(self) -> Iterator[tuple[str, Word]]:
        """The id of each multiword token, word and empty node, in the order of CoNLL-U."""
        tokens = {token.first: token for token in self.tokens}
        nodes: dict[int, list[EmptyNode]] = {}
        for node in self.nodes:
            nodes.setdefault(node.after, []).append(node)
        yield from ((node.id, node) for node in nodes.get(0, ()))
        for number, word in enumerate(self.words, start=1):
            if token := tokens.get(number):
                yield f"{number}-{token.last}", token
            yield str(number), word
            if number in nodes:
                yield from ((node.id, node) for node in nodes[number])

    @property
    def entities(self) -> list[EntitySpan]:
        """The entities, from ``NER`` in MISC."""
        tags = [entity(word.misc.text) for word in self.words]
        return [EntitySpan(first + 1, end, label) for first, end, label in spans(tags)]

    def children(self, head: int) -> list[int]:
        """Return the numbers of the words that depend on a word; 0: the roots."""
        return [number for number, word in enumerate(self.words, start=1) if word.head == head]


@dataclass(frozen=True, slots=True)
class ConlluDocument:
    """The sentences of a file, with all that CoNLL-U has of them."""

    sentences: tuple[ConlluSentence, ...]

    def to_conllu(self) -> str:
        """Return the document as CoNLL-U; what was not changed is written as it was."""
        from fewshot.corpora.documents.reading import write_conllu

        return write_conllu(self).decode()


def is_tight(word: Word) -> bool:
    """Return whether no space follows a token."""
    return NO_SPACE in word.misc.text.split("|")


def text_of(surface: Iterable[tuple[int, Word]]) -> str:
    """Return the text composed of tokens, with spaces as SpaceAfter says."""
    return "".join(token.form + ("" if token.misc.get("SpaceAfter") == "No" else " ") for _, token in surface).strip()

"""Sentences: words with their annotation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

from fewshot.corpora.documents import model
from fewshot.corpora.documents.cells import UNANNOTATED
from fewshot.corpora.recordings import Recording
from fewshot.corpora.spelling import composed
from fewshot.corpora.types.example import Record, file_lines


@dataclass(frozen=True, slots=True)
class Interlinear:
    """Interlinear glosses of a sentence, under their names in UD.

    Args:
        words: for each word items of MISC: Gloss, Translit, MSeg (its morphs).
        lines: comments of the sentence: ``text_en`` is its translation, ``translit`` its transliteration.
    """

    words: tuple[Mapping[str, str], ...]
    lines: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and the annotation of its syntactic words.

    Every column has one entry per word; entries without annotation are ``"_"`` (``-1`` for a head). The columns of
    `asked` are filled only when a task asks for them; otherwise writers keep those of the file.

    Args:
        id: ``sent_id`` of the treebank, or ``file stem-number``.
        text: the sentence as written.
        words: syntactic words; multiword-token ranges and empty nodes are not words.
        upos: universal part-of-speech tags.
        heads: index of each word's head, 1-based, 0 for the root.
        deprels: relation to the head.
        entities: tags such as ``B-PER``, in the scheme of the file: IOB1, IOB2, BIOES or BILOU.
        lemmas: dictionary forms.
        feats: morphological features such as ``Case=Nom|Number=Sing``; empty for a word that has none.
        xpos: language-specific part-of-speech tags.
        ends: numbers of the words that end a sentence inside this example, see
            `fewshot.corpora.tokenization.sentences`.
        joined: number of sentences of `following` that were joined to this one.
        following: the sentences after this one in the file, see `fewshot.corpora.tokenization.joining`.
        misc: MISC as edited by people, None for a word whose MISC is the file's; see `fewshot.corpora.documents.misc`.
        deps: DEPS as edited by people, like ``misc``; see `fewshot.corpora.documents.deps`.
        nodes: empty nodes as edited by people, like ``misc``; see `fewshot.corpora.documents.nodes`.
        has_feats: whether the file has features, so that blank ones mean none, see `fewshot.corpora.formats.conllu`.
        scheme: of the file's entity tags; empty for IOB2, see `fewshot.corpora.iob`.
        record: source lines.
        interlinear: glosses and translations, except for CoNLL-U, which has them in its lines.
        predicted: columns that a model has filled.
        begun: whether the annotation is begun and not finished.
        where: ``file:line`` of the first line, for messages.
        recording: the part of a recording with the sentence, if the file names one.
        is_segmented: whether the words were split from the text because the file has none.
    """

    id: str
    text: str
    words: tuple[str, ...]
    upos: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    deprels: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    ends: tuple[int, ...] = ()
    joined: int = 0
    following: tuple[Sentence, ...] = field(default=(), repr=False, compare=False)
    misc: tuple[str | None, ...] = ()
    deps: tuple[str | None, ...] = ()
    nodes: tuple[str | None, ...] = ()
    has_feats: bool = field(default=False, repr=False, compare=False)
    scheme: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    interlinear: Interlinear | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    begun: bool = field(default=False, repr=False, compare=False)
    where: str = field(default="", repr=False, compare=False)
    recording: Recording | None = field(default=None, repr=False, compare=False)
    is_segmented: bool = field(default=False, repr=False, compare=False)
    kind: ClassVar[str] = "sentences"
    asked: ClassVar[tuple[str, ...]] = ("lemmas", "feats", "xpos")
    columns: ClassVar[tuple[str, ...]] = ("upos", "heads", "deprels", "entities", *asked)

    def __post_init__(self) -> None:
        blank: dict[str, Any] = {"upos": UNANNOTATED, "heads": -1, "deprels": UNANNOTATED, "entities": UNANNOTATED}
        for column in self.columns:
            values = getattr(self, column)
            if not values and column in blank:
                object.__setattr__(self, column, _blank(blank[column], len(self.words)))
            elif values and len(values) != len(self.words):
                raise ValueError(f"{self.id}: {len(values)} {column} for {len(self.words)} words")

    @property
    def sentences(self) -> list[tuple[int, int]]:
        """First and last word number of each sentence inside this example, usually one."""
        lasts = [*self.ends, len(self.words)]
        return [(before + 1, last) for before, last in zip([0, *lasts], lasts, strict=False)]

    @property
    def length(self) -> int:
        """Number of syntactic words."""
        return len(self.words)

    @property
    def key(self) -> tuple[str, ...]:
        """The words, each `composed`."""
        return tuple(map(composed, self.words))

    @property
    def parts(self) -> tuple[Any, ...]:
        """The words, as a single text."""
        return (self.key,)

    @property
    def content(self) -> tuple[Any, ...]:
        """The words and every column."""
        asked = (getattr(self, name) for name in self.asked)
        return self.words, self.upos, self.heads, self.deprels, self.entities, *filter(None, asked)

    @property
    def lines(self) -> tuple[str, ...]:
        """The CoNLL-U lines of the sentence; empty for other sources."""
        return file_lines(self, "conllu")

    @property
    def source(self) -> model.ConlluSentence | None:
        """The sentence of the CoNLL-U file, without annotation made since; None for other sources."""
        return self.record.sentence if self.record and self.lines else None

    def annotated(self, **columns: Any) -> Sentence:
        """Return a copy with some columns replaced, for example ``annotated(upos=("NOUN", "VERB"))``."""
        return replace(self, **columns)

    def unannotated(self) -> Sentence:
        """Return a copy without annotation, as shown to annotators."""
        asked: dict[str, Any] = {name: _blank(UNANNOTATED, len(getattr(self, name))) for name in self.asked}
        following = tuple(sentence.unannotated() for sentence in self.following)
        return replace(
            self, upos=(), heads=(), deprels=(), entities=(), **asked, predicted=(), begun=False, following=following
        )


def ranges_of(sentence: Sentence) -> list[tuple[int, int, str]]:
    """Return first word, last word and form of each multiword token of a sentence, in order."""
    return [(token.first, token.last, token.form) for token in sentence.source.tokens] if sentence.source else []


@lru_cache(maxsize=1000)
def _blank(empty: str | int, words: int) -> tuple[Any, ...]:
    """Return a column without annotation, shared by all sentences of a length."""
    return (empty,) * words

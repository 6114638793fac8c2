"""The example types that readers return and tasks work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Protocol, Self

from fewshot.corpora.documents import model
from fewshot.corpora.documents.cells import UNANNOTATED as UNANNOTATED
from fewshot.corpora.record import Record as Record
from fewshot.corpora.recordings import Recording
from fewshot.corpora.spelling import composed
from fewshot.corpora.words import words

BEGUN = "begun"
"""The mark in files of an example whose annotation is begun and not finished."""


@dataclass(frozen=True, slots=True)
class Interlinear:
    """Interlinear glosses of a sentence, under their names in UD.

    Args:
        words: for each word items of MISC: Gloss, Translit, MSeg (its morphs).
        lines: comments of the sentence: ``text_en`` is its translation, ``translit`` its transliteration.
    """

    words: tuple[Mapping[str, str], ...]
    lines: Mapping[str, str]


class Example(Protocol):
    """An example that can be sampled, annotated and learned from."""

    kind: ClassVar[str]
    """The name of several of them, such as ``sentences``."""
    columns: ClassVar[tuple[str, ...]]
    """Names of the columns that can be annotated."""

    @property
    def record(self) -> Record | None:
        """The source lines; None for raw text and examples without a file."""

    @property
    def predicted(self) -> tuple[str, ...]:
        """Columns that a model has filled and nobody has annotated since."""

    @property
    def begun(self) -> bool:
        """Whether the file marks the annotation as begun and not finished, see `BEGUN`."""

    @property
    def id(self) -> str:
        """Unique within its corpus."""

    @property
    def where(self) -> str:
        """``file:line``, for messages; empty where there is none."""

    @property
    def length(self) -> int:
        """Size in tokens, used by the length filter, the length samplers and token prices."""

    @property
    def key(self) -> tuple[str, ...]:
        """The texts that make two examples equal, each `composed`; used to remove duplicates."""

    @property
    def parts(self) -> tuple[Any, ...]:
        """Texts that pool and test set must not share: the words, the premise, the paragraphs."""

    @property
    def content(self) -> tuple[Any, ...]:
        """Text and annotation, from which a corpus' fingerprint is computed."""

    def unannotated(self) -> Self:
        """Return a copy without annotation, as shown to annotators."""


def file_lines(example: Example, format: str) -> tuple[str, ...]:
    """Return the lines of an example's record; empty when it is from another format."""
    return example.record.lines if example.record and example.record.format == format else ()


def original_lines(example: Example, format: str) -> tuple[str, ...]:
    """Return the lines of the file as `file_lines`, also after the words of the example were repaired."""
    record = example.record.origin if example.record and example.record.origin else example.record
    return record.lines if record and record.format == format else ()


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


@dataclass(frozen=True)
class Pair:
    """Two texts and the relation of the second to the first.

    Args:
        label: ``entailment``, ``neutral`` or ``contradiction``, or a user's class.
    """

    id: str
    premise: str
    hypothesis: str
    label: str = UNANNOTATED
    where: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    begun: bool = field(default=False, repr=False, compare=False)
    kind: ClassVar[str] = "pairs"
    columns: ClassVar[tuple[str, ...]] = ("label",)

    @cached_property
    def length(self) -> int:
        """Number of words of both texts."""
        return len(words(self.premise)) + len(words(self.hypothesis))

    @property
    def key(self) -> tuple[str, ...]:
        """Both texts, `composed`, without surrounding spaces."""
        return composed(self.premise.strip()), composed(self.hypothesis.strip())

    @property
    def parts(self) -> tuple[Any, ...]:
        """The premise, which several pairs may share."""
        return (composed(self.premise.strip()),)

    @property
    def content(self) -> tuple[Any, ...]:
        """Both texts and the label."""
        return self.premise, self.hypothesis, self.label

    def unannotated(self) -> Pair:
        """Return a copy without the label."""
        return replace(self, label=UNANNOTATED, predicted=(), begun=False)


@dataclass(frozen=True)
class Document:
    """A text and its topic."""

    id: str
    text: str
    label: str = UNANNOTATED
    where: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    begun: bool = field(default=False, repr=False, compare=False)
    kind: ClassVar[str] = "documents"
    columns: ClassVar[tuple[str, ...]] = ("label",)

    @cached_property
    def length(self) -> int:
        """Number of words."""
        return len(words(self.text))

    @property
    def key(self) -> tuple[str, ...]:
        """The text, `composed`, without surrounding spaces."""
        return (composed(self.text.strip()),)

    @property
    def parts(self) -> tuple[Any, ...]:
        """The text."""
        return self.key

    @property
    def content(self) -> tuple[Any, ...]:
        """The text and the label."""
        return self.text, self.label

    def unannotated(self) -> Document:
        """Return a copy without the label."""
        return replace(self, label=UNANNOTATED, predicted=(), begun=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """A span of a paragraph, from the character at index ``start``."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a paragraph.

    Args:
        id: unique within the corpus.
        answers: all correct answers; empty when nobody has answered.
        impossible: whether the paragraph holds no answer, as in SQuAD 2.0.
    """

    id: str
    text: str
    answers: tuple[Answer, ...] = ()
    impossible: bool = field(default=False, repr=False)

    @property
    def settled(self) -> bool:
        """Whether the question is answered or marked as impossible."""
        return bool(self.answers) or self.impossible


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph and the questions about it."""

    context: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Article:
    """The paragraphs of one article: drawn, split and counted as one unit, since its questions are alike.

    Args:
        id: title.
        lang: language code, which decides the articles and punctuation that scoring ignores; empty when unknown.
    """

    id: str
    paragraphs: tuple[Paragraph, ...]
    lang: str = ""
    where: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    begun: bool = field(default=False, repr=False, compare=False)
    kind: ClassVar[str] = "articles"
    columns: ClassVar[tuple[str, ...]] = ("answers",)

    @cached_property
    def length(self) -> int:
        """Number of words of the paragraphs."""
        return sum(len(words(paragraph.context)) for paragraph in self.paragraphs)

    @property
    def key(self) -> tuple[str, ...]:
        """The texts of the paragraphs, each `composed`."""
        return tuple(composed(paragraph.context) for paragraph in self.paragraphs)

    @property
    def parts(self) -> tuple[Any, ...]:
        """The texts of the paragraphs."""
        return self.key

    @property
    def content(self) -> tuple[Any, ...]:
        """Paragraphs, questions and answers."""
        return (self.paragraphs,)

    def unannotated(self) -> Article:
        """Return a copy with the questions, without their answers."""
        blank = (
            replace(paragraph, questions=tuple(Question(asked.id, asked.text) for asked in paragraph.questions))
            for paragraph in self.paragraphs
        )
        return replace(self, paragraphs=tuple(blank), predicted=(), begun=False)

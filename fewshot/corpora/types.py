"""The example types that every reader returns and every task works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Protocol, Self

from fewshot.corpora.recordings import Recording
from fewshot.corpora.spelling import composed
from fewshot.corpora.words import words

UNANNOTATED = "_"
"""What a word's column, or a label, holds when nobody has annotated it, as in CoNLL-U."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a file had of an example: its writer begins from it and changes what was annotated, so that all else stays.

    Args:
        format: name of the file's format, see `fewshot.corpora.formats`.
        lines: of the file, with their line ends and the blank lines behind them; where a format has no line for an
            example, JSON texts.
        origin: of the file, where the words were repaired since, which made CoNLL-U of it.
    """

    format: str
    lines: tuple[str, ...]
    origin: Record | None = None


@dataclass(frozen=True, slots=True)
class Interlinear:
    """What linguists write below the words of a sentence, under the names that UD has for it.

    Args:
        words: for each word items of MISC: Gloss, Translit, MSeg (its morphs).
        lines: comments of the sentence: ``text_en`` is its translation, ``translit`` its transliteration.
    """

    words: tuple[Mapping[str, str], ...]
    lines: Mapping[str, str]


class Example(Protocol):
    """Anything that can be sampled, annotated and learned from."""

    kind: ClassVar[str]
    """What people call several of them."""
    columns: ClassVar[tuple[str, ...]]
    """Names of what can be annotated."""

    @property
    def record(self) -> Record | None:
        """What its file had of it; None where it is from no file, or from raw text."""

    @property
    def predicted(self) -> tuple[str, ...]:
        """Columns that a model has filled, and nobody has annotated since."""

    @property
    def id(self) -> str:
        """Unique within its corpus."""

    @property
    def where(self) -> str:
        """``file:line``, for messages; empty where there is none."""

    @property
    def length(self) -> int:
        """Size in tokens: what the 3-50 filter, the length samplers and token prices count."""

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two examples the same text, with each text `composed`; used to remove duplicates."""

    @property
    def parts(self) -> tuple[Any, ...]:
        """Texts of which none may stand in pool and test set at once: the words, the premise, the paragraphs."""

    @property
    def content(self) -> tuple[Any, ...]:
        """Text and annotation: what a corpus' fingerprint is made of."""

    def unannotated(self) -> Self:
        """Return a copy with every annotation removed: what an annotator is shown."""


def file_lines(example: Example, format: str) -> tuple[str, ...]:
    """Return the lines of an example's record; empty where it is from another format."""
    return example.record.lines if example.record and example.record.format == format else ()


def original_lines(example: Example, format: str) -> tuple[str, ...]:
    """Return the same, also where the words of the example are no longer those of its file."""
    record = example.record.origin if example.record and example.record.origin else example.record
    return record.lines if record and record.format == format else ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and the annotation of its syntactic words.

    Every column has one entry a word; an entry nobody has annotated is ``"_"`` (``-1`` for a head). The columns of
    `asked` are there only where a task has asked for them; empty ones are those of the file, which stay.

    Args:
        id: ``sent_id`` of the treebank, or ``file stem-number`` where there is none.
        text: the sentence as written.
        words: syntactic words; multiword-token ranges and empty nodes are not words.
        upos: universal part-of-speech tags.
        heads: index of each word's head, 1-based, 0 for the root.
        deprels: relation to the head.
        entities: tags such as ``B-PER``, in the scheme of the file: IOB1, IOB2, BIOES or BILOU.
        lemmas: dictionary forms.
        feats: morphological features such as ``Case=Nom|Number=Sing``; empty for a word that has none.
        xpos: language-specific part-of-speech tags.
        ends: numbers of the words with which a sentence ends before the last one does, where people see several in it;
            see `fewshot.corpora.tokenization.sentences`.
        joined: how many of the sentences that follow on it in its file are part of it, see `following`.
        following: what follows on it in its file, in order: somebody has joined these to it, see
            `fewshot.corpora.tokenization.joining`.
        misc: what people have put into MISC in place of what the file has there, None for a word of which that stays;
            see `fewshot.corpora.formats.misc`.
        deps: likewise into DEPS, see `fewshot.corpora.formats.deps`.
        has_feats: whether its file has features, so that blank ones are none, see `fewshot.corpora.formats.conllu`.
        scheme: of the file's entity tags where that is not IOB2, see `fewshot.corpora.iob`.
        record: what the file had of it.
        interlinear: glosses and translations of a file that is not CoNLL-U, which has them in its lines.
        predicted: columns that a model has filled.
        where: ``file:line`` of the first line, for messages.
        recording: where it is heard, if its file says so.
        is_segmented: whether its words are runs of letters of its text, as its file gives none.
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
        """The numbers of the first and the last word of each sentence that people see in it, mostly one."""
        lasts = [*self.ends, len(self.words)]
        return [(before + 1, last) for before, last in zip([0, *lasts], lasts, strict=False)]

    @property
    def length(self) -> int:
        """Number of syntactic words."""
        return len(self.words)

    @property
    def key(self) -> tuple[str, ...]:
        """The words."""
        return tuple(map(composed, self.words))

    @property
    def parts(self) -> tuple[Any, ...]:
        """The words, as one."""
        return (self.key,)

    @property
    def content(self) -> tuple[Any, ...]:
        """The words and every column."""
        asked = (getattr(self, name) for name in self.asked)
        return self.words, self.upos, self.heads, self.deprels, self.entities, *filter(None, asked)

    @property
    def lines(self) -> tuple[str, ...]:
        """The CoNLL-U lines that it was read from; empty for other sources."""
        return file_lines(self, "conllu")

    def annotated(self, **columns: Any) -> Sentence:
        """Return a copy with the given columns replaced, for example ``annotated(upos=("NOUN", "VERB"))``."""
        return replace(self, **columns)

    def unannotated(self) -> Sentence:
        """Return a copy with every annotation removed: what an annotator is shown."""
        asked: dict[str, Any] = {name: _blank(UNANNOTATED, len(getattr(self, name))) for name in self.asked}
        following = tuple(sentence.unannotated() for sentence in self.following)
        return replace(self, upos=(), heads=(), deprels=(), entities=(), **asked, predicted=(), following=following)


@lru_cache(maxsize=1000)
def _blank(empty: str | int, words: int) -> tuple[Any, ...]:
    """Return a column that nobody has annotated, which all sentences of a length share."""
    return (empty,) * words


@dataclass(frozen=True)
class Pair:
    """Two texts and how the second follows from the first.

    Args:
        id: file stem and number.
        premise: what is given.
        hypothesis: what may follow.
        label: ``entailment``, ``neutral`` or ``contradiction``, or a class of one's own.
        where: ``file:line``, for messages.
        record: what the file had of it.
        predicted: columns that a model has filled.
    """

    id: str
    premise: str
    hypothesis: str
    label: str = UNANNOTATED
    where: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    kind: ClassVar[str] = "pairs"
    columns: ClassVar[tuple[str, ...]] = ("label",)

    @cached_property
    def length(self) -> int:
        """Number of words of both texts."""
        return len(words(self.premise)) + len(words(self.hypothesis))

    @property
    def key(self) -> tuple[str, ...]:
        """Both texts, without spaces around them."""
        return composed(self.premise.strip()), composed(self.hypothesis.strip())

    @property
    def parts(self) -> tuple[Any, ...]:
        """The premise, which often has several hypotheses."""
        return (composed(self.premise.strip()),)

    @property
    def content(self) -> tuple[Any, ...]:
        """Both texts and the label."""
        return self.premise, self.hypothesis, self.label

    def unannotated(self) -> Pair:
        """Return a copy without the label."""
        return replace(self, label=UNANNOTATED, predicted=())


@dataclass(frozen=True)
class Document:
    """A text and its topic.

    Args:
        id: of the file's ``id`` or ``index_id`` column, else file stem and number.
        text: the document.
        label: its topic.
        where: ``file:line``, for messages.
        record: what the file had of it.
        predicted: columns that a model has filled.
    """

    id: str
    text: str
    label: str = UNANNOTATED
    where: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    kind: ClassVar[str] = "documents"
    columns: ClassVar[tuple[str, ...]] = ("label",)

    @cached_property
    def length(self) -> int:
        """Number of words."""
        return len(words(self.text))

    @property
    def key(self) -> tuple[str, ...]:
        """The text, without spaces around it."""
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
        return replace(self, label=UNANNOTATED, predicted=())


@dataclass(frozen=True, slots=True)
class Answer:
    """A span of a paragraph.

    Args:
        text: as it stands in the paragraph.
        start: of its first character.
    """

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a paragraph.

    Args:
        id: unique within its corpus.
        text: the question.
        answers: every answer that counts as right; none where nobody has answered it.
        impossible: whether the paragraph was found to hold no answer, as in SQuAD 2.0.
    """

    id: str
    text: str
    answers: tuple[Answer, ...] = ()
    impossible: bool = field(default=False, repr=False)

    @property
    def settled(self) -> bool:
        """Whether somebody has answered it, or found that it has no answer."""
        return bool(self.answers) or self.impossible


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph and the questions about it."""

    context: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Article:
    """The paragraphs of one article: what is drawn, split and counted as one, since its questions are alike.

    Args:
        id: title.
        paragraphs: with their questions.
        lang: language code, which decides by whose articles and punctuation answers are scored; empty where unknown.
        where: ``file:line``, for messages.
        record: what the file had of it.
        predicted: columns that a model has filled.
    """

    id: str
    paragraphs: tuple[Paragraph, ...]
    lang: str = ""
    where: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    kind: ClassVar[str] = "articles"
    columns: ClassVar[tuple[str, ...]] = ("answers",)

    @cached_property
    def length(self) -> int:
        """Number of words of the paragraphs."""
        return sum(len(words(paragraph.context)) for paragraph in self.paragraphs)

    @property
    def key(self) -> tuple[str, ...]:
        """The texts of the paragraphs."""
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
        return replace(self, paragraphs=tuple(blank), predicted=())

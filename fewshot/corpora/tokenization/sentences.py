"""Sentences inside one example of a file: where they end, their annotation and CoNLL-U lines.

They stay one example in a project, see `Sentence.ends`; heads are numbers of its words. Exports write them as separate
sentences, named like those of `util.SplitSentence` of Udapi: ``s1`` becomes ``s1A`` and ``s1B``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from string import ascii_uppercase
from typing import Any

from fewshot.corpora.documents.divide import divide, without_nodes
from fewshot.corpora.documents.model import ConlluSentence
from fewshot.corpora.documents.retokenize import Range
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.iob import begun
from fewshot.corpora.tokenization.edited import are_edited, edited_columns
from fewshot.corpora.types import UNANNOTATED, Record, Sentence
from fewshot.errors import CorpusError

ROOT = "root"


def set_ends(sentence: Sentence, ends: Sequence[int], ranges: Sequence[Range]) -> Sentence:
    """Return a sentence with other `ends`; arcs and entities that would cross an end are cut.

    An entity becomes two. A head in another sentence becomes open, unless all other words of its sentence have heads
    there: then the word is the root.

    Args:
        ends: numbers of words that end sentences, ascending, without the last word.
        ranges: the multiword tokens.

    Raises:
        CorpusError: for invalid numbers, or an end inside a multiword token.
    """
    where, words = sentence.where or sentence.id, len(sentence.words)
    if not all(type(end) is int for end in ends) or [0, *ends, words] != sorted({0, *ends, words}):
        raise CorpusError(
            f"invalid sentence ends {list(ends)}; give ascending numbers of words before the last, {words}", where
        )
    for first, last, form in ranges:
        if bisect_left(ends, first) < bisect_left(ends, last):
            raise CorpusError(f"a sentence ends within the multiword token {form!r}; end it before or after it", where)
    new = replace(sentence, ends=tuple(ends))
    heads, relations = list(new.heads), list(new.deprels)
    for first, last in new.sentences:
        inside = range(first, last + 1)
        across = [word for word in inside if heads[word - 1] > 0 and heads[word - 1] not in inside]
        open_or_root = any(heads[word - 1] <= 0 for word in inside)
        for word in across:
            alone = len(across) == 1 and not open_or_root
            heads[word - 1], relations[word - 1] = (0, ROOT) if alone else (-1, UNANNOTATED)
    behind = set(ends)
    tags = [begun(tag) if number in behind else tag for number, tag in enumerate(new.entities)]
    return new.annotated(heads=tuple(heads), deprels=tuple(relations), entities=tuple(tags))


def separated(examples: Iterable[Any]) -> list[Any]:
    """Return each sentence inside an example as an example of its own; other examples stay unchanged.

    See `fewshot.corpora.documents.divide` for what becomes of comments, numbers and DEPS.

    Args:
        examples: of one kind; their ids count as used.
    """
    examples = list(examples)
    used = {example.id for example in examples}
    separate: list[Any] = []
    for example in examples:
        several = isinstance(example, Sentence) and bool(example.ends)
        separate += _divided(example, _unused_ids(example, used)) if several else [example]
    return separate


def cut_after(sentence: Sentence, last: int, nodes: int = 0) -> Sentence:
    """Return the part of a sentence up to a word, which must not be inside a multiword token.

    Args:
        last: number of the word.
        nodes: how many of the empty nodes after it belong to the removed part.
    """
    cut = set_ends(replace(sentence, ends=()), (last,), ())
    first = next(_divided(cut, (sentence.id, sentence.id)))
    made = without_nodes(to_model(first), nodes)
    ends = tuple(end for end in sentence.ends if end < last)
    return replace(first, ends=ends, record=Record.of(made), **edited_columns(made, are_edited(sentence)))


def letter(place: int) -> str:
    """Return A to Z, then AA and so on, like spreadsheet columns."""
    rest, last = divmod(place, len(ascii_uppercase))
    return (letter(rest - 1) if rest else "") + ascii_uppercase[last]


def _unused_ids(sentence: Sentence, used: set[str]) -> list[str]:
    """Return unused ids and add them to ``used``."""
    letters = [letter(place) for place in range(len(sentence.sentences))]
    for number in count(1):
        names = [f"{sentence.id}{suffix}{number if number > 1 else ''}" for suffix in letters]
        if used.isdisjoint(names):
            used.update(names)
            return names
    raise AssertionError("numbers do not end")


def _divided(sentence: Sentence, ids: Sequence[str]) -> Iterator[Sentence]:
    spans = sentence.sentences
    for span, part in zip(spans, divide(to_model(sentence), spans, ids), strict=True):
        yield _part(sentence, part, *span)


def _part(sentence: Sentence, part: ConlluSentence, first: int, last: int) -> Sentence:
    columns = {column: getattr(sentence, column)[first - 1 : last] for column in ("words", *sentence.columns)}
    columns["heads"] = tuple(head - first + 1 if head > 0 else head for head in columns["heads"])
    return replace(
        sentence, id=part.id, text=part.text, record=Record.of(part), ends=(), misc=(), deps=(), nodes=(),
        interlinear=None, **columns,
    )  # fmt: skip

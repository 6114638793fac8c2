"""Warn about suspicious content of readable files, so that mistakes are seen before people annotate."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from fewshot.corpora import features
from fewshot.corpora.documents import deps, misc
from fewshot.corpora.documents.comments import SENT_ID, comments_above
from fewshot.corpora.documents.model import text_of
from fewshot.corpora.documents.rows import DEPREL, DEPS, FEATS, ID, MISC, UPOS, cells, is_row, is_word
from fewshot.corpora.files import line_after
from fewshot.corpora.formats import bio, flextext, jsonl_shapes, sfm, tsv
from fewshot.corpora.formats.common import markup
from fewshot.corpora.formats.text import is_visible
from fewshot.corpora.offsets import places
from fewshot.corpora.types import UNANNOTATED, Document, Pair, Sentence
from fewshot.errors import listed

NO_LABELS = ("-", "?", "-1", "nan", "null", "n/a", "#n/a")
"""Labels (lower case) that tools write where there is none: ``-`` in SNLI, where people did not agree."""

OTHER_KEYS = ("ner", "ne", "entity")
"""MISC keys (lower case) under which other tools store entities; only ``NER`` is read."""


def oddities(examples: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, warning with advice) for the sentences of one file, in order."""
    yield from jsonl_shapes.oddities(examples)
    yield from tsv.oddities(examples)
    labelled = [each for each in examples if isinstance(each, (Pair, Document)) and each.label.lower() in NO_LABELS]
    for label in dict.fromkeys(each.label for each in labelled):
        where = next(each.where for each in labelled if each.label == label)
        yield where, f"{label!r} is read as a label; leave the label empty if nobody has given one, or agreed on one"
    composed = decomposed = ""
    sentences = [example for example in examples if isinstance(example, Sentence)]
    relations = Counter(relation for sentence in sentences for relation in set(sentence.deprels))
    seen: set[str] = set()
    for sentence in sentences:
        yield from _word_warnings(sentence)
        yield from _text_warnings(sentence)
        yield from sfm.oddities(sentence)
        for where, message in chain(
            _column_warnings(sentence, relations), flextext.oddities(sentence), bio.oddities(sentence)
        ):
            if message not in seen:  # warn once about a repeated fault
                yield where, message
            seen.add(message)
        text = "".join(sentence.words)
        composed = composed or ("" if unicodedata.is_normalized("NFD", text) else sentence.where)
        decomposed = decomposed or ("" if unicodedata.is_normalized("NFC", text) else sentence.where)
    if composed and decomposed:
        what = "accents are separate characters here (NFD), but combined with their letters"
        yield decomposed, f"{what} at {composed} (NFC); use one form"


def untagged(sentences: Sequence[Sentence]) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, words without UPOS) for sentences with trees; once for a file without UPOS."""
    trees = [sentence for sentence in sentences if any(head >= 0 for head in sentence.heads)]
    if trees and all(set(sentence.upos) <= {UNANNOTATED} for sentence in trees):
        yield trees[0].where, "no word has a UPOS, which treebanks of UD have"
        return
    for sentence in trees:
        rows = enumerate(zip(sentence.words, sentence.upos, strict=True), start=1)
        names = [f"{word!r} (word {number})" for number, (word, tag) in rows if tag == UNANNOTATED]
        if names:
            yield sentence.where, f"without UPOS: {listed(names, 3)}; give it one, as the other words have"


def other_spellings(labels: Iterable[tuple[str, Collection[str]]], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, warning) for labels that differ from another label only in case or invisibly.

    The other label is one of the task, or the most frequent one.

    Entity types such as ``B-PER`` beside ``I-PER`` are named too: they are tags of single words.

    Args:
        labels: place and labels of each example.
        known: labels of the task.
    """
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for where, names in labels:
        counts.update(names)
        for name in names:
            first.setdefault(name, where)
    usual = {_folded(name): name for name in (*(name for name, _ in reversed(counts.most_common())), *known)}
    for name, where in first.items():
        if (other := usual[_folded(name)]) != name:
            what = "case" if name.lower() == other.lower() else "spaces, invisible characters or the form of accents"
            yield where, f"the label {name!r} differs from {other!r} in {what}; write {other!r} if it is the same label"
        if name.startswith("I-") and f"B-{name[2:]}" in first:
            message = f"the labels 'B-{name[2:]}' and {name!r} are tags of words"
            yield where, f"{message}; give {name[2:]!r} to the whole entity"


def _word_warnings(sentence: Sentence) -> Iterator[tuple[str, str]]:
    for word in sentence.words:
        if not is_visible(word):
            yield sentence.where, f"the word {word!a} is invisible; remove it, or write its characters"
        elif bio.MARK in word:
            yield sentence.where, f"the word {word!a} has a byte order mark; remove it"
    if fault := markup.unwritable(sentence):
        yield sentence.where, fault


def _folded(label: str) -> str:
    """Return a label without differences of case, spaces, invisible characters and the form of accents."""
    visible = (char for char in unicodedata.normalize("NFC", label) if unicodedata.category(char) != "Cf")
    return " ".join("".join(visible).casefold().split())


def _column_warnings(sentence: Sentence, relations: Counter[str]) -> Iterator[tuple[str, str]]:
    lines = enumerate(sentence.lines)
    rows = [(place, cells(line.removeprefix("\ufeff"))) for place, line in lines if is_row(line)]
    ids = {"0"} | {row[ID] for _, row in rows}
    for place, row in rows:
        for message in (*_row_warnings(row, relations), deps.fault(row[DEPS], ids)):
            if message:
                yield line_after(sentence.where, place), message


def _row_warnings(row: Sequence[str], relations: Counter[str]) -> Iterator[str]:
    if "-" in row[ID]:
        unread = {"UPOS": row[UPOS], "NER": misc.entity(row[MISC])}
        for name in (name for name, value in unread.items() if value != UNANNOTATED):
            yield f"{name} of range {row[ID]} is not read; give it to the words"
    elif fault := misc.entity_fault(row[MISC]):
        yield fault
    if meant := features.fault(row[FEATS]):
        yield f"{meant} Universal Dependencies has no such feature"
    for key in misc.pairs(row[MISC]):
        if key.lower() in OTHER_KEYS and key != misc.ENTITY:
            yield f"{key!r} in MISC is not read; rename it {misc.ENTITY} where it is the entity tag"
    relation, lower = row[DEPREL], row[DEPREL].lower()
    if relation != lower and relations[lower] >= relations[relation]:
        yield f"relations {relation!r} and {lower!r} differ only in case; use one of them"
    if relation.endswith(":"):
        yield f"relation {relation!r} ends with a colon; write what is missing, or remove it"


def _text_warnings(sentence: Sentence) -> Iterator[tuple[str, str]]:
    if sentence.lines:
        yield from _comment_warnings(sentence)
    elif not sentence.interlinear and places(sentence.text, sentence.words) is None:
        words = " ".join(sentence.words)
        yield sentence.where, f"the text differs from its words, {words[:60]!r}; is a word missing, or another one?"


def _comment_warnings(sentence: Sentence) -> Iterator[tuple[str, str]]:
    above = list(comments_above(sentence.lines))
    named = [line for line in above if SENT_ID.match(line)]
    if len(named) > 1:
        yield sentence.where, "two sent_id comments; keep one"
    words = text_of(sentence.source.surface) if sentence.source else ""
    if any(line.partition("=")[0].strip("# ") == "text" for line in above) and sentence.text.split() != words.split():
        yield sentence.where, f"'# text' differs from what the forms make: {words[:60]!r}"
    behind = max((place for place, line in enumerate(sentence.lines) if is_word(line)), default=0)
    for place, line in enumerate(sentence.lines[behind:], start=behind):
        if line.startswith("#"):
            message = "a comment after the words of a sentence is not read; move it above a sentence"
            yield line_after(sentence.where, place), message

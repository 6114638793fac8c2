"""Find inconsistent annotation: the same words with different labels, and rare labels.

Different labels mean an error, an ambiguous word or a missing guideline. An error is likelier than ambiguity where the
surrounding words are the same as well. The method in its simplest form: one word with several tags, lemmas or features
(Dickinson & Meurers 2003), two words with several relations (Boyd, Dickinson & Meurers 2008), one name with several
entity types or with none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from fewshot.corpora import offsets
from fewshot.corpora.documents import misc
from fewshot.corpora.types import UNANNOTATED, Sentence

MAX_RARE_COUNT = 2
"""A label with at most this many occurrences is rare."""

MIN_COLUMN_COUNT = 500
"""Rare labels are reported for columns with at least this many annotated words."""

OUTSIDE = "O"
"""The label of a name where it is annotated as no entity."""

COLUMNS_BY_TAG = {"lemmas": "lemma", "xpos": "xpos", "feats": "FEATS"}
"""Columns that are compared among words of the same form and UPOS tag, and their names in patterns."""

MAX_PATTERN_WORDS = 7
"""Most words of a name in its pattern; the eighth and last node of a pattern is the next word."""

Place: TypeAlias = tuple[str, tuple[str, ...], Hashable, str]
"""Column, annotated words, context (surrounding words) and label of one occurrence."""


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Words with several labels, or a rare label.

    Args:
        column: ``upos``, ``deprels``, ``entities``, or a key of `COLUMNS_BY_TAG`.
        words: the word and, for `COLUMNS_BY_TAG`, its tag; head and dependent of a relation; all words of a name; empty
            for a rare label.
        labels: each label with its number of occurrences, most frequent first.
        alike: whether different labels occur in the same context (for relations: the words between the two).
        where: ``file:line`` of the first sentence with the last label.
    """

    column: str
    words: tuple[str, ...]
    labels: tuple[tuple[str, int], ...]
    alike: bool = False
    where: str = field(default="", repr=False, compare=False)

    @property
    def title(self) -> str:
        """The words as shown: ``head → dependent`` for relations, ``word (tag)`` for `COLUMNS_BY_TAG`."""
        if self.column == "deprels":
            return " → ".join(self.words)
        return "{} ({})".format(*self.words) if self.column in COLUMNS_BY_TAG else " ".join(self.words)

    def pattern(self, label: str) -> str:
        """Return the pattern (`fewshot.corpora.patterns`) that matches the occurrences of a label."""
        if self.column == "deprels":
            head, dependent = (f"form={_quoted(word)}" for word in self.words) if self.words else ("", "")
            return f"D [{dependent}]; H [{head}]; H -[label={_quoted(label)}]-> D"
        if self.column in COLUMNS_BY_TAG:
            form, tag = self.words
            return f"X [form={_quoted(form)}, upos={_quoted(tag)}, {', '.join(self._of_word(label))}]"
        if self.column == "entities":
            return _name_pattern(self.words, label)
        form = f"form={_quoted(self.words[0])}, " if self.words else ""
        return f"X [{form}upos={_quoted(label)}]"

    def _of_word(self, label: str) -> Iterator[str]:
        """Yield the conditions of a pattern; for FEATS also the features that must be absent."""
        if self.column != "feats":
            yield f"{COLUMNS_BY_TAG[self.column]}={_quoted(label)}"
            return
        own = misc.pairs(label)
        yield from (f"{key}={_quoted(value)}" for key, value in own.items())
        absent = {key for value, _ in self.labels for key in misc.pairs(value)} - own.keys()
        yield from (f"!{key}" for key in sorted(absent))


def find_inconsistencies(sentences: Iterable[Sentence], columns: Iterable[str]) -> list[Inconsistency]:
    """Return words with several labels, likely errors first, then rare labels.

    Labels that differ in the same context come first, then labels whose minority is smallest.

    Args:
        sentences: annotations may have gaps.
        columns: to compare; columns without a comparison are ignored.
    """
    wanted = set(columns)
    counts: dict[tuple[str, tuple[str, ...]], Counter[str]] = defaultdict(Counter)
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    around: dict[tuple[str, tuple[str, ...], Hashable], str] = {}
    alike: set[tuple[str, tuple[str, ...]]] = set()
    first: dict[tuple[str, tuple[str, ...], str], str] = {}
    for where, (column, words, context, label) in _places(sentences, wanted):
        counts[column, words][label] += 1
        labels[column][label] += 1
        first.setdefault((column, words, label), where)
        first.setdefault((column, (), label), where)
        if around.setdefault((column, words, context), label) != label:
            alike.add((column, words))
    several = [
        Inconsistency(*place, tuple(count.most_common()), place in alike)
        for place, count in counts.items()
        if len(count) > 1
    ]
    findings = [*sorted(several, key=_likeliest), *_rare(labels)]
    return [replace(finding, where=first[finding.column, finding.words, finding.labels[-1][0]]) for finding in findings]


def _likeliest(finding: Inconsistency) -> tuple[bool, float, int, tuple[str, ...]]:
    numbers = [count for _, count in finding.labels]
    return not finding.alike, 1 - numbers[0] / sum(numbers), -sum(numbers), finding.words


def _rare(labels: Mapping[str, Counter[str]]) -> Iterator[Inconsistency]:
    for column, counts in labels.items():
        if column not in ("lemmas", "feats") and counts.total() >= MIN_COLUMN_COUNT:
            rare = ((label, count) for label, count in reversed(counts.most_common()) if count <= MAX_RARE_COUNT)
            yield from (Inconsistency(column, (), (label_count,)) for label_count in rare)


def _places(sentences: Iterable[Sentence], columns: set[str]) -> Iterator[tuple[str, Place]]:
    """Yield ``file:line`` of the sentence, and each occurrence of a label."""
    with_names: list[Sentence] = []
    for sentence in sentences:
        yield from ((sentence.where, place) for place in _of_words(sentence, columns))
        if "entities" in columns and any(tag != UNANNOTATED for tag in sentence.entities):
            with_names.append(sentence)
    yield from _names(with_names)


def _of_words(sentence: Sentence, columns: set[str]) -> Iterator[Place]:
    words, tags = sentence.words, sentence.upos
    for column in (name for name in ("upos", *COLUMNS_BY_TAG) if name in columns):
        for place, value in enumerate(getattr(sentence, column)):
            if UNANNOTATED not in (value, tags[place]):
                named = (words[place], tags[place]) if column in COLUMNS_BY_TAG else (words[place],)
                yield column, named, _neighbours(words, place, place + 1), value
    if "deprels" in columns:
        yield from _relations(sentence)


def _relations(sentence: Sentence) -> Iterator[Place]:
    words = sentence.words
    for dependent, (head, relation) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), start=1):
        if 0 < head <= len(words) and relation != UNANNOTATED:
            between = words[min(head, dependent) : max(head, dependent) - 1]
            yield "deprels", (words[head - 1], words[dependent - 1]), (head < dependent, *between), relation


def _names(sentences: Sequence[Sentence]) -> Iterator[tuple[str, Place]]:
    """Yield entities, and the occurrences of their words outside any entity."""
    known: set[tuple[str, ...]] = set()
    for sentence in sentences:
        for start, end, label in offsets.entities(sentence.entities):
            name = sentence.words[start:end]
            known.add(name)
            yield sentence.where, ("entities", name, _neighbours(sentence.words, start, end), label)
    lengths = sorted({len(name) for name in known})
    for sentence in sentences:
        for length in lengths:
            for start in range(len(sentence.words) - length + 1):
                end = start + length
                name = sentence.words[start:end]
                if name in known and all(tag == OUTSIDE for tag in sentence.entities[start:end]):
                    yield sentence.where, ("entities", name, _neighbours(sentence.words, start, end), OUTSIDE)


def _neighbours(words: Sequence[str], start: int, end: int) -> tuple[str, str]:
    return words[start - 1] if start else "", words[end] if end < len(words) else ""


def _name_pattern(words: Sequence[str], label: str) -> str:
    tags = [OUTSIDE if label == OUTSIDE else f"{'I' if place else 'B'}-{label}" for place in range(MAX_PATTERN_WORDS)]
    if not words:
        return f"X [NER={_quoted(tags[0])}]"
    nodes = [
        f"X{place} [form={_quoted(word)}, NER={_quoted(tag)}]"
        for place, (word, tag) in enumerate(zip(words, tags, strict=False), start=1)
    ]
    pattern = "; ".join([*nodes, *(f"X{place} < X{place + 1}" for place in range(1, len(nodes)))])
    if label == OUTSIDE or len(words) > MAX_PATTERN_WORDS:
        return pattern
    longer = f"X{len(words)} < Y; Y [NER={_quoted(f'I-{label}')}]"
    return f"pattern {{ {pattern} }} without {{ {longer} }}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

"""What is written the same and annotated otherwise: an error, an ambiguous word, or a guideline that is missing.

Variation in its simplest form: one word with several tags, lemmas or features (Dickinson & Meurers 2003), two words
with several relations (Boyd, Dickinson & Meurers 2008), one name as several types of entities, or as none; and labels
that hardly anything has. Where the words around are the same as well, an error is likelier than ambiguity.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fewshot.corpora.formats import misc
from fewshot.corpora.iob import to_iob2
from fewshot.corpora.types import UNANNOTATED, Sentence

RARE = 2
"""Most places of a label that is called rare."""

MANY = 500
"""Fewest annotated places of a column of which a label can be called rare."""

OUTSIDE = "O"
"""The label of a name that is no entity somewhere."""

BY_TAG = {"lemmas": "lemma", "xpos": "xpos", "feats": "FEATS"}
"""Columns that are compared for words of one form and one tag, and what patterns call them."""

SHOWN = 7
"""Words of a name that its pattern names: a pattern has eight nodes at most, and one is the word behind the name."""

Place: TypeAlias = tuple[str, tuple[str, ...], Hashable, str]
"""A column, the words that are annotated, the words around, and the label."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Words with several labels, or a label that is rare.

    Args:
        column: ``upos``, ``deprels``, ``entities``, or one of `BY_TAG`.
        words: the word; of columns of `BY_TAG` the word and its tag, of relations head and dependent, of entities all
            words of the name; none of a rare label.
        labels: how many places have each, commonest first.
        alike: whether places with different labels have the same words around them; of relations, between the two.
    """

    column: str
    words: tuple[str, ...]
    labels: tuple[tuple[str, int], ...]
    alike: bool = False

    @property
    def title(self) -> str:
        """What people call the words: of relations ``head → dependent``, of `BY_TAG` ``word (tag)``."""
        if self.column == "deprels":
            return " → ".join(self.words)
        return "{} ({})".format(*self.words) if self.column in BY_TAG else " ".join(self.words)

    def pattern(self, label: str) -> str:
        """Return the pattern (`fewshot.corpora.patterns`) that finds the places of a label."""
        if self.column == "deprels":
            head, dependent = (f"form={_quoted(word)}" for word in self.words) if self.words else ("", "")
            return f"D [{dependent}]; H [{head}]; H -[label={_quoted(label)}]-> D"
        if self.column in BY_TAG:
            form, tag = self.words
            return f"X [form={_quoted(form)}, upos={_quoted(tag)}, {', '.join(self._of_word(label))}]"
        if self.column == "entities":
            return _name_pattern(self.words, label)
        form = f"form={_quoted(self.words[0])}, " if self.words else ""
        return f"X [{form}upos={_quoted(label)}]"

    def _of_word(self, label: str) -> Iterator[str]:
        """Yield the conditions of a pattern on a column of `BY_TAG`; of features also which a word has not."""
        if self.column != "feats":
            yield f"{BY_TAG[self.column]}={_quoted(label)}"
            return
        own = misc.pairs(label)
        yield from (f"{key}={_quoted(value)}" for key, value in own.items())
        others = {key for one, _ in self.labels for key in misc.pairs(one)} - own.keys()
        yield from (f"!{key}" for key in sorted(others))


def findings(sentences: Iterable[Sentence], columns: Iterable[str]) -> list[Finding]:
    """Return what is annotated in several ways, likely errors first, then what is rare.

    Args:
        sentences: with annotations that may have gaps.
        columns: that are looked at; others than those of `Finding` have nothing to find.

    Returns:
        Where the words around are the same first, then where the fewest places differ from the others.
    """
    wanted = set(columns)
    counts: dict[tuple[str, tuple[str, ...]], Counter[str]] = defaultdict(Counter)
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    around: dict[tuple[str, tuple[str, ...], Hashable], str] = {}
    alike: set[tuple[str, tuple[str, ...]]] = set()
    for column, words, context, label in _places(sentences, wanted):
        counts[column, words][label] += 1
        labels[column][label] += 1
        if around.setdefault((column, words, context), label) != label:
            alike.add((column, words))
    several = [
        Finding(*place, tuple(found.most_common()), place in alike) for place, found in counts.items() if len(found) > 1
    ]
    return [*sorted(several, key=_likeliest), *_rare(labels)]


def _likeliest(finding: Finding) -> tuple[bool, float, int, tuple[str, ...]]:
    numbers = [count for _, count in finding.labels]
    return not finding.alike, 1 - numbers[0] / sum(numbers), -sum(numbers), finding.words


def _rare(labels: Mapping[str, Counter[str]]) -> Iterator[Finding]:
    for column, counts in labels.items():
        if column not in ("lemmas", "feats") and counts.total() >= MANY:
            yield from (Finding(column, (), (one,)) for one in reversed(counts.most_common()) if one[1] <= RARE)


def _places(sentences: Iterable[Sentence], columns: set[str]) -> Iterator[Place]:
    with_names: list[tuple[Sequence[str], Sequence[str]]] = []
    for sentence in sentences:
        if "upos" in columns:
            yield from _tags(sentence)
        for column in BY_TAG:
            if column in columns:
                yield from _by_tag(sentence, column)
        if "deprels" in columns:
            yield from _relations(sentence)
        if "entities" in columns and any(tag != UNANNOTATED for tag in sentence.entities):
            with_names.append((sentence.words, to_iob2(sentence.entities)))
    yield from _names(with_names)


def _tags(sentence: Sentence) -> Iterator[Place]:
    for place, tag in enumerate(sentence.upos):
        if tag != UNANNOTATED:
            yield "upos", (sentence.words[place],), _neighbours(sentence.words, place, place + 1), tag


def _by_tag(sentence: Sentence, column: str) -> Iterator[Place]:
    for place, value in enumerate(getattr(sentence, column)):
        if UNANNOTATED not in (value, sentence.upos[place]):
            named = sentence.words[place], sentence.upos[place]
            yield column, named, _neighbours(sentence.words, place, place + 1), value


def _relations(sentence: Sentence) -> Iterator[Place]:
    words = sentence.words
    for dependent, (head, relation) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), start=1):
        if 0 < head <= len(words) and relation != UNANNOTATED:
            between = words[min(head, dependent) : max(head, dependent) - 1]
            yield "deprels", (words[head - 1], words[dependent - 1]), (head < dependent, *between), relation


def _names(sentences: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Iterator[Place]:
    """Yield the entities, and where their words stand outside of any."""
    known: set[tuple[str, ...]] = set()
    for words, tags in sentences:
        for start, end, label in _spans(tags):
            known.add(tuple(words[start:end]))
            yield "entities", tuple(words[start:end]), _neighbours(words, start, end), label
    lengths = sorted({len(name) for name in known})
    for words, tags in sentences:
        for length in lengths:
            for start in range(len(words) - length + 1):
                end = start + length
                name = tuple(words[start:end])
                if name in known and all(tag == OUTSIDE for tag in tags[start:end]):
                    yield "entities", name, _neighbours(words, start, end), OUTSIDE


def _spans(tags: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and type of each entity of IOB2 tags."""
    for start, tag in enumerate(tags):
        if tag.startswith("B-"):
            end = start + 1
            while end < len(tags) and tags[end] == f"I-{tag[2:]}":
                end += 1
            yield start, end, tag[2:]


def _neighbours(words: Sequence[str], start: int, end: int) -> tuple[str, str]:
    return words[start - 1] if start else "", words[end] if end < len(words) else ""


def _name_pattern(words: Sequence[str], label: str) -> str:
    tags = [OUTSIDE if label == OUTSIDE else f"{'I' if place else 'B'}-{label}" for place in range(SHOWN)]
    if not words:
        return f"X [NER={_quoted(tags[0])}]"
    nodes = [
        f"X{place} [form={_quoted(word)}, NER={_quoted(tag)}]"
        for place, (word, tag) in enumerate(zip(words, tags, strict=False), start=1)
    ]
    pattern = "; ".join([*nodes, *(f"X{place} < X{place + 1}" for place in range(1, len(nodes)))])
    if label == OUTSIDE or len(words) > SHOWN:
        return pattern
    longer = f"X{len(words)} < Y; Y [NER={_quoted(f'I-{label}')}]"
    return f"pattern {{ {pattern} }} without {{ {longer} }}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

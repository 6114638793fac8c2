"""Errors and warnings about an annotation.

Errors come from the task; an annotation with an error cannot be finished. Warnings block nothing. Warnings about trees
follow the guidelines of Universal Dependencies and its levels of validation: level 2 holds for every treebank, level 3
for the universal guidelines on relations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from annotate.editing import enhanced
from fewshot.corpora.documents.cells import pairs
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.types import Example, Sentence
from fewshot.corpora.upos import UPOS
from fewshot.tasks import Problem, Task
from fewshot.tasks.dep import universal
from fewshot.tasks.legal import annotated

__all__ = ["Problem", "problems"]

Hint: TypeAlias = tuple[int, str]
"""Number of a word, and a warning about it."""

_FUNCTION = frozenset({"cc", "conj", "fixed", "goeswith", "punct", "reparandum"})
_MODIFIED = _FUNCTION | {"advmod", "obl"}

LEAVES: Mapping[str, frozenset[str]] = {
    "aux": _FUNCTION,
    "case": _MODIFIED,
    "cc": _FUNCTION - {"cc"},
    "clf": _MODIFIED,
    "cop": _FUNCTION,
    "det": _MODIFIED | {"case", "clf", "compound", "det", "discourse", "flat", "parataxis"},
    "fixed": frozenset({"conj", "goeswith", "punct", "reparandum"}),
    "goeswith": frozenset(),
    "mark": _MODIFIED,
    "punct": frozenset({"punct"}),
}
"""Relations whose words have few dependants or none, and the relations that these dependants may have."""

NEGATION = ("ADV", "PART")
"""Tags of words that may negate a word of any relation except ``punct``, if their features say so."""

HEAD_FIRST = ("appos", "conj", "fixed", "flat", "goeswith")
"""Relations in which the first word is the head in every language."""

_PARTICLES = frozenset({"ADP", "ADV", "CCONJ", "PART", "PUNCT", "SCONJ", "SYM", "X"})

TAGS: Mapping[str, frozenset[str]] = {
    "advmod": frozenset({"ADJ", "ADV", "CCONJ", "DET", "PART", "SYM"}),
    "aux": frozenset({"AUX"}),
    "case": _PARTICLES | {"INTJ", "NOUN", "VERB"},
    "cc": _PARTICLES,
    "cop": frozenset({"AUX", "DET", "PRON", "SYM"}),
    "det": frozenset({"DET", "PRON"}),
    "expl": frozenset({"DET", "PART", "PRON"}),
    "mark": _PARTICLES | {"VERB"},
    "nummod": frozenset({"NOUN", "NUM", "SYM"}),
    "punct": frozenset({"PUNCT"}),
}
"""Tags that a word with this relation may have."""

NOMINAL = frozenset({"dislocated", "expl", "iobj", "nmod", "nsubj", "obj", "obl", "vocative"})
"""Relations of nominals that are not predicates."""

CLAUSES = frozenset({"acl", "advcl", "ccomp", "conj", "csubj", "parataxis", "reparandum", "root"})
"""Relations of words that can replace an elided predicate."""


def problems(task: Task[Any], example: Example, level: int = 2, compared: bool = True) -> list[Problem]:
    """Return what is wrong with the annotation of an example, errors first.

    Args:
        example: of the task's type, with an annotation that may have gaps.
        level: of the validation of Universal Dependencies up to which there are warnings.
        compared: whether what the file had may be told: where gold is hidden it may not.
    """
    hints = (
        _tree_warnings(example, level, compared) if "deprels" in task.columns and isinstance(example, Sentence) else ()
    )
    return [*task.errors(example), *(Problem("warning", message, word) for word, message in hints)]


@dataclass(frozen=True, slots=True)
class Tree:
    """The annotated arcs of a sentence; each list begins with an entry for the root.

    Args:
        words: forms.
        upos: tags.
        feats: morphological features.
        heads: numbers; -1 if head or relation is not annotated.
        relations: with subtypes.
        children: numbers of the dependants.
    """

    words: list[str]
    upos: list[str]
    feats: list[dict[str, str]]
    heads: list[int]
    relations: list[str]
    children: list[list[int]]

    def arcs(self) -> Iterator[tuple[int, int, str]]:
        """Yield word, head and universal relation of each word whose head is another word."""
        for word, head in enumerate(self.heads):
            if head > 0:
                yield word, head, universal(self.relations[word])

    def of(self, head: int, *relations: str) -> list[int]:
        """Return the dependants of a word that have one of these universal relations."""
        return [word for word in self.children[head] if universal(self.relations[word]) in relations]

    def named(self, word: int) -> str:
        """Return a word and its number, for a message."""
        return f"{self.words[word]!r} (word {word})"

    def gap(self, word: int) -> list[int]:
        """Return the words between a word and its head that do not depend on that head, directly or not."""
        head = self.heads[word]
        return [
            each for each in range(min(word, head) + 1, max(word, head)) if head > 0 and not self._under(each, head)
        ]

    def _under(self, word: int, head: int) -> bool:
        """Return whether a word depends on another one, or may do so once its path to the root is annotated."""
        seen: set[int] = set()
        while word > 0 and word != head and word not in seen:
            seen.add(word)
            word = self.heads[word]
        return word != 0


def tree_of(sentence: Sentence) -> Tree:
    """Return the annotated arcs of a sentence; words without head or relation have no arc."""
    n = len(sentence.words)
    known = zip(annotated(sentence), sentence.heads, strict=True)
    heads = [-1, *(head if both and head <= n else -1 for both, head in known)]
    children: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head >= 0:
            children[head].append(word)
    feats = [{}, *(pairs(word.feats.text) for word in to_model(sentence).words)]
    return Tree(["", *sentence.words], ["", *sentence.upos], feats, heads, ["", *sentence.deprels], children)


def _tree_warnings(sentence: Sentence, level: int, compared: bool) -> Iterator[Hint]:
    tree = tree_of(sentence)
    for lowest, rule in RULES:
        if level >= lowest:
            yield from rule(tree)
    if level >= 2 and compared:
        yield from enhanced.warnings(sentence)


def _crossing(tree: Tree) -> Iterator[Hint]:
    for word, head, relation in tree.arcs():
        gap = tree.gap(word)
        if gap and relation != "punct":
            message = (
                f"the arc from {tree.named(head)} to {tree.named(word)} passes over {tree.named(gap[0])}, "
                f"which does not depend on {tree.words[head]!r}; check that this is meant"
            )
            yield word, message


def _leaves(tree: Tree) -> Iterator[Hint]:
    for word, head, relation in tree.arcs():
        above = universal(tree.relations[head])
        negates = relation == "advmod" and tree.upos[word] in NEGATION and tree.feats[word].get("Polarity") == "Neg"
        if relation not in LEAVES.get(above, (relation,)) and not (negates and above != "punct"):
            better = f" to {tree.named(tree.heads[head])}" if tree.heads[head] > 0 else ""
            yield word, f"{tree.named(head)} is {above!r} and takes no {relation!r}; attach {tree.named(word)}{better}"


def _directions(tree: Tree) -> Iterator[Hint]:
    for word, head, relation in tree.arcs():
        if relation in HEAD_FIRST and word < head:
            yield word, f"the first word of {relation!r} is its head; attach {tree.named(head)} to {tree.named(word)}"


def _parts_of_speech(tree: Tree) -> Iterator[Hint]:
    for word, head in enumerate(tree.heads):
        relation, tag = universal(tree.relations[word]), tree.feats[word].get("ExtPos", tree.upos[word])
        if head < 0 or tag not in UPOS:
            continue
        spelled_apart = relation == "advmod" and tree.of(word, "goeswith")
        if tag not in TAGS.get(relation, UPOS) and not spelled_apart:
            fit = " or ".join(sorted(TAGS[relation]))
            yield word, f"{tree.named(word)} is {relation!r} and {tag}; choose another relation, or {fit}"
        elif tag == "PUNCT" and relation not in ("punct", "root"):
            yield word, f"{tree.named(word)} is PUNCT and {relation!r}; choose 'punct', or another UPOS"
        if tree.upos[word] == "PROPN" and (relation == "fixed" or tree.of(word, "fixed")):
            message = f"{tree.named(word)} is PROPN in a fixed expression; make a name 'flat', or choose another UPOS"
            yield word, message


def _punctuation(tree: Tree) -> Iterator[Hint]:
    gaps = [(word, tree.gap(word)) for word, _, _ in tree.arcs()]
    for mark, above, relation in tree.arcs():
        if relation != "punct":
            continue
        own = tree.gap(mark)
        under = next((word for word, gap in gaps if mark in gap and above not in gap), None)
        if own:
            yield mark, f"the arc to {tree.named(mark)} passes over {tree.named(own[0])}; attach it to a nearer word"
        elif under is not None:
            arc = f"{tree.named(tree.heads[under])} to {tree.named(under)}"
            yield mark, f"{tree.named(mark)} stands below the arc from {arc}; attach it to one of the two"


def _twice(tree: Tree) -> Iterator[Hint]:
    for head in range(1, len(tree.words)):
        subjects = [word for word in tree.of(head, "nsubj", "csubj") if not tree.relations[word].endswith(":outer")]
        for what, words in (("subject", subjects), ("object", tree.of(head, "obj"))):
            if len(words) > 1:
                names = " and ".join(tree.named(word) for word in words)
                yield head, f"{tree.named(head)} has more than one {what}, {names}; keep one"


def _gaps(tree: Tree) -> Iterator[Hint]:
    for head in range(1, len(tree.words)):
        for relation, free in (("fixed", ("punct",)), ("goeswith", ())):
            parts = [head, *tree.of(head, relation)]
            between = [word for word in range(head, max(parts)) if word not in parts]
            intruder = next((word for word in between if universal(tree.relations[word]) not in free), None)
            if intruder is not None:
                yield head, f"{tree.named(intruder)} stands between words that are {relation!r}, which are neighbours"


def _obliques(tree: Tree) -> Iterator[Hint]:
    for word, head, relation in tree.arcs():
        nominal = universal(tree.relations[head]) in NOMINAL and tree.upos[head] in ("NOUN", "PRON", "PROPN")
        if relation == "obl" and nominal and not tree.of(head, "cop", "nsubj", "csubj"):
            message = f"{tree.named(head)} is no predicate; make {tree.named(word)} its 'nmod', or attach it to one"
            yield word, message


def _orphans(tree: Tree) -> Iterator[Hint]:
    for word, head, relation in tree.arcs():
        if relation == "orphan" and universal(tree.relations[head]) not in CLAUSES:
            message = (
                f"{tree.named(head)} stands for no predicate that is left out; "
                f"choose another relation than 'orphan' for {tree.named(word)}"
            )
            yield word, message


RULES: tuple[tuple[int, Callable[[Tree], Iterator[Hint]]], ...] = (
    (2, _crossing),
    (3, _leaves),
    (3, _directions),
    (3, _parts_of_speech),
    (3, _punctuation),
    (3, _twice),
    (3, _gaps),
    (3, _obliques),
    (3, _orphans),
)
"""Rules with the lowest level at which they warn."""

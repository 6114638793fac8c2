"""Data augmentation for trees: swap subtrees with the same relation.

Dehouck & Gómez-Rodríguez 2020 enlarge small treebanks this way. They restrict the swaps further, so that sentences stay
grammatical; here the relation with its subtype is enough, which is all that annotators of trees provide.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fewshot.corpora.types import UNANNOTATED, Sentence


@dataclass(frozen=True, slots=True)
class Subtree:
    """A word and all its descendants, if these are contiguous.

    Args:
        top: number of the word, from 1.
        first: number of the leftmost word.
        last: number of the rightmost word.
    """

    sentence: Sentence
    top: int
    first: int
    last: int

    @property
    def relation(self) -> str:
        """The relation of the topmost word to its head."""
        return self.sentence.deprels[self.top - 1]


def recombine(trees: Sequence[Sentence], count: int, swaps: float, seed: int) -> list[Sentence]:
    """Draw sentences in turn and swap subtrees of two words or more for others of the same relation.

    The results are always trees, but often not sentences that anybody would say. Incompletely annotated trees do not
    take part in swaps.

    Args:
        swaps: mean number per sentence, with a geometric distribution. A subtree may be swapped for itself if there is
            no other one: of ten short sentences half may stay the same.
    """
    rng = random.Random(seed)
    donors = defaultdict(list)
    for tree in trees:
        for part in subtrees(tree):
            donors[part.relation].append(part)
    made: list[Sentence] = []
    while len(made) < count:
        for tree in rng.sample(trees, len(trees)):
            while rng.random() < swaps / (1 + swaps):
                places = [place for place in subtrees(tree) if place.first < place.last]
                if not places:
                    break
                place = rng.choice(places)
                tree = swapped(place, rng.choice(donors[place.relation]))
            made.append(tree)
    return made[:count]


def subtrees(tree: Sentence) -> list[Subtree]:
    """Return the contiguous subtrees of a sentence, except the whole; none if the annotation has gaps."""
    if -1 in tree.heads or UNANNOTATED in tree.deprels:
        return []
    spans = [[number, number, 1] for number in range(len(tree.words) + 1)]  # first, last, words
    for number in range(1, len(spans)):
        above = tree.heads[number - 1]
        while above:
            span = spans[above]
            span[:] = min(span[0], number), max(span[1], number), span[2] + 1
            above = tree.heads[above - 1]
    tops = [(number, *span) for number, span in enumerate(spans) if number and tree.heads[number - 1]]
    return [Subtree(tree, top, first, last) for top, first, last, words in tops if last - first + 1 == words]


def swapped(place: Subtree, donor: Subtree) -> Sentence:
    """Return the sentence of one subtree with that subtree replaced by another one."""
    tree, given = place.sentence, donor.sentence
    grown = (donor.last - donor.first) - (place.last - place.first)
    moved = place.first - donor.first

    def around(head: int) -> int:  # a head outside of the subtree, like all heads of words outside
        return head + grown if head > place.last else head

    inside = [
        around(tree.heads[place.top - 1]) if number == donor.top else given.heads[number - 1] + moved
        for number in range(donor.first, donor.last + 1)
    ]
    before, after = slice(None, place.first - 1), slice(place.last, None)
    columns = {
        name: getattr(tree, name)[before]
        + getattr(given, name)[donor.first - 1 : donor.last]
        + getattr(tree, name)[after]
        for name in ("words", "upos", "deprels", "entities")
    }
    heads = (*map(around, tree.heads[before]), *inside, *map(around, tree.heads[after]))
    text = " ".join(columns["words"])
    asked: dict[str, Any] = dict.fromkeys(tree.asked, ())
    return replace(tree, text=text, heads=heads, record=None, interlinear=None, **columns, **asked)

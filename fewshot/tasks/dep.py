"""DEP: dependency trees of Universal Dependencies.

The score is LAS as in the CoNLL 2018 shared task (Zeman et al. 2018): all words count, including punctuation, and
subtypes of relations do not. Further metrics are UAS, and both without punctuation and symbols (Wu & Dredze 2019).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.corpora.upos import UPOS
from fewshot.encoders.pieces import Input, View
from fewshot.tasks import legal
from fewshot.tasks.base import Problem, Task, ranked, shares
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price
from fewshot.tasks.subtrees import recombine

if TYPE_CHECKING:
    from fewshot.heads import Head

RELATIONS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop",
    "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "mark",
    "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root", "vocative", "xcomp",
)  # fmt: skip
"""All universal relations, since a target treebank may use some that the source never shows."""

SUBTYPE = re.compile("[a-z]+")
"""A subtype as UD writes it; data may have others."""

ROOT = "root"

PUNCTUATION_TAGS = ("PUNCT", "SYM")
"""Tags of words that do not count in the scores without punctuation (Wu & Dredze 2019, section 4)."""


class DEP(Task[Sentence]):
    """One head and one relation per word."""

    name = "dep"
    title = "dependency parsing"
    metric = "las"
    example: ClassVar = Sentence
    unit: ClassVar[str] = "sentence"
    view: ClassVar = View("words")
    nominal: ClassVar[str] = "words with the same head"
    symmetric: tuple[str, ...] = ("uas", "las")
    in_ud: ClassVar[bool] = True
    options: ClassVar = {
        "upos": "let the parser read the UPOS column, gold or predicted by a POS model (Wu & Dredze 2019, section 4)",
        "tags": "also learn UPOS, as an auxiliary loss",
        "subtypes": "also predict subtypes of relations, such as acl:relcl",
        "distance": "also score the distance to the head, which a small encoder hardly learns alone (Qi et al. 2018)",
    }
    swappable: ClassVar[str] = "subtrees"
    open: bool = True
    required_labels: ClassVar[tuple[str, ...]] = RELATIONS
    labels: tuple[str, ...] = RELATIONS
    columns: tuple[str, ...] = ("heads", "deprels")
    editor: ClassVar[str] = "tree"
    price = Price(
        unit="sentence",
        dollars=0.28,
        wage=9.00,
        source="Tratz 2019: $0.28 a sentence, 72% of which had a correct tree of at least one annotator; minutes at an "
        "assumed $9/h",
    )
    time = AnnotationTime(
        item=0.0,
        token=1.55,
        edit=10.4,
        spread=0.5,
        source="Skjaerholt 2013, recomputed: 1.2-1.9 s/token and 7.6-13.3 s/edited arc of a fast and a slow annotator",
    )
    curve = CurvePrior(slope=0.142, slope_sd=0.080, noise=0.035, drift=0.04)

    def __init__(self, chosen: Sequence[str] = (), labels: Sequence[str] | None = None) -> None:
        super().__init__(chosen, labels)
        self._known = frozenset(self.choices)
        if "subtypes" in self.chosen:
            self.symmetric = ("uas", "las", "las_with_subtypes")

    def _set_labels(self, labels: Sequence[str]) -> None:
        """Add relations to the universal ones; subtypes of the root, or of no relation, are ignored."""
        others = [label for label in labels if universal(label) not in ("", ROOT)]
        self.given = tuple(dict.fromkeys([*RELATIONS, *others]))
        learned = self.given if "subtypes" in self.chosen else map(universal, self.given)
        self.labels = tuple(dict.fromkeys(learned))

    @property
    def choices(self) -> tuple[str, ...]:
        """Relations with all given subtypes, even if the parser does not predict subtypes."""
        return self.given or self.labels

    def knows(self, label: str) -> bool:
        """Return whether a relation, or its universal relation, is one of the task's."""
        return label in self._known or universal(label) in self._known

    def similar_labels(self, label: str) -> list[int]:
        """Return the place of a subtype's universal relation; for another label, all but the root's place."""
        if universal(label) in self.labels:
            return [self.labels.index(universal(label))]
        return [place for place, known in enumerate(self.labels) if known != ROOT]

    def labels_of(self, example: Sentence) -> set[str]:
        """Return the relations, and subtypes if the parser predicts them or UD does not write them like that."""
        relations = {relation for _, _, relation in legal.arcs(example)}
        if "subtypes" in self.chosen:
            return relations
        return {universal(relation) for relation in relations} | {name for name in relations if not _is_valid(name)}

    def masked(self, example: Sentence) -> Sentence:
        """Remove the arcs whose relation the task does not have."""
        unknown = {word for word, _, relation in legal.arcs(example) if not self.knows(relation)}
        if not unknown:
            return example
        rows = enumerate(zip(example.heads, example.deprels, strict=True), start=1)
        arcs = [(-1, UNANNOTATED) if word in unknown else arc for word, arc in rows]
        heads, relations = zip(*arcs, strict=True)
        return example.annotated(heads=heads, deprels=relations)

    def check(self, example: Sentence) -> str | None:
        """Return an error if the annotated words are no part of a tree with one root, or UPOS are missing."""
        return next((problem.message for problem in self.faults(example)), None)

    def errors(self, example: Sentence) -> list[Problem]:
        """Return every word without head or relation, invalid subtypes, and all that `check` finds."""
        return [*legal.missing_arcs(example), *self._faults(example), *self._subtypes(example)]

    def faults(self, example: Sentence) -> Iterator[Problem]:
        """Yield all that `check` finds, with the word."""
        if self.chosen & {"upos", "tags"} and not any(tag in UPOS for tag in example.upos):
            advice = "annotate UPOS too, or leave the option out"
            yield Problem("error", f"no word has a UPOS tag, which task {self.name} needs; {advice}")
        yield from self._faults(example)

    def _faults(self, example: Sentence) -> Iterator[Problem]:
        for find in (legal.wrong_heads, self._relations, legal.heads_elsewhere, legal.wrong_roots, legal.cycles):
            for number, message in find(example):
                yield Problem("error", message, number)

    def _relations(self, example: Sentence) -> Iterator[legal.Fault]:
        for word, head, relation in legal.arcs(example):
            name = legal.quoted(example, word)
            if not self.knows(relation):
                yield word, f"relation {relation!r} of {name} is none of {', '.join(self.choices)}"
            elif (universal(relation) == ROOT) != (head == 0):
                rule = "head 0 and relation 'root' go together"
                yield word, f"head {head} of {name} goes with relation {relation!r}; {rule}"

    def _subtypes(self, example: Sentence) -> Iterator[Problem]:
        """Yield subtypes that are neither in the choices nor valid in UD (`acl:relcl`)."""
        for word, _, relation in legal.arcs(example):
            if self.knows(relation) and relation not in self._known and not _is_valid(relation):
                message = (
                    f"relation {relation!r} of {legal.quoted(example, word)} has an invalid subtype; "
                    "write letters a to z after one colon, as in acl:relcl"
                )
                yield Problem("error", message, word)

    def is_annotated(self, example: Sentence) -> bool:
        """Return whether any word has a head and a relation."""
        return any(legal.annotated(example))

    def inputs(self, example: Sentence) -> list[Input]:
        """Return the words, with their tags if the parser reads them."""
        if "upos" not in self.chosen:
            return [Input((example.words,))]
        return [Input((example.words,), tuple(UPOS.index(tag) + 1 if tag in UPOS else 0 for tag in example.upos))]

    def targets(self, example: Sentence) -> list[list[list[int]]]:
        """Return head and label id per word, and the tag if it is learned, ``IGNORE`` for missing ones."""
        from fewshot.heads.classifier import IGNORE

        known = zip(legal.annotated(example), example.heads, example.deprels, strict=True)
        rows = [[head, self._label(relation)] if both else [IGNORE, IGNORE] for both, head, relation in known]
        if "tags" in self.chosen:
            tags = [UPOS.index(tag) if tag in UPOS else IGNORE for tag in example.upos]
            rows = [[*row, tag] for row, tag in zip(rows, tags, strict=True)]
        return [rows]

    def recombine(self, examples: Sequence[Sentence], count: int, swaps: float, seed: int) -> list[Sentence]:
        """Swap subtrees for others of the same relation, see `subtrees`."""
        return recombine(examples, count, swaps, seed)

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a deep biaffine parser."""
        from fewshot.heads import Biaffine

        features, tags = (len(UPOS) if option in self.chosen else 0 for option in ("upos", "tags"))
        return Biaffine(
            hidden, len(self.labels), self.labels.index(ROOT), dropout, features, tags, "distance" in self.chosen
        )

    def annotate(self, example: Sentence, predictions: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Sentence:
        """Set heads and relations."""
        ((heads, labels),) = predictions
        return example.annotated(heads=tuple(heads), deprels=tuple(self.labels[label] for label in labels))

    def suggestion(
        self,
        example: Sentence,
        predictions: Sequence[tuple[Sequence[int], Sequence[int]]],
        probabilities: Sequence[tuple[np.ndarray, np.ndarray]],
    ) -> dict[str, Any]:
        """Return ``heads`` and ``deprels``, three heads per word, and five relations to the suggested head."""
        ((heads, labels),), ((arcs, relations),) = predictions, probabilities
        words = np.arange(len(heads))
        return {
            "annotation": {"heads": list(heads), "deprels": [self.labels[label] for label in labels]},
            "confidence": shares(arcs[words, heads] * relations[words, labels]),
            "heads_ranked": [ranked(row, range(len(row)), 3) for row in arcs],
            "deprels_ranked": [ranked(row, self.labels, 5) for row in relations],
        }

    def counts(self, gold: Sentence, predicted: Sentence) -> np.ndarray:
        """Return ``[words, right heads, and relations, and subtypes]``, then the same without punctuation."""
        known = np.array(legal.annotated(gold), dtype=bool)
        heads = np.array(gold.heads) == np.array(predicted.heads)
        pairs = list(zip(gold.deprels, predicted.deprels, strict=True))
        universals = heads & np.array([universal(a) == universal(b) for a, b in pairs], dtype=bool)
        wholes = heads & np.array([a == b for a, b in pairs], dtype=bool)
        table = np.stack([np.ones(len(known), dtype=bool), heads, universals, wholes])
        marks = np.array([tag in PUNCTUATION_TAGS for tag in gold.upos], dtype=bool)
        return np.concatenate([table[:, known].sum(1), table[:, known & ~marks].sum(1)])

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return labelled and unlabelled attachment scores, in percent."""
        (words, uas, las, subtypes), (others, uas_others, las_others, _) = counts.reshape(2, -1)
        return {
            "las": 100.0 * las / max(words, 1),
            "uas": 100.0 * uas / max(words, 1),
            "las_without_punctuation": 100.0 * las_others / max(others, 1),
            "uas_without_punctuation": 100.0 * uas_others / max(others, 1),
            "las_with_subtypes": 100.0 * subtypes / max(words, 1),
        }

    def marks(self, example: Sentence) -> dict[Hashable, str]:
        """Return the relation of each word, with its subtype if the parser predicts subtypes."""
        whole = "subtypes" in self.chosen
        relations = [relation if whole else universal(relation) for relation in example.deprels]
        known = zip(legal.annotated(example), relations, strict=True)
        return {word: relation if both else UNANNOTATED for word, (both, relation) in enumerate(known)}

    def pairs(self, first: Sentence, second: Sentence) -> list[tuple[str, str]]:
        """Return both relations of each word to which both annotators gave the same head."""
        rows = zip(super().pairs(first, second), first.heads, second.heads, strict=True)
        return [pair for pair, first_head, second_head in rows if first_head == second_head]

    def _label(self, relation: str) -> int:
        return self.labels.index(relation if relation in self.labels else universal(relation))


def universal(relation: str) -> str:
    """Return a relation without its subtype: ``acl`` of ``acl:relcl``."""
    return relation.partition(":")[0]


def _is_valid(relation: str) -> bool:
    _, colon, subtype = relation.partition(":")
    return not colon or SUBTYPE.fullmatch(subtype) is not None

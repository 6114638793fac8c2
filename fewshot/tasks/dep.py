"""DEP: dependency trees of Universal Dependencies.

Relations are those of UD and whatever others the data or people bring; subtypes are learned with the option alone. The
score is LAS as in the CoNLL 2018 shared task (Zeman et al. 2018): every word counts, punctuation too, and subtypes
of relations do not matter. UAS, and both without punctuation and symbols as in Wu & Dredze 2019, stand beside it.
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
from fewshot.tasks.subtrees import recombined

if TYPE_CHECKING:
    from fewshot.heads import Head

RELATIONS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop",
    "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "mark",
    "nmod", "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "punct", "reparandum", "root", "vocative", "xcomp",
)  # fmt: skip
"""The universal set, whole: a target treebank may use relations that the source never shows."""

SUBTYPE = re.compile("[a-z]+")
"""A subtype as UD writes it; data may have others."""

ROOT = "root"

MARKS = ("PUNCT", "SYM")
"""Words that are left out of the scores without punctuation (Wu & Dredze 2019, section 4)."""


class DEP(Task[Sentence]):
    """One head and one relation a word."""

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
        "upos": "tell the parser the UPOS column, gold or filled in by a POS model (Wu & Dredze 2019, section 4)",
        "tags": "learn UPOS beside the trees, as an auxiliary loss",
        "subtypes": "predict subtypes of relations such as acl:relcl too",
        "distance": "score how far away a head is too, which a small encoder hardly learns by itself (Qi et al. 2018)",
    }
    swappable: ClassVar[str] = "subtrees"
    open: bool = True
    always: ClassVar[tuple[str, ...]] = RELATIONS
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
    curve = CurvePrior(slope=0.151, slope_sd=0.075, noise=0.035, drift=0.03)

    def __init__(self, chosen: Sequence[str] = (), labels: Sequence[str] | None = None) -> None:
        super().__init__(chosen, labels)
        self._known = frozenset(self.choices)
        if "subtypes" in self.chosen:
            self.symmetric = ("uas", "las", "las_with_subtypes")

    def _take(self, labels: Sequence[str]) -> None:
        """Take others beside the universal relations; subtypes of the root, or of no relation, are none."""
        others = [label for label in labels if universal(label) not in ("", ROOT)]
        self.given = tuple(dict.fromkeys([*RELATIONS, *others]))
        learned = self.given if "subtypes" in self.chosen else map(universal, self.given)
        self.labels = tuple(dict.fromkeys(learned))

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the relations, with all subtypes that it was given, whether or not the parser predicts them."""
        return self.given or self.labels

    def knows(self, label: str) -> bool:
        """Return whether a relation, or the one that it is a subtype of, is among the task's."""
        return label in self._known or universal(label) in self._known

    def like(self, label: str) -> list[int]:
        """Return the place of the relation that a subtype is one of; another relation is like all but the root."""
        if universal(label) in self.labels:
            return [self.labels.index(universal(label))]
        return [place for place, known in enumerate(self.labels) if known != ROOT]

    def labels_of(self, example: Sentence) -> set[str]:
        """Return the relations; their subtypes too where the parser predicts them, or UD does not write them so."""
        relations = {relation for _, _, relation in legal.arcs(example)}
        if "subtypes" in self.chosen:
            return relations
        return {universal(relation) for relation in relations} | {one for one in relations if not _is_written(one)}

    def masked(self, example: Sentence) -> Sentence:
        """Leave out the arcs whose relation is none of the task's."""
        unknown = {word for word, _, relation in legal.arcs(example) if not self.knows(relation)}
        if not unknown:
            return example
        rows = enumerate(zip(example.heads, example.deprels, strict=True), start=1)
        kept = [(-1, UNANNOTATED) if word in unknown else arc for word, arc in rows]
        heads, relations = zip(*kept, strict=True)
        return example.annotated(heads=heads, deprels=relations)

    def check(self, example: Sentence) -> str | None:
        """Find what keeps the annotated words from being part of a tree with one root, or UPOS that an option lacks."""
        return next((problem.message for problem in self.faults(example)), None)

    def errors(self, example: Sentence) -> list[Problem]:
        """Find every word without head or relation, subtypes that UD cannot write, and all that `check` finds."""
        return [*legal.missing(example), *self._faults(example), *self._subtypes(example)]

    def faults(self, example: Sentence) -> Iterator[Problem]:
        """Yield all that `check` finds, with the word."""
        if message := self._upos(example):
            yield Problem("error", message)
        yield from self._faults(example)

    def _faults(self, example: Sentence) -> Iterator[Problem]:
        for find in (legal.wrong_heads, self._relations, legal.across, legal.wrong_roots, legal.cycles):
            for number, message in find(example):
                yield Problem("error", message, number)

    def _relations(self, example: Sentence) -> Iterator[legal.Fault]:
        for word, head, relation in legal.arcs(example):
            name = legal.named(example, word)
            if not self.knows(relation):
                yield word, f"relation {relation!r} of {name} is none of {', '.join(self.choices)}"
            elif (universal(relation) == ROOT) != (head == 0):
                what = "head 0 and relation 'root' go together"
                yield word, f"head {head} of {name} goes with relation {relation!r}; {what}"

    def _subtypes(self, example: Sentence) -> Iterator[Problem]:
        """Yield subtypes that are neither among the choices nor written as UD writes them (`acl:relcl`)."""
        for word, _, relation in legal.arcs(example):
            if self.knows(relation) and relation not in self._known and not _is_written(relation):
                message = (
                    f"relation {relation!r} of {legal.named(example, word)} has no subtype of UD; "
                    "write letters a to z behind one colon, as in acl:relcl"
                )
                yield Problem("error", message, word)

    def _upos(self, example: Sentence) -> str | None:
        if self.chosen & {"upos", "tags"} and not any(tag in UPOS for tag in example.upos):
            return f"no word has a UPOS tag, which task {self.name} needs; annotate UPOS too, or leave the option out"
        return None

    def is_annotated(self, example: Sentence) -> bool:
        """Return whether any word has a head and a relation."""
        return any(legal.annotated(example))

    def inputs(self, example: Sentence) -> list[Input]:
        """Return the words, and their tags where the parser takes them."""
        if "upos" not in self.chosen:
            return [Input((example.words,))]
        return [Input((example.words,), tuple(UPOS.index(tag) + 1 if tag in UPOS else 0 for tag in example.upos))]

    def targets(self, example: Sentence) -> list[list[list[int]]]:
        """Return head and label id of each word, and tag where it is learned, ``IGNORE`` for what is not known."""
        from fewshot.heads.classifier import IGNORE

        known = zip(legal.annotated(example), example.heads, example.deprels, strict=True)
        rows = [[head, self._label(relation)] if both else [IGNORE, IGNORE] for both, head, relation in known]
        if "tags" in self.chosen:
            tags = [UPOS.index(tag) if tag in UPOS else IGNORE for tag in example.upos]
            rows = [[*row, tag] for row, tag in zip(rows, tags, strict=True)]
        return [rows]

    def recombined(self, examples: Sequence[Sentence], count: int, swaps: float, seed: int) -> list[Sentence]:
        """Return sentences whose subtrees are swapped for others of the same relation, see `subtrees`."""
        return recombined(examples, count, swaps, seed)

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
        """Return ``heads`` and ``deprels``, three heads a word, and five relations to the head that is suggested."""
        ((heads, labels),), ((arcs, relations),) = predictions, probabilities
        words = np.arange(len(heads))
        return {
            "annotation": {"heads": list(heads), "deprels": [self.labels[label] for label in labels]},
            "confidence": shares(arcs[words, heads] * relations[words, labels]),
            "heads_ranked": [ranked(row, range(len(row)), 3) for row in arcs],
            "deprels_ranked": [ranked(row, self.labels, 5) for row in relations],
        }

    def counts(self, gold: Sentence, predicted: Sentence) -> np.ndarray:
        """Return ``[words, right heads, and relations, and subtypes]`` of annotated words, then of those but marks."""
        known = np.array(legal.annotated(gold), dtype=bool)
        heads = np.array(gold.heads) == np.array(predicted.heads)
        pairs = list(zip(gold.deprels, predicted.deprels, strict=True))
        universals = heads & np.array([universal(a) == universal(b) for a, b in pairs], dtype=bool)
        wholes = heads & np.array([a == b for a, b in pairs], dtype=bool)
        table = np.stack([np.ones(len(known), dtype=bool), heads, universals, wholes])
        marks = np.array([tag in MARKS for tag in gold.upos], dtype=bool)
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
        """Return the relation of each word, with its subtype where the parser predicts them."""
        whole = "subtypes" in self.chosen
        relations = [relation if whole else universal(relation) for relation in example.deprels]
        known = zip(legal.annotated(example), relations, strict=True)
        return {word: relation if both else UNANNOTATED for word, (both, relation) in enumerate(known)}

    def pairs(self, one: Sentence, other: Sentence) -> list[tuple[str, str]]:
        """Return both relations of each word to which both annotators gave the same head."""
        rows = zip(super().pairs(one, other), one.heads, other.heads, strict=True)
        return [pair for pair, head, same in rows if head == same]

    def _label(self, relation: str) -> int:
        return self.labels.index(relation if relation in self.labels else universal(relation))


def universal(relation: str) -> str:
    """Return a relation without its subtype: ``acl`` of ``acl:relcl``."""
    return relation.partition(":")[0]


def _is_written(relation: str) -> bool:
    """Return whether a relation has no subtype, or one as UD writes it."""
    _, colon, subtype = relation.partition(":")
    return not colon or SUBTYPE.fullmatch(subtype) is not None

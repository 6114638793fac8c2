"""What a pattern is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fewshot.corpora.formats import conllu_rows
from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.patterns.expressions import Expression
from fewshot.corpora.spelling import composed

ANY = "*"
"""A node that only has to be there: it is not part of a match, and may be the word of another node."""

ROOT = "__0__"
"""The form of the root above the words, which has no other feature."""

ENTITY = "NER"
"""The feature of a word's entity tag in IOB2, whatever the scheme of its file."""

COLUMNS = {"upos": "upos", ENTITY: "entities"}
"""Features that are columns of a sentence, which may be annotated otherwise than its file has it."""

FILE = {"lemma": conllu_rows.LEMMA, "xpos": conllu_rows.XPOS}
"""Features that only files have; others are keys of FEATS or MISC."""

LABEL, UNIVERSAL, SUBTYPE = "label", "1", "2"
"""Features of an arc: its relation, and the parts before and behind the colon of it."""


@dataclass(frozen=True, slots=True)
class Values:
    """Values of a feature.

    Args:
        literals: any of these, `composed`,
        expressions: or what one of these matches as a whole.
        negated: any value but these.
    """

    literals: frozenset[str]
    expressions: tuple[Expression, ...] = ()
    negated: bool = False

    def hold(self, value: str | None, deadline: Deadline) -> bool:
        """Tell whether a value is one of them; where there is none, it is not, negated or not.

        Raises:
            TimeoutError: when the deadline comes before that is known.
        """
        if value is None:
            return False
        found = composed(value) in self.literals or any(one.is_whole(value, deadline) for one in self.expressions)
        return found != self.negated


@dataclass(frozen=True, slots=True)
class Feature:
    """A condition on one feature of a node or an arc.

    Args:
        name: such as ``upos``.
        values: that it may have; None: any, or none at all.
        defined: whether it has one.
    """

    name: str
    values: Values | None = None
    defined: bool = True

    def holds(self, value: str | None, deadline: Deadline) -> bool:
        """Tell whether the feature may have this value, None for none.

        Raises:
            TimeoutError: when the deadline comes before that is known.
        """
        return self.values.hold(value, deadline) if self.values else (value is not None) == self.defined


@dataclass(frozen=True, slots=True)
class Arc:
    """A word and its head.

    Args:
        head: a node, or `ANY`.
        dependent: likewise.
        relation: what its features are to be.
    """

    head: str
    dependent: str
    relation: tuple[Feature, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """Which of two nodes comes first; ``adjacent``: with nothing between them."""

    first: str
    second: str
    adjacent: bool


@dataclass(frozen=True, slots=True)
class Term:
    """A feature of a node, or of the arc that leads to it."""

    node: str
    feature: str
    of_arc: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two features that both have a value: the same, or ``differ``."""

    one: Term
    other: Term
    differ: bool


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between two braces.

    Args:
        nodes: conditions on each node that it names, in order.
        arcs: between them.
        orders: among them.
        comparisons: of their features.
        tests: conditions on single features of arcs.
    """

    nodes: dict[str, tuple[Feature, ...]]
    arcs: tuple[Arc, ...] = ()
    orders: tuple[Order, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    tests: tuple[tuple[Term, Feature], ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is looked for.

    Args:
        block: what a match has.
        exclusions: that no match has.
        inclusions: each of which it has as well, wherever; their nodes are no part of it.
    """

    block: Block
    exclusions: tuple[Block, ...] = ()
    inclusions: tuple[Block, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of a match, in the order in which they are named."""
        return tuple(self.block.nodes)

    @property
    def needs_annotation(self) -> bool:
        """Whether a match has an arc, or a word of which something in `COLUMNS` is known."""
        features = [feature for conditions in self.block.nodes.values() for feature in conditions]
        return bool(self.block.arcs) or any(one.name in COLUMNS and (one.values or one.defined) for one in features)

    def required(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield features, ``label`` that of an arc, and values of which each sentence with a match has one at least.

        They stand as they are in a file; of entities it may have others, by its scheme.
        """
        features = [feature for conditions in self.block.nodes.values() for feature in conditions]
        features += [feature for arc in self.block.arcs for feature in arc.relation]
        for feature in features:
            values = feature.values
            plain = values and not values.negated and not values.expressions
            if values and plain and feature.name not in (UNIVERSAL, SUBTYPE, ENTITY) and ROOT not in values.literals:
                yield feature.name, values.literals

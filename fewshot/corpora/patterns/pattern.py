"""The parts of a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fewshot.corpora.documents import rows
from fewshot.corpora.iob import BAR
from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.patterns.expressions import Expression
from fewshot.corpora.spelling import composed

ANY = "*"
"""A node that stands for any word: not part of a match, and may be the word of another node."""

ROOT = "__0__"
"""The form of the root, its only feature."""

ENTITY = "NER"
"""The feature of a word's entity tag in IOB2, whatever the scheme of the file; in nested entities any of its tags."""

COLUMNS = {"upos": "upos", ENTITY: "entities"}
"""Features stored in columns of a sentence, whose annotation may differ from the file."""

FILE = {"lemma": rows.LEMMA, "xpos": rows.XPOS}
"""Features read from the lines of the file; all others are keys of FEATS or MISC."""

LABEL, UNIVERSAL, SUBTYPE = "label", "1", "2"
"""Features of an arc: its relation, and the parts before and after the colon."""


@dataclass(frozen=True, slots=True)
class Values:
    """Values of a feature.

    Args:
        literals: accepted values, `composed`.
        expressions: accept the values that one of them matches as a whole.
        negated: accept all other values instead.
    """

    literals: frozenset[str]
    expressions: tuple[Expression, ...] = ()
    negated: bool = False

    def hold(self, value: str | None, deadline: Deadline) -> bool:
        """Return whether a value is accepted (None never is); raise TimeoutError at the deadline."""
        if value is None:
            return False
        is_listed = composed(value) in self.literals or any(
            expression.is_whole(value, deadline) for expression in self.expressions
        )
        return is_listed != self.negated


@dataclass(frozen=True, slots=True)
class Feature:
    """A condition on one feature of a node or an arc.

    Args:
        name: such as ``upos``.
        values: accepted values; None: only ``defined`` counts.
        defined: whether the feature must be present or absent.
    """

    name: str
    values: Values | None = None
    defined: bool = True

    def holds(self, value: str | None, deadline: Deadline) -> bool:
        """Return whether a feature may have a value, None for absent; raise TimeoutError at the deadline."""
        if not self.values:
            return (value is not None) == self.defined
        if self.name != ENTITY or not value:
            return self.values.hold(value, deadline)
        every = all if self.values.negated else any
        return every(self.values.hold(layer, deadline) for layer in BAR.split(value))


@dataclass(frozen=True, slots=True)
class ArcClause:
    """A condition on an arc: its head and dependent (nodes or `ANY`), and conditions on its relation."""

    head: str
    dependent: str
    relation: tuple[Feature, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """Two nodes in order; ``adjacent``: without a word between them."""

    first: str
    second: str
    adjacent: bool


@dataclass(frozen=True, slots=True)
class Term:
    """A feature of a node, or of the arc to its head."""

    node: str
    feature: str
    of_arc: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two features that must both be present, and be equal or ``differ``."""

    left: Term
    right: Term
    differ: bool


@dataclass(slots=True)
class Block:
    """The clauses between two braces, which the parser adds one by one.

    Args:
        nodes: conditions on each node, in order of appearance.
        tests: conditions on single features of arcs.
        arc_names: the dependent of each named arc, also of those in the block ``pattern``.
    """

    nodes: dict[str, tuple[Feature, ...]] = field(default_factory=dict)
    arcs: list[ArcClause] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    tests: list[tuple[Term, Feature]] = field(default_factory=list)
    arc_names: dict[str, str] = field(default_factory=dict, compare=False)

    def node(self, name: str, features: tuple[Feature, ...] = ()) -> str:
        """Add conditions on a node; return its name."""
        if name != ANY:
            self.nodes[name] = (*self.nodes.get(name, ()), *features)
        return name


@dataclass(frozen=True, slots=True)
class Pattern:
    """A parsed pattern.

    Args:
        block: must match.
        exclusions: must not match.
        inclusions: must match as well; their nodes are not part of the match.
    """

    block: Block
    exclusions: tuple[Block, ...] = ()
    inclusions: tuple[Block, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of a match, in order of appearance."""
        return tuple(self.block.nodes)

    @property
    def needs_annotation(self) -> bool:
        """Whether a match requires an arc, or a known value in `COLUMNS`."""
        features = [feature for conditions in self.block.nodes.values() for feature in conditions]
        return bool(self.block.arcs) or any(
            feature.name in COLUMNS and (feature.values or feature.defined) for feature in features
        )

    def required(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield features (``label`` for arcs) with values of which each matching sentence has at least one.

        Used to preselect sentences by text search. Entities are left out, since their scheme may differ in the file.
        """
        features = [feature for conditions in self.block.nodes.values() for feature in conditions]
        features += [feature for arc in self.block.arcs for feature in arc.relation]
        for feature in features:
            values = feature.values
            plain = values and not values.negated and not values.expressions
            if values and plain and feature.name not in (UNIVERSAL, SUBTYPE, ENTITY) and ROOT not in values.literals:
                yield feature.name, values.literals

r"""Parse a pattern.

A pattern has one block ``pattern { ... }``, and any number of blocks ``without { ... }`` and ``with { ... }``. Clauses
in a block are separated by semicolons:

- ``X [upos="VERB"|"AUX", form=re".*ing", lemma<>"be", Tense, !Number]``: a node and conditions on its features,
- ``X -> Y``, ``X -[nsubj|obj]-> Y``, ``X -[^punct]-> Y``, ``X -[re"aux.*"]-> Y``, ``X -[1=acl, 2=relcl]-> Y``,
  ``X -[1=nsubj, !2]-> Y``, ``e: X -> Y``: arcs, where ``*`` stands for any word,
- ``X < Y``: adjacent, ``X << Y``: in this order, ``X > Y``, ``X >> Y``,
- ``X.upos = Y.upos``, ``X.lemma <> Y.lemma``, ``X.form = "de"``, ``e.label = "nsubj"``, ``e.1 <> f.1``.

``/.../`` means ``re"..."``, and ``/.../i`` ignores case. ``%`` starts a comment. All other syntax of Grew is refused,
for example ``E:nsubj`` (enhanced arcs).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NoReturn

from fewshot.corpora.patterns.expressions import Expression
from fewshot.corpora.patterns.pattern import (
    ANY,
    LABEL,
    SUBTYPE,
    UNIVERSAL,
    ArcClause,
    Block,
    Comparison,
    Feature,
    Order,
    Pattern,
    Term,
    Values,
)
from fewshot.corpora.spelling import composed
from fewshot.errors import FewshotError

MAX_NODES = 8
"""Most nodes of a pattern: four unrelated nodes match two million times in forty words."""

ENHANCED = "E:"
"""Prefix of the labels of enhanced arcs in Grew."""

SPACE = re.compile(r"(?:\s|%[^\n]*)+")
NAME = re.compile(r"[^\W\d][\w']*")
FEATURE = re.compile(r"\w[\w-]*(?:\[[\w-]+\])?")
VALUE = re.compile(r"[\w:~$+'.-]*[\w~$+']")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
EXPRESSION = re.compile(r're"((?:[^"\\\n]|\\.)*)"|/((?:[^/\\\n]|\\.)+)/(i?)')
BLOCK = re.compile(r"(pattern|without|with)\s*(?=\{)")
ARC = re.compile(r"->|-\[")
ORDER = re.compile(r"<<|>>|<|>")
TERM = re.compile(r"[^\W\d][\w']*\s*\.\s*\w")
PART = re.compile(r"([12]|label)\s*(?==|<>)|!\s*2")


class PatternError(FewshotError):
    """A pattern that cannot be parsed.

    Args:
        text: the pattern.
        place: index of the first wrong character.
    """

    def __init__(self, message: str, text: str, place: int) -> None:
        before = text[:place]
        self.line, self.column = before.count("\n") + 1, place - (before.rfind("\n") + 1) + 1
        line = f"line {self.line}, " if "\n" in text.strip() else ""
        super().__init__(f"the pattern, {line}column {self.column}: {message}")


def parse(text: str) -> Pattern:
    """Parse a pattern; text without ``pattern { }`` is that block. Raise `PatternError` with the position."""
    parser = Parser(composed(text))
    pattern = parser.pattern()
    parser.end()
    return pattern


class Parser:
    """A parser at a place of a text.

    Attributes:
        block: the block that clauses are added to.
        above: the nodes of the block ``pattern`` while a later block is parsed.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.block = Block()
        self.above: Collection[str] = ()

    def pattern(self) -> Pattern:
        """Parse a pattern with its blocks; the block ``pattern`` is the current one afterwards."""
        self._skip()
        if not BLOCK.match(self.text, self.place):
            if self.place == len(self.text):
                self._fail('the pattern is empty; write for example pattern { X [upos="ADP"] }')
            self._clauses()
            return Pattern(self.block)
        if not self.text.startswith("pattern", self.place):
            self._fail("begin with pattern { ... }")
        self._block()
        main, others = self.block, {"without": list[Block](), "with": list[Block]()}
        while kind := BLOCK.match(self.text, self.place):
            if kind[1] == "pattern":
                self._fail("there is one block 'pattern' already; put both into one")
            self.block, self.above = Block(arc_names=dict(main.arc_names)), main.nodes
            self._block()
            others[kind[1]].append(self.block)
        self.block, self.above = main, ()
        return Pattern(main, tuple(others["without"]), tuple(others["with"]))

    def _block(self) -> None:
        self._take(BLOCK)
        self._need("{")
        self._clauses()
        self._need("}")

    def _clauses(self) -> None:
        while True:
            while self._has(";"):
                pass
            if self.place == len(self.text) or self.text[self.place] == "}":
                return
            begun = self.place
            self._clause()
            if len({*self.block.nodes, *self.above}) > MAX_NODES:
                self._fail(f"a pattern has {MAX_NODES} nodes at most; use fewer", begun)
            if self.place < len(self.text) and self.text[self.place] not in ";}":
                self._fail("write ; between two conditions")

    def _clause(self) -> None:
        begun, block = self.place, self.block
        name = ANY if self._has(ANY) else self._name("a node such as X")
        if name != ANY and self._has(":"):
            self._arc_named(name, begun)
        elif ARC.match(self.text, self.place):
            self._arc(name)
        elif name == ANY:
            self._fail("* is only allowed in an arc, such as * -[case]-> X")
        elif self._has("["):
            block.node(name, self._features("]"))
        elif self._has("."):
            self._comparison(name, begun)
        elif order := self._take(ORDER):
            left, right = block.node(name), block.node(self._name("the node to compare its position with"))
            first, second = (left, right) if "<" in order[0] else (right, left)
            block.orders.append(Order(first, second, len(order[0]) == 1))
        else:
            self._fail(f"{name} must be followed by one of [ -> -[ < << > >> . or :")

    def _arc_named(self, name: str, begun: int) -> None:
        if name in self.block.nodes or name in self.block.arc_names:
            self._fail(f"{name} is the name of a node or an arc already; choose another", begun)
        dependent = self._arc(ANY if self._has(ANY) else self._name("the head of the arc"))
        if dependent == ANY:
            self._fail("a named arc must lead to a named node", begun)
        self.block.arc_names[name] = dependent

    def _arc(self, head: str) -> str:
        """Parse an arc from a node; return its dependent."""
        begun, relation = self.place, self._relation()
        dependent = ANY if self._has(ANY) else self._name("the node that the arc leads to")
        if head == dependent:
            self._fail("an arc must connect two different nodes", begun)
        self.block.arcs.append(ArcClause(self.block.node(head), self.block.node(dependent), relation))
        return dependent

    def _relation(self) -> tuple[Feature, ...]:
        """Parse an arrow; return the conditions on its relation."""
        if self._need_match(ARC, "-> or -[relation]->") == "->":
            return ()
        is_part = PART.match(self.text, self.place)
        relation = self._features(None) if is_part else (Feature(LABEL, self._values(self._has("^"), of_arc=True)),)
        self._need("]->")
        return relation

    def _features(self, end: str | None) -> tuple[Feature, ...]:
        """Parse conditions up to and including ``end``; without ``end``, as long as commas follow."""
        features = []
        while not (end and self._has(end)):
            undefined = self._has("!")
            name = self._need_match(FEATURE, "a feature such as upos")
            if undefined:
                features.append(Feature(name, defined=False))
            elif operator := self._operator():
                features.append(Feature(name, self._values(operator == "<>", of_arc=end is None)))
            else:
                features.append(Feature(name))
            if not self._has(","):
                if end:
                    self._need(end)
                break
        return tuple(features)

    def _operator(self) -> str | None:
        return next((sign for sign in ("=", "<>") if self._has(sign)), None)

    def _values(self, negated: bool, of_arc: bool = False) -> Values:
        literals: set[str] = set()
        expressions: list[Expression] = []
        while True:
            begun = self.place
            if text := self._take(TEXT):
                literals.add(re.sub(r"\\(.)", r"\1", text[1]))
            elif source := self._take(EXPRESSION):
                expressions.append(self._compiled(source, begun))
            else:
                literals.add(self._need_match(VALUE, 'a value such as "ADP"'))
            if of_arc and any(literal.startswith(ENHANCED) for literal in literals):
                self._fail(
                    "enhanced arcs (E:) are not searched; write a relation of the tree, such as -[nsubj]->", begun
                )
            if not self._has("|"):
                return Values(frozenset(literals), tuple(expressions), negated)

    def _compiled(self, source: re.Match[str], begun: int) -> Expression:
        try:
            return Expression(source[1] if source[2] is None else source[2], any_case=bool(source[3]))
        except FewshotError as error:
            self._fail(str(error), begun)

    def _comparison(self, name: str, begun: int) -> None:
        left = self._term(name, begun)
        operator = self._operator()
        if not operator:
            self._fail("write = or <>")
        if right := self._other_term():
            self.block.comparisons.append(Comparison(left, right, operator == "<>"))
            return
        test = Feature(left.feature, self._values(operator == "<>", left.of_arc))
        if left.of_arc:
            self.block.tests.append((left, test))
        else:
            self.block.node(left.node, (test,))

    def _other_term(self) -> Term | None:
        """Parse a term such as ``Y.form``; return None where there is a value instead."""
        begun = self.place
        if not TERM.match(self.text, begun):
            return None
        node = self._name("a node")
        self._need(".")
        return self._term(node, begun)

    def _term(self, name: str, begun: int) -> Term:
        feature, block = self._need_match(FEATURE, "a feature such as upos"), self.block
        if name in block.arc_names:
            if feature not in (LABEL, UNIVERSAL, SUBTYPE):
                self._fail(f"{name} is an arc, with the features label, 1 and 2; words have {feature}", begun)
            return Term(block.node(block.arc_names[name]), feature, of_arc=True)
        if feature == LABEL:
            self._fail(f"no arc is called {name}; write {name}: X -> Y before", begun)
        if name not in block.nodes and name not in self.above:
            self._fail(f"no node is called {name}; write {name} [] before", begun)
        return Term(block.node(name), feature)

    def _name(self, what: str) -> str:
        return self._need_match(NAME, what)

    def _skip(self) -> None:
        if space := SPACE.match(self.text, self.place):
            self.place = space.end()

    def _take(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        match = expression.match(self.text, self.place)
        if match:
            self.place = match.end()
            self._skip()
        return match

    def _has(self, sign: str) -> bool:
        return self._take(re.compile(re.escape(sign))) is not None

    def _need(self, sign: str) -> None:
        if not self._has(sign):
            self._fail(f"{sign} is missing")

    def _need_match(self, expression: re.Pattern[str], what: str) -> str:
        match = self._take(expression)
        return match[0] if match else self._fail(f"write {what} here")

    def end(self) -> None:
        """Refuse further text."""
        if self.place < len(self.text):
            self._fail("only without { ... }, with { ... } and commands { ... } may follow the block 'pattern'")

    def _fail(self, message: str, place: int | None = None) -> NoReturn:
        raise PatternError(message, self.text, self.place if place is None else place)

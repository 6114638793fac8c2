"""Parse rewriting rules, a pattern with commands, in a part of the syntax of Grew.

::

    pattern { V [upos="VERB"]; e: V -[obl]-> N } without { N -[case]-> * }
    commands { e.label = obj; N.Case = Acc; del_feat N.Definite }

- ``N.upos = NOUN``, ``N.lemma = M.form``, ``N.Case = Nom``, ``del_feat N.Case``: UPOS, lemma, XPOS and FEATS,
- ``e.label = obj``, ``e.2 = pass``, ``del_feat e.2``: the relation of a named arc, or its part after the colon,
- ``add_edge N -[nsubj]-> M``, ``add_edge e: N -> M`` (with the relation of the named arc ``e``),
- ``del_edge e``, ``del_edge N -[obj]-> M``,
- ``shift_in N ==> M``, ``shift_out N ==> M``, ``shift N ==> M``: the arcs between N and words outside the match.

``rule name { ... }`` around both is allowed. All other commands are refused: words are split and joined in the editor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fewshot.corpora.documents import misc
from fewshot.corpora.patterns.commands import VALUES, AddArc, Command, DeleteArc, SetFeature, SetRelation, Shift
from fewshot.corpora.patterns.parsing import ARC, FEATURE, TEXT, VALUE, Parser
from fewshot.corpora.patterns.pattern import ANY, LABEL, SUBTYPE, UNIVERSAL, Pattern, Term
from fewshot.corpora.spelling import composed
from fewshot.corpora.types import UNANNOTATED

RULE, COMMANDS = re.compile(r"rule\s+\w+\s*(?=\{)"), re.compile(r"commands\s*(?=\{)")
COMMAND = re.compile(r"(del_feat|add_edge|del_edge|shift_in|shift_out|shift)(?=\s)")
OTHER = re.compile(r"\w+_\w+(?=\s)")
NAMED = re.compile(r"[^\W\d][\w']*\s*:(?!:)")
FEATS_NAME = re.compile(r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?")
"""A valid name of a feature in UD."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and the commands for each match; without commands a search.

    Args:
        text: of the commands.
    """

    pattern: Pattern
    commands: tuple[Command, ...] = ()
    text: str = ""


def parse_rule(text: str) -> Rule:
    """Parse a pattern with or without commands; raise `PatternError` with the position."""
    return _RuleParser(composed(text)).rule()


class _RuleParser(Parser):
    def rule(self) -> Rule:
        self._skip()
        is_named = self._take(RULE) is not None
        if is_named:
            self._need("{")
        pattern = self.pattern()
        commands, begun = list[Command](), self.place
        if self._take(COMMANDS):
            self._need("{")
            begun = self.place
            commands = self._commands()
            if not commands:
                self._fail("there is no command; write for example commands { X.upos = NOUN }")
        text = " ".join(self.text[begun : self.place].rstrip("} \n").split())
        if is_named:
            self._need("}")
        self.end()
        return Rule(pattern, tuple(commands), text if commands else "")

    def _commands(self) -> list[Command]:
        commands = list[Command]()
        while True:
            while self._has(";"):
                pass
            if self._has("}"):
                return commands
            commands.append(self._command())
            if not self.text.startswith((";", "}"), self.place):
                self._fail("write ; between two commands, and } behind the last")

    def _command(self) -> Command:
        begun, kind = self.place, self._take(COMMAND)
        if kind is None:
            if OTHER.match(self.text, begun):
                self._fail("this command is not supported; del_feat, add_edge, del_edge and shift are", begun)
            return self._setting()
        if kind[1] == "del_feat":
            return _set(self._target(deletes=True), None)
        if kind[1] == "add_edge":
            return self._added()
        if kind[1] == "del_edge":
            return self._deleted()
        source = self._node()
        self._need("==>")
        return Shift(source, self._node(), kind[1] != "shift_out", kind[1] != "shift_in")

    def _setting(self) -> Command:
        target = self._target()
        self._need("=")
        begun, value = self.place, self._value()
        if value in ("", UNANNOTATED):
            self._fail("write a value; del_feat deletes a feature", begun)
        return _set(target, value)

    def _value(self) -> str | Term:
        if term := self._other_term():
            return term
        if text := self._take(TEXT):
            return re.sub(r"\\(.)", r"\1", text[1])
        return self._need_match(VALUE, "a value such as NOUN")

    def _target(self, deletes: bool = False) -> Term:
        """Parse what a command sets or deletes: a feature of a word, or of a named arc."""
        begun, name = self.place, self._name("a command such as X.upos = NOUN or del_edge e")
        self._need(".")
        place, feature = self.place, self._need_match(FEATURE, "a feature such as upos")
        if name in self.block.arc_names:
            if feature not in (LABEL, UNIVERSAL, SUBTYPE) or (deletes and feature != SUBTYPE):
                self._fail("label, 1 and 2 of an arc can be set, and 2 can be deleted", place)
            return Term(self.block.arc_names[name], feature, of_arc=True)
        if feature in VALUES and deletes:
            self._fail(f"{feature} cannot be deleted; set another value", place)
        if feature not in VALUES and (feature in misc.KNOWN or not FEATS_NAME.fullmatch(feature)):
            self._fail(f"{feature} cannot be set; upos, lemma, xpos and features such as Case can", place)
        return Term(self._known(name, begun), feature)

    def _added(self) -> Command:
        begun = self.place
        if NAMED.match(self.text, self.place):
            name = self._name("an arc")
            self._need(":")
            source = self._dependent(name, begun)
            head = self._node()
            self._need("->")
            return AddArc(head, self._node(), Term(source, LABEL, of_arc=True))
        head = self._node()
        self._need("-[")
        relation = self._need_match(VALUE, "a relation such as nsubj")
        self._need("]->")
        return AddArc(head, self._node(), relation)

    def _deleted(self) -> Command:
        begun, name = self.place, self._name("a named arc, or a node")
        if not ARC.match(self.text, self.place):
            dependent = self._dependent(name, begun)
            head = next(arc.head for arc in self.block.arcs if arc.dependent == dependent)
            return DeleteArc(None if head == ANY else head, dependent)
        self._known(name, begun)
        relation = self._relation()
        return DeleteArc(name, self._node(), relation)

    def _dependent(self, arc: str, begun: int) -> str:
        """Return the node to which a named arc leads."""
        if arc not in self.block.arc_names:
            self._fail(f"no arc is called {arc}; write {arc}: X -> Y in the pattern", begun)
        return self.block.arc_names[arc]

    def _node(self) -> str:
        begun = self.place
        return self._known(self._name("a node of the pattern"), begun)

    def _known(self, name: str, begun: int) -> str:
        if name not in self.block.nodes:
            self._fail(f"no node of the pattern is called {name}", begun)
        return name


def _set(target: Term, value: str | Term | None) -> Command:
    kind = SetRelation if target.of_arc else SetFeature
    return kind(target.node, target.feature, value)

"""Empty nodes as a column of words: those that people have made, changed or deleted.

A value has the CoNLL-U lines of the nodes after a word, or ``_`` for none. Nodes before the first word (``0.1``) are in
the value of word 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fewshot.corpora.documents import deps
from fewshot.corpora.documents.cells import UNANNOTATED, arcs
from fewshot.corpora.documents.conllu import line_of, node_of
from fewshot.corpora.documents.model import AnyWord, ConlluSentence, EmptyNode
from fewshot.corpora.documents.rows import cells, node_fault


def values_of(sentence: ConlluSentence) -> list[str]:
    """Return the value of each word."""
    lines: list[list[str]] = [[] for _ in sentence.words]
    for node in sentence.nodes:
        lines[_holder(node)].append(line_of(node.id, node))
    return ["\n".join(own) or UNANNOTATED for own in lines]


def with_values(nodes: Sequence[EmptyNode], values: Sequence[str | None]) -> tuple[EmptyNode, ...]:
    """Return empty nodes with those of some words replaced.

    Args:
        nodes: of the sentence.
        values: for each word; None keeps its nodes. Empty: no word has changed nodes.

    Raises:
        ValueError: for a value that is not the lines of empty nodes at its word.
    """
    if not values:
        return tuple(nodes)
    kept = [node for node in nodes if values[_holder(node)] is None]
    made = [node for word, value in enumerate(values, start=1) if value for node in _parsed(word, value)]
    return tuple(sorted([*kept, *made], key=lambda node: (node.after, node.number)))


def with_nodes(sentence: ConlluSentence, nodes: Sequence[EmptyNode]) -> ConlluSentence:
    """Return a sentence with other empty nodes, without arcs from nodes that it does not have."""
    known = {node.id for node in nodes}

    def kept(word: AnyWord) -> AnyWord:
        if "." not in word.deps.text:  # the dot of a node's id
            return word
        column = deps.renumber(word.deps.text, lambda head: None if "." in head and head not in known else head)
        return word if column == word.deps.text else replace(word, deps=arcs(column))

    return replace(sentence, words=tuple(map(kept, sentence.words)), nodes=tuple(map(kept, nodes)))


def _holder(node: EmptyNode) -> int:
    """Return the place of the word, from 0, whose value has a node."""
    return max(node.after - 1, 0)


def _parsed(word: int, value: str) -> Iterator[EmptyNode]:
    """Yield the nodes of a word's value."""
    if "\r" in value:
        raise ValueError("an empty node with a line end in it; write each node on one line")
    rows: list[list[str]] = []
    for line in value.split("\n") if value != UNANNOTATED else ():
        after = 0 if word == 1 and line.startswith("0.") else word
        if fault := node_fault(cells(line), after, rows):
            raise ValueError(fault)
        rows.append(cells(line))
        yield node_of(line)

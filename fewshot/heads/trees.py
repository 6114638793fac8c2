"""The best dependency tree of a sentence, in which the root has exactly one dependent.

Chu & Liu 1965 and Edmonds 1967, in the dense form of Tarjan 1977, quadratic in the number of words: paths grow along
best heads until they reach the root, and a cycle becomes one node. Arc weights ensure the single dependent of the root
(Stanojevic & Cohen 2021, "A Root of a Problem").
"""

from __future__ import annotations

import numpy as np


def are_trees(heads: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return which sentences have a tree with exactly one root, ``[sentences]``.

    Args:
        heads: ``[sentences, words]``, head of each word, from 1; 0 for the root.
        mask: ``[sentences, words]``, true where there is a word.
    """
    ancestors = np.pad(np.where(mask, heads, 0), ((0, 0), (1, 0)))  # the root is its own head, and the head of padding
    for _ in range(heads.shape[1].bit_length()):  # each step doubles the way up
        ancestors = np.take_along_axis(ancestors, ancestors, axis=1)
    are_trees: np.ndarray = (ancestors == 0).all(1) & (((heads == 0) & mask).sum(1) == 1)
    return are_trees


def best_tree(scores: np.ndarray) -> np.ndarray:
    """Return the heads ``[words]`` of the highest-scoring tree among those with exactly one root.

    Args:
        scores: ``[words, words + 1]``, each head of each word, finite except for a word as its own head; 0 is the root.
    """
    words = len(scores)
    weights = scores.astype(np.float64)
    np.fill_diagonal(weights[:, 1:], weights[:, 0])  # so that the range covers possible heads only
    span = weights.max(initial=-np.inf) - weights.min(initial=np.inf) if words else 0.0
    weights[:, 0] -= 1 + words * span  # a second root costs more than all other heads can gain
    np.fill_diagonal(weights[:, 1:], -np.inf)
    return _Nodes(weights).tree()


class _Nodes:
    """The nodes of a graph: 0 is the root, 1 to ``words`` are words, later ones are contracted cycles."""

    def __init__(self, weights: np.ndarray) -> None:
        self.words = words = len(weights)
        most = 2 * words + 1
        self.used = words + 1
        self.weights = np.full((most, words + 1), -np.inf)
        """Weight of the best arc into a node from each word or the root."""
        self.weights[1 : words + 1] = weights
        self.enters = np.repeat(np.arange(most)[:, None], words + 1, axis=1)
        """The word at the end of that arc."""
        self.head = np.zeros(most, dtype=int)
        self.parent = np.zeros(most, dtype=int)
        self.outermost = np.arange(words + 1)
        """The node that contains each word now."""

    def tree(self) -> np.ndarray:
        """Return the heads of the best tree: ``[words]``."""
        reaches_root = np.zeros(len(self.head), dtype=bool)
        reaches_root[0] = True
        for word in range(1, self.words + 1):
            path: list[int] = []
            node = int(self.outermost[word])
            while not reaches_root[node]:
                if node in path:
                    start = path.index(node)
                    node = self._contract(path[start:])
                    del path[start:]
                else:
                    path.append(node)
                    self.head[node] = self.weights[node].argmax()
                    node = int(self.outermost[self.head[node]])
            reaches_root[path] = True
        return self._expand()

    def _contract(self, cycle: list[int]) -> int:
        """Contract a cycle to one node; an arc into it weighs its gain over the arc of the cycle it replaces."""
        new = self.used
        self.used += 1
        self.parent[cycle] = new
        gains = self.weights[cycle] - self.weights[cycle, self.head[cycle]][:, None]
        best = gains.argmax(0)
        columns = np.arange(self.words + 1)
        self.weights[new] = gains[best, columns]
        self.enters[new] = self.enters[np.array(cycle)[best], columns]
        members = np.isin(self.outermost, cycle)
        self.outermost[members] = new
        self.weights[new, members] = -np.inf
        return new

    def _expand(self) -> np.ndarray:
        """Open the cycles, latest first: each loses the arc into the word at which its own arc arrives."""
        heads = np.zeros(self.words + 1, dtype=int)
        replaced = np.zeros(self.used, dtype=bool)
        for node in range(self.used - 1, 0, -1):
            if replaced[node]:
                continue
            inner = word = self.enters[node, self.head[node]]
            heads[word] = self.head[node]
            while inner != node:
                replaced[inner] = True
                inner = self.parent[inner]
        return heads[1:]

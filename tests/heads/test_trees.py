from itertools import product

import networkx
import numpy as np
import pytest

from fewshot.heads.trees import are_trees, best_tree


def every_tree(words):
    for heads in product(range(words + 1), repeat=words):
        if heads.count(0) == 1 and all(reaches_root(heads, word) for word in range(1, words + 1)):
            yield heads


def reaches_root(heads, word):
    seen = set()
    while word and word not in seen:
        seen.add(word)
        word = heads[word - 1]
    return word == 0


def total(scores, heads):
    return sum(scores[word, head] for word, head in enumerate(heads))


@pytest.mark.parametrize("words", range(1, 6))
def test_best_tree_is_the_best_of_all(words):
    trees = list(every_tree(words))
    rng = np.random.default_rng(words)
    for _ in range(60):
        scores = rng.normal(size=(words, words + 1)).round(rng.integers(0, 4))  # some with ties
        scores[:, 0] += rng.choice([-3, 0, 3])
        tree = tuple(best_tree(scores))
        assert tree in trees
        assert total(scores, tree) == pytest.approx(max(total(scores, other) for other in trees))


def arborescence(scores, root):
    """The best tree under one given root word, by networkx."""
    words = len(scores)
    pairs = [(head, word) for word in range(1, words + 1) for head in range(1, words + 1) if head != word]
    graph = networkx.DiGraph([(0, root, {"weight": 0.0})])
    graph.add_weighted_edges_from((head, word, scores[word - 1, head]) for head, word in pairs if word != root)
    edges = networkx.maximum_spanning_arborescence(graph).edges
    return scores[root - 1, 0] + sum(scores[word - 1, head] for head, word in edges if head)


@pytest.mark.parametrize("seed", [0, 9])
def test_best_tree_is_that_of_networkx_over_every_root(seed):
    rng = np.random.default_rng(seed)
    words = 6 + seed
    scores = rng.normal(size=(words, words + 1)) * rng.choice([1, 100])
    best = max(arborescence(scores, root) for root in range(1, words + 1))
    assert total(scores, best_tree(scores)) == pytest.approx(best)


def test_long_sentences_get_trees_with_one_root():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(3, 200, 201)).astype(np.float32)
    scores[1, :, 0] += 50  # every word would be a root
    scores[2] = 2 * np.eye(200, 201, 2) + np.eye(200, 201)  # to the next word rather than to the one before
    trees = np.stack([best_tree(each) for each in scores])
    assert are_trees(trees, np.ones((3, 200), dtype=bool)).all()
    assert total(scores[2], trees[2]) == 398


def test_a_word_is_never_its_own_head():
    scores = np.full((4, 5), -1.0)
    np.fill_diagonal(scores[:, 1:], -np.inf)
    tree = best_tree(scores)
    assert total(scores, tree) == -4
    np.fill_diagonal(scores[:, 1:], 1e6)
    assert (best_tree(scores) == tree).all()
    assert best_tree(np.empty((0, 1))).shape == (0,)


@pytest.mark.parametrize("words", range(1, 5))
def test_trees_are_told_from_everything_else(words):
    rows = list(product(range(words + 1), repeat=words))
    trees = set(every_tree(words))
    padded = np.array([[*row, 9, 9] for row in rows])
    mask = np.array([[True] * words + [False] * 2] * len(rows))
    assert are_trees(padded, mask).tolist() == [row in trees for row in rows]


def test_a_chain_of_any_length_is_a_tree_and_a_ring_is_not():
    for words in (1, 2, 3, 4, 7, 8, 9, 16, 31, 33):
        chain = np.arange(words)
        assert are_trees(np.stack([chain, chain[::-1]]), np.ones((2, words), dtype=bool))[0]
        ring = np.where(chain == 0, words, chain)
        assert not are_trees(ring[None], np.ones((1, words), dtype=bool))[0]

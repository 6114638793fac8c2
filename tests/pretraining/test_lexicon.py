"""A made-up language whose words translate English ones, in another order: its words must inherit the right vectors."""

import numpy as np
import pytest

from fewshot.pretraining import lexicon

WORDS = 40
VOCABULARY = 2 * WORDS + 1
"""Pieces 0 to 39 are the pivot's, 40 to 79 their translations, 80 belongs to both."""


def sentences(count: int = 400, length: int = 8, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.permutation(WORDS)[:length] for _ in range(count)]


def foreign(sentence: np.ndarray) -> np.ndarray:
    return sentence[::-1] + WORDS


def test_a_lexicon_finds_the_translation_of_every_piece_whatever_the_order() -> None:
    table = lexicon.translations([(foreign(s), s) for s in sentences()], VOCABULARY)
    assert table[WORDS : 2 * WORDS].argmax(axis=1).ravel().tolist() == [list(range(WORDS))]
    shares = np.asarray(table.max(axis=1).todense()).ravel() / np.maximum(np.asarray(table.sum(axis=1)).ravel(), 1)
    assert shares[WORDS : 2 * WORDS].min() > 0.95


def test_a_piece_in_every_sentence_does_not_take_the_translations_of_others() -> None:
    pairs = [(np.append(foreign(s), 2 * WORDS), np.append(s, 2 * WORDS)) for s in sentences()]
    table = lexicon.translations(pairs, VOCABULARY).toarray()
    assert table[2 * WORDS].argmax() == 2 * WORDS
    assert table[WORDS].argmax() == 0


@pytest.mark.parametrize("pairs", [[], [(np.arange(200), np.arange(200))]])
def test_nothing_to_learn_from_gives_an_empty_lexicon(pairs: list[tuple[np.ndarray, np.ndarray]]) -> None:
    assert lexicon.translations(pairs, 200).nnz == 0


def test_neighbours_are_told_apart_by_place_and_never_cross_sentences() -> None:
    counts = lexicon.neighbours([[0, 1, 2], [3]], 4).toarray().reshape(4, len(lexicon.OFFSETS), 4)
    order = {piece: place for place, piece in enumerate([0, 1, 2, 3])}  # all occur once: by number
    beside = {
        (piece, offset): [p for p in range(4) if counts[piece, place, order[p]]]
        for piece in range(4)
        for place, offset in enumerate(lexicon.OFFSETS)
    }
    assert beside[1, -1] == [0] and beside[1, 1] == [2] and beside[0, 2] == [2] and beside[2, -2] == [0]
    assert counts.sum() == 6 and not counts[3].any()


def test_translations_inherit_the_vector_and_shared_pieces_are_weighed_by_use() -> None:
    vectors = np.zeros((4, 2))
    vectors[0], vectors[1] = (1, 0), (0, 1)
    table = lexicon.translations([(np.array([2]), np.array([0])), (np.array([1]), np.array([0]))], 4)
    own = np.array([5, 5, 0, 0])
    mixed = lexicon.inherit(vectors, own, {"xx": table}, {"xx": np.array([0, 10, 10, 0])})
    assert mixed[2] == pytest.approx([1, 0])  # a translation of piece 0
    assert mixed[1] == pytest.approx([0.5**0.5, 0.5**0.5])  # half a pivot word, half a translation of piece 0
    assert not mixed[3].any()

from collections import Counter
from itertools import islice

import numpy as np
import pytest

import samplers
from samplers import Pool, SamplerError
from samplers.badge import spread
from samplers.core_set import centres
from samplers.dpp import greedy_map
from samplers.greedy import CANDIDATES, squared_distances
from samplers.medoids import medoids
from samplers.pool import unit
from samplers.typical import typical


def order(name, seed=0, lengths=None, **signals):
    found = {key: np.asarray(values, dtype=float) for key, values in signals.items()}
    n = len(next(iter(found.values())))
    return list(samplers.get(name).order(Pool(lengths or [5] * n, found), seed))


def points(n, size, seed):
    return np.random.default_rng(seed).standard_normal((n, size))


@pytest.mark.parametrize(
    ("name", "signal", "expected"),
    [
        ("entropy", "entropy", [2, 0, 1]),
        ("bald", "mutual_information", [2, 0, 1]),
        ("least-confidence", "log_probability", [1, 0, 2]),
        ("margin", "margin", [1, 0, 2]),
    ],
)
def test_least_sure_comes_first(name, signal, expected):
    assert order(name, **{signal: [0.5, 0.1, 0.9]}) == expected


def test_cost_aware_takes_the_most_nats_a_minute_and_refuses_what_takes_no_time():
    # 10 x 0.5 / 5 = 1; 2 x 0.9 / 1 = 1.8; 20 x 0.5 / 25 = 0.4
    assert order("cost-aware", entropy=[0.5, 0.9, 0.5], units=[10, 2, 20], minutes=[5, 1, 25]) == [1, 0, 2]
    with pytest.raises(SamplerError, match="item 1 of the pool takes no minutes"):
        order("cost-aware", entropy=[1, 1], units=[1, 1], minutes=[1, 0])


def test_nearest_takes_the_smallest_mean_distance_to_the_pool():
    vectors = points(200, 5, 1)
    normed = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert order("nearest", embeddings=vectors) == np.argsort((1 - normed @ normed.T).mean(1)).tolist()


def test_core_set_takes_the_farthest_from_all_before():
    vectors = points(12, 3, 2)
    chosen = list(centres(vectors))
    for k in range(1, 12):
        left = [place for place in range(12) if place not in chosen[:k]]
        gaps = [min(np.linalg.norm(vectors[place] - vectors[one]) for one in chosen[:k]) for place in left]
        assert chosen[k] == left[int(np.argmax(gaps))]


def test_medoids_lower_the_summed_distance_most_at_each_step():
    vectors = unit(points(15, 4, 4))
    distances = np.sqrt(squared_distances(vectors, vectors))
    chosen = list(medoids(distances))
    for k in range(1, 14):
        left = [place for place in range(15) if place not in chosen[: k - 1]]
        sums = [distances[[*chosen[: k - 1], place]].min(0).sum() for place in left]
        assert distances[chosen[:k]].min(0).sum() == pytest.approx(min(sums), abs=1e-5)


def test_typical_takes_one_of_each_cluster_and_of_them_that_with_the_nearest_neighbours():
    rng = np.random.default_rng(5)
    middles = np.eye(4) * 5
    vectors = np.concatenate([middle + rng.normal(0, 0.1, (25, 4)) for middle in middles])
    drawn = order("typical", embeddings=vectors)[:4]
    assert sorted(place // 25 for place in drawn) == [0, 1, 2, 3]
    vectors = points(30, 3, 6)
    distances = np.sqrt(squared_distances(vectors, vectors))
    mean = [np.sort(np.delete(row, place))[:5].mean() for place, row in enumerate(distances)]
    assert next(typical(distances.copy(), k=5)) == int(np.argmin(mean))


def test_badge_draws_with_the_chances_of_k_means_plus_plus():
    """Compares 1,000 first and second draws with the chances that are worked out by hand."""
    vectors = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.5], [0.0, 0.0]])
    drawn = Counter(tuple(islice(spread(vectors, np.random.default_rng(seed)), 2)) for seed in range(1_000))
    norms = [float(vector @ vector) for vector in vectors]
    for first in range(4):
        nearest = [min(norm, float(((v - vectors[first]) ** 2).sum())) for v, norm in zip(vectors, norms, strict=True)]
        for second in range(4):
            chance = norms[first] / sum(norms) * nearest[second] / sum(nearest)
            assert drawn[first, second] / 1_000 == pytest.approx(chance, abs=4 * (chance / 1_000) ** 0.5)


def test_badge_weighs_embeddings_by_how_unsure_the_model_is():
    vectors = points(50, 4, 7)
    sure = np.zeros(50)  # log-probability 0: nothing to learn
    sure[[3, 30]] = -2.0
    assert {tuple(sorted(order("badge", seed, embeddings=vectors, log_probability=sure)[:2])) for seed in range(5)} == {
        (3, 30)
    }


def test_dpp_raises_the_determinant_most_at_each_step():
    rng = np.random.default_rng(8)
    vectors, quality = points(12, 3, 8), rng.random(12) + 0.1
    similarity = np.exp(-squared_distances(vectors, vectors) / 4)
    kernel = quality[:, None] * similarity * quality
    chosen = list(greedy_map(quality, lambda place: similarity[place]))
    assert len(chosen) >= 8
    for k in range(1, 8):
        left = [place for place in range(12) if place not in chosen[: k - 1]]
        determinants = [np.linalg.det(kernel[np.ix_([*chosen[: k - 1], p], [*chosen[: k - 1], p])]) for p in left]
        assert chosen[k - 1] == left[int(np.argmax(determinants))]


def test_dpp_goes_on_after_more_items_than_its_table_held_at_first_and_turns_from_the_same_sentence_to_another():
    vectors = points(150, 10, 9)
    similarity = np.exp(-squared_distances(vectors, vectors))
    chosen = list(greedy_map(np.ones(150), lambda place: similarity[place]))
    assert len(chosen) == len(set(chosen)) > 100
    assert set(order("dpp", embeddings=[[1, 0], [1, 0], [0, 1]], entropy=[1.0, 0.99, 0.1])[:2]) == {0, 2}


def test_confused_takes_the_pair_with_most_expected_errors_and_then_turns_to_others():
    pairs = np.array([[1, 2], [1, 2], [1, -1], [3, -1]])
    errors = np.array([[2.0, 0.0], [1.5, 0.2], [1.0, 0.0], [2.0, 0.0]])
    # totals: pair 1 4.5, pair 3 2, pair 2 .2; item 0 covers 2 of pair 1: 4.5 / 3 < 2, so pair 3 is next: item 3
    # then pair 1 at 4.5 / 3 against 2 / 3: item 1, at 4.5 / 4.5: item 2
    assert order("confused", confused_pairs=pairs, expected_errors=errors) == [0, 3, 1, 2]


def test_diversity_looks_among_a_sample_of_a_large_pool():
    n = CANDIDATES + 1000
    pool = Pool([5] * n, {"embeddings": points(n, 3, 10)})
    drawn = list(islice(samplers.get("core-set").order(pool, 0), 20))
    first = np.random.default_rng(0).permutation(n)[:CANDIDATES]
    assert set(drawn) <= set(first.tolist())

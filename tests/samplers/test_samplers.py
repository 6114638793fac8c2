"""Every sampler keeps the same contract; discovery finds new ones."""

from collections import Counter
from dataclasses import dataclass

import pytest

import samplers


@dataclass(frozen=True)
class Item:
    length: int


POOL = [Item(3 + (number * 7) % 20) for number in range(60)]

every_sampler = pytest.mark.parametrize("name", samplers.registry())


@every_sampler
def test_order_is_a_permutation_of_the_pool(name):
    assert Counter(samplers.get(name).order(POOL, seed=3)) == Counter(range(len(POOL)))


@every_sampler
@pytest.mark.parametrize("seed", [0, 1])
def test_smaller_sets_lie_inside_larger_ones(name, seed):
    small, large = (samplers.pick(name, POOL, k, seed) for k in (10, 50))
    assert large[:10] == small


@every_sampler
def test_same_seed_same_draw(name):
    assert samplers.pick(name, POOL, 20, seed=5) == samplers.pick(name, POOL, 20, seed=5)


@every_sampler
def test_drawing_leaves_the_global_random_state_alone(name):
    import random

    random.seed(0)
    before = random.getstate()
    samplers.pick(name, POOL, 20, seed=5)
    assert random.getstate() == before


@every_sampler
def test_whole_pool_and_nothing(name):
    assert Counter(samplers.pick(name, POOL, len(POOL), seed=0)) == Counter(POOL)
    assert samplers.pick(name, POOL, 0, seed=0) == []
    assert samplers.pick(name, [], 0, seed=0) == []


@every_sampler
def test_asking_too_much_names_the_counts(name):
    pool = [Item(3), Item(50), Item(7)]
    with pytest.raises(samplers.SamplerError, match="pool has 3 examples of 3-50 tokens, 10 asked"):
        samplers.pick(name, pool, 10, seed=0)


def test_negative_k_is_refused():
    with pytest.raises(samplers.SamplerError, match="k is -1"):
        samplers.pick("random", POOL, -1, seed=0)


def test_unknown_sampler_offers_the_nearest():
    with pytest.raises(samplers.SamplerError, match="did you mean longest"):
        samplers.get("longst")


def test_random_depends_on_the_seed_and_is_not_sorted():
    draws = {tuple(samplers.get("random").order(POOL, seed)) for seed in range(20)}
    assert len(draws) == 20


def test_shortest_and_longest_take_the_ends():
    lengths = sorted(item.length for item in POOL)
    assert [item.length for item in samplers.pick("shortest", POOL, 10, 0)] == lengths[:10]
    assert [item.length for item in samplers.pick("longest", POOL, 10, 0)] == lengths[::-1][:10]


@pytest.mark.parametrize("name", ["shortest", "longest"])
def test_ties_are_drawn_from_the_seed(name):
    pool = [Item(5)] * 30
    assert len({tuple(samplers.get(name).order(pool, seed)) for seed in range(10)}) == 10

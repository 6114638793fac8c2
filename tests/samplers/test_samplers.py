import random
import tracemalloc
from collections import Counter
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest

import samplers
from samplers import Pool, SamplerError
from samplers.greedy import CANDIDATES

NAMES = list(samplers.registry())
ACTIVE = [name for name in NAMES if samplers.needs([name])]


@dataclass(frozen=True)
class Item:
    length: int


POOL = [Item(3 + (number * 7) % 20) for number in range(60)]


def made_up_signals(n, seed=0, size=8, pairs=8):
    """Numbers such as a model would give, of every signal there is."""
    rng = np.random.default_rng(seed)
    columns = {"embeddings": size, "confused_pairs": pairs, "expected_errors": pairs}
    found = {name: rng.random((n, columns[name]) if name in columns else n) for name in samplers.SIGNALS}
    found["log_probability"] = np.log(found["log_probability"])
    found["embeddings"] = (found["embeddings"] - 0.3).astype(np.float16)
    found["confused_pairs"] = rng.integers(-1, 40, (n, pairs)).astype(np.float32)
    return found


SIGNALS = made_up_signals(len(POOL))


def pool(n=len(POOL), **changes):
    return Pool([item.length for item in POOL[:n]], {name: values[:n] for name, values in (SIGNALS | changes).items()})


def pick(name, items, k, seed):
    return samplers.pick(name, items, k, seed, {key: values[: len(items)] for key, values in SIGNALS.items()})


every_sampler = pytest.mark.parametrize("name", NAMES)
every_active_sampler = pytest.mark.parametrize("name", ACTIVE)


@every_sampler
def test_order_is_a_permutation_of_the_pool_and_leaves_the_global_random_states_alone(name):
    before = random.getstate(), np.random.get_state()[1].tolist()
    for n, seed in [(1, 3), (2, 3), (3, 3), (len(POOL), 3), (len(POOL), -3), (len(POOL), 2**70)]:
        assert sorted(samplers.get(name).order(pool(n), seed)) == list(range(n))
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


@every_sampler
def test_smaller_sets_lie_inside_larger_ones(name):
    order = samplers.get(name).order
    assert list(islice(order(pool(), 1), 50))[:10] == list(islice(order(pool(), 1), 10))
    small, large = (pick(name, POOL, k, 1) for k in (10, 50))
    assert large[:10] == small


@every_sampler
def test_the_whole_pool_nothing_and_too_much(name):
    assert Counter(pick(name, POOL, len(POOL), seed=0)) == Counter(POOL)
    assert pick(name, POOL, 0, seed=0) == pick(name, [], 0, seed=0) == []
    with pytest.raises(SamplerError, match="pool has 3 examples of 3-50 tokens, 10 asked"):
        pick(name, [Item(3), Item(50), Item(7)], 10, seed=0)


@every_sampler
def test_sampler_takes_no_more_than_it_says_it_needs(name):
    needed = {key: SIGNALS[key] for key in samplers.get(name).needs}
    alone = list(samplers.get(name).order(Pool([item.length for item in POOL], needed), 0))
    assert alone == list(samplers.get(name).order(pool(), 0))


@every_active_sampler
def test_a_signal_that_is_missing_no_number_or_of_another_pool_is_refused(name):
    for signal in samplers.get(name).needs:
        others = {key: values for key, values in SIGNALS.items() if key != signal}
        what = signal.replace("_", " ")
        with pytest.raises(SamplerError, match=f"the {what} of the pool .* is not known; let a model"):
            samplers.pick(name, POOL, 5, 0, others)
        for value in (np.nan, np.inf):
            bad = SIGNALS[signal].copy()
            bad[17] = value
            with pytest.raises(SamplerError, match="of item 17 of the pool is not a finite number"):
                next(samplers.get(name).order(pool(**{signal: bad}), 0))
        with pytest.raises(SamplerError, match="of 59 items for a pool of 60"):
            next(samplers.get(name).order(pool(**{signal: SIGNALS[signal][:59]}), 0))


ALIKE = {key: np.repeat(values[:1], 60, axis=0) for key, values in SIGNALS.items()}
ZEROS = {key: np.zeros_like(values) for key, values in SIGNALS.items()}
SURE = ZEROS | {"minutes": np.ones(60), "confused_pairs": np.full((60, 8), -1.0)}


NEAR = ALIKE | {"embeddings": np.random.default_rng(0).random(384) + 1e-7 * np.arange(60)[:, None]}
FAR = {key: values if key == "confused_pairs" else values.astype(np.float64) * 1e300 for key, values in SIGNALS.items()}


@every_sampler
@pytest.mark.parametrize("signals", [ALIKE, NEAR, SURE, FAR], ids=["alike", "nearly alike", "zero", "huge"])
def test_no_signals_make_a_sampler_draw_an_example_twice(name, signals):
    for size in (1, 2, 10, 60):
        with np.errstate(all="ignore"):
            first, again = (list(samplers.get(name).order(pool(size, **signals), 0)) for _ in range(2))
        assert sorted(first) == list(range(size))
        assert first == again


def test_a_draw_that_repeats_an_example_is_refused(monkeypatch):
    monkeypatch.setattr(type(samplers.get("random")), "order", lambda *_: iter([4, 4, 5]))
    with pytest.raises(SamplerError, match="sampler 'random' drew 2 different examples, 3 asked; fix its order"):
        samplers.pick("random", POOL, 3, 0)


@every_active_sampler
def test_large_pools_are_drawn_from_in_bounded_memory(name, tmp_path):
    """20,000 items whose embeddings stay on disk: an order needs less than 60 MB, whatever the sampler compares."""
    n = 20_000
    found = made_up_signals(n, size=64)
    np.save(tmp_path / "embeddings.npy", found["embeddings"])
    found["embeddings"] = np.load(tmp_path / "embeddings.npy", mmap_mode="r")
    large = Pool([5] * n, found)
    tracemalloc.start()
    try:
        drawn = list(islice(samplers.get(name).order(large, 0), 10))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(set(drawn)) == 10
    assert peak < 60e6 + (CANDIDATES**2 * 12 if name in ("medoids", "typical") else 0)


@pytest.mark.parametrize("k", [2.5, "3", None])
def test_a_k_that_is_no_whole_number_is_refused(k):
    with pytest.raises(SamplerError, match=r"^k is .*; give a whole number such as 10$"):
        samplers.pick("random", POOL, k, seed=0)


def test_negative_k_and_unknown_names_are_refused():
    with pytest.raises(SamplerError, match="k is -1"):
        samplers.pick("random", POOL, -1, seed=0)
    with pytest.raises(SamplerError, match="did you mean longest"):
        samplers.get("longst")


def test_passive_draws_are_those_of_earlier_versions():
    """Results on disk stay valid: their shots are drawn again."""
    first = {name: list(islice(samplers.get(name).order(pool(), 1), 5)) for name in samplers.passive()}
    before = {"longest": [57, 37, 17, 34, 14], "random": [26, 59, 23, 9, 2], "shortest": [20, 0, 40, 3, 43]}
    before["text-order"] = [0, 1, 2, 3, 4]
    assert first == before
    lengths = sorted(item.length for item in POOL)
    assert [POOL[place].length for place in first["shortest"]] == lengths[:5]
    assert [POOL[place].length for place in first["longest"]] == lengths[::-1][:5]


@pytest.mark.parametrize("name", ["random", "shortest", "longest", "entropy", "nearest", "core-set"])
def test_ties_are_drawn_from_the_seed(name):
    same = Pool([5] * 30, {"entropy": np.ones(30), "embeddings": np.ones((30, 4))})
    assert len({tuple(samplers.get(name).order(same, seed)) for seed in range(10)}) == 10

"""Active learning in rounds: what is learned from some shots says which come next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import samplers
from fewshot.corpora.types import Example
from fewshot.evaluation import signals
from fewshot.training.model import Model

E = TypeVar("E", bound=Example)


def rounds(
    source: Model,
    pool: Sequence[E],
    sampler: str,
    sizes: Sequence[int],
    train: Callable[[Sequence[E]], Model],
    seed: int = 0,
) -> Iterator[tuple[list[E], Model]]:
    """Draw some shots, train, let the new model read what is left, draw more.

    ``fewshot run --rounds`` does the same by way of `next_shots`, but for the first draw, for which one reading of the
    pool serves all shot sets (of `bald`, one dropout).

    Args:
        source: says of the pool what the first draw needs.
        pool: unlabelled examples; shots come from it as they are.
        sampler: name of a sampler; what it has drawn in earlier rounds it does not see.
        sizes: number of examples in each round.
        train: from all shots so far to a model, for example by `fewshot.training.adapt.adapt`.
        seed: of the draws.

    Yields:
        All shots so far, in the order they were drawn, and the model trained on them.

    Raises:
        SamplerError: for an unknown sampler, or more examples than the pool has.
    """
    samplers.check(sampler, pool, sum(sizes))
    model, shots = source, list[E]()
    for size in sizes:
        shots = [*shots, *next_shots(model, pool, shots, sampler, size, seed)]
        model = train(shots)
        yield list(shots), model


def next_shots(model: Model, pool: Sequence[E], shots: Sequence[E], sampler: str, size: int, seed: int) -> list[E]:
    """Draw the shots of one round: a model reads what is left of the pool, and a sampler chooses by that.

    Args:
        model: of the round before, or the source model.
        pool: all of it.
        shots: drawn in earlier rounds.
        sampler: name of a sampler; it does not see the shots.
        seed: of the draw.

    Raises:
        SamplerError: see `samplers.pick`.
    """
    taken = {shot.id for shot in shots}
    left = [example for example in pool if example.id not in taken]
    return samplers.pick(sampler, left, size, seed, signals(model, left, samplers.needs([sampler]), seed))

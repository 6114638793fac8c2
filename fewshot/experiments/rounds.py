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
    model, shots, left = source, list[E](), list(pool)
    for size in sizes:
        found = signals(model, left, samplers.needs([sampler]), seed)
        drawn = samplers.pick(sampler, left, size, seed, found)
        taken = {example.id for example in drawn}
        shots, left = shots + drawn, [example for example in left if example.id not in taken]
        model = train(shots)
        yield list(shots), model

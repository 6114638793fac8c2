"""Active learning in rounds: a model trained on the shots so far chooses the next shots."""

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
    """Draw shots, train on them, and let the new model score the rest of the pool for the next draw.

    ``fewshot run --rounds`` uses `next_shots` too, but its first draw shares one scoring of the pool between all shot
    sets (for `bald`, one dropout).

    Args:
        source: source model, which scores the pool for the first draw.
        sampler: name of a sampler; it never sees the examples of earlier rounds.
        train: returns a model trained on all shots so far, for example by `fewshot.training.adapt.adapt`.

    Yields:
        All shots so far, in the order of the draws, and the model trained on them.

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
    """Draw the shots of one round from the rest of the pool, as scored by a model.

    Args:
        model: model of the round before, or the source model.
        shots: shots of earlier rounds, which are left out of the draw.

    Raises:
        SamplerError: see `samplers.pick`.
    """
    taken = {shot.id for shot in shots}
    left = [example for example in pool if example.id not in taken]
    return samplers.pick(sampler, left, size, seed, signals(model, left, samplers.needs([sampler]), seed))

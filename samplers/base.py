"""What a sampler is, how it is found by name, and how it draws.

A sampler puts a pool in an order; the first k are the shots. So the k=10 set lies inside the k=50 set, whatever
the sampler does. Passive samplers look at lengths only; active ones say which signals of a model they need. A new
sampler is one new file in this folder that defines a subclass of `Sampler`.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import islice
from typing import ClassVar, Protocol, TypeVar

import numpy as np

import samplers
from samplers.pool import Pool, SamplerError


class Item(Protocol):
    """What a sampler may look at: the text's size, never its labels."""

    @property
    def length(self) -> int:
        """Size in tokens."""


I = TypeVar("I", bound=Item)  # noqa: E741


class Sampler(ABC):
    """A way to choose which examples to annotate first."""

    name: ClassVar[str]
    """The name users type."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """The signals of a model that it looks at, by names of `SIGNALS`; none for a passive sampler."""

    @abstractmethod
    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield every index of the pool once, the one to annotate first at the front.

        Args:
            pool: unlabelled items, with the signals that the sampler needs.
            seed: the order is a pure function of pool and seed.

        Raises:
            SamplerError: when a signal is missing or is not what it must be.
        """


def pick(
    sampler: str, pool: Sequence[I], k: int, seed: int, signals: Mapping[str, np.ndarray] | None = None
) -> list[I]:
    """Draw k examples.

    Args:
        pool: unlabelled examples.
        k: how many, 0 or more.
        seed: of the draw; draws with one seed and different k are nested.
        signals: what a model says of the pool, where the sampler needs it.

    Returns:
        The k examples, first choice first.

    Raises:
        SamplerError: see `check`; or when a signal is missing or is not what it must be, or the sampler draws an
            example twice.
    """
    check(sampler, pool, k)
    order = get(sampler).order(Pool([item.length for item in pool], signals or {}), seed)
    drawn = list(islice(order, k))
    if len(set(drawn)) < k:
        raise SamplerError(f"sampler {sampler!r} drew {len(set(drawn))} different examples, {k} asked; mend its order")
    return [pool[index] for index in drawn]


def check(sampler: str, pool: Sequence[Item], k: int) -> None:
    """Find what is wrong with a draw before any model has read the pool.

    Raises:
        SamplerError: for an unknown sampler, a negative k, or a k above the size of the pool.
    """
    get(sampler)
    if k < 0:
        raise SamplerError(f"k is {k}; ask for 0 or more examples")
    if k > len(pool):
        lengths = [item.length for item in pool]
        sizes = f" of {min(lengths)}-{max(lengths)} tokens" if lengths else ""
        raise SamplerError(f"pool has {len(pool)} examples{sizes}, {k} asked; ask for fewer or give more data")


def needs(names: Collection[str]) -> frozenset[str]:
    """Return the signals that any of some samplers needs."""
    return frozenset[str]().union(*(get(name).needs for name in names))


def get(name: str) -> Sampler:
    """Return the sampler of that name.

    Raises:
        SamplerError: with the nearest names, when there is none.
    """
    known = registry()
    if name not in known:
        near = get_close_matches(name, known, n=3, cutoff=0.5)
        offer = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(known)}."
        raise SamplerError(f"unknown sampler {name!r}: {offer}")
    return known[name]


@cache
def registry() -> dict[str, Sampler]:
    """Return every sampler of this folder by name, sorted."""
    for module in pkgutil.iter_modules(samplers.__path__):
        importlib.import_module(f"samplers.{module.name}")
    found = {kind.name: kind() for kind in Sampler.__subclasses__()}
    return dict(sorted(found.items()))


def passive() -> list[str]:
    """Return the names of the samplers that need no model."""
    return [name for name, sampler in registry().items() if not sampler.needs]

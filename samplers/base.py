"""What a sampler is, how it is found by name, and how it draws.

A sampler puts a pool in an order; the first k are the shots. So the k=10 set lies inside the k=50 set, whatever
the sampler does. A new sampler is one new file in this folder that defines a subclass of `Sampler`.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import islice
from typing import ClassVar, Protocol, TypeVar

import samplers


class SamplerError(ValueError):
    """A sampler that does not exist or a draw that is not possible; the message says what to do."""


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

    @abstractmethod
    def order(self, pool: Sequence[Item], seed: int) -> Iterator[int]:
        """Yield every index of the pool once, the one to annotate first at the front.

        Args:
            pool: unlabelled examples.
            seed: the order is a pure function of pool and seed.
        """


def pick(sampler: str, pool: Sequence[I], k: int, seed: int) -> list[I]:
    """Draw k examples.

    Args:
        sampler: name of a sampler.
        pool: unlabelled examples.
        k: how many, 0 or more.
        seed: of the draw; draws with one seed and different k are nested.

    Returns:
        The k examples, first choice first.

    Raises:
        SamplerError: for an unknown sampler, a negative k, or a k above the size of the pool.
    """
    if k < 0:
        raise SamplerError(f"k is {k}; ask for 0 or more examples")
    if k > len(pool):
        lengths = [item.length for item in pool]
        sizes = f" of {min(lengths)}-{max(lengths)} tokens" if lengths else ""
        raise SamplerError(f"pool has {len(pool)} examples{sizes}, {k} asked; ask for fewer or give more data")
    return [pool[index] for index in islice(get(sampler).order(pool, seed), k)]


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

"""The interface of samplers, their registry, and the draw.

A sampler orders a pool, and the first k are the shots, so that the k=10 set is always part of the k=50 set. Passive
samplers use lengths and order only; active samplers name the signals of a model that they need. A new sampler is a
new file in this folder with a subclass of `Sampler`.
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


class PoolExample(Protocol):
    """The part of an example that a sampler may use: the size of its text, never its labels."""

    @property
    def length(self) -> int:
        """Size in tokens."""


I = TypeVar("I", bound=PoolExample)  # noqa: E741


class Sampler(ABC):
    """A way to choose which examples to annotate first."""

    name: ClassVar[str]
    """The name that users type."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """Names in `SIGNALS` of the signals that an active sampler uses."""

    @abstractmethod
    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield every index of the pool once, the first to annotate first.

        Args:
            pool: unlabelled items, with the signals that the sampler needs.
            seed: the order depends on pool and seed only.

        Raises:
            SamplerError: when a signal is missing or invalid.
        """


def pick(
    sampler: str, pool: Sequence[I], k: int, seed: int, signals: Mapping[str, np.ndarray] | None = None
) -> list[I]:
    """Draw k examples, first choice first.

    Args:
        k: 0 or more.
        seed: draws with one seed and different k are nested.
        signals: a model's signals of the pool, if the sampler needs them.

    Raises:
        SamplerError: see `check`; or when a signal is missing or invalid, or the sampler draws an example twice.
    """
    check(sampler, pool, k)
    order = get(sampler).order(Pool([item.length for item in pool], signals or {}), seed)
    drawn = list(islice(order, k))
    if len(set(drawn)) < k:
        raise SamplerError(f"sampler {sampler!r} drew {len(set(drawn))} different examples, {k} asked; fix its order")
    return [pool[index] for index in drawn]


def check(sampler: str, pool: Sequence[PoolExample], k: int) -> None:
    """Raise a SamplerError if there is no such sampler, or k is no whole number or outside of the pool."""
    get(sampler)
    if not hasattr(k, "__index__"):
        raise SamplerError(f"k is {k!r}; give a whole number such as 10")
    if k < 0:
        raise SamplerError(f"k is {k}; it must be 0 or more")
    if k > len(pool):
        lengths = [item.length for item in pool]
        sizes = f" of {min(lengths)}-{max(lengths)} tokens" if lengths else ""
        raise SamplerError(f"pool has {len(pool)} examples{sizes}, {k} asked; ask for fewer or give more data")


def needs(names: Collection[str]) -> frozenset[str]:
    """Return the signals that any of several samplers needs."""
    return frozenset[str]().union(*(get(name).needs for name in names))


def get(name: str) -> Sampler:
    """Return the sampler of a name; raise a SamplerError with the nearest names when there is none."""
    known = registry()
    if name not in known:
        near = get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(known)}."
        raise SamplerError(f"unknown sampler {name!r}: {hint}")
    return known[name]


@cache
def registry() -> dict[str, Sampler]:
    """Return every sampler of this folder by name, sorted."""
    for module in pkgutil.iter_modules(samplers.__path__):
        importlib.import_module(f"samplers.{module.name}")
    return {kind.name: kind() for kind in sorted(Sampler.__subclasses__(), key=lambda kind: kind.name)}


def passive() -> list[str]:
    """Return the names of the samplers that need no model."""
    return [name for name, sampler in registry().items() if not sampler.needs]

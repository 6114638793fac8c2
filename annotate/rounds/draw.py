"""Draws of rounds: a sampler selects examples, which are assigned to annotators as items."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import samplers
from annotate.rounds import curve
from annotate.store import SHOTS, TEST, NewItem, Project, Round, Store
from annotate.worker import queue
from fewshot.errors import FewshotError

TEXT_ORDER = "text-order"
"""Sampler of projects that annotate the whole file."""


@dataclass(frozen=True, slots=True)
class UndrawnExample:
    """The id and size of an example, for a sampler."""

    id: int
    length: int


def candidates(store: Store, project: Project, split: str) -> list[UndrawnExample]:
    """Return the examples of a split (``pool`` or ``test``) that are in no round, by position."""
    taken = store.drawn_examples(project.id)
    return [UndrawnExample(id, length) for id, length in store.lengths(project.id, split) if id not in taken]


def next_seed(store: Store, project: Project) -> int:
    """Return the seed of the next draw, different for each."""
    return project.seed + len(store.rounds(project.id)) + 1


def mean_lengths(store: Store, project: Project, k: int, seed: int) -> dict[str, float]:
    """Return the mean length in tokens of the next k examples of each sampler that needs no model."""
    left = candidates(store, project, "pool")
    names = samplers.passive() if k <= len(left) else []
    return {name: sum(example.length for example in samplers.pick(name, left, k, seed)) / k for name in names}


def draw_round(
    store: Store,
    project: Project,
    k: int,
    sampler: str,
    seed: int,
    purpose: str = SHOTS,
    signals: Mapping[str, np.ndarray] | None = None,
) -> Round:
    """Draw k examples that are in no round, and assign them.

    The test set is always drawn at random and annotated blind: suggestions would raise the scores of the model that
    made them (Berzak et al. 2016).

    Args:
        seed: of the draw and of the shares of blind and of doubly annotated shots.
        purpose: ``shots``, drawn from the pool, or ``test``, drawn from the test set.
        signals: model outputs on the `candidates`, for samplers that need them.

    Raises:
        FewshotError: when k is below 1, or fewer examples are left.
        SamplerError: for an unknown sampler, or one whose signals are missing.
    """
    left = _require_candidates(store, project, k, "test" if purpose == TEST else "pool")
    sampler = "random" if purpose == TEST else sampler
    chosen = [candidate.id for candidate in samplers.pick(sampler, left, k, seed, signals)]
    items = _assignments(store, project, chosen, chosen if purpose == TEST else (), seed)
    return store.add_round(
        project_id=project.id, purpose=purpose, sampler=sampler, k=k, seed=seed, items=items, undrawn=True
    )


def begin_whole(store: Store, project: Project, suggest: bool = True) -> None:
    """Assign all examples that are in no round, in the order of the file; those of the test set blind."""
    test = [example.id for example in candidates(store, project, "test")]
    chosen = sorted([*test, *(example.id for example in candidates(store, project, "pool"))])  # ids rise with the place
    if not chosen:  # the files have finished everything
        return
    items = _assignments(store, project, chosen, test, project.seed)
    rest: dict[str, Any] = {"sampler": TEXT_ORDER, "k": len(chosen), "seed": project.seed, "undrawn": True}
    store.add_round(project_id=project.id, purpose=SHOTS, items=items, **rest)
    if suggest:
        queue.suggest(store, project)


def take(store: Store, project: Project, example_id: int, annotator: str) -> None:
    """Assign an example that is in no round to an annotator, also one that samplers leave out.

    It stands at the end of the last round, so that the curve has no point for each.
    """
    rounds = [drawn for drawn in store.rounds(project.id) if drawn.purpose == SHOTS]
    new: dict[str, Any] = {"purpose": SHOTS, "sampler": TEXT_ORDER, "k": 0, "seed": project.seed, "items": ()}
    last = rounds[-1] if rounds else store.add_round(project_id=project.id, **new)
    store.extend_round(last, [NewItem(example_id, task, annotator) for task in project.tasks])
    queue.suggest(store, project)


def begin_round(store: Store, project: Project, k: int, sampler: str, seed: int, suggest: bool = True) -> None:
    """Draw k shots, or start a job for it if the sampler needs a model.

    Raises:
        FewshotError: when k is below 1, fewer examples are left, or the same draw is running.
        SamplerError: for an unknown sampler.
    """
    if samplers.get(sampler).needs:
        _require_candidates(store, project, k, "pool")  # fails before the job loads a model
        args = {"sampler": sampler, "k": k, "seed": seed, "suggest": suggest}
        args["model"] = curve.own_model(store, project, project.tasks[0])
        if queue.start(store, project.id, "draw", args) is None:
            raise FewshotError("somebody else has started the same draw; wait until it is done")
        return
    draw_round(store, project, k, sampler, seed)
    if suggest:
        queue.suggest(store, project)


def _require_candidates(store: Store, project: Project, k: int, split: str) -> list[UndrawnExample]:
    left = candidates(store, project, split)
    if k < 1:
        raise FewshotError(f"cannot draw {k} examples; draw at least one")
    if k > len(left):
        raise FewshotError(f"only {len(left)} examples of the {split} are left, not {k}; draw fewer")
    return left


def _assignments(
    store: Store, project: Project, chosen: Sequence[int], test: Collection[int], seed: int
) -> list[NewItem]:
    """Return the assignments of examples in their order.

    Args:
        test: those of the test set, which are blind.
        seed: of the shares of blind and of doubly annotated examples.
    """
    drawn, tested = len(store.drawn_examples(project.id)), set(test)
    shots = [example for example in chosen if example not in tested]
    blind = tested | _share(shots, project.blind_share, f"blind {seed} {drawn}")
    double = _share(chosen, project.double_share, f"double {seed} {drawn}")
    people = store.project_people(project.id)
    return [
        NewItem(example, task, annotator, example in blind, TEST if example in tested else SHOTS)
        for task in project.tasks
        for place, example in enumerate(chosen, start=drawn)
        for annotator in _assign(people, place, example in double)
    ]


def _share(examples: Sequence[int], share: float, seed: str) -> set[int]:
    """Return a random share of the examples, at least one if the share is above 0."""
    count = min(len(examples), max(1, round(share * len(examples)))) if share > 0 else 0
    return set(Random(seed).sample(list(examples), count))


def _assign(people: Sequence[str], place: int, double: bool) -> list[str | None]:
    """Return the annotators of the example at a place, in turn; None if the project names no annotators."""
    count = 2 if double else 1
    if not people:
        return [None] * count
    return [people[(place + turn) % len(people)] for turn in range(min(count, len(people)))]

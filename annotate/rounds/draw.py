"""Rounds of annotation: a sampler draws examples, and they become items of annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

import samplers
from annotate.rounds import curve
from annotate.store import NewItem, Project, Round, Store
from annotate.worker import queue
from fewshot.errors import FewshotError


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a sampler sees of an example: its size."""

    id: int
    length: int


def candidates(store: Store, project: Project, split: str) -> list[Candidate]:
    """Return the examples of the ``pool`` or the ``test`` set that no round has yet, in the order of the pool."""
    taken = store.drawn_examples(project.id)
    return [Candidate(id, length) for id, length in store.lengths(project.id, split) if id not in taken]


def next_seed(store: Store, project: Project) -> int:
    """Return the seed of the next draw, another one each time."""
    return project.seed + len(store.rounds(project.id)) + 1


def lengths_ahead(store: Store, project: Project, k: int, seed: int) -> dict[str, float]:
    """Return the mean length in tokens of the k examples that each sampler would draw next, by its name.

    Returns:
        Those of samplers that need no model; empty where fewer examples are left.
    """
    left = candidates(store, project, "pool")
    names = samplers.passive() if k <= len(left) else []
    return {name: sum(one.length for one in samplers.pick(name, left, k, seed)) / k for name in names}


def draw_round(
    store: Store,
    project: Project,
    k: int,
    sampler: str,
    seed: int,
    purpose: str = "shots",
    signals: Mapping[str, np.ndarray] | None = None,
) -> Round:
    """Draw k examples that no round has yet and make items of them.

    The test set is drawn at random whatever the sampler, and is annotated blind: suggestions would raise the scores of
    the model that made them (Berzak et al. 2016).

    Args:
        project: says who annotates, and which share of the shots is blind, or for two annotators.
        seed: of the draw and of the shares.
        purpose: ``shots``, drawn from the pool, or ``test``, drawn from the test set.
        signals: what a model says of the `candidates`, for a sampler that needs it.

    Returns:
        The new round.

    Raises:
        FewshotError: when there are not k examples left, or none is asked for.
        SamplerError: for an unknown sampler, or one that needs a model to read the pool.
    """
    drawn = len(store.drawn_examples(project.id))
    left = _enough(store, project, k, "test" if purpose == "test" else "pool")
    sampler = "random" if purpose == "test" else sampler
    picked = samplers.pick(sampler, left, k, seed, signals)
    chosen = [candidate.id for candidate in picked]
    blind = set(chosen) if purpose == "test" else _share(chosen, project.blind_share, f"blind {seed} {drawn}")
    double = _share(chosen, project.double_share, f"double {seed} {drawn}")
    people = store.project_people(project.id)
    items = [
        NewItem(example, task, annotator, example in blind)
        for task in project.tasks
        for place, example in enumerate(chosen, start=drawn)
        for annotator in _annotators(people, place, example in double)
    ]
    return store.add_round(
        project_id=project.id, purpose=purpose, sampler=sampler, k=k, seed=seed, items=items, undrawn=True
    )


def begin_round(store: Store, project: Project, k: int, sampler: str, seed: int, suggest: bool = True) -> None:
    """Draw k shots at once, or start the job in which a model reads the pool first where the sampler needs that.

    Raises:
        FewshotError: when there are not k examples left, or none is asked for, or the same draw is under way.
        SamplerError: for an unknown sampler.
    """
    if samplers.get(sampler).needs:
        _enough(store, project, k, "pool")  # the job could only say so once its model is loaded
        args = {"sampler": sampler, "k": k, "seed": seed, "suggest": suggest}
        args["model"] = curve.own_model(store, project, project.tasks[0])
        if queue.start(store, project.id, "draw", args) is None:
            raise FewshotError("this draw is under way already; somebody else has started it")
        return
    draw_round(store, project, k, sampler, seed)
    if suggest:
        queue.suggest(store, project)


def _enough(store: Store, project: Project, k: int, split: str) -> list[Candidate]:
    """Return the candidates of a split if k of them can be drawn."""
    left = candidates(store, project, split)
    if k < 1:
        raise FewshotError(f"{k} examples asked; draw at least one")
    if k > len(left):
        raise FewshotError(f"{len(left)} examples of the {split} are not drawn yet, {k} asked; ask for fewer")
    return left


def _share(examples: Sequence[int], share: float, seed: str) -> set[int]:
    """Return a random share of the examples; of a share above 0 at least one."""
    count = min(len(examples), max(1, round(share * len(examples)))) if share > 0 else 0
    return set(Random(seed).sample(list(examples), count))


def _annotators(people: Sequence[str], place: int, double: bool) -> list[str | None]:
    """Deal examples round; whoever comes first takes those of a project without names."""
    count = 2 if double else 1
    if not people:
        return [None] * count
    return [people[(place + turn) % len(people)] for turn in range(min(count, len(people)))]

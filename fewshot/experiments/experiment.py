"""What is to be run: conditions, where their shots come from, and what trains and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from fewshot.corpora.load import Corpus
from fewshot.errors import FewshotError
from fewshot.experiments.draws import Draws, Shots
from fewshot.experiments.plan import Condition, Plan, check_plan, digest
from fewshot.experiments.trainer import Trainer, load_trainer


@dataclass(frozen=True)
class Experiment:
    """Conditions, where their shots come from, and what they are trained and scored with.

    Args:
        trainer: source model, recipe, device.
        corpus: pool and test set, gold annotation checked.
        conditions: in the order in which they are carried out.
        shots: what was drawn for them.
        name: what tells conditions apart in a progress line.
    """

    trainer: Trainer
    corpus: Corpus
    conditions: Sequence[Condition]
    shots: Shots
    name: Callable[[Condition], str] = field(default=str)

    @property
    def identity(self) -> dict[str, Any]:
        """The fingerprints of all that decides a run's number, beside its condition."""
        return self.trainer.identity(self.corpus)

    @property
    def folder(self) -> Path:
        """Where runs are kept unless the user says otherwise: one folder for each identity."""
        return Path("runs") / f"{self.trainer.lang}-{self.trainer.task.name}-{digest(self.identity)[:6]}"

    @property
    def kept(self) -> Condition:
        """The condition whose model is kept, chosen before any score is seen: the first of the largest k."""
        return max(self.conditions, key=lambda condition: condition.k)

    def updates(self) -> Mapping[Condition, int]:
        """Return how long each condition takes, in optimizer steps; zero-shot counts as one."""
        settings = self.trainer.settings
        return {c: settings(self.shots.expected(c)).updates if c.k else 1 for c in self.conditions}


def load_experiment(
    plan: Plan,
    corpus: Corpus,
    model: str,
    device: torch.device,
    source: Path | None = None,
    source_data: Path | None = None,
) -> Experiment:
    """Return the experiment of a plan, whose samplers draw from the pool; the source model reads it for active ones.

    Args:
        corpus: pool and test set.
        source: see `load_trainer`.
        source_data: see `load_trainer`.

    Raises:
        FewshotError: when plan, models or data do not fit together.
        SamplerError: see `check_plan`.
    """
    task = check_plan(plan, corpus)
    trainer = load_trainer(task, plan.lang, model, device, plan.method, plan.changes, source, source_data)
    conditions = [each for each in plan.conditions() if each.k or trainer.scores_zero_shot(corpus.test)]
    if not conditions:
        raise FewshotError(f"{trainer.notice(corpus.test)}; ask for a k of 1 or more")
    draws = Draws(plan, corpus.pool, trainer)
    draws.read_pool(plan.samplers)
    return Experiment(trainer, corpus, conditions, draws)

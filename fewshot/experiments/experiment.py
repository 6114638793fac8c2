"""What is to be run: cells, where their shots come from, and what trains and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

from fewshot.corpora.load import Corpus
from fewshot.curves.results import Result
from fewshot.encoders.load import load_encoder
from fewshot.encoders.pieces import Pieces
from fewshot.errors import FewshotError
from fewshot.evaluation import Evaluation
from fewshot.experiments.draws import Draws, Shots
from fewshot.experiments.executors.base import Tell
from fewshot.experiments.machine import training_bytes
from fewshot.experiments.plan import Cell, Plan, check_plan, digest
from fewshot.experiments.silver import UNTAUGHT, Labelled, Silver
from fewshot.experiments.trainer import Trainer, load_trainer
from fewshot.training.model import Model

PROCESS_UPDATES = 150
"""Updates that a process does in the time that it takes to begin, with a small encoder."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A cell that is to be carried out, with what that needs beside the experiment.

    Args:
        cell: what is trained and scored.
        id: see `fewshot.experiments.plan.run_id`.
        keep_in: folder that takes the model; None where it is not kept.
        before: results of the rounds before it, which say what their models have chosen.
    """

    cell: Cell
    id: str
    keep_in: Path | None
    before: tuple[Result, ...]

    @property
    def key(self) -> Cell:
        """The cell, which tells it from the others."""
        return self.cell


@dataclass(frozen=True, slots=True)
class Finding:
    """What carrying out a cell has found.

    Args:
        evaluation: of its model on the test set.
        seconds: of training and evaluation.
        chosen: ids of the shots that its model chose for the next round.
        model: where it is to be kept, on the CPU.
    """

    evaluation: Evaluation
    seconds: float
    chosen: tuple[str, ...]
    model: Model | None = None


@dataclass(frozen=True)
class Experiment:
    """Cells, where their shots come from, and what they are trained and scored with; the work of `execute`.

    Args:
        trainer: source model, recipe, device.
        corpus: pool and test set, gold annotation checked.
        cells: in the order in which they are carried out.
        shots: what was drawn for them.
        name: what tells cells apart in a progress line.
        pieces: the test set encoded, once it is `prepared`.
        silver: what a language model has labelled for each draw, which is trained on too; None: nothing.
    """

    trainer: Trainer
    corpus: Corpus
    cells: Sequence[Cell]
    shots: Shots
    name: Callable[[Cell], str] = field(default=str)
    pieces: Sequence[Sequence[Pieces]] | None = None
    silver: Silver | None = None

    @property
    def identity(self) -> dict[str, Any]:
        """The fingerprints of all that decides a run's number, beside its cell."""
        return {**self.trainer.identity(self.corpus), **({"silver": self.silver.identity} if self.silver else {})}

    def labelled(self, cell: Cell) -> Labelled:
        """Return the silver labels of a cell."""
        return self.silver.of(cell) if self.silver else UNTAUGHT

    @property
    def folder(self) -> Path:
        """Where runs are kept unless the user says otherwise: one folder for each identity."""
        return self.beside(None, digest(self.identity)[:6])

    def beside(self, out: Path | None, name: str) -> Path:
        """Return the folder of what is kept beside its runs.

        Args:
            out: folder of the experiment, where the user has named one; None: where runs are kept otherwise.
            name: of the folder.
        """
        return out / name if out else Path("runs") / f"{self.trainer.lang}-{self.trainer.task.name}-{name}"

    @property
    def kept(self) -> Cell:
        """The cell whose model is kept, chosen before any score is seen: the first of the largest k."""
        return max(self.cells, key=lambda cell: cell.k)

    def updates(self) -> Mapping[Cell, int]:
        """Return how long each cell takes, in optimizer steps; zero-shot counts as one."""
        settings = self.trainer.settings
        return {c: settings(self.shots.expected(c)).updates if c.k else 1 for c in self.cells}

    @property
    def device(self) -> torch.device:
        """That of its trainer."""
        return self.trainer.device

    @property
    def long_runs(self) -> int:
        """Those that are trained, but no more than their updates are worth, see `PROCESS_UPDATES`."""
        trained = sum(cell.k > 0 for cell in self.cells)
        return min(trained, sum(self.updates().values()) // PROCESS_UPDATES)

    @property
    def process_bytes(self) -> float:
        """Those of a process that trains its encoder."""
        return training_bytes(self.trainer.start.encoder)

    def prepared(self) -> Experiment:
        """Return it with the test set encoded; how a progress line names cells stays here."""
        return replace(self, name=str, pieces=self.trainer.start.encode(self.corpus.test))

    def on(self, device: torch.device) -> Experiment:
        """Return it with a trainer on another device."""
        return replace(self, trainer=replace(self.trainer, device=device))

    def carry_out(self, run: Assignment, tell: Tell) -> Finding:
        """Train and score.

        Args:
            run: one cell.
            tell: called after every update.

        Raises:
            FewshotError: see `fewshot.experiments.trainer.Trainer.train_and_score`.
        """
        cell, shots = run.cell, self.shots
        shots.recall(run.before)
        started = perf_counter()
        model, evaluation = self.trainer.train_and_score(
            shots.of(cell),
            self.corpus.test,
            cell.seed,
            lambda now: tell(cell, now),
            self.pieces,
            self.labelled(cell).examples,
        )
        seconds = perf_counter() - started
        chosen = tuple(shot.id for shot in shots.choose(cell, model))
        return Finding(evaluation, seconds, chosen, model.to(torch.device("cpu")) if run.keep_in else None)

    def keep(self, run: Assignment, found: Finding) -> Finding:
        """Save the model of a run that is kept."""
        if run.keep_in and found.model:
            self.save(found.model, run.cell, run.id, run.keep_in)
        return replace(found, model=None)

    def save(self, model: Model, cell: Cell, run: str, folder: Path) -> None:
        """Save a model, which then says how its shots were drawn."""
        draw = {"sampler": cell.sampler, "shot_set": cell.shot_set, "rounds": list(cell.rounds)}
        where = {"lang": self.trainer.lang, "data": self.corpus.source}
        model.provenance = {"run": run, **where, **draw, **model.provenance}
        model.save(folder)


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
    encoder = load_encoder(model)
    trainer = load_trainer(task, plan.lang, encoder, device, plan.method, plan.changes, source, source_data)
    cells = [each for each in plan.cells() if each.k or trainer.scores_zero_shot(corpus.test)]
    if not cells:
        raise FewshotError(f"{trainer.notice(corpus.test)}; ask for a k of 1 or more")
    draws = Draws(plan, corpus.pool, trainer)
    draws.read_pool(plan.samplers)
    return Experiment(trainer, corpus, cells, draws)

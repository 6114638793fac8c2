"""An experiment: the cells of a grid with their shots, trainer and scoring."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

from fewshot.corpora.load import Corpus
from fewshot.encoders.load import load_encoder
from fewshot.encoders.pieces import Pieces
from fewshot.encoders.vowel_signs import AUTO, fit_encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import Evaluation
from fewshot.experiments.draws import Draws, FixedShots, Shots
from fewshot.experiments.executors.base import RunReport
from fewshot.experiments.executors.place import training_bytes
from fewshot.experiments.plan import Cell, Plan, check_plan, digest
from fewshot.experiments.rounds import next_shots
from fewshot.experiments.silver import NO_SILVER, Silver, SilverLabels
from fewshot.experiments.trainer import Trainer, load_trainer
from fewshot.training.model import Model

STARTUP_UPDATES = 150
"""Number of updates of a small encoder that take as long as the start of a process."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A cell that an executor is to run.

    Args:
        id: id of the result, see `fewshot.experiments.plan.run_id`.
        keep_in: folder that takes the model; None: the model is not kept.
        next_size: number of shots that the model is to choose for the next round.
    """

    cell: Cell
    id: str
    shots: Sequence[Any]
    keep_in: Path | None = None
    next_size: int = 0

    @property
    def key(self) -> Cell:
        """The cell, which identifies the assignment."""
        return self.cell


@dataclass(frozen=True, slots=True)
class ScoredCell:
    """The outcome of one cell.

    Args:
        chosen: ids of the shots that the model chose for the next round.
        model: model to be saved, on the CPU; None: the model is not kept.
    """

    evaluation: Evaluation
    seconds: float
    chosen: tuple[str, ...]
    model: Model | None = None


@dataclass(frozen=True)
class Experiment:
    """The cells of a grid and all that their trainings share; the workload of `execute`.

    Args:
        corpus: pool and test set with checked gold annotation.
        pieces: the encoded test set, set by `prepared`.
        silver: silver labels to train on too; None: no silver labels.
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
        """Fingerprints of everything but the cell that decides a score."""
        return {**self.trainer.identity(self.corpus), **({"silver": self.silver.identity} if self.silver else {})}

    def silver_labels(self, cell: Cell) -> SilverLabels:
        """Return the silver labels that a cell trains on."""
        return self.silver.for_cell(cell) if self.silver else NO_SILVER

    @property
    def folder(self) -> Path:
        """The default folder of the results, one for each identity."""
        return self.sibling_folder(None, digest(self.identity)[:6])

    def sibling_folder(self, out: Path | None, name: str) -> Path:
        """Return a folder for results that belong to this experiment.

        Args:
            out: output folder that the user named; None: a folder next to the default one.
        """
        return out / name if out else Path("runs") / f"{self.trainer.lang}-{self.trainer.task.name}-{name}"

    @property
    def kept_cell(self) -> Cell:
        """The cell whose model is kept: the first of the largest k, chosen before any score is known."""
        return max(self.cells, key=lambda cell: cell.k)

    def updates(self) -> Mapping[Cell, int]:
        """Return the number of optimizer steps of each cell; zero-shot counts as one."""
        settings = self.trainer.settings
        return {c: settings(self.shots.for_cell(c)).updates if c.k else 1 for c in self.cells}

    @property
    def device(self) -> torch.device:
        """The device of the trainer."""
        return self.trainer.device

    @property
    def max_processes(self) -> int:
        """The number of processes that the trainings justify, see `STARTUP_UPDATES`."""
        trained = sum(cell.k > 0 for cell in self.cells)
        return min(trained, sum(self.updates().values()) // STARTUP_UPDATES)

    @property
    def process_bytes(self) -> float:
        """Memory of a process that trains the encoder, in bytes."""
        return training_bytes(self.trainer.start.encoder)

    def prepared(self) -> Experiment:
        """Return a copy that can be pickled, with the test set encoded, the default cell names and no shots."""
        pieces = self.trainer.start.encode(self.corpus.test)
        return replace(self, name=str, pieces=pieces, shots=FixedShots(()))

    def to(self, device: torch.device) -> Experiment:
        """Return a copy whose trainer uses another device."""
        return replace(self, trainer=replace(self.trainer, device=device))

    def carry_out(self, run: Assignment, tell: RunReport) -> ScoredCell:
        """Train and score one cell, and let its model choose the shots of the next round.

        Raises:
            FewshotError: see `fewshot.experiments.trainer.Trainer.train_and_score`.
        """
        cell = run.cell
        started = perf_counter()
        model, evaluation = self.trainer.train_and_score(
            run.shots,
            self.corpus.test,
            cell.seed,
            lambda now: tell(cell, now),
            self.pieces,
            self.silver_labels(cell).examples,
            self.corpus.pool,
        )
        seconds = perf_counter() - started
        size = run.next_size
        chosen = next_shots(model, self.corpus.pool, run.shots, cell.sampler, size, cell.shot_set) if size else []
        ids = tuple(shot.id for shot in chosen)
        return ScoredCell(evaluation, seconds, ids, model.to(torch.device("cpu")) if run.keep_in else None)

    def keep(self, run: Assignment, output: ScoredCell) -> ScoredCell:
        """Save the model of the outcome, if any, and return the outcome without the model."""
        if run.keep_in and output.model:
            self.save(output.model, run.cell, run.id, run.keep_in)
        return replace(output, model=None)

    def save(self, model: Model, cell: Cell, run: str, folder: Path) -> None:
        """Save a model with the provenance of its shots."""
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
    vowel_signs: str = AUTO,
    dictionary: bool = True,
) -> Experiment:
    """Return the experiment of a plan; the source model reads the pool for active samplers.

    Args:
        vowel_signs: see `fit_encoder`.
        dictionary: whether lemmas are looked up in a dictionary of the language, if there is one.

    Raises:
        FewshotError: when plan, models and data do not fit together.
        SamplerError: see `check_plan`.
    """
    task = check_plan(plan, corpus)
    encoder = fit_encoder(load_encoder(model), corpus.pool, corpus.test, vowel_signs)
    trainer = load_trainer(task, plan.lang, encoder, device, plan.method, plan.changes, source, source_data)
    trainer = trainer.with_dictionary(dictionary)
    cells = [cell for cell in plan.cells() if cell.k or trainer.scores_zero_shot(corpus.test)]
    if not cells:
        raise FewshotError(f"{trainer.new_labels_notice(corpus.test)}; ask for a k of 1 or more")
    draws = Draws(plan, corpus.pool, trainer)
    draws.read_pool(plan.samplers)
    return Experiment(trainer, corpus, cells, draws)

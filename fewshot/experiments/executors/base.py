"""A run, what it finds, and who carries it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Protocol, Self

from fewshot.curves.results import Result
from fewshot.encoders.pieces import Pieces
from fewshot.evaluation import Evaluation
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Condition
from fewshot.progress import Progress
from fewshot.training.model import Model


@dataclass(frozen=True, slots=True)
class Run:
    """One condition to carry out.

    Args:
        condition: what is trained.
        id: see `fewshot.experiments.plan.run_id`.
        keep_in: folder that takes the model; None where it is not kept.
        before: results of the rounds before it, which say what their models have chosen.
    """

    condition: Condition
    id: str
    keep_in: Path | None
    before: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a run has found.

    Args:
        evaluation: of its model on the test set.
        seconds: of training and evaluation.
        chosen: ids of the shots that its model chose for the next round.
    """

    evaluation: Evaluation
    seconds: float
    chosen: tuple[str, ...]


Tell = Callable[[Condition, Progress], None]
"""Is told how far a run is; what it is doing names the machine, where that is another one."""


class Executor(Protocol):
    """Carries out runs; a context that holds whatever that takes."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...

    @property
    def free(self) -> int:
        """How many more runs it takes now."""

    @property
    def busy(self) -> bool:
        """Whether it has runs that have not ended."""

    def begin(self, run: Run) -> None:
        """Take a run; only while it is `free`."""

    def ended(self, tell: Tell) -> Iterator[tuple[Run, Finding]]:
        """Wait until runs end, and yield them.

        Raises:
            FewshotError: of a run, or where who carries it out has died.
        """


class Workers(Protocol):
    """Those who carry out the runs of experiments; ``str`` says who, for people."""

    @property
    def at_once(self) -> int | None:
        """Runs at once, each with one thread or its share of a GPU; None: one, with all threads of this process."""

    @property
    def machines(self) -> float:
        """Machines, or GPUs, that are paid for meanwhile."""

    def executor(self, experiment: Experiment, runs: int) -> Executor:
        """Return what carries out that many runs of an experiment."""


def carry_out(
    experiment: Experiment, run: Run, pieces: Sequence[Sequence[Pieces]], tell: Tell
) -> tuple[Model, Finding]:
    """Train and score.

    Args:
        pieces: the test set encoded.
        tell: called after every update.

    Returns:
        The model, and what was found.

    Raises:
        FewshotError: see `fewshot.experiments.trainer.Trainer.train_and_score`.
    """
    trainer, condition, shots = experiment.trainer, run.condition, experiment.shots
    shots.recall(run.before)
    started = perf_counter()
    model, evaluation = trainer.train_and_score(
        shots.of(condition), experiment.corpus.test, condition.seed, lambda now: tell(condition, now), pieces
    )
    seconds = perf_counter() - started
    return model, Finding(evaluation, seconds, tuple(shot.id for shot in shots.choose(condition, model)))


def keep(model: Model, experiment: Experiment, condition: Condition, run: str, folder: Path) -> None:
    """Save the model of a run, which then says how its shots were drawn."""
    draw = {"sampler": condition.sampler, "shot_set": condition.shot_set, "rounds": list(condition.rounds)}
    where = {"lang": experiment.trainer.lang, "data": experiment.corpus.source}
    model.provenance = {"run": run, **where, **draw, **model.provenance}
    model.save(folder)

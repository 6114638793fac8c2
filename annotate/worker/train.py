"""Training on what a project's people have annotated: the score of the source model, and of each round so far.

Args of the job, none of them needed: ``task``, else all of the project; ``seeds``, 2 by default; ``updates``, by k by
default; ``device``.

The runs of a round have a folder of their own, so that a job that was killed goes on where it was, and a round whose
annotation is unchanged is never trained again. Without a test set each round is cross-validated, and the model that is
kept learns from all shots.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import samplers
from annotate.editing import content
from annotate.rounds import curve
from annotate.rounds.training_data import SEEDS, TrainingData, training_data
from annotate.store import ENCODER, SUGGESTERS, Job, Predictions, Project, Store
from annotate.worker import files, models, queue, source_model
from annotate.worker.progress import JobProgress
from annotate.worker.suggest import left_out, store_suggestions, titled
from fewshot import tasks
from fewshot.corpora.load import Corpus, fingerprint
from fewshot.corpora.pool import PoolCount
from fewshot.costs import prices
from fewshot.curves.results import Result
from fewshot.errors import FewshotError
from fewshot.evaluation import predict
from fewshot.experiments.draws import FixedShots
from fewshot.experiments.executors.place import Place
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import ZERO_SHOT, Cell, digest
from fewshot.experiments.plan_file import APP_COMMAND
from fewshot.experiments.run import MODEL_FOLDER, execute, train_unscored
from fewshot.experiments.trainer import Trainer, load_trainer
from fewshot.progress import Report
from fewshot.training import sources
from fewshot.training.model import Model

SHOWN = 300
"""Most examples whose predictions are kept to be looked at."""

ANNOTATED = "annotated"
"""The sampler of shots that people have annotated, over rounds of any sampler."""


@dataclass(frozen=True)
class Training:
    """One training of a round.

    Args:
        k: shots of the round.
        fold: which part of them is scored by the rest; None where a test set scores, or nothing.
        experiment: shots, test set, and what trains.
    """

    k: int
    fold: int | None
    experiment: Experiment


def run(store: Store, job: Job, report: Report, place: Place) -> str:
    """Train on every round of a project that was not trained on yet, store what came out, and renew suggestions.

    Returns:
        What the source models do not know, and what is left out of suggestions.

    Raises:
        FewshotError: when nothing is annotated, or there is no source model.
    """
    project = store.project(job.project_id)
    names = [job.args["task"]] if job.args.get("task") else list(project.tasks)
    by_task = {name: training_data(store, project, name) for name in names}
    if not any(data.trainable for data in by_task.values()):
        some = any(data.ks for data in by_task.values())
        few = "one annotated example is too few for cross-validation; annotate more, or a test set"
        raise FewshotError(few if some else "nothing is annotated yet; finish some items first")
    by_task = {name: data for name, data in by_task.items() if data.trainable}
    progress = JobProgress(report, tasks=len(by_task))
    remarks = [_train_task(store, project, name, data, job, place, progress) for name, data in by_task.items()]
    queue.ask(store, project, list(by_task))
    return "; ".join(line for lines in remarks for line in lines)


def trainer_of(
    store: Store, project: Project, task: str, job: Job, place: Place, report: Report
) -> tuple[Trainer, str]:
    """Return what adapts the source model of a project, on the device of a place, and why that one if it was ranked."""
    changes = {"updates": job.args["updates"]} if job.args.get("updates") else {}
    kind, encoder = tasks.get(task, project.labels.get(task)), models.encoder(project.encoder)
    source = source_model.choose(store, project, kind, encoder, report)
    trainer = load_trainer(kind, project.lang, encoder, place.device, changes=changes, source=source.place)
    if project.source_model:  # it may be that which another choice takes too, whose results stay
        trainer = replace(trainer, made_from={**trainer.made_from, "source_model": project.source_model})
    return trainer, source.why.removesuffix(".")


def corpus_of(project: Project, pool: Sequence[Any], test: Sequence[Any]) -> Corpus:
    """Return annotated examples of a project as a pool to draw shots from and a test set."""
    identity = f"{fingerprint(pool)}-{fingerprint(test)}"
    return Corpus(project.lang, tuple(pool), tuple(test), project.name, identity, PoolCount(len(pool), 0, 0, 0))


def folder_of(project: Project, experiment: Experiment) -> Path:
    """Return the folder of its own that an experiment of a project works in."""
    return files.training(project) / f"{experiment.trainer.task.name}-{digest(experiment.identity)[:8]}"


def _train_task(
    store: Store, project: Project, name: str, data: TrainingData, job: Job, place: Place, progress: JobProgress
) -> list[str]:
    """Train on each round, then keep the model of the last one, or without a test set one that learns all shots.

    Returns:
        What people should know of it.
    """
    trainer, why = trainer_of(store, project, name, job, place, lambda now: progress.say(now.doing))
    seeds = int(job.args.get("seeds", SEEDS))
    zero = trainer.scores_zero_shot(data.scored)  # on all folds or none
    trainings = [
        Training(k, fold, _experiment(project, trainer, shots, test, fold or 0, seeds, zero))
        for k in data.trainable
        for shots, test, fold in _parts(data, k)
    ]
    unscored = None if data.test else _experiment(project, trainer, data.shots, (), 0, seeds=1, zero=False)
    progress.begin_task([*(training.experiment for training in trainings), *([unscored] if unscored else [])])
    for training in trainings:
        part = "" if training.fold is None else f", part {training.fold + 1} of {data.folds(training.k)}"
        say = progress.during(f"{name}, k = {training.k}{part}", training.experiment)
        folder, workers = folder_of(project, training.experiment), place.workers(training.experiment)
        results = execute(training.experiment, folder, prices.load(), say, command=APP_COMMAND, workers=workers)
        rounds = [_as_round(project, trainer, result, data, training) for result in results]
        store.add_results(project.id, name, rounds)
    scored = [training.experiment for training in trainings if training.k == data.ks[-1]]
    if unscored:
        say = progress.during(f"{name}, the model of all shots", unscored)
        train_unscored(unscored, folder_of(project, unscored), say)
    progress.say(f"{name}: suggestions by the new model")
    model = _keep(store, project, name, data, unscored or scored[0], scored)
    notice = trainer.new_labels_notice(data.scored)
    return [*(line for line in (why, notice) if line), *left_out(project, name, model)]


def _parts(data: TrainingData, k: int) -> Iterator[tuple[Sequence[Any], Sequence[Any], int | None]]:
    """Yield what is trained and scored on; without a test set, each part of the shots is scored by the rest."""
    shots = data.shots[:k]
    if data.test:
        yield shots, data.test, None
        return
    folds, fold_of = data.folds(k), data.fold_of(k)
    for fold in range(folds):
        rest, part = (
            [shot for place, shot in enumerate(shots) if (fold_of[place] == fold) == own] for own in (False, True)
        )
        yield rest, part, fold


def _experiment(
    project: Project, trainer: Trainer, shots: Sequence[Any], test: Sequence[Any], fold: int, seeds: int, zero: bool
) -> Experiment:
    """Return zero-shot, if it is to be scored, and a training a seed.

    Shots are in random order, as ``fewshot run`` would train on all of them.
    """
    for part in (test, shots):
        tasks.check_corpus(trainer.task, part)
    k = len(shots)
    cells = [*([ZERO_SHOT] if zero else []), *(Cell(ANNOTATED, k, fold, seed) for seed in range(seeds))]
    drawn = FixedShots(samplers.pick("random", shots, k, 0))
    name = lambda cell: f"seed {cell.seed + 1}" if cell.k else "zero-shot"  # noqa: E731
    return Experiment(trainer, corpus_of(project, shots, test), cells, drawn, name)


def _as_round(project: Project, trainer: Trainer, result: Result, data: TrainingData, training: Training) -> Result:
    """Return a result as that of a round, whose order of annotation is its draw; each fold counts as a shot set.

    A fold stands for its round, whose model learns from all of the shots: these are what the score is read against.
    Folds are test sets of their own, so that the noise of these is in the differences between folds.
    """
    if training.fold is not None:
        result = replace(result, low=result.score, high=result.score)
    shots = data.shots[: training.k if result.k else 0]
    return replace(
        result,
        shot_set=training.fold or 0,
        k=len(shots),
        tokens=sum(shot.length for shot in shots),
        units=trainer.task.units(shots),
        scored_on=data.scored_on(training.k),
        learned_from=data.learned(len(shots)),
        source_model=project.source_model,
    )


def _keep(
    store: Store,
    project: Project,
    name: str,
    data: TrainingData,
    kept: Experiment,
    scored: Sequence[Experiment],
) -> Model:
    """Store what models say of examples that they were not trained on, and what the better one suggests; return that.

    Args:
        data: its shots, and what they are scored on.
        kept: of the model that is kept.
        scored: of the last round: what each has scored, its model says something of.
    """
    source, last = kept.trainer.source, data.ks[-1]
    after: dict[str, dict[str, Any]] = {}
    before: dict[str, dict[str, Any]] = {}
    for experiment in scored:
        shown = experiment.corpus.test[: SHOWN // len(scored)]
        after |= _said(models.load(folder_of(project, experiment) / MODEL_FOLDER), name, shown)
        before |= _said(source, name, shown)
    folder = folder_of(project, kept)
    begun = project.encoder, project.source_model
    said = Predictions(*begun, str(folder / MODEL_FOLDER), last, data.scored_on(last), after, before)
    store.add_predictions(project.id, name, said)
    model, weights = source, kept.identity["source"]
    if curve.own_model(store, project, name):
        model, weights = models.load(folder / MODEL_FOLDER), sources.fingerprint(folder / MODEL_FOLDER)
    if ENCODER in SUGGESTERS[project.suggester]:
        goes_on = partial(_goes_on, store, project)
        deque(store_suggestions(store, project, name, model, titled(model, weights), goes_on), maxlen=0)
    return model


def _goes_on(store: Store, project: Project) -> bool:
    """Return whether finished items get their suggestions in this job; where others wait, in one behind them."""
    if queue.waited_for(store):
        queue.suggest(store, project)
        return False
    return True


def _said(model: Model, name: str, test: Sequence[Any]) -> dict[str, dict[str, Any]]:
    predicted = zip(test, predict(model, test), strict=True)
    return {example.id: content.annotation_of(name, prediction) for example, prediction in predicted}

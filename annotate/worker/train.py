"""Training on a project's annotations: the score of the source model and of each round so far.

Optional args of the job: ``task``, default: all of the project; ``seeds``, default 2; ``updates``, default: by k;
``device``.

The runs of a round have their own folder, so that an interrupted job continues where it stopped, and a round with
unchanged annotations is never trained again. Without a test set each round is cross-validated, and the stored model
learns from all shots.
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
from annotate.worker import files, models, queue
from annotate.worker.progress import JobProgress
from annotate.worker.suggest import describe_left_out, model_title, store_suggestions
from fewshot import tasks
from fewshot.corpora.load import Corpus, fingerprint
from fewshot.corpora.pool import PoolCount
from fewshot.costs import prices
from fewshot.curves.results import Result
from fewshot.encoders.vowel_signs import strips_signs
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

MAX_PREDICTIONS = 300
"""Most examples whose predictions are stored for inspection."""

ANNOTATED = "annotated"
"""Name of the sampler in results of annotated shots, whose rounds may have different samplers."""


@dataclass(frozen=True)
class RoundTraining:
    """A training of a round with k shots; ``fold`` is the scored part of the shots, None with a test set."""

    k: int
    fold: int | None
    experiment: Experiment


def run(store: Store, job: Job, report: Report, place: Place) -> str:
    """Train on every round that was not trained on yet, store the results, and renew suggestions.

    Returns:
        Labels that the source models do not know, and those left out of suggestions.

    Raises:
        FewshotError: when nothing is annotated, or there is no source model.
    """
    project = store.project(job.project_id)
    names = [job.args["task"]] if job.args.get("task") else list(project.tasks)
    by_task = {name: training_data(store, project, name) for name in names}
    if not any(data.trainable for data in by_task.values()):
        has_annotations = any(data.ks for data in by_task.values())
        few = "one annotated example is too few for cross-validation; annotate more, or a test set"
        raise FewshotError(few if has_annotations else "nothing is annotated yet; finish some items first")
    by_task = {name: data for name, data in by_task.items() if data.trainable}
    progress = JobProgress(report, tasks=len(by_task))
    remarks = [_train_task(store, project, name, data, job, place, progress) for name, data in by_task.items()]
    queue.ask(store, project, list(by_task))
    return "; ".join(line for lines in remarks for line in lines)


def make_trainer(
    store: Store, project: Project, task: str, job: Job, place: Place, report: Report
) -> tuple[Trainer, str]:
    """Return the trainer of a project's task, and why its source model was chosen if it was ranked."""
    changes = {"updates": job.args["updates"]} if job.args.get("updates") else {}
    kind, encoder = tasks.get(task, project.labels.get(task)), models.project_encoder(store, project)
    source = models.choose_source(store, project, kind, encoder, report)
    trainer = load_trainer(kind, project.lang, encoder, place.device, changes=changes, source=source.place)
    trainer = trainer.with_dictionary()
    if project.source_model:  # keeps results apart from those of another choice of the same model
        trainer = replace(trainer, made_from={**trainer.made_from, "source_model": project.source_model})
    return trainer, source.why.removesuffix(".")


def make_corpus(project: Project, pool: Sequence[Any], test: Sequence[Any]) -> Corpus:
    """Return annotated examples of a project as a pool to draw shots from and a test set."""
    identity = f"{fingerprint(pool)}-{fingerprint(test)}"
    return Corpus(project.lang, tuple(pool), tuple(test), project.name, identity, PoolCount(len(pool), 0, 0, 0))


def experiment_folder(project: Project, experiment: Experiment) -> Path:
    """Return the working folder of an experiment of a project."""
    return files.training(project) / f"{experiment.trainer.task.name}-{digest(experiment.identity)[:8]}"


def _train_task(
    store: Store, project: Project, name: str, data: TrainingData, job: Job, place: Place, progress: JobProgress
) -> list[str]:
    """Train on each round, store the last model or one of all shots, and return remarks for the user."""
    trainer, why = make_trainer(store, project, name, job, place, lambda now: progress.say(now.doing))
    seeds = int(job.args.get("seeds", SEEDS))
    zero = trainer.scores_zero_shot(data.scored)  # on all folds or none
    trainings = [
        RoundTraining(k, fold, _experiment(project, trainer, shots, test, fold or 0, seeds, zero))
        for k in data.trainable
        for shots, test, fold in _splits(data, k)
    ]
    unscored = None if data.test else _experiment(project, trainer, data.shots, (), 0, seeds=1, zero=False)
    progress.begin_task([*(training.experiment for training in trainings), *([unscored] if unscored else [])])
    for training in trainings:
        part = "" if training.fold is None else f", part {training.fold + 1} of {data.folds(training.k)}"
        say = progress.during(f"{name}, k = {training.k}{part}", training.experiment)
        folder, workers = experiment_folder(project, training.experiment), place.workers(training.experiment)
        results = execute(training.experiment, folder, prices.load(), say, command=APP_COMMAND, workers=workers)
        rounds = [_as_round(project, trainer, result, data, training) for result in results]
        store.add_results(project.id, name, rounds)
    scored = [training.experiment for training in trainings if training.k == data.ks[-1]]
    if unscored:
        say = progress.during(f"{name}, the model of all shots", unscored)
        train_unscored(unscored, experiment_folder(project, unscored), say)
    progress.say(f"{name}: suggestions by the new model")
    model = _store_model_outputs(store, project, name, data, unscored or scored[0], scored)
    notice = trainer.new_labels_notice(data.scored)
    signs = "the model reads no optional vowel signs" if strips_signs(trainer.source.encoder) else ""
    return [*(line for line in (why, notice, signs) if line), *describe_left_out(project, name, model)]


def _splits(data: TrainingData, k: int) -> Iterator[tuple[Sequence[Any], Sequence[Any], int | None]]:
    """Yield (training shots, scored examples, fold); without a test set, shots are split into folds."""
    if data.test:
        yield data.shots[:k], data.test, None
        return
    for fold, (rest, part) in enumerate(data.splits(k)):
        yield [data.shots[shot] for shot in rest], [data.shots[shot] for shot in part], fold


def _experiment(
    project: Project, trainer: Trainer, shots: Sequence[Any], test: Sequence[Any], fold: int, seeds: int, zero: bool
) -> Experiment:
    """Return an experiment with zero-shot, if wanted, and one training per seed, on shots in random order."""
    for part in (test, shots):
        tasks.check_corpus(trainer.task, part)
    k = len(shots)
    cells = [*([ZERO_SHOT] if zero else []), *(Cell(ANNOTATED, k, fold, seed) for seed in range(seeds))]
    drawn = FixedShots(samplers.pick("random", shots, k, 0))
    name = lambda cell: f"seed {cell.seed + 1}" if cell.k else "zero-shot"  # noqa: E731
    return Experiment(trainer, make_corpus(project, shots, test), cells, drawn, name)


def _as_round(
    project: Project, trainer: Trainer, result: Result, data: TrainingData, training: RoundTraining
) -> Result:
    """Return a result as that of its round: the shots in the order of annotation, a fold as a shot set.

    The result of a fold gets the size of the whole round, whose model learns from all shots. Each fold is a test set of
    its own, so the differences between folds include the noise of the test sets.
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
        learned_from=data.shots_fingerprint(len(shots)),
        source_model=project.source_model,
    )


def _store_model_outputs(
    store: Store,
    project: Project,
    name: str,
    data: TrainingData,
    kept: Experiment,
    scored: Sequence[Experiment],
) -> Model:
    """Store predictions for examples that no model was trained on, and suggestions; return their model.

    Args:
        kept: the experiment whose model is stored.
        scored: the experiments of the last round, which provide the predictions.
    """
    source, last = kept.trainer.source, data.ks[-1]
    after: dict[str, dict[str, Any]] = {}
    before: dict[str, dict[str, Any]] = {}
    for experiment in scored:
        examples = experiment.corpus.test[: MAX_PREDICTIONS // len(scored)]
        after |= _predictions(models.load(experiment_folder(project, experiment) / MODEL_FOLDER), name, examples)
        before |= _predictions(source, name, examples)
    folder = experiment_folder(project, kept)
    origin = project.encoder, project.source_model
    predictions = Predictions(*origin, str(folder / MODEL_FOLDER), last, data.scored_on(last), after, before)
    store.add_predictions(project.id, name, predictions)
    model, weights = source, kept.identity["source"]
    if curve.own_model(store, project, name):
        model, weights = models.load(folder / MODEL_FOLDER), sources.fingerprint(folder / MODEL_FOLDER)
    if ENCODER in SUGGESTERS[project.suggester]:
        continues = partial(_continues, store, project)
        deque(store_suggestions(store, project, name, model, model_title(model, weights), continues), maxlen=0)
    return model


def _continues(store: Store, project: Project) -> bool:
    """Return whether to go on with suggestions; if other jobs wait, a new job makes the rest later."""
    if queue.waiting_requests(store):
        queue.suggest(store, project)
        return False
    return True


def _predictions(model: Model, name: str, test: Sequence[Any]) -> dict[str, dict[str, Any]]:
    predicted = zip(test, predict(model, test), strict=True)
    return {example.id: content.annotation_of(name, prediction) for example, prediction in predicted}

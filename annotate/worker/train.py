"""Training on what a project's people have annotated: the score of the source model, and of each round so far.

Args of the job, none of them needed: ``task``, else all of the project; ``seeds``, 2 by default; ``updates``, by k by
default; ``device``.

The runs of a round are a plan of their own, in a folder of their own, so that a job that was killed goes on where it
was, and a round whose annotation is unchanged is never trained again. Without a test set each round is
cross-validated, and the model that is kept learns from all shots.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from annotate.editing import content
from annotate.rounds import material
from annotate.store import Job, Project, Store
from annotate.store.results import PREDICTIONS
from annotate.worker import queue as jobs
from annotate.worker.progress import Plans
from annotate.worker.pulse import Report
from annotate.worker.suggest import store_suggestions, titled
from fewshot.corpora.files import user_dir
from fewshot.corpora.load import Corpus, fingerprint
from fewshot.corpora.pool import PoolCount
from fewshot.costs import prices
from fewshot.curves.results import Result
from fewshot.errors import FewshotError
from fewshot.evaluation import predict
from fewshot.experiments.plan import Plan, digest
from fewshot.experiments.run import MODEL, Event, execute, keep_unscored
from fewshot.experiments.setup import Setup, prepare_plan
from fewshot.hub.card import APP
from fewshot.training import adapt, sources
from fewshot.training.model import Model, load_model
from fewshot.training.recipe import Recipe

SEEDS = 2
"""Trainings on the shots of a round."""

FOLDS = 5
"""Parts that the shots are cut into where there is no test set."""

SHOWN = 300
"""Most examples whose predictions are kept to be looked at."""


def run(store: Store, job: Job, report: Report) -> None:
    """Train on every round of a project that was not trained on yet, and store what came out.

    Args:
        store: of the job and its project.
        job: see the module for its args.
        report: told how far it is, from 0 to 1; raises when the job should stop.

    Raises:
        FewshotError: when nothing is annotated, or there is no source model.
    """
    project = store.project(job.project_id)
    names = [job.args["task"]] if job.args.get("task") else list(project.tasks)
    found_by_task = {name: material.material(store, project, name) for name in names}
    rounds = [(name, found, k) for name, found in found_by_task.items() for k in found.trainable]
    if not rounds:
        some = any(found.ks for found in found_by_task.values())
        few = "one annotated example is too few for cross-validation; annotate more, or a test set"
        raise FewshotError(few if some else "nothing is annotated yet; finish some items first")
    plans = Plans(report, [k for _, found, k in rounds for _ in range(_trainings(found, k))], *_training(job))
    for name, found, k in rounds:
        parts = []
        for corpus, fold in _corpora(project, found, k):
            part = "" if fold is None else f", part {fold + 1} of {_folds(k)}"
            setup, place, results = _train(project, name, corpus, job, plans.next(f"{name}, k = {k}{part}", k))
            store.add_results(project.id, name, [_row(setup, result, found, k, fold) for result in results])
            parts.append((corpus.test, place))
        if k == found.ks[-1]:
            say = plans.next(f"{name}, the model of all shots", k)
            place = place if found.test else _train_on_all(project, name, found, job, say)
            plans.say(f"{name}: suggestions by the new model")
            _keep(store, project, name, found, setup, place, parts)


def _training(job: Job) -> tuple[int, Recipe]:
    return int(job.args.get("seeds", SEEDS)), Recipe(updates=job.args.get("updates"))


def _folds(k: int) -> int:
    return min(FOLDS, k)


def _trainings(found: material.Material, k: int) -> int:
    """Return the number of plans of a round: one, or one a fold and for the last round one on all shots."""
    return 1 if found.test else _folds(k) + (k == found.ks[-1])


def _corpora(project: Project, found: material.Material, k: int) -> Iterator[tuple[Corpus, int | None]]:
    """Yield what is trained and scored on; without a test set, each part of the shots is scored by the rest."""
    shots = found.shots[:k]
    if found.test:
        yield corpus_of(project, shots, found.test), None
        return
    folds = _folds(k)
    for fold in range(folds):
        rest = [shot for place, shot in enumerate(shots) if place % folds != fold]
        yield corpus_of(project, rest, shots[fold::folds]), fold


def corpus_of(project: Project, pool: Sequence[Any], test: Sequence[Any]) -> Corpus:
    """Return annotated examples of a project as a pool to draw shots from and a test set."""
    identity = f"{fingerprint(pool)}-{fingerprint(test)}"
    return Corpus(project.lang, tuple(pool), tuple(test), project.name, identity, PoolCount(len(pool), 0, 0, 0))


def prepared(project: Project, plan: Plan, corpus: Corpus, job: Job) -> tuple[Setup, Path]:
    """Return all that a plan needs, and the folder of its own that it works in.

    Args:
        project: whose.
        plan: what to run.
        corpus: of the project.
        job: its args say on which device.
    """
    device = adapt.device(job.args.get("device", "auto"))
    setup = prepare_plan(plan, corpus, project.encoder, device)
    home = user_dir() / "training"
    place = f"{project.id}-{project.created:%Y%m%d%H%M%S}", f"{plan.task}-{digest(setup.identity)[:8]}"
    return setup, home.joinpath(*place)


def _plan(project: Project, name: str, k: int, job: Job) -> Plan:
    seeds, recipe = _training(job)
    return Plan(
        task=name, lang=project.lang, ks=(k,), samplers=("random",), shot_sets=1, seeds=seeds, recipe=recipe,
    )  # fmt: skip


def _train(
    project: Project, name: str, corpus: Corpus, job: Job, say: Callable[[Event], None]
) -> tuple[Setup, Path, list[Result]]:
    setup, folder = prepared(project, _plan(project, name, len(corpus.pool), job), corpus, job)
    return setup, folder, execute(setup, folder, prices.load(), say, APP)


def _train_on_all(
    project: Project, name: str, found: material.Material, job: Job, say: Callable[[Event], None]
) -> Path:
    """Train once on all shots, of which none is left to score the model, and return the folder."""
    shots = found.shots
    setup, folder = prepared(project, _plan(project, name, len(shots), job), corpus_of(project, shots, ()), job)
    keep_unscored(setup, folder, say)
    return folder


def _row(
    setup: Setup, result: Result, found: material.Material, k: int, fold: int | None
) -> tuple[str, dict[str, Any]]:
    """Return a result under its key: as a round, whose order of annotation is its draw.

    A fold stands for its round, whose model learns from all of the shots: these are what the score is read against.
    """
    shots, draw = found.shots[: k if result.k else 0], 0 if fold is None else fold
    size = {"k": len(shots), "tokens": sum(shot.length for shot in shots), "units": setup.task.units(shots)}
    as_round = replace(result, sampler="annotated" if shots else "", shot_set=draw, **size)
    key = result.run if fold is None else f"{result.run} {fold}"
    return key, asdict(as_round) | {"test": found.scored_on(k), "learned": found.learned(len(shots))}


def _keep(
    store: Store,
    project: Project,
    name: str,
    found: material.Material,
    setup: Setup,
    place: Path,
    parts: Sequence[tuple[Sequence[Any], Path]],
) -> None:
    """Store what models say of examples that they were not trained on, and what the better one suggests.

    Args:
        store: of the project.
        project: whose items wait for suggestions.
        name: of the task.
        found: its shots, and what they are scored on.
        setup: has the source model.
        place: folder of the training whose model is kept.
        parts: what was scored, and the folder of the training that scored it.
    """
    shown = [(part[: SHOWN // len(parts)], folder) for part, folder in parts]
    after = {id: said for part, folder in shown for id, said in _said(load_model(folder / MODEL), name, part).items()}
    before = {id: said for part, _ in shown for id, said in _said(setup.source, name, part).items()}
    scored_on = found.scored_on(found.ks[-1])
    data = {"predictions": after, "before": before, "model": str(place / MODEL), "test": scored_on, "k": found.ks[-1]}
    store.add_results(project.id, name, [(f"{PREDICTIONS} {place.name}", data | {"encoder": project.encoder})])
    model, weights = setup.source, setup.identity["source"]
    if jobs.own_model(store, project, name):
        model, weights = load_model(place / MODEL), sources.fingerprint(place / MODEL)
    deque(store_suggestions(store, project, name, model, titled(model, weights)), maxlen=0)


def _said(model: Model, name: str, test: Sequence[Any]) -> dict[str, dict[str, Any]]:
    predicted = zip(test, predict(model, test), strict=True)
    return {example.id: content.annotation_of(name, one) for example, one in predicted}

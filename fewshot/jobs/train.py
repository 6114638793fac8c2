"""Training on what a project's people have annotated: the score of the source model, and of each round so far.

Args of the job, none of them needed: ``task``, else all of the project; ``seeds``, 2 by default; ``updates``, by k by
default; ``encoder``, *mini* by default; ``device``.

The runs of a round are a plan of their own, in a folder of their own, so that a job that was killed goes on where it
was, and a round whose annotation is unchanged is never trained again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import platformdirs

from annotate import content, material
from annotate.store import Job, Project, Store
from fewshot.corpora.load import Corpus, fingerprint
from fewshot.corpora.pool import PoolCount
from fewshot.costs import rates as prices
from fewshot.curves.results import Result
from fewshot.encoders import load as encoders
from fewshot.errors import FewshotError
from fewshot.evaluation import predict
from fewshot.experiments.plan import Plan, digest
from fewshot.experiments.run import MODEL, Event, execute
from fewshot.experiments.setup import Setup, prepare_plan
from fewshot.hub.card import APP
from fewshot.jobs.progress import Plans
from fewshot.jobs.pulse import Report
from fewshot.jobs.suggest import store_suggestions
from fewshot.training import adapt
from fewshot.training import model as models
from fewshot.training.model import Model
from fewshot.training.recipe import Recipe

SEEDS = 2
"""Trainings on the shots of a round."""

FOLDS = 5
"""Parts that the shots are cut into where there is no test set."""

SHOWN = 300
"""Most examples of the test set whose predictions are kept to be looked at."""


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
    rounds = [(name, found, k) for name, found in found_by_task.items() for k in found.ks]
    if not rounds:
        raise FewshotError("nothing is annotated yet; finish some items first")
    plans = Plans(report, [k for _, found, k in rounds for _ in range(_parts(found, k))], *_training(job))
    for name, found, k in rounds:
        for corpus, fold in _corpora(project, found, k):
            part = "" if fold is None else f", part {fold + 1} of {_parts(found, k)}"
            setup, place, results = _train(project, name, corpus, job, plans.next(f"{name}, k = {k}{part}", k))
            store.add_results(project.id, name, [_row(result, k, fold) for result in results])
        if found.test and k == found.ks[-1]:
            plans.say(f"{name}: suggestions by the new model")
            _keep_predictions(store, project, name, found, setup.source, place)


def _training(job: Job) -> tuple[int, Recipe]:
    return int(job.args.get("seeds", SEEDS)), Recipe(updates=job.args.get("updates"))


def _parts(found: material.Material, k: int) -> int:
    return 1 if found.test else min(FOLDS, k)


def _corpora(project: Project, found: material.Material, k: int) -> Iterator[tuple[Corpus, int | None]]:
    """Yield what is trained and scored on; without a test set, each part of the shots is scored by the rest."""
    shots = found.shots[:k]
    if found.test:
        yield _corpus(project, shots, found.test), None
        return
    folds = _parts(found, k)
    if folds < 2:
        raise FewshotError("one annotated example is too few for cross-validation; annotate more, or a test set")
    for fold in range(folds):
        rest = [shot for place, shot in enumerate(shots) if place % folds != fold]
        yield _corpus(project, rest, shots[fold::folds]), fold


def _corpus(project: Project, shots: Any, test: Any) -> Corpus:
    identity = f"{fingerprint(shots)}-{fingerprint(test)}"
    return Corpus(project.lang, tuple(shots), tuple(test), project.name, identity, PoolCount(len(shots), 0, 0, 0))


def _train(
    project: Project, name: str, corpus: Corpus, job: Job, report: Callable[[Event], None]
) -> tuple[Setup, Path, list[Result]]:
    seeds, recipe = _training(job)
    plan = Plan(
        task=name, lang=project.lang, ks=(len(corpus.pool),), samplers=("random",), shot_sets=1, seeds=seeds,
        recipe=recipe,
    )  # fmt: skip
    device = adapt.device(job.args.get("device", "auto"))
    setup = prepare_plan(plan, corpus, job.args.get("encoder", encoders.EMBEDDED), device)
    folder = _folder(project, setup)
    return setup, folder, execute(setup, folder, prices.load(), report, APP)


def _folder(project: Project, setup: Setup) -> Path:
    home = platformdirs.user_data_path("fewshot", appauthor=False) / "training"
    return home / f"{project.id}-{project.created:%Y%m%d%H%M%S}" / f"{setup.plan.task}-{digest(setup.identity)[:8]}"


def _row(result: Result, k: int, fold: int | None) -> tuple[str, dict[str, Any]]:
    """Return a result under its key: as a round, whose order of annotation is its draw."""
    draw = 0 if fold is None else fold
    as_round = replace(result, sampler="annotated" if result.k else "", k=k if result.k else 0, shot_set=draw)
    key = result.run if fold is None else f"{result.run} {fold}"
    return key, asdict(as_round) | {"test": "shots" if fold is not None else "test"}


def _keep_predictions(
    store: Store, project: Project, name: str, found: material.Material, source: Model, place: Path
) -> None:
    """Store what source and adapted model say of the test set, and what the latter suggests for the items that wait."""
    adapted = models.load(place / MODEL)
    deque(store_suggestions(store, project, name, adapted, f"{name} adapted {place.name}"), maxlen=0)
    test = found.test[:SHOWN]
    data = {"predictions": _said(adapted, name, test), "before": _said(source, name, test), "model": str(place / MODEL)}
    store.add_results(project.id, name, [(f"predictions {place.name}", data)])


def _said(model: Model, name: str, test: Sequence[Any]) -> dict[str, dict[str, Any]]:
    predicted = zip(test, predict(model, test), strict=True)
    return {example.id: content.annotation_of(name, one) for example, one in predicted}

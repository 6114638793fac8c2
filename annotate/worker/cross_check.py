"""Annotations of finished sentences by models that did not learn from them, to find errors of people.

Args of the job: ``task``; optional: ``updates``, ``device``.

The finished sentences are divided into folds; a model that learns from the other folds, as briefly as during
annotation, annotates each fold. `annotate.quality.consistency` compares the result with what people have annotated.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from annotate.rounds.training_data import training_data
from annotate.store import HELD_OUT, Job, Store
from annotate.worker.learn import shortened
from annotate.worker.suggest import model_title
from annotate.worker.train import make_trainer
from fewshot import tasks
from fewshot.errors import FewshotError
from fewshot.evaluation import suggest
from fewshot.experiments.executors.place import Place
from fewshot.experiments.plan import digest
from fewshot.progress import Progress, Report

MIN_SHOTS = 10
"""Fewest finished sentences: models of fewer disagree with everything."""


def run(store: Store, job: Job, report: Report, place: Place) -> str:
    """Store an annotation of each finished sentence by a model that did not learn from it.

    Raises:
        FewshotError: when too few sentences are finished, or there is no source model.
    """
    project, task = store.project(job.project_id), job.args["task"]
    data = replace(training_data(store, project, task), test=())  # without a test set there are folds
    k = len(data.shots)
    if k < MIN_SHOTS:
        raise FewshotError(f"a model needs {MIN_SHOTS} finished sentences to compare with, and {k} are finished")
    report(Progress(0, 1, "loading the model"))
    trainer, _why = make_trainer(store, project, task, job, place, report)
    trainer = shortened(trainer)
    tasks.check_corpus(trainer.task, data.shots)
    title = model_title(trainer.source, digest([trainer.recipe.described(), data.shots_fingerprint(k)]))
    rows: list[tuple[int, str, str, dict[str, Any]]] = []
    for fold, (rest, held_out) in enumerate(data.splits(k)):
        model = trainer.train([data.shots[shot] for shot in rest], 0, _part(report, task, fold, data.folds(k)))
        for shot, made in zip(held_out, suggest(model, [data.shots[shot] for shot in held_out]), strict=True):
            rows.append((data.ids[shot], task, title, made | {"words": list(data.shots[shot].words)}))
    parts = Counter(data.ids)
    store.replace_suggestions(project.id, task, HELD_OUT, [row for row in rows if parts[row[0]] == 1])
    return ""


def _part(report: Report, task: str, fold: int, folds: int) -> Report:
    """Return a function that reports the progress of one training as a part of all."""
    doing = f"{task}: part {fold + 1} of {folds}"
    return lambda now: report(Progress(fold + now.share, folds, doing, loss=now.loss))

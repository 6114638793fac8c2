"""Draws of the next round with the signals of the project's newest model or the source model.

Args of the job: ``sampler``, ``k``, ``seed``; optional: ``model``, a folder; ``suggest``, whether to make suggestions
for the round (default); ``device``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import samplers
from annotate.editing import content
from annotate.rounds import effort
from annotate.rounds.draw import candidates, draw_round
from annotate.store import Job, Project, Store
from annotate.worker import models, queue
from fewshot import tasks
from fewshot.costs import time_model
from fewshot.evaluation import signals
from fewshot.experiments.executors.place import Place
from fewshot.progress import Progress, Report
from fewshot.training.model import Model, load_model


def run(store: Store, job: Job, report: Report, place: Place) -> None:
    """Read the pool with a model, draw a round, and start its suggestions.

    A round that was drawn before the job was interrupted is not drawn again.

    Raises:
        FewshotError: when there is no model, or too few examples are left.
        SamplerError: for an unknown sampler.
    """
    project = store.project(job.project_id)
    if not _is_drawn(store, job):
        known = _read_signals(store, project, job, report, place)
        report(Progress(1, 1, "drawing"))  # raises if the job was cancelled or reassigned
        draw_round(store, project, int(job.args["k"]), str(job.args["sampler"]), int(job.args["seed"]), signals=known)
    if job.args.get("suggest", True):
        queue.suggest(store, project)


def _is_drawn(store: Store, job: Job) -> bool:
    wanted = ("shots", job.args["sampler"], int(job.args["k"]), int(job.args["seed"]))
    rounds = [round for round in store.rounds(job.project_id) if round.created >= job.created]
    return any((round.purpose, round.sampler, round.k, round.seed) == wanted for round in rounds)


def _read_signals(store: Store, project: Project, job: Job, report: Report, place: Place) -> dict[str, np.ndarray]:
    """Return the signals that the sampler needs; minutes are predicted from measured annotation times."""
    report(Progress(0, 1, "loading the model"))
    model = _model(store, project, job.args, report).to(place.device)
    needs, task = samplers.needs([str(job.args["sampler"])]), project.tasks[0]
    left = candidates(store, project, "pool")
    examples = _read(store, project, {candidate.id for candidate in left}, len(left), report)
    seconds = None
    if "minutes" in needs:
        seconds = time_model.fit(effort.measured_items(store, project, task), tasks.get(task).time).seconds.tolist()
    return signals(model, examples, needs, seconds=seconds)


def _model(store: Store, project: Project, args: dict[str, Any], report: Report) -> Model:
    if args.get("model") and Path(args["model"]).is_dir():  # missing if it was trained on another machine
        return models.load(Path(args["model"]))
    encoder = models.project_encoder(store, project)
    source = models.choose_source(store, project, tasks.get(project.tasks[0]), encoder, report)
    return load_model(source.place, encoder)


def _read(store: Store, project: Project, wanted: set[int], total: int, report: Report) -> Iterator[Any]:
    done = 0
    for row in store.examples(project.id, split="pool"):
        if row.id in wanted:
            report(Progress(done, total, f"reading the pool: {done:,} of {total:,}"))
            done += 1
            yield content.from_json(row.content).unannotated()

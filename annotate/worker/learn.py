"""Learning during annotation: a model adapted to finished items suggests for the next ones.

Args of the job: ``task``; optional: ``updates``, ``device``.

Only the suggestions are stored, not the model. The training uses half of this process's threads and stops as soon as a
job waits that a user has requested. It never uses the test set, and opened items keep their suggestions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch

import samplers
from annotate.editing import content
from annotate.rounds import curve
from annotate.rounds.training_data import TrainingData, training_data
from annotate.store import ENCODER, SUGGESTERS, Item, Job, Project, Store
from annotate.worker import queue
from annotate.worker.suggest import BATCH_EXAMPLES, model_title
from annotate.worker.train import make_trainer
from fewshot import tasks
from fewshot.errors import FewshotError
from fewshot.evaluation import suggest
from fewshot.experiments.executors.place import Place
from fewshot.experiments.plan import digest
from fewshot.experiments.trainer import Trainer
from fewshot.progress import Progress, Report

MIN_SHOTS = 3
"""Trees suggested after learning from a single example were worse than those of the source model."""

MAX_UPDATES = 60
"""Most updates of a training, so that it takes seconds; a training of a round may take minutes."""

MIN_GROWTH = 1.25
"""After a training of a round, learning waits until there are this many times its shots."""

ITEMS_AHEAD = 32
"""Number of each person's next items that get suggestions; a later model suggests for those behind."""


class OtherJobsWait(Exception):  # noqa: N818
    """A job that a user has requested is waiting; not an error."""


def run(store: Store, job: Job, report: Report, place: Place) -> str:
    """Train on all finished items and renew the suggestions for the next items.

    Returns:
        A remark with the number of shots, see `annotate.worker.queue.LEARNED_REMARK`, or the reason why nothing was
        learned. Too limits finished items are no failure, since no user requested the job.
    """
    project, task = store.project(job.project_id), job.args["task"]

    def tell(now: Progress) -> None:
        report(now)
        if any(waiting.kind != "ask" for waiting in queue.waiting_requests(store)):
            raise OtherJobsWait

    data, remark = training_data(store, project, task), ""
    try:
        if len(data.shots) >= MIN_SHOTS and _is_wanted(store, project, task, data):
            with _half_of_the_threads():
                remark = _learn(store, project, task, data, job, place, tell)
    except OtherJobsWait:
        remark = "others wait"
    except FewshotError as error:
        remark = " ".join(str(error).split())
    _forget(store, job, keeps_newest=not queue.learned_from(remark))
    return remark


def _forget(store: Store, job: Job, keeps_newest: bool) -> None:
    """Delete earlier learning jobs and logs; `keeps_newest` keeps the newest that learned something."""
    same = [old for old in store.jobs(job.project_id) if (old.kind, old.args) == (job.kind, job.args)]
    earlier = [old for old in same if old.id < job.id]
    kept = [old.id for old in earlier if queue.learned_from(old.error)][-1:] if keeps_newest else []
    deleted = [old.id for old in earlier if old.id not in kept]
    store.forget_jobs(deleted)
    for job_id in deleted:
        queue.log_file(job_id).unlink(missing_ok=True)


def _is_wanted(store: Store, project: Project, task: str, data: TrainingData) -> bool:
    """Return whether the project still learns, and has clearly more shots than its last training."""
    trained = max((score.k for score in curve.scores(store, project, task)), default=0)
    wants = project.learns and ENCODER in SUGGESTERS[project.suggester]
    return wants and len(data.shots) >= MIN_GROWTH * trained


@contextmanager
def _half_of_the_threads() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, threads // 2))
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _learn(store: Store, project: Project, task: str, data: TrainingData, job: Job, place: Place, tell: Report) -> str:
    """Train on all shots, unless the suggestions are stored already; return the remark of the job."""
    tell(Progress(0, 1, "loading the model"))
    trainer, _why = make_trainer(store, project, task, job, place, tell)
    trainer, k = shortened(trainer), len(data.shots)
    tasks.check_corpus(trainer.task, data.shots)
    title = model_title(
        trainer.source, digest([trainer.made_from, trainer.recipe.described(), data.shots_fingerprint(k)])
    )
    stored = {key for key, made in store.suggestions_of(project.id, task).items() if made.model == title}
    coming = [key for key in _next_examples(store.unopened_items(project.id, task)) if key not in stored]
    if not coming:
        return ""
    model = trainer.train(samplers.pick("random", data.shots, k, 0), 0, tell)  # the order of a round's training
    for start in range(0, len(coming), BATCH_EXAMPLES):
        tell(Progress(start, len(coming), f"{task}: suggestions"))
        rows = list(store.examples(project.id, ids=coming[start : start + BATCH_EXAMPLES]))
        suggestions = suggest(model, [content.from_json(row.content) for row in rows])
        proposed = {row.id: suggestion for row, suggestion in zip(rows, suggestions, strict=True)}
        if not _is_wanted(store, store.project(project.id), task, data):  # switched off in the meantime
            return ""
        store.renew_suggestions(project.id, task, title, proposed)
    return queue.LEARNED_REMARK.format(k)


def shortened(trainer: Trainer) -> Trainer:
    """Return a trainer with at most `MAX_UPDATES` updates."""
    limits: dict[str, Any] = {
        name: tuple(min(MAX_UPDATES, count) for count in getattr(trainer.recipe, name))
        for name in ("updates", "swapped_updates")
    }
    return replace(trainer, recipe=replace(trainer.recipe, **limits))


def _next_examples(items: Sequence[Item]) -> list[int]:
    before = Counter[str | None]()
    examples: dict[int, None] = {}
    for item in items:
        before[item.annotator] += 1
        if before[item.annotator] <= ITEMS_AHEAD:
            examples[item.example_id] = None
    return list(examples)

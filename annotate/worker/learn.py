"""Learning while people annotate: the source model, adapted to what is finished, suggests what comes next.

Args of the job: ``task``; not needed: ``updates``, ``device``.

The model is kept nowhere: what it suggests is. It takes half of this process's threads, and ends as soon as a job waits
that people wait for. The test set teaches it nothing, and what somebody has opened keeps the suggestion that it had.
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
from annotate.worker.suggest import CHUNK, titled
from annotate.worker.train import trainer_of
from fewshot import tasks
from fewshot.errors import FewshotError
from fewshot.evaluation import suggest
from fewshot.experiments.executors.place import Place
from fewshot.experiments.plan import digest
from fewshot.progress import Progress, Report

FEWEST = 3
"""Examples that are learned from at least: of a single one, trees were suggested worse than before."""

UPDATES = 60
"""Most updates of a training, so that it takes seconds where `Train` may take minutes."""

MORE = 1.25
"""After a training, learning waits for so many times its shots: up to then the longer training knows more."""

AHEAD = 32
"""Items of each person that get suggestions: the next ones. Those behind get theirs from a model that knows more."""


class OthersWait(Exception):  # noqa: N818
    """A job is queued that people wait for; not an error."""


def run(store: Store, job: Job, report: Report, place: Place) -> str:
    """Renew the suggestions of the items that come next by a model that has learned from all that is finished.

    Returns:
        From how many examples it has learned, see `annotate.worker.queue.LEARNED`, or why it has not: what people have
        finished so far may be too little to learn from, which is no failure of a job that they did not ask for.
    """
    project, task = store.project(job.project_id), job.args["task"]

    def tell(now: Progress) -> None:
        report(now)
        if any(other.kind != "ask" for other in queue.waited_for(store)):
            raise OthersWait

    data, remark = training_data(store, project, task), ""
    try:
        if len(data.shots) >= FEWEST and _is_wanted(store, project, task, data):
            with _half_of_the_threads():
                remark = _learn(store, project, task, data, job, place, tell)
    except OthersWait:
        remark = "others wait"
    except FewshotError as error:
        remark = " ".join(str(error).split())
    _forget(store, job, keeps_newest=not queue.learned_from(remark))
    return remark


def _forget(store: Store, job: Job, keeps_newest: bool) -> None:
    """Delete earlier learnings and their logs, since there is one for each finished item.

    Args:
        keeps_newest: of those that have learned something, of which people are still told.
    """
    earlier = [other for other in store.jobs(job.project_id) if (other.kind, other.args) == (job.kind, job.args)]
    earlier = [other for other in earlier if other.id < job.id]
    kept = [other.id for other in earlier if queue.learned_from(other.error)][-1:] if keeps_newest else []
    gone = [other.id for other in earlier if other.id not in kept]
    store.forget_jobs(gone)
    for number in gone:
        queue.log_file(number).unlink(missing_ok=True)


def _is_wanted(store: Store, project: Project, task: str, data: TrainingData) -> bool:
    """Return whether the project still wants to learn, and has clearly more shots than it was trained on."""
    trained = max((score.k for score in curve.scores(store, project, task)), default=0)
    wants = project.learns and ENCODER in SUGGESTERS[project.suggester]
    return wants and len(data.shots) >= MORE * trained


@contextmanager
def _half_of_the_threads() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, threads // 2))
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _learn(store: Store, project: Project, task: str, data: TrainingData, job: Job, place: Place, tell: Report) -> str:
    """Train on all shots, unless a model of the same has suggested what comes next; return the remark of the job."""
    tell(Progress(0, 1, "loading the model"))
    trainer, _why = trainer_of(store, project, task, job, place, tell)
    recipe, k = trainer.recipe, len(data.shots)
    few: dict[str, Any] = {
        name: tuple(min(UPDATES, most) for most in getattr(recipe, name)) for name in ("updates", "swapped_updates")
    }
    trainer = replace(trainer, recipe=replace(recipe, **few))
    tasks.check_corpus(trainer.task, data.shots)
    title = titled(trainer.source, digest([trainer.made_from, trainer.recipe.described(), data.learned(k)]))
    stored = {key for key, one in store.suggestions_of(project.id, task).items() if one.model == title}
    coming = [key for key in _next(store.unopened_items(project.id, task)) if key not in stored]
    if not coming:
        return ""
    model = trainer.train(samplers.pick("random", data.shots, k, 0), 0, tell)  # in the order of a round's training
    for start in range(0, len(coming), CHUNK):
        tell(Progress(start, len(coming), f"{task}: suggestions"))
        rows = list(store.examples(project.id, ids=coming[start : start + CHUNK]))
        made = suggest(model, [content.from_json(row.content) for row in rows])
        proposed = {row.id: one for row, one in zip(rows, made, strict=True)}
        if not _is_wanted(store, store.project(project.id), task, data):  # somebody has switched it off meanwhile
            return ""
        store.renew_suggestions(project.id, task, title, proposed)
    return queue.LEARNED.format(k)


def _next(items: Sequence[Item]) -> list[int]:
    """Return the ids of the examples that each person gets next."""
    before = Counter[str | None]()
    found: dict[int, None] = {}
    for item in items:
        before[item.annotator] += 1
        if before[item.annotator] <= AHEAD:
            found[item.example_id] = None
    return list(found)

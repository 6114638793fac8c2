"""Suggestions for the items of a project, made by source models or by the folder of a model.

Args of the job, none of them needed: ``model``, the folder of a model, whose task alone gets suggestions; ``tasks``,
which get them of the source models, by default all of the project; with both, source models have to do where there is
no such folder on this machine; ``device``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from annotate.editing import content
from annotate.store import Job, Project, Store
from annotate.worker import models, queue, source_model
from annotate.worker.heartbeat import GaveWay
from fewshot import tasks
from fewshot.errors import FewshotError, listed
from fewshot.evaluation import suggest
from fewshot.experiments.executors.place import Place
from fewshot.progress import Progress, Report
from fewshot.training import sources
from fewshot.training.model import Model, load_model

CHUNK = 32
"""Examples whose suggestions are stored together: the most that is made again after a crash."""


def run(store: Store, job: Job, report: Report, place: Place) -> str:
    """Store a suggestion for each item that has none of this model.

    Tasks that have a model get theirs before the job fails for those that have none. Finished items are last: with
    them it gives way to jobs of other projects, and ends where the project is to be trained on, which renews them.

    Returns:
        What is left out of suggestions, see `left_out`.

    Raises:
        FewshotError: when there is no such model, or it is of another task, or knows other labels.
    """
    report(Progress(0, 1, "loading the model"))
    project, folder = store.project(job.project_id), job.args.get("model")
    if folder and job.args.get("tasks") and not Path(folder).is_dir():
        folder = None  # it was trained on another machine: the source model has to do
    encoder = None if folder else models.encoder(project.encoder)
    wanted = [folder] if folder else job.args.get("tasks", project.tasks)
    problems, remarks = [], []
    for number, name in enumerate(wanted):
        try:
            choice = source_model.choose(store, project, tasks.get(name), encoder, report) if encoder else None
            found = choice.place if choice else Path(name)
            model = (load_model(found, encoder) if encoder else models.load(found)).to(place.device)
            task = _task(project, model)
        except FewshotError as error:
            problems.append(str(error))
            continue
        title = titled(model, sources.fingerprint(found))
        for share in store_suggestions(store, project, task, model, title, lambda: _goes_on(store, project)):
            report(Progress(number + share, len(wanted), f"{task}: {share:.0%}"))
        remarks += left_out(project, task, model)
    if problems:
        raise FewshotError("; ".join(problems))
    return "; ".join(remarks)


def _goes_on(store: Store, project: Project) -> bool:
    """Return whether finished items are to have suggestions too.

    Raises:
        GaveWay: where jobs of other projects wait.
    """
    waiting = queue.waited_for(store)
    if any(job.project_id != project.id for job in waiting):
        raise GaveWay
    return not any(job.kind == "train" for job in waiting)


def _task(project: Project, model: Model) -> str:
    """Return the project's name of a model's task, which may have other options."""
    base, known = tasks.base_name(model.task.name), model.task.choices
    task = next((name for name in project.tasks if tasks.base_name(name) == base), None)
    if task is None:
        raise FewshotError(f"the model is one of task {base}; this project annotates {', '.join(project.tasks)}")
    asked = project.labels.get(task, ())
    if model.task.open and asked and not set(known) & set(asked):
        raise FewshotError(
            f"the {base} model knows {', '.join(known)}, but the labels of this project are {', '.join(asked)}; "
            f"train one with them: fewshot source --task {task} --data FOLDER"
        )
    return task


def left_out(project: Project, task: str, model: Model) -> list[str]:
    """Return a line that names the labels of a model that a project does not have, so that nobody sees them."""
    asked = project.labels.get(task)
    mine = tasks.get(task, asked)
    other = [label for label in model.task.choices if asked and mine.open and not mine.knows(label)]
    return [f"the {task} model knows {listed(other)} too, which this project has not: left out"] if other else []


def titled(model: Model, fingerprint: str) -> str:
    """Return what a model is called beside its suggestions: no two models have one title.

    Args:
        fingerprint: of its folder, see `fewshot.training.sources.fingerprint`.
    """
    return f"{model.task.name} {Path(model.encoder.name).name} {fingerprint}"


def store_suggestions(
    store: Store, project: Project, task: str, model: Model, title: str, goes_on: Callable[[], bool]
) -> Iterator[float]:
    """Store what is missing, first what is annotated next and last what is finished, and yield the share that is done.

    Args:
        project: whose items; those that have a suggestion of this title get none. Of blind ones it is not shown, but
            stands for what the model would have proposed.
        model: in evaluation mode.
        goes_on: asked after some examples, once only finished ones are left, whether these get theirs now.
    """
    stored = {key for key, one in store.suggestions_of(project.id, task).items() if one.model == title}
    items = sorted(store.items(project.id, task=task), key=lambda item: item.status == "done")
    missing = [example for example in dict.fromkeys(item.example_id for item in items) if example not in stored]
    unfinished = len({item.example_id for item in items if item.status != "done"}.difference(stored))
    yield 0.0
    for start in range(0, len(missing), CHUNK):
        examples = list(store.examples(project.id, ids=missing[start : start + CHUNK]))
        found = suggest(model, [content.from_json(example.content) for example in examples])
        store.add_suggestions([(example.id, task, title, data) for example, data in zip(examples, found, strict=True)])
        done = min(start + CHUNK, len(missing))
        yield done / len(missing)
        if unfinished <= done < len(missing) and not goes_on():
            return

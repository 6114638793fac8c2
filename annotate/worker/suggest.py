"""Suggestions for the items of a project, made by source models or by a given model.

Optional args of the job: ``model``, a folder, whose task alone gets suggestions; ``tasks``, which get suggestions of
their source models, default: all of the project; with both, ``tasks`` is used only if this machine lacks the folder;
``device``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from annotate.editing import content
from annotate.store import Job, Project, Store
from annotate.worker import models, queue
from annotate.worker.heartbeat import JobPostponed
from fewshot import tasks
from fewshot.errors import FewshotError, listed
from fewshot.evaluation import suggest
from fewshot.experiments.executors.place import Place
from fewshot.progress import Progress, Report
from fewshot.tasks.known_lemmas import describe_dictionary
from fewshot.training import sources
from fewshot.training.model import Model, load_model

BATCH_EXAMPLES = 32
"""Examples whose suggestions are stored together; a crash loses at most this many."""


def run(store: Store, job: Job, report: Report, place: Place) -> str:
    """Store a suggestion for each item that has none of this model.

    Tasks with a model get suggestions even if the job then fails for tasks without one. After each batch the job lets
    other projects' jobs go first, unless these are suggestions, and ends if a training of its project waits, which
    makes new ones.

    Returns:
        The labels left out of suggestions, see `describe_left_out`.

    Raises:
        FewshotError: when there is no such model, or it has another task or other labels.
    """
    report(Progress(0, 1, "loading the model"))
    project, folder = store.project(job.project_id), job.args.get("model")
    if folder and job.args.get("tasks") and not Path(folder).is_dir():
        folder = None  # it was trained on another machine: use the source model
    encoder = None if folder else models.project_encoder(store, project)
    wanted = [folder] if folder else job.args.get("tasks", project.tasks)
    problems, remarks = [], []
    for number, name in enumerate(wanted):
        try:
            choice = models.choose_source(store, project, tasks.get(name), encoder, report) if encoder else None
            model_folder = choice.place if choice else Path(name)
            model = (
                load_model(model_folder, encoder).with_dictionary(project.lang)
                if encoder
                else models.load(model_folder)
            )
            model = model.to(place.device)
            task = _task(project, model)
        except FewshotError as error:
            problems.append(str(error))
            continue
        title = model_title(model, sources.fingerprint(model_folder))
        for share in store_suggestions(store, project, task, model, title, lambda: _continues(store, project)):
            report(Progress(number + share, len(wanted), f"{task}: {share:.0%}"))
        remarks += describe_left_out(project, task, model)
    if problems:
        raise FewshotError("; ".join(problems))
    return "; ".join(remarks)


def _continues(store: Store, project: Project) -> bool:
    """Return whether to go on after a batch; raises `JobPostponed` if jobs of other projects go first."""
    waiting = queue.waiting_requests(store)
    if any(job.project_id != project.id and job.kind not in queue.REPEATABLE_KINDS for job in waiting):
        raise JobPostponed
    return not any((job.project_id, job.kind) == (project.id, "train") for job in waiting)


def _task(project: Project, model: Model) -> str:
    """Return the project's name of a model's task, whose options may differ."""
    base, known = tasks.base_name(model.task.name), model.task.choices
    task = next((name for name in project.tasks if tasks.base_name(name) == base), None)
    if task is None:
        raise FewshotError(f"the model is for task {base}, but this project annotates {', '.join(project.tasks)}")
    asked = project.labels.get(task, ())
    if model.task.open and asked and not set(known) & set(asked):
        raise FewshotError(
            f"the {base} model knows {', '.join(known)}, but the labels of this project are {', '.join(asked)}; "
            f"train one with them: fewshot source --task {task} --data FOLDER"
        )
    return task


def describe_left_out(project: Project, task: str, model: Model) -> list[str]:
    """Return a line about the labels of a model that are not shown since the project lacks them, if any."""
    asked = project.labels.get(task)
    mine = tasks.get(task, asked)
    unknown = [label for label in model.task.choices if asked and mine.open and not mine.knows(label)]
    return [f"the {task} model also knows {listed(unknown)}, which this project lacks: left out"] if unknown else []


def model_title(model: Model, fingerprint: str) -> str:
    """Return a title of a model for its suggestions, with its dictionary and its folder's fingerprint."""
    code = model.known_lemmas.dictionary
    dictionary = [describe_dictionary(code)] if code else []
    return " ".join([model.task.name, Path(model.encoder.name).name, *dictionary, fingerprint])


def store_suggestions(
    store: Store, project: Project, task: str, model: Model, title: str, continues: Callable[[], bool]
) -> Iterator[float]:
    """Store the missing suggestions of unfinished items, in order, and yield the share done.

    Args:
        project: examples with a suggestion of this title are skipped. Suggestions for blind items are stored for later
            comparison, but not shown.
        model: in evaluation mode.
        continues: called after each batch but the last; stops if it returns False.
    """
    stored = {key for key, made in store.suggestions_of(project.id, task).items() if made.model == title}
    unfinished = (item.example_id for item in store.items(project.id, task=task) if item.status != "done")
    missing = [example for example in dict.fromkeys(unfinished) if example not in stored]
    yield 0.0
    for start in range(0, len(missing), BATCH_EXAMPLES):
        examples = list(store.examples(project.id, ids=missing[start : start + BATCH_EXAMPLES]))
        suggestions = suggest(model, [content.from_json(example.content) for example in examples])
        store.add_suggestions(
            [(example.id, task, title, data) for example, data in zip(examples, suggestions, strict=True)]
        )
        done = min(start + BATCH_EXAMPLES, len(missing))
        yield done / len(missing)
        if done < len(missing) and not continues():
            return

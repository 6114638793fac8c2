"""Labelling of the rest of a pool: a file with a model's labels for unannotated examples.

Args of the job: ``task``; ``model``, its folder; optional: ``device``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from annotate.editing import content, uploaded
from annotate.quality import gold
from annotate.store import Job, LabelledFile, Project, Store
from annotate.worker import files, models
from fewshot import tasks
from fewshot.corpora import formats, nested
from fewshot.errors import FewshotError
from fewshot.evaluation import label_stream
from fewshot.experiments.executors.place import Place
from fewshot.progress import Progress, Report

FALLBACK_FORMATS = ("conllu", "squad", "jsonl")
"""Formats to write if the pool's own cannot hold the task or part of a file; the first suitable one."""


def run(store: Store, job: Job, report: Report, place: Place) -> str | None:
    """Write a file on this machine, and store its path.

    Returns:
        A remark on nested entities that the file cannot hold, or None.

    Raises:
        FewshotError: when the model is on another machine, or the whole pool is annotated or begun.
    """
    report(Progress(0, 1, "loading the model"))
    project, task, folder = store.project(job.project_id), str(job.args["task"]), Path(job.args["model"])
    if not folder.is_dir():
        raise FewshotError(f"{folder}: the model is on the machine that trained it; train again here, or label there")
    model = models.load(folder).to(place.device)
    rest = partial(_rest, store, project, task, gold.versions(store, project, task).keys())
    total, first = sum(1 for _ in rest()), next(rest(), None)
    if first is None:
        raise FewshotError("the whole pool is annotated or begun; add examples to the pool")

    own = first.record.format if first.record else FALLBACK_FORMATS[0]
    able = {name for name in formats.list_export_formats([model.task]) if not formats.FORMATS[name].whole}
    format_ = next(name for name in (own, *FALLBACK_FORMATS) if name in able)
    inner: list[str] = []

    def labelled() -> Iterator[Any]:
        for done, (example, _) in enumerate(label_stream(model, rest())):
            report(Progress(done, total, f"{task}: {done:,} of {total:,} labelled"))
            inner.extend([] if formats.FORMATS[format_].nested else nested.inner(example))
            yield example

    path = files.labelled(project) / f"{task}{formats.FORMATS[format_].suffix}"
    formats.export(labelled(), [model.task], format_, path)
    store.set_labelled_file(project.id, task, LabelledFile(str(path), total))
    return nested.left_out(formats.FORMATS[format_], inner) if inner else None


def _rest(store: Store, project: Project, task: str, by_people: Collection[int]) -> Iterator[Any]:
    """Yield the examples that are neither annotated here nor, unless gold is hidden, in the file."""
    kind = tasks.get(task, project.labels.get(task))
    for row in store.examples(project.id, split="pool"):
        if row.id not in by_people:
            example = content.from_json(row.content)
            if project.hides_gold or not uploaded.is_annotated(kind, example):
                yield example

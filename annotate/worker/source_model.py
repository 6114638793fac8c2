"""The choice of the source model that a project's trainings continue."""

from __future__ import annotations

import random
from typing import Any

import torch

from annotate.editing import content
from annotate.store import AUTO, Project, Store
from fewshot.encoders.load import Encoder
from fewshot.progress import Report
from fewshot.source_choice import models
from fewshot.source_choice.candidates import TARGET_SENTENCES
from fewshot.source_choice.models import SourceChoice
from fewshot.tasks import Task
from fewshot.training import sources

READING_DEVICE = torch.device("cpu")
"""Device on which the encoder reads a few texts of each language."""


def choose(store: Store, project: Project, task: Task[Any], encoder: Encoder, report: Report) -> SourceChoice:
    """Return the source model that a project asks for, see `NewProject.source_model`.

    `report` gets the progress of reading texts of the pool, which only `AUTO` does.

    Raises:
        FewshotError: when there is none.
    """
    if project.source_model != AUTO:
        langs = [code for code in project.source_model.split(",") if code]
        return SourceChoice(sources.find(task, encoder, langs=langs), "")
    roots = [sources.user_dir(), sources.embedded_dir()]
    ids = [row[0] for row in store.lengths(project.id, "pool")]
    sample = sorted(random.Random(0).sample(ids, min(TARGET_SENTENCES, len(ids))))
    pool = [content.from_json(row.content) for row in store.examples(project.id, ids=sample)]
    return models.choose(task, project.lang, encoder, pool, roots, "full", READING_DEVICE, report)

"""The source model that a project's trainings continue, and that suggests before there is one of its own."""

from __future__ import annotations

from itertools import islice
from typing import Any

import torch

from annotate.editing import content
from annotate.store import AUTO, Project, Store
from fewshot.encoders.load import Encoder
from fewshot.papers.source_choice import models
from fewshot.papers.source_choice.models import Choice
from fewshot.progress import Report
from fewshot.tasks import Task
from fewshot.training import sources

READ = 500
"""Most examples of the pool of which some are read where nothing is known of the languages themselves."""


def choose(
    store: Store, project: Project, task: Task[Any], encoder: Encoder, device: torch.device, report: Report
) -> Choice:
    """Return the source model that a project asks for, see `NewProject.source_model`.

    Args:
        encoder: that of the project.
        device: where texts are read.
        report: told which.

    Raises:
        FewshotError: when there is none.
    """
    if project.source_model != AUTO:
        langs = [code for code in project.source_model.split(",") if code]
        return Choice(sources.find(task, encoder, langs=langs), "")
    roots = [sources.kept_in(), sources.embedded_in()]
    pool = [content.from_json(row.content) for row in islice(store.examples(project.id, split="pool"), READ)]
    return models.choose(task, project.lang, encoder, pool, roots, "full", device, report)

"""The encoder that a worker keeps in memory from job to job, and a project's source model."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from annotate.editing import content
from annotate.store import AUTO, Project, Store
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.encoders.vowel_signs import fit_encoder
from fewshot.progress import Report
from fewshot.source_choice import models as source_models
from fewshot.source_choice.candidates import TARGET_SENTENCES
from fewshot.source_choice.models import SourceChoice
from fewshot.tasks import Task
from fewshot.training import sources
from fewshot.training.description import THIS_FOLDER, read_description
from fewshot.training.model import Model, load_model

_loaded: dict[Any, Encoder] = {}
"""At most one encoder, by its name and the files of its folder."""

MAX_TEXTS = 200
"""Examples of the pool, and of the test set, whose optional vowel signs are counted."""

READING_DEVICE = torch.device("cpu")
"""Device on which the encoder reads a few texts of each language."""


def encoder(name: str) -> Encoder:
    """Return an encoder, from memory if it is the last one loaded and its folder is unchanged."""
    files = sorted(Path(name).iterdir()) if Path(name).is_dir() else []
    key = name, tuple((file.name, file.stat().st_mtime_ns) for file in files)
    if key not in _loaded:
        _loaded.clear()  # before loading: memory may not hold two
        _loaded[key] = load_encoder(name)
    return _loaded[key]


def project_encoder(store: Store, project: Project) -> Encoder:
    """Return the encoder of a project, with the tokenizer that `fit_encoder` finds for its texts."""
    parts = (islice(store.examples(project.id, split=split), MAX_TEXTS) for split in ("pool", "test"))
    pool, test = ([content.from_json(row.content) for row in part] for part in parts)
    return fit_encoder(encoder(project.encoder), pool, test)


def load(folder: Path) -> Model:
    """Return a saved model on the encoder that it names; errors as in `load_model`."""
    named = (read_description(folder) or {}).get("encoder", THIS_FOLDER)
    return load_model(folder, None if named == THIS_FOLDER else encoder(named))


def choose_source(store: Store, project: Project, task: Task[Any], encoder: Encoder, report: Report) -> SourceChoice:
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
    return source_models.choose(task, project.lang, encoder, pool, roots, "full", READING_DEVICE, report)

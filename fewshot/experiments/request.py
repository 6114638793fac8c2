"""What a request becomes: cells, data, and the experiment that is run."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import torch

from fewshot import tasks
from fewshot.corpora.load import Corpus, load, locate, with_test_share
from fewshot.corpora.ud.cache import FileProgress
from fewshot.experiments.experiment import Experiment, load_experiment
from fewshot.experiments.plan import Plan, named_samplers, parse_ks, parse_list
from fewshot.options import Request


def plan_of(request: Request, device: torch.device) -> Plan:
    """Return the cells that are asked for.

    Args:
        device: that will train; a CPU trains with two seeds, others with three.

    Raises:
        FewshotError: when an option is not what it can be.
    """
    task = tasks.get(request.task)
    changes = {one.name: getattr(request, one.name) for one in fields(request) if one.metadata["in_recipe"]}
    return Plan(
        task=task.name,
        lang=request.lang,
        ks=parse_ks(request.k),
        samplers=named_samplers(parse_list(task.sampler if request.sampler is None else request.sampler), task),
        shot_sets=3 if request.shot_sets is None else request.shot_sets,
        seeds=(2 if device.type == "cpu" else 3) if request.seeds is None else request.seeds,
        method=request.method,
        changes={name: value for name, value in changes.items() if value is not None},
        rounds=request.rounds,
    )


def place_of(request: Request, progress: FileProgress | None = None) -> Path:
    """Return where the data is, downloaded if need be.

    Args:
        progress: told of what is downloaded.

    Raises:
        FewshotError: see `fewshot.corpora.load`.
    """
    task = tasks.get(request.task)
    return locate(request.lang, request.data, task.example.kind, progress, tasks.data_hint(task))


def corpus_of(request: Request, progress: FileProgress | None = None) -> Corpus:
    """Return pool and test set; see `place_of`."""
    task, place = tasks.get(request.task), place_of(request, progress)
    corpus = load(request.lang, place, task.example.kind, request.min_tokens, request.max_tokens, task=task)
    return corpus if request.test_share is None else with_test_share(corpus, request.test_share)


def experiment_of(request: Request, plan: Plan, corpus: Corpus, device: torch.device) -> Experiment:
    """Return what is to be run; see `load_experiment`."""
    return load_experiment(plan, corpus, request.model, device, request.source, request.source_data)

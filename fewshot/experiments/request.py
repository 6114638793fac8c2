"""The plan, corpus and experiment of a request."""

from __future__ import annotations

from dataclasses import fields

import torch

from fewshot import tasks
from fewshot.corpora.load import Corpus, load, locate, with_test_share
from fewshot.corpora.ud.cache import FileProgress
from fewshot.experiments.experiment import Experiment, load_experiment
from fewshot.experiments.plan import Plan, expand_samplers, parse_ks, parse_list
from fewshot.options import Request


def make_plan(request: Request, device: torch.device) -> Plan:
    """Return the plan of a request, with the defaults of its task and device.

    Args:
        device: device of the trainings; the default is 2 seeds on a CPU, 3 elsewhere.

    Raises:
        FewshotError: for an invalid option.
    """
    task = tasks.get(request.task)
    changes = {field.name: getattr(request, field.name) for field in fields(request) if field.metadata["in_recipe"]}
    return Plan(
        task=task.name,
        lang=request.lang,
        ks=parse_ks(request.k),
        samplers=expand_samplers(parse_list(task.sampler if request.sampler is None else request.sampler), task),
        shot_sets=3 if request.shot_sets is None else request.shot_sets,
        seeds=(2 if device.type == "cpu" else 3) if request.seeds is None else request.seeds,
        method=request.method,
        changes={name: value for name, value in changes.items() if value is not None},
        rounds=request.rounds,
    )


def load_corpus(request: Request, progress: FileProgress | None = None) -> Corpus:
    """Return the pool and the test set of a request; download missing data.

    Raises:
        FewshotError: see `fewshot.corpora.load`.
    """
    task = tasks.get(request.task)
    path = locate(request.lang, request.data, task.example.kind, progress, task.data_hint)
    corpus = load(request.lang, path, task.example.kind, request.min_tokens, request.max_tokens, task=task)
    return corpus if request.test_share is None else with_test_share(corpus, request.test_share)


def load_requested_experiment(request: Request, plan: Plan, corpus: Corpus, device: torch.device) -> Experiment:
    """Return the experiment of a request; see `load_experiment`."""
    given = request.source, request.source_data, request.vowel_signs, request.dictionary
    return load_experiment(plan, corpus, request.model, device, *given)

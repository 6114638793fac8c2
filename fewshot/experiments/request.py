"""What users ask of one run, in the words of ``fewshot run``, and the experiment that this becomes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from fewshot import tasks
from fewshot.corpora.load import Corpus, load, locate, with_test_share
from fewshot.corpora.ud.cache import FileProgress
from fewshot.encoders.load import EMBEDDED
from fewshot.experiments.experiment import Experiment, load_experiment
from fewshot.experiments.plan import Plan, named_samplers, parse_ks, parse_list


@dataclass(frozen=True, slots=True)
class Request:
    """The options of ``fewshot run`` that decide its numbers; what is None is by task, encoder, k or device."""

    lang: str
    task: str = "pos"
    k: str = "10"
    sampler: str | None = None
    seeds: int | None = None
    shot_sets: int | None = None
    rounds: bool = False
    model: str = EMBEDDED
    data: str = "sample"
    method: str = "full"
    regime: str | None = None
    updates: int | None = None
    swaps: float | None = None
    balanced: bool | None = None
    source: Path | None = None
    source_data: Path | None = None
    min_tokens: int | None = None
    max_tokens: int | None = None
    test_share: float | None = None

    def plan(self, device: torch.device) -> Plan:
        """Return the conditions that are asked for.

        Args:
            device: that will train; a CPU trains with two seeds, others with three.

        Raises:
            FewshotError: when an option is not what it can be.
        """
        task = tasks.get(self.task)
        changes = {name: getattr(self, name) for name in ("regime", "updates", "swaps", "balanced")}
        return Plan(
            task=task.name,
            lang=self.lang,
            ks=parse_ks(self.k),
            samplers=named_samplers(parse_list(task.sampler if self.sampler is None else self.sampler), task),
            shot_sets=3 if self.shot_sets is None else self.shot_sets,
            seeds=(2 if device.type == "cpu" else 3) if self.seeds is None else self.seeds,
            method=self.method,
            changes={name: value for name, value in changes.items() if value is not None},
            rounds=self.rounds,
        )

    def place(self, progress: FileProgress | None = None) -> Path:
        """Return where the data is, downloaded if need be.

        Args:
            progress: told of what is downloaded.

        Raises:
            FewshotError: see `fewshot.corpora.load`.
        """
        task = tasks.get(self.task)
        return locate(self.lang, self.data, task.example.kind, progress, tasks.real_data(task))

    def corpus(self, progress: FileProgress | None = None) -> Corpus:
        """Return pool and test set; see `place`."""
        task = tasks.get(self.task)
        place = self.place(progress)
        corpus = load(self.lang, place, task.example.kind, self.min_tokens, self.max_tokens, task=task)
        return corpus if self.test_share is None else with_test_share(corpus, self.test_share)

    def experiment(self, plan: Plan, corpus: Corpus, device: torch.device) -> Experiment:
        """Return what is to be run; see `load_experiment`."""
        return load_experiment(plan, corpus, self.model, device, self.source, self.source_data)

"""Score source models on languages that they were not trained on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path

import torch

from fewshot import tasks
from fewshot.corpora.load import fingerprint
from fewshot.corpora.types import Pair
from fewshot.curves.results import Result, append_result, lock_results, read_results
from fewshot.encoders.load import Encoder
from fewshot.encoders.vocabulary import tensors
from fewshot.errors import CorpusError, FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.data_folders import AnnotatedExamples, DataFolders
from fewshot.experiments.executors.place import PROCESS_BYTES, Place
from fewshot.experiments.jobs import StudyJob, run_missing_jobs
from fewshot.experiments.plan import digest
from fewshot.progress import Report
from fewshot.training import sources
from fewshot.training.description import read_description
from fewshot.training.model import Model, load_model

ENGLISH = "en"
"""The default language of source models without a language in their description."""


@dataclass(frozen=True, slots=True)
class TestSet:
    """A test set for source models; the language of mixed pairs is ``sw-en``, that of the premises first."""

    task: str
    lang: str
    examples: AnnotatedExamples

    def __str__(self) -> str:
        return f"{self.task} {self.lang}: {len(self.examples.examples)} {tasks.get(self.task).example.kind}"


def source_language(names: Sequence[str], *encoders: Encoder) -> str:
    """Return the language of the source models of tasks, against which drops are measured.

    A multilingual model counts by its first language; tasks without a source model are ignored. Raises a FewshotError
    when the source models have several languages.
    """
    langs: dict[str, str] = {}
    for encoder, name in product(encoders, names):
        with suppress(FewshotError):  # a missing model matters only if there is something to score
            description = read_description(sources.find(tasks.get(name), encoder))
            langs[f"{encoder.name} {name}"] = (sources.languages(description or {}) or [ENGLISH])[0]
    if len(set(langs.values())) > 1:
        models = ", ".join(f"{model} {lang}" for model, lang in langs.items())
        advice = "choose tasks (--task) and encoders (--model) whose source models have the same language"
        raise FewshotError(f"the source models are of several languages ({models}); {advice}")
    return next(iter(langs.values()), ENGLISH)


def test_sets(names: Sequence[str], langs: Sequence[str], folders: DataFolders, mixed: bool) -> list[TestSet]:
    """Find the test sets of tasks and languages, the source language first.

    Args:
        mixed: whether to add pairs of a premise and a hypothesis in different languages (Karthikeyan et al. 2020, Table
            11).

    Raises:
        FewshotError: when there are none, or the pairs to mix are not translations.
    """
    sets = [
        TestSet(task.name, lang, examples)
        for task in map(tasks.get, names)
        for lang in dict.fromkeys(langs)
        if (examples := folders.find_test(task, lang))
    ]
    if not sets:
        raise FewshotError(f"no test set of {', '.join(names)} in {', '.join(langs)} under the folders of --data")
    pairs = [test for test in sets if mixed and tasks.get(test.task).example is Pair]
    if mixed and len(pairs) < 2:
        raise FewshotError("--mixed needs pairs in two languages; name the task nli and folders that hold e.g. xnli_sw")
    return sets + [
        TestSet(a.task, f"{a.lang}-{b.lang}", mix(a.examples, b.examples))
        for a, b in product(pairs, pairs)
        if a.task == b.task and a is not b
    ]


def mix(premises: AnnotatedExamples, hypotheses: AnnotatedExamples) -> AnnotatedExamples:
    """Return the mixed pairs of two parallel sets; raise a CorpusError if number or labels differ."""
    if [pair.label for pair in premises.examples] != [pair.label for pair in hypotheses.examples]:
        raise CorpusError(f"not the same pairs, in the same order, as {premises.folder}", hypotheses.folder)
    rows = zip(premises.examples, hypotheses.examples, strict=True)
    mixed = [replace(first, hypothesis=second.hypothesis) for first, second in rows]
    return AnnotatedExamples(premises.folder, tuple(mixed), fingerprint(mixed))


def score_all(
    wanted: Sequence[TestSet], encoders: Sequence[Encoder], place: Place, folder: Path, report: Report
) -> list[Result]:
    """Return the results of all encoders on all test sets, by encoder; compute those not in the folder.

    Raises:
        FewshotError: when a task has no source model or other labels, the folder cannot be written, or a process has
            died.
    """
    jobs = _jobs(wanted, encoders, place.device)
    with lock_results(folder) as path:
        done = {result.run: result for result in read_results(path)}
        unique = list({job.key: job for job in jobs}.values())  # an encoder may be given twice
        sizes = (sum(tensor.nbytes for tensor in tensors(encoder.module)) for encoder in encoders)
        process_bytes = PROCESS_BYTES + max(sizes)  # one model
        run_missing_jobs(unique, done, lambda _, result: append_result(path, result), place, report, process_bytes)
    return [done[job.key] for job in jobs]


def _jobs(wanted: Sequence[TestSet], encoders: Sequence[Encoder], device: torch.device) -> list[StudyJob[Result]]:
    names = dict.fromkeys(test.task for test in wanted)
    places = {
        (encoder.name, name): sources.find(tasks.get(name), encoder) for encoder, name in product(encoders, names)
    }
    fingerprints = {key: sources.fingerprint(place) for key, place in places.items()}
    models = _SourceModels({encoder.name: encoder for encoder in encoders}, places)
    jobs = []
    for encoder, test in product(encoders, wanted):
        model = fingerprints[encoder.name, test.task]
        key = digest([test.task, test.lang, encoder.fingerprint, model, test.examples.fingerprint, device.type])
        by = f" by {encoder.name}" if len(encoders) > 1 else ""
        do = partial(models.score, encoder.name, test, key)
        jobs.append(StudyJob(f"{test}{by}", key, do, steps=len(test.examples.examples)))
    return jobs


@dataclass(frozen=True)
class _SourceModels:
    """The source models by encoder and task; a process holds one at a time."""

    encoders: Mapping[str, Encoder]
    places: Mapping[tuple[str, str], Path]
    _loaded: dict[tuple[str, str], Model] = field(default_factory=dict, init=False, repr=False)

    def score(self, encoder: str, test: TestSet, key: str, device: torch.device, _: Report) -> Result:
        """Score an encoder's source model on a test set."""
        model, examples = self._model(encoder, test.task, device), test.examples
        started = time.perf_counter()
        evaluation = evaluate(model, examples.examples, known=model.task)
        recipe = model.provenance.get("recipe", {})
        return Result(
            run=key,
            task=test.task,
            lang=test.lang,
            sampler="",
            k=0,
            shot_set=0,
            seed=0,
            method=recipe.get("method", "full"),
            regime=recipe.get("regime", "sequential"),
            model=model.encoder.name,
            data=str(examples.folder),
            tokens=0,
            units=model.task.units([]),
            test_units=model.task.units(examples.examples),
            minutes=0.0,
            dollars=0.0,
            seconds=time.perf_counter() - started,
            device=device.type,
            shots=(),
            **evaluation.columns,
        )

    def _model(self, encoder: str, task: str, device: torch.device) -> Model:
        if (encoder, task) not in self._loaded:
            self._loaded.clear()
            self._loaded[encoder, task] = load_model(self.places[encoder, task], self.encoders[encoder]).to(device)
        return self._loaded[encoder, task]

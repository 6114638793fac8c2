"""A few-shot grid: the plans of several tasks and languages, run one after the other in one folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewshot import tasks
from fewshot.corpora.load import Corpus, load
from fewshot.costs.prices import Rates
from fewshot.curves.results import RESULTS, Result, read_results
from fewshot.encoders.load import Encoder
from fewshot.encoders.vowel_signs import KEEP
from fewshot.errors import FewshotError
from fewshot.experiments import run
from fewshot.experiments.data_folders import DataFolders
from fewshot.experiments.executors.place import Place
from fewshot.experiments.experiment import load_experiment
from fewshot.experiments.plan import Plan, check_plan
from fewshot.progress import Progress, Report
from fewshot.training import sources
from fewshot.transfer.scoring import source_language
from samplers import SamplerError


@dataclass(frozen=True, slots=True)
class Part:
    """The plan of one task and language, and the folder or file of its pool and test set."""

    plan: Plan
    data: Path

    def corpus(self) -> Corpus:
        """Read pool and test set."""
        task = tasks.get(self.plan.task)
        return load(self.plan.lang, self.data, task.example.kind, task=task)


def parts(plans: Sequence[Plan], folders: Sequence[Path], encoder: Encoder, warn: Callable[[str], None]) -> list[Part]:
    """Find the data of several plans, and check all plans before the first one runs.

    Raises:
        FewshotError: when there is no data, a source model is missing, a pool is too small or an annotation invalid.
        SamplerError: for an unknown sampler.
    """
    names, langs = (list(dict.fromkeys(getattr(plan, name) for plan in plans)) for name in ("task", "lang"))
    source = source_language(names, encoder)
    if source in langs:
        warn(f"{source} is the language of the source models; it is left out")
    for plan in {plan.task: plan for plan in plans}.values():
        sources.find(tasks.get(plan.task), encoder, method=plan.method)
    grid, targets = [], [lang for lang in langs if lang != source]
    for plan in (plan for plan in plans if plan.lang != source):  # new DataFolders each time hold less data
        place = DataFolders(folders, targets, warn).find_corpus(tasks.get(plan.task), plan.lang)
        if place is None:
            warn(f"no pool and test set of {plan.task} in {plan.lang}; left out")
            continue
        part = Part(plan, place)
        try:
            check_plan(plan, part.corpus())
        except SamplerError as error:
            raise FewshotError(f"{plan.task} {plan.lang}: {error}") from None
        grid.append(part)
    if not grid:
        raise FewshotError(
            f"no pool and test set of {', '.join(names)} in {', '.join(langs)} under the folders of --data"
        )
    return grid


def execute(
    parts: Sequence[Part],
    model: str,
    place: Place,
    folder: Path,
    rates: Rates,
    report: Report,
    command: str = "",
) -> list[Result]:
    """Run what has no result in the folder, as ``fewshot run`` does, and return all results, part by part.

    The folder takes a folder for each part; adapted models are not kept. ``command`` repeats the grid.
    """
    total = sum(len(part.plan.cells()) for part in parts)
    results: list[Result] = []
    kept = 0
    for number, part in enumerate(parts, start=1):
        plan = part.plan
        name, before, runs = f"{number}/{len(parts)} {plan.task} {plan.lang}", len(results), len(plan.cells())
        report(Progress(before, total, f"{name}: reading the data", kept=kept))
        corpus = part.corpus()
        experiment = load_experiment(plan, corpus, model, place.device, vowel_signs=KEEP)
        part_folder, workers = folder / experiment.folder.name, place.workers(experiment)
        stored = {result.run for result in read_results(part_folder / RESULTS)}
        within = _within(report, name, runs, Progress(before, total, kept=kept))
        results += run.execute(experiment, part_folder, rates, within, command=command, keep=False, workers=workers)
        kept += sum(result.run in stored for result in results[before:])
    return results


def _within(report: Report, name: str, runs: int, before: Progress) -> Report:
    """Return a callback that converts the progress of one part into the progress of the grid, in runs."""

    def report_grid(progress: Progress) -> None:
        kept = before.kept + runs * progress.kept / max(1, progress.total)
        done = before.done + runs * progress.share
        report(Progress(done, before.total, f"{name}: {progress.doing}", progress.loss, kept))

    return report_grid

"""A grid: the plans of several tasks and languages, carried out one after the other under one folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewshot import tasks
from fewshot.corpora.load import Corpus, load
from fewshot.costs.prices import Rates
from fewshot.curves.results import RESULTS, Result, read_results
from fewshot.encoders.load import Encoder
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
    """One task and language of a grid, and the folder or file of its pool and test set."""

    plan: Plan
    data: Path

    def corpus(self) -> Corpus:
        """Read pool and test set."""
        task = tasks.get(self.plan.task)
        return load(self.plan.lang, self.data, task.example.kind, task=task)


def parts(plans: Sequence[Plan], folders: Sequence[Path], encoder: Encoder, warn: Callable[[str], None]) -> list[Part]:
    """Find the data of several plans, and what is wrong with any of them before the first is begun.

    Args:
        plans: one for each task and language; those for the language of the source models are left out.
        folders: of folders such as ``ja_gsd``, see `DataFolders`.
        encoder: whose source models are adapted.

    Raises:
        FewshotError: when there is no data at all, no source model, a pool is too small or an annotation not valid.
        SamplerError: for an unknown sampler.
    """
    names, langs = (list(dict.fromkeys(getattr(plan, name) for plan in plans)) for name in ("task", "lang"))
    source = source_language(names, encoder)
    if source in langs:
        warn(f"{source} is the language of the source models; it is left out")
    for plan in {plan.task: plan for plan in plans}.values():
        sources.find(tasks.get(plan.task), encoder, method=plan.method)
    found, targets = [], [lang for lang in langs if lang != source]
    for plan in (each for each in plans if each.lang != source):  # read anew each time: not all data is held at once
        place = DataFolders(folders, targets, warn).find_corpus(tasks.get(plan.task), plan.lang)
        if place is None:
            warn(f"no pool and test set of {plan.task} in {plan.lang}; left out")
        else:
            found.append(_checked(Part(plan, place)))
    if not found:
        raise FewshotError(
            f"no pool and test set of {', '.join(names)} in {', '.join(langs)} under the folders of --data"
        )
    return found


def _checked(part: Part) -> Part:
    try:
        check_plan(part.plan, part.corpus())
    except SamplerError as error:
        raise FewshotError(f"{part.plan.task} {part.plan.lang}: {error}") from None
    return part


def execute(
    found: Sequence[Part],
    model: str,
    place: Place,
    folder: Path,
    rates: Rates,
    report: Report,
    command: str = "",
) -> list[Result]:
    """Do the runs that the folder has no result of, as ``fewshot run`` would, and return all results, part by part.

    Args:
        folder: takes a folder a part, named as ``fewshot run`` names it; no adapted model is kept.
        report: told how many runs of the whole grid are done.
        command: repeats the grid.
    """
    total = sum(len(part.plan.cells()) for part in found)
    results: list[Result] = []
    kept = 0
    for number, part in enumerate(found, start=1):
        plan = part.plan
        name, before, runs = f"{number}/{len(found)} {plan.task} {plan.lang}", len(results), len(plan.cells())
        report(Progress(before, total, f"{name}: reading the data", kept=kept))
        corpus = part.corpus()
        experiment = load_experiment(plan, corpus, model, place.device)
        inside, workers = folder / experiment.folder.name, place.workers(experiment)
        there = {result.run for result in read_results(inside / RESULTS)}
        within = _within(report, name, runs, Progress(before, total, kept=kept))
        results += run.execute(experiment, inside, rates, within, command=command, keep=False, workers=workers)
        kept += sum(result.run in there for result in results[before:])
    return results


def _within(report: Report, name: str, runs: int, before: Progress) -> Report:
    """Return what is told how far one part is, and tells how far all of them are, in runs."""

    def tell(now: Progress) -> None:
        kept = before.kept + runs * now.kept / max(1, now.total)
        report(Progress(before.done + runs * now.share, before.total, f"{name}: {now.doing}", now.loss, kept))

    return tell

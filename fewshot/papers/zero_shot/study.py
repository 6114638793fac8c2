"""What source models score on languages they were not trained on (Lauscher et al. 2020, section 3.2, Table 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import torch

from fewshot import tasks
from fewshot.corpora.load import fingerprint
from fewshot.corpora.types import Pair
from fewshot.curves.results import Result, append_result, locked_results, read_results
from fewshot.encoders.load import Encoder
from fewshot.errors import CorpusError, FewshotError
from fewshot.experiments.clock import Clock
from fewshot.experiments.executors.base import carried_out
from fewshot.experiments.executors.place import Place
from fewshot.experiments.plan import digest
from fewshot.papers.measuring.data_folders import Examples, Folders
from fewshot.papers.zero_shot.scorings import Scoring, Scorings, TestSet
from fewshot.progress import Report
from fewshot.training import sources
from fewshot.training.model import read_description

ENGLISH = "en"
"""The language of source models whose description does not say another."""


def source_language(names: Sequence[str], *encoders: Encoder) -> str:
    """Return the language of the source models of some tasks, of several the first, against which the others drop.

    Args:
        names: of the tasks; those without a source model have no say.
        encoders: whose source models are taken.

    Raises:
        FewshotError: when they are of several languages.
    """
    found: dict[str, str] = {}
    for encoder, name in product(encoders, names):
        with suppress(FewshotError):  # it is missed only where there is something to score
            description = read_description(sources.find(tasks.get(name), encoder))
            found[f"{encoder.name} {name}"] = (sources.languages(description or {}) or [ENGLISH])[0]
    if len(set(found.values())) > 1:
        each = ", ".join(f"{model} {lang}" for model, lang in found.items())
        advice = "name tasks with --task, and encoders with --model, of one"
        raise FewshotError(f"the source models are of several languages ({each}); {advice}")
    return next(iter(found.values()), ENGLISH)


def test_sets(names: Sequence[str], langs: Sequence[str], folders: Folders, mixed: bool) -> list[TestSet]:
    """Find the test sets of tasks and languages.

    Args:
        langs: languages, that of the source models first.
        folders: of the user.
        mixed: of pairs, each premise with the hypothesis in each language too (Karthikeyan et al. 2020, Table 11).

    Raises:
        FewshotError: when there are none, or pairs to be mixed are not translations.
    """
    found = [
        TestSet(task.name, lang, examples)
        for task in map(tasks.get, names)
        for lang in dict.fromkeys(langs)
        if (examples := folders.test(task, lang))
    ]
    if not found:
        raise FewshotError(f"no test set of {', '.join(names)} in {', '.join(langs)} under the folders of --data")
    pairs = [one for one in found if mixed and tasks.get(one.task).example is Pair]
    if mixed and len(pairs) < 2:
        raise FewshotError("--mixed needs pairs in two languages; name the task nli and folders that hold e.g. xnli_sw")
    return found + [
        TestSet(a.task, f"{a.lang}-{b.lang}", mix(a.examples, b.examples))
        for a, b in product(pairs, pairs)
        if a.task == b.task and a is not b
    ]


def mix(premises: Examples, hypotheses: Examples) -> Examples:
    """Return pairs of a premise in one language and the hypothesis in another.

    Args:
        premises: pairs whose premises are taken.
        hypotheses: the same pairs in another language, in the same order.

    Raises:
        CorpusError: when they are not the same pairs, as far as number and labels tell.
    """
    labels = [[pair.label for pair in each.examples] for each in (premises, hypotheses)]
    if labels[0] != labels[1]:
        raise CorpusError(f"not the same pairs, in the same order, as {premises.folder}", hypotheses.folder)
    both = zip(premises.examples, hypotheses.examples, strict=True)
    mixed = [replace(first, hypothesis=second.hypothesis) for first, second in both]
    return Examples(premises.folder, tuple(mixed), fingerprint(mixed))


def mixed_pairs(results: Iterable[Result]) -> dict[str, tuple[str, str]]:
    """Return the names that mixed pairs of some results may have, with the languages of premises and hypotheses.

    A name such as ``pt-br`` is that of a language: mixed pairs stand beside those of each of their languages.
    """
    langs = dict.fromkeys(result.lang for result in results if tasks.get(result.task).example is Pair)
    return {f"{premise}-{hypothesis}": (premise, hypothesis) for premise, hypothesis in permutations(langs, 2)}


def score_all(
    wanted: Sequence[TestSet], encoders: Sequence[Encoder], place: Place, folder: Path, report: Report
) -> list[Result]:
    """Score what the folder has no result of, and return the results of all that was wanted.

    Args:
        wanted: test sets, those of one task beside each other.
        encoders: whose source models are scored, each on all test sets.
        place: where.
        folder: takes ``results.jsonl``; made if need be.
        report: told how far it is when a scoring begins or ends.

    Returns:
        The results of the first encoder in the order of the test sets, then those of the next.

    Raises:
        FewshotError: when a task has no source model, its labels are others, the folder cannot be written, or a process
            has died.
    """
    work = _scorings(wanted, encoders, place.device)
    runs = list({run.id: run for run in work.runs}.values())  # an encoder may have been named twice
    clock = Clock({run.condition: len(run.on.examples.examples) for run in runs}, str, report)
    with locked_results(folder) as path:
        done = {result.run: result for result in read_results(path)}
        for run in runs:
            if run.id in done:
                clock.finish(run.condition, anew=False)
        left = replace(work, runs=[run for run in runs if run.id not in done])
        for run, result in carried_out(left, left.runs, place.workers(left), clock.tell):
            append_result(path, result)
            done[run.id] = result
            clock.finish(run.condition, anew=True)
    return [done[run.id] for run in work.runs]


def _scorings(wanted: Sequence[TestSet], encoders: Sequence[Encoder], device: torch.device) -> Scorings:
    names = dict.fromkeys(one.task for one in wanted)
    places = {
        (encoder.name, name): sources.find(tasks.get(name), encoder) for encoder, name in product(encoders, names)
    }
    made_from = {key: sources.fingerprint(place) for key, place in places.items()}
    runs = []
    for encoder, one in product(encoders, wanted):
        model = made_from[encoder.name, one.task]
        run = digest([one.task, one.lang, encoder.fingerprint, model, one.examples.fingerprint, device.type])
        by = f" by {encoder.name}" if len(encoders) > 1 else ""
        runs.append(Scoring(f"{one}{by}", run, encoder.name, one))
    return Scorings(runs, {encoder.name: encoder for encoder in encoders}, places, device)

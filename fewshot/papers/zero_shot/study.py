"""What source models score on languages they were not trained on (Lauscher et al. 2020, section 3.2, Table 1)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import permutations, product
from pathlib import Path

import torch

from fewshot import tasks
from fewshot.corpora.load import fingerprint
from fewshot.corpora.types import Pair
from fewshot.curves.results import Result, append_result, locked_results, read_results
from fewshot.encoders.load import Encoder
from fewshot.errors import CorpusError, FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.plan import digest
from fewshot.papers.measuring.data_folders import Examples, Folders
from fewshot.progress import Progress, Report
from fewshot.training import sources
from fewshot.training.model import Model, load_model, read_description

ENGLISH = "en"
"""The language of source models whose description does not say another."""


@dataclass(frozen=True, slots=True)
class TestSet:
    """What a source model is scored on.

    Args:
        task: name of the task.
        lang: of the examples; of mixed pairs ``sw-en``, the premises' language first.
        examples: annotated.
    """

    task: str
    lang: str
    examples: Examples


def source_language(names: Sequence[str], *encoders: Encoder) -> str:
    """Return the language of the source models of some tasks, against which the others drop.

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
            found[f"{encoder.name} {name}"] = sources.language(description or {}) or ENGLISH
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
    wanted: Sequence[TestSet], encoder: Encoder, device: torch.device, folder: Path, report: Report
) -> list[Result]:
    """Score what the folder has no result of, and return the results of all that was wanted.

    Args:
        wanted: test sets, those of one task beside each other.
        encoder: whose source models are taken.
        folder: takes ``results.jsonl``; made if need be.
        report: told before each test set how far it is.

    Raises:
        FewshotError: when a task has no source model, its labels are others, or the folder cannot be written.
    """
    places = {task: sources.find(tasks.get(task), encoder) for task in dict.fromkeys(one.task for one in wanted)}
    with locked_results(folder) as path:
        done = {result.run: result for result in read_results(path)}
        results = []
        kept = 0
        for number, (one, model, made_from) in enumerate(_with_models(wanted, encoder, places)):
            run = digest([one.task, one.lang, encoder.fingerprint, made_from, one.examples.fingerprint, device.type])
            if run in done:
                kept += 1
            else:
                doing = f"{one.task} {one.lang}: {len(one.examples.examples)} {model.task.example.kind}"
                report(Progress(number, len(wanted), doing, kept=kept))
                done[run] = _score(one, run, model.to(device), device)
                append_result(path, done[run])
            results.append(done[run])
    return results


def _with_models(
    wanted: Sequence[TestSet], encoder: Encoder, places: Mapping[str, Path]
) -> Iterator[tuple[TestSet, Model, str]]:
    """Yield each test set with its source model and the model's fingerprint; a model is loaded once."""
    loaded: dict[str, tuple[Model, str]] = {}
    for one in wanted:
        if one.task not in loaded:
            place = places[one.task]
            loaded[one.task] = load_model(place, encoder), sources.fingerprint(place)
        yield one, *loaded[one.task]


def _score(one: TestSet, run: str, model: Model, device: torch.device) -> Result:
    started = time.perf_counter()
    evaluation = evaluate(model, one.examples.examples)
    recipe = model.provenance.get("recipe", {})
    return Result(
        run=run,
        task=one.task,
        lang=one.lang,
        sampler="",
        k=0,
        shot_set=0,
        seed=0,
        method=recipe.get("method", "full"),
        regime=recipe.get("regime", "sequential"),
        model=model.encoder.name,
        data=str(one.examples.folder),
        metric=evaluation.metric,
        score=evaluation.score,
        low=evaluation.low,
        high=evaluation.high,
        metrics=evaluation.metrics,
        tokens=0,
        units=model.task.units([]),
        test_units=model.task.units(one.examples.examples),
        minutes=0.0,
        dollars=0.0,
        seconds=time.perf_counter() - started,
        device=device.type,
        shots=(),
    )

"""Choose the best available source model for a target language."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from fewshot.corpora.embedded import sample_dir, sample_languages
from fewshot.corpora.language_codes import language
from fewshot.corpora.types import Example
from fewshot.encoders.load import Encoder
from fewshot.errors import FewshotError
from fewshot.experiments.source_data import read_existing, read_train_file
from fewshot.progress import Report
from fewshot.source_choice.candidates import SOURCE_SENTENCES, TARGET_SENTENCES
from fewshot.source_choice.ranking import of_texts, rank, read_texts, why
from fewshot.tasks import Task
from fewshot.training import sources
from fewshot.training.recipe import source_options


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """The folder of a source model, and the reason for choosing it, in one line."""

    place: Path
    why: str


def choose(  # noqa: PLR0913
    task: Task[Any],
    lang: str,
    encoder: Encoder,
    pool: Sequence[Example],
    roots: Sequence[Path],
    method: str,
    device: torch.device,
    report: Report,
    pooling: str | None = None,
) -> SourceChoice:
    """Choose a source model of the language that ranks first; `sources.find` decides among several.

    A multilingual model represents each of its languages; models trained on the target are left out. Texts are read
    only if nothing is known about the languages: the models' training data, if still there, or the embedded sample.

    Args:
        pool: examples of the target; their annotation is not used.
        roots: folders of source models, in order of preference.
        method: of the recipe that continues the model, see `sources.find`, like ``pooling``.

    Raises:
        FewshotError: when no suitable model names its language and was not trained on the target.
    """
    by_lang: dict[str, list[sources.SavedSource]] = {}
    for model in chain.from_iterable(sources.find_all(task, encoder, root, method, pooling) for root in roots):
        langs = list(map(language, sources.languages(model.description)))
        if language(lang) in langs:
            continue
        for code in langs:
            by_lang.setdefault(code, []).append(model)
    if not by_lang:
        training = filter(None, [f"--model {encoder.name}", source_options(method, pooling)])
        raise FewshotError(
            f"no source model for task {task.name} with encoder {encoder.name}, trained on other languages than "
            f"{lang}, is in {', '.join(map(str, roots))}; train one with fewshot source --task {task.name} "
            f"{' '.join(training)} --lang LANG --data FOLDER, or give a source model instead of auto"
        )
    notes: list[str] = []
    ranking = rank(task, lang, encoder, list(by_lang), {}, notes.append)
    if not ranking.values:
        texts = {code: examples for code, models in by_lang.items() if (examples := _text(task, code, models))}
        few = random.Random(0).sample(pool, min(TARGET_SENTENCES, len(pool)))
        target = read_texts(encoder, task, {lang: few}, device, report)[lang]
        values = of_texts(target, read_texts(encoder, task, texts, device, report)) if texts else {}
        ranking = rank(task, lang, encoder, list(by_lang), values, notes.append)
        if unread := [code for code in ranking.order if code not in texts]:
            notes.append(f"the data of {', '.join(unread)} no longer exist and were not read")
    reasons = [why(ranking), *(f"({note})" for note in dict.fromkeys(notes))]
    return SourceChoice(by_lang[ranking.order[0]][0].place, " ".join(reasons))


def _text(task: Task[Any], lang: str, models: Sequence[sources.SavedSource]) -> Sequence[Any]:
    """Return some examples of a language; empty if there are none."""
    kind = task.example.kind
    for model in models:
        corpora: list[Mapping[str, Any]] = sources.corpora(model.description)
        for corpus, examples in read_existing(corpora, task):
            if language(str(corpus.get("lang"))) == lang:
                return _sample(examples)
    return _sample(read_train_file(sample_dir(lang, kind), task)) if lang in sample_languages(kind) else []


def _sample(examples: Sequence[Example]) -> Sequence[Example]:
    return random.Random(0).sample(examples, min(SOURCE_SENTENCES, len(examples)))

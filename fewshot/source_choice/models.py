"""Which of the source models that are here a target language is best begun from."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
class Choice:
    """The folder of a source model, and why it was chosen, in one line."""

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
) -> Choice:
    """Choose the source model of the language that ranks first; of several of it, as `sources.find` does.

    A model of several languages stands for each of them; one that has learned from the target is left out. Texts are
    read only where nothing is known of the languages themselves: what the models were trained on, if it is still there,
    or the embedded sample.

    Args:
        lang: the target language.
        pool: examples of the target; their annotation is not looked at.
        roots: folders of source models, those of the first before those of others.
        method: that is to continue the model, see `sources.find`.
        report: told which texts are read.
        pooling: that the model must have been trained with, see `sources.find`.

    Raises:
        FewshotError: when there is no such model, none says its language, or all have learned from the target.
    """
    by_lang: dict[str, list[sources.SavedSource]] = {}
    for found in (one for root in roots for one in sources.find_all(task, encoder, root, method, pooling)):
        langs = list(map(language, sources.languages(found.description)))
        if language(lang) in langs:
            continue
        for code in langs:
            by_lang.setdefault(code, []).append(found)
    if not by_lang:
        trained = source_options(method, pooling)
        raise FewshotError(
            f"no source model for task {task.name} with encoder {encoder.name} that has learned from other languages "
            f"than {lang} is in {', '.join(map(str, roots))}; train one with fewshot source {trained} --lang, or ask "
            "for another source model than auto"
        )
    notes: list[str] = []
    ranking = rank(task, lang, encoder, list(by_lang), {}, notes.append)
    if not ranking.values:
        texts = {code: some for code, models in by_lang.items() if (some := _text(task, code, models))}
        few = random.Random(0).sample(pool, min(TARGET_SENTENCES, len(pool)))
        target = read_texts(encoder, task, {lang: few}, device, report)[lang]
        said = of_texts(target, read_texts(encoder, task, texts, device, report)) if texts else {}
        ranking = rank(task, lang, encoder, list(by_lang), said, notes.append)
        if unread := [code for code in ranking.order if code not in texts]:
            notes.append(f"the data of {', '.join(unread)} are no longer here and were not read")
    reasons = [why(ranking), *(f"({note})" for note in dict.fromkeys(notes))]
    return Choice(by_lang[ranking.order[0]][0].place, " ".join(reasons))


def _text(task: Task[Any], lang: str, models: Sequence[sources.SavedSource]) -> Sequence[Any]:
    """Return some text of a language; none where there is none."""
    kind = task.example.kind
    for model in models:
        corpora: list[Mapping[str, Any]] = sources.corpora(model.description)
        for corpus, examples in read_existing(corpora, task):
            if language(str(corpus.get("lang"))) == lang:
                return _some(examples)
    return _some(read_train_file(sample_dir(lang, kind), task)) if lang in sample_languages(kind) else []


def _some(examples: Sequence[Example]) -> Sequence[Example]:
    return random.Random(0).sample(examples, min(SOURCE_SENTENCES, len(examples)))

"""Scores of encoders by task, language and k: published ones, or those of a file.

The published scores are those of Lauscher et al. 2020 (`lauscher`): Table 1, and for mBERT Table 5 (random sampling),
which has one more decimal at k = 0. DEP is UAS, NER token accuracy, QA exact match, with k in articles. ``scores.csv``
holds scores of the second *mini*, the former embedded encoder, measured with ``fewshot zero-shot``: POS and DEP (LAS)
on UD, NER (span F1) on WikiANN, NLI on XNLI, TOPIC on SIB-200.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path

import numpy as np

from fewshot import tasks
from fewshot.corpora.files import read_lines
from fewshot.corpora.language_codes import language
from fewshot.corpora.types import Pair
from fewshot.curves.results import Result, describe_part_scores, read_results
from fewshot.errors import CorpusError, FewshotError
from fewshot.transfer import lauscher

FILE = Path(__file__).with_name("scores.csv")

SOURCES = "Lauscher et al. 2020, Table 1 and appendix A; of the second mini, fewshot zero-shot"
"""Citation of the published scores."""

ENCODERS = {"mbert": "mBERT", "xlm-r": "XLM-R"}
"""The paper's encoders, by our names."""

HUB_IDS = {"mbert": "bert-base-multilingual", "xlm-r": "xlm-roberta"}
"""Prefixes of the hub ids of the paper's encoders."""

RANDOM = ("", lauscher.RANDOM)
"""Samplers whose scores are read; the sampler of zero-shot results is empty."""


@dataclass(frozen=True, slots=True)
class LanguageScore:
    """The score of an encoder on a language (its shortest code) after k examples, in percent."""

    encoder: str
    task: str
    lang: str
    k: int
    score: float


def published() -> list[LanguageScore]:
    """Return the scores of the paper, and of the embedded encoder."""
    scores: dict[tuple[str, str, str, int], float] = {}
    for task, (encoder, name) in product(lauscher.METRICS, ENCODERS.items()):
        scores |= {(encoder, task, lang, 0): score for lang, score in lauscher.zero_shot(task, name).items()}
    for (table, task, name, _, lang, k), score in lauscher.figures().items():
        if table == 5:
            scores[name.lower(), task, lang, k] = score
    return [*(LanguageScore(*key, round(score, 2)) for key, score in scores.items()), *read(FILE)]


def name_of(encoder: str) -> str:
    """Return the name of an encoder in the published scores: for a hub id the paper's name."""
    name = Path(encoder).name.lower()
    return next((ours for ours, prefix in HUB_IDS.items() if name.startswith((ours, prefix))), encoder)


def load(path: Path | None) -> list[LanguageScore]:
    """Return the scores of a file, see `read`, or the published scores if no file is given."""
    return published() if path is None else read(path)


def read(path: Path) -> list[LanguageScore]:
    """Read scores; repeated ones are averaged, but of zero-shot scores the last counts.

    Args:
        path: ``results.jsonl``, or a CSV with the columns task, lang and score, and optionally encoder and k.

    Raises:
        FewshotError: when the file is missing or has other columns, a value is not a score from 0 to 100 (with
            ``file:line``), or repeated results differ in more than draw and seed, so that they have no mean.
    """
    if not path.is_file():
        raise FewshotError(f"{path}: no such file; give results.jsonl, or a CSV with columns task, lang and score")
    repeated: dict[tuple[str, str, str, int], list[float]] = defaultdict(list)
    for score in _results(path) if path.suffix == ".jsonl" else _table(path):
        repeated[score.encoder, score.task, score.lang, score.k].append(score.score)
    if not repeated:
        raise FewshotError(f"{path}: holds no scores")
    return [LanguageScore(*key, float(np.mean(scores) if key[3] else scores[-1])) for key, scores in repeated.items()]


def groups(scores: Iterable[LanguageScore], k: int = 0) -> dict[tuple[str, str], dict[str, float]]:
    """Return the scores after k examples by language, for each encoder and task."""
    grouped: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for score in scores:
        if score.k == k:
            grouped[score.encoder, score.task][score.lang] = score.score
    return dict(grouped)


def mixed_pairs(results: Iterable[Result]) -> dict[str, tuple[str, str]]:
    """Return the possible names of mixed pairs, with the languages of premises and hypotheses.

    A name such as ``pt-br`` may also be a language: a mixed pair's languages both occur in the results.
    """
    langs = dict.fromkeys(result.lang for result in results if tasks.get(result.task).example is Pair)
    return {f"{premise}-{hypothesis}": (premise, hypothesis) for premise, hypothesis in permutations(langs, 2)}


def _results(path: Path) -> Iterator[LanguageScore]:
    if problem := describe_part_scores(path):
        raise FewshotError(problem)
    results = read_results(path)
    pairs = mixed_pairs(results)
    known: dict[tuple[str, str, str, int], Result] = {}
    for result in results:
        if result.sampler in RANDOM and result.lang not in pairs:
            score = LanguageScore(result.model, result.task, language(result.lang), result.k, result.score)
            first = known.setdefault((score.encoder, score.task, score.lang, score.k), result)
            _check_repeated(path, first, result)
            yield score


def _check_repeated(path: Path, first: Result, second: Result) -> None:
    """Check that two results of the same encoder, task, language and k > 0 are repetitions."""
    for field in ("data", "method", "regime", "metric"):
        values = getattr(first, field), getattr(second, field)
        if first.k and values[0] != values[1]:
            raise FewshotError(
                f"{path}: {first.task} {first.lang} with {first.model} at k = {first.k} has results of {field} "
                f"{values[0]} and {values[1]}, which cannot be averaged; keep the lines of one"
            )


def _table(path: Path) -> Iterator[LanguageScore]:
    rows = csv.DictReader(read_lines(path))
    if missing := {"task", "lang", "score"} - set(rows.fieldnames or ()):
        raise CorpusError(
            f"no column {', '.join(sorted(missing))}; its first line must name task, lang and score", path
        )
    for row in rows:
        try:
            encoder, lang, k, score = row.get("encoder") or path.stem, language(row["lang"]), row.get("k"), row["score"]
            parsed = LanguageScore(encoder, row["task"].strip(), lang, int(k or 0), float(score))
        except (ValueError, TypeError, AttributeError):
            raise CorpusError("no score; write e.g. pos,sw,61.5 under task,lang,score", path, rows.line_num) from None
        if not 0 <= parsed.score <= 100:
            raise CorpusError(f"{score} is not a score from 0 to 100, in percent", path, rows.line_num)
        yield parsed

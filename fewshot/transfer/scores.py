"""Scores of encoders by task, language and k: the published ones, or those of a file.

The published ones are those of Lauscher et al. 2020 (`lauscher`): Table 1, and of mBERT its Table 5
(random sampling), which has another decimal at k = 0. DEP is UAS, NER token accuracy, QA exact match, with k in
articles. ``scores.csv`` holds those of *mini*, the embedded encoder, in languages that it knows, measured with
``fewshot zero-shot``: POS and DEP (LAS) on UD, NER (span F1) on WikiANN, NLI on XNLI, TOPIC on SIB-200.
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

SOURCES = "Lauscher et al. 2020, Table 1 and appendix A; of mini, fewshot zero-shot"
"""Where the published scores are from."""

ENCODERS = {"mbert": "mBERT", "xlm-r": "XLM-R"}
"""The paper's encoders, by our names."""

HUB_IDS = {"mbert": "bert-base-multilingual", "xlm-r": "xlm-roberta"}
"""How the hub ids of the paper's encoders begin."""

RANDOM = ("", lauscher.RANDOM)
"""Samplers whose scores are read: zero-shot has none."""


@dataclass(frozen=True, slots=True)
class Score:
    """What an encoder scores on a language, by its shortest code, after k examples of it, in percent."""

    encoder: str
    task: str
    lang: str
    k: int
    score: float


def published() -> list[Score]:
    """Return the scores of the paper, and of the embedded encoder."""
    found: dict[tuple[str, str, str, int], float] = {}
    for task, (encoder, name) in product(lauscher.METRICS, ENCODERS.items()):
        found |= {(encoder, task, lang, 0): score for lang, score in lauscher.zero_shot(task, name).items()}
    for (table, task, name, _, lang, k), score in lauscher.figures().items():
        if table == 5:
            found[name.lower(), task, lang, k] = score
    return [*(Score(*key, round(score, 2)) for key, score in found.items()), *read(FILE)]


def name_of(encoder: str) -> str:
    """Return the name under which the scores of an encoder are published, if they are: of a hub id the paper's."""
    name = Path(encoder).name.lower()
    return next((ours for ours, begins in HUB_IDS.items() if name.startswith((ours, begins))), encoder)


def load(path: Path | None) -> list[Score]:
    """Return the scores of a file, see `read`; the published ones where there is none."""
    return published() if path is None else read(path)


def read(path: Path) -> list[Score]:
    """Read scores; of repetitions, the mean, of zero-shot the last: a source model may have been trained anew.

    Args:
        path: ``results.jsonl`` of fewshot, or a table (CSV) with the columns task, lang and score, and if need be
            encoder and k.

    Raises:
        FewshotError: when the file is missing or has other columns, when a value is no score from 0 to 100, with
            ``file:line``, and when results differ in more than draw and seed, so that their mean is of nothing.
    """
    if not path.is_file():
        raise FewshotError(f"{path}: no such file; give results.jsonl, or a CSV with columns task, lang and score")
    repeated: dict[tuple[str, str, str, int], list[float]] = defaultdict(list)
    for one in _results(path) if path.suffix == ".jsonl" else _table(path):
        repeated[one.encoder, one.task, one.lang, one.k].append(one.score)
    if not repeated:
        raise FewshotError(f"{path}: holds no scores")
    return [Score(*key, float(np.mean(scores) if key[3] else scores[-1])) for key, scores in repeated.items()]


def groups(scores: Iterable[Score], k: int = 0) -> dict[tuple[str, str], dict[str, float]]:
    """Return the scores after k examples by language, under encoder and task."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for one in scores:
        if one.k == k:
            found[one.encoder, one.task][one.lang] = one.score
    return dict(found)


def mixed_pairs(results: Iterable[Result]) -> dict[str, tuple[str, str]]:
    """Return the names that mixed pairs of some results may have, with the languages of premises and hypotheses.

    A name such as ``pt-br`` is that of a language: mixed pairs stand beside those of each of their languages.
    """
    langs = dict.fromkeys(result.lang for result in results if tasks.get(result.task).example is Pair)
    return {f"{premise}-{hypothesis}": (premise, hypothesis) for premise, hypothesis in permutations(langs, 2)}


def _results(path: Path) -> Iterator[Score]:
    if said := describe_part_scores(path):
        raise FewshotError(said)
    found = read_results(path)
    pairs = mixed_pairs(found)
    known: dict[tuple[str, str, str, int], Result] = {}
    for one in found:
        if one.sampler in RANDOM and one.lang not in pairs:
            score = Score(one.model, one.task, language(one.lang), one.k, one.score)
            first = known.setdefault((score.encoder, score.task, score.lang, score.k), one)
            _check_alike(path, first, one)
            yield score


def _check_alike(path: Path, one: Result, other: Result) -> None:
    """Check that two results of the same encoder, task, language and k > 0 are repetitions."""
    for field in ("data", "method", "regime", "metric"):
        here, there = getattr(one, field), getattr(other, field)
        if one.k and here != there:
            raise FewshotError(
                f"{path}: {one.task} {one.lang} with {one.model} at k = {one.k} has results of {field} {here} and "
                f"{there}, of which no mean is taken; keep the lines of one"
            )


def _table(path: Path) -> Iterator[Score]:
    rows = csv.DictReader(read_lines(path))
    if missing := {"task", "lang", "score"} - set(rows.fieldnames or ()):
        raise CorpusError(
            f"no column {', '.join(sorted(missing))}; its first line must name task, lang and score", path
        )
    for row in rows:
        try:
            encoder, lang, k, score = row.get("encoder") or path.stem, language(row["lang"]), row.get("k"), row["score"]
            one = Score(encoder, row["task"], lang, int(k or 0), float(score))
        except (ValueError, TypeError, AttributeError):
            raise CorpusError("no score; write e.g. pos,sw,61.5 under task,lang,score", path, rows.line_num) from None
        if not 0 <= one.score <= 100:
            raise CorpusError(f"{score} is no score from 0 to 100, in percent", path, rows.line_num)
        yield one

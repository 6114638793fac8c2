"""The figures of Lauscher et al. 2020, tables 1, 4 and 5, from ``lauscher2020.csv``.

A row is a score in percent, or for a target language of table 1 the drop from English, in points. The k of question
answering is a number of articles, even in table 4, whose column heads are numbers of sentences.
"""

from __future__ import annotations

import csv
from collections.abc import Collection
from functools import cache
from pathlib import Path

from fewshot.tasks import base_name

FILE = Path(__file__).with_name("lauscher2020.csv")

ENCODERS = ("mBERT", "XLM-R")

RANDOM = "random"
"""The sampler of table 5."""

METRICS = {"pos": "accuracy", "dep": "uas", "ner": "token_accuracy", "nli": "accuracy", "qa": "em"}
"""Our names of the metrics of each task's figures (section 3.1)."""

Key = tuple[int, str, str, str, str, int]
"""Table, task, encoder, sampler, language, k."""


@cache
def figures() -> dict[Key, float]:
    """Return every figure; the sampler is empty in table 1, the language in table 4."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            (int(line["table"]), line["task"], line["encoder"], line["sampler"], line["lang"], int(line["k"])): float(
                line["value"]
            )
            for line in csv.DictReader(file)
        }


def metric(task: str) -> str:
    """Return the metric of a task's figures, whatever its options; empty for a task not in the paper."""
    return METRICS.get(base_name(task), "")


def zero_shot(task: str, encoder: str) -> dict[str, float]:
    """Return the zero-shot scores of table 1 by language, English first; empty if there are none."""
    values = {key[4]: value for key, value in figures().items() if key[:3] == (1, base_name(task), encoder)}
    return {lang: value if lang == "en" else values["en"] + value for lang, value in values.items()}


def per_language(task: str, k: int) -> dict[str, float]:
    """Return the scores of table 5 (mBERT, random sampling) at one k, by language; may be empty."""
    return {
        lang: value
        for (table, name, _, _, lang, shots), value in figures().items()
        if (table, name, shots) == (5, base_name(task), k)
    }


def mean(task: str, sampler: str, k: int, langs: Collection[str] = ()) -> float | None:
    """Return mBERT's mean over target languages without English; None if there is none.

    Table 4's means of POS, DEP and NER include English. Means of random sampling are computed from table 5, which does
    not; other samplers keep their distance from random in table 4, as if English scored the same with each.

    Args:
        langs: languages of table 5, for random sampling only; by default all targets.
    """
    scores = per_language(task, k)
    printed, random = (figures().get((4, base_name(task), "mBERT", name, "", k)) for name in (sampler, RANDOM))
    if printed is None or random is None or not scores:
        return None
    n = len(scores)
    chosen = [score for lang, score in scores.items() if lang in langs or not langs]
    return sum(chosen) / len(chosen) + (printed - random) * (n + 1) / n


def gain(task: str, sampler: str, k: int) -> float | None:
    """Return the mean gain of k shots over target languages, in points; None without a figure."""
    return _difference(mean(task, sampler, k), mean(task, sampler, 0))


def lead(task: str, sampler: str, base: str, k: int) -> float | None:
    """Return the lead of one sampler over another, in points; None without a figure."""
    return _difference(mean(task, sampler, k), mean(task, base, k))


def _difference(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b

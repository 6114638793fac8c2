"""The figures of Lauscher et al. 2020, tables 1, 4 and 5, as ``lauscher2020.csv`` beside this file holds them.

A line is a score in percent, or of a target language of table 1 the drop from English, in points. The k of question
answering is a number of articles, in table 4 too, whose column heads are numbers of sentences.
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
"""What each task's figures are of (section 3.1), as our metrics are called."""

Key = tuple[int, str, str, str, str, int]
"""Table, task, encoder, sampler, language, k."""


@cache
def figures() -> dict[Key, float]:
    """Return every figure; of table 1 the sampler is empty, of table 4 the language."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            (int(line["table"]), line["task"], line["encoder"], line["sampler"], line["lang"], int(line["k"])): float(
                line["value"]
            )
            for line in csv.DictReader(file)
        }


def metric(task: str) -> str:
    """Return the metric of a task's figures; empty for a task that the paper has not. Options change nothing."""
    return METRICS.get(base_name(task), "")


def zero_shot(task: str, encoder: str) -> dict[str, float]:
    """Return the zero-shot scores of table 1 by language, English first; empty where there are none."""
    found = {key[4]: value for key, value in figures().items() if key[:3] == (1, base_name(task), encoder)}
    return {lang: value if lang == "en" else found["en"] + value for lang, value in found.items()}


def per_language(task: str, k: int) -> dict[str, float]:
    """Return the scores of table 5 (mBERT, random sampling) at one k, by language; empty where there are none."""
    return {
        lang: value
        for (table, name, _, _, lang, shots), value in figures().items()
        if (table, name, shots) == (5, base_name(task), k)
    }


def mean(task: str, sampler: str, k: int, langs: Collection[str] = ()) -> float | None:
    """Return a mean over target languages, English left out, with mBERT; None where there is none.

    Table 4's means of POS, DEP and NER include English. Those of random sampling are computed from table 5, which does
    not have it; other samplers stand as far from random as in table 4, as if English scored the same with each.

    Args:
        sampler: ``random``, ``shortest`` or ``longest``.
        k: number of shots.
        langs: languages of table 5, for random sampling alone; by default all targets.
    """
    scores = per_language(task, k)
    ours, random = (figures().get((4, base_name(task), "mBERT", which, "", k)) for which in (sampler, RANDOM))
    if ours is None or random is None or not scores:
        return None
    n = len(scores)
    chosen = [score for lang, score in scores.items() if lang in langs or not langs]
    return sum(chosen) / len(chosen) + (ours - random) * (n + 1) / n


def gain(task: str, sampler: str, k: int) -> float | None:
    """Return what k shots bring in the mean over target languages, in points; None where there is no figure."""
    return _difference(mean(task, sampler, k), mean(task, sampler, 0))


def lead(task: str, sampler: str, base: str, k: int) -> float | None:
    """Return how far one sampler is ahead of another, in points; None where there is no figure."""
    return _difference(mean(task, sampler, k), mean(task, base, k))


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other

"""The papers' figures: Karthikeyan et al. 2020 (``bilingual``), tables 1 to 10; Wu & Dredze 2020 (``monolingual``), 4.

``small_encoders.csv`` holds a score in percent a line: accuracy of NLI (XNLI) and POS, F1 of NER, with the standard
deviation where there is one. ``X`` stands for the target language. Tables 6 and 7 are given by the weights relative
to the base encoder, and of table 6 the encoders of 12 layers.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("small_encoders.csv")


@cache
def figures() -> dict[tuple[str, int, str, str, str], dict[str, float]]:
    """Return scores by target language, under analysis, table, row, language scored, task."""
    found: dict[tuple[str, int, str, str, str], dict[str, float]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            key = (line["analysis"], int(line["table"]), line["row"], line["test"], line["task"])
            found.setdefault(key, {})[line["target"]] = float(line["score"])
    return found


def beside(analysis: str, table: int, row: str, test: str, task: str, target: str) -> str:
    """Return what is shown beside a score of ours.

    Args:
        analysis: ``bilingual`` or ``monolingual``.
        table: number of the table.
        row: name of the setting.
        test: language scored; ``X`` for the target.

    Returns:
        The figure; the range over the paper's languages where it has none of this one; empty where it has none.
    """
    by_target = figures().get((analysis, table, row, test, task), {})
    if target in by_target:
        return f"{by_target[target]:.1f}"
    scores = sorted(by_target.values())
    if not scores:
        return ""
    return f"{scores[0]:.1f}" if len(scores) == 1 else f"{scores[0]:.1f}–{scores[-1]:.1f}"

"""What fine-tunings in several ways come to: means and differences over seeds, and what was run, for a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from fewshot.curves.points import half_interval
from fewshot.encoders.load import Encoder
from fewshot.encoders.random_init import untrained_layers
from fewshot.papers.fine_tuning.fine_tune import FineTuningStudy, Transfer

NOTE = (
    "Each seed fine-tunes anew. A difference is taken within a seed, which gives both sides the same order of "
    "sentences; intervals are 95%, Student's t over the seeds, with the test sentences as given. These are drawn at "
    "random from large test sets; no training looks at a score."
)


class Mean(NamedTuple):
    """A mean and its 95% interval, Student's t."""

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        """Return ``1.2 [0.5, 1.9]``; ``+`` signs the mean, and without an interval there are no brackets."""
        value, low, high = (round(number, 1) + 0.0 for number in self)  # no -0.0
        shown = f"{value:{spec}.1f}"
        return f"{shown} [{low:.1f}, {high:.1f}]" if self.high > self.low else shown


def doubts(encoder: Encoder) -> list[str]:
    """Return what makes differences between layers meaningless, if anything does."""
    layers = untrained_layers(encoder)
    if not layers:
        return []
    which = f"layer {layers[0]}" if len(layers) == 1 else f"layers {', '.join(map(str, layers))}"
    return [
        f"But no pretraining has ever moved {which} of {encoder.name}: what is kept or lost there are random "
        "weights, and nothing is learned of pretrained layers; take another encoder for that."
    ]


def lines_of(table: pd.DataFrame, transfer: Transfer) -> pd.DataFrame:
    """Return the lines of `measure` that are of one task and source language."""
    return table[(table.task == transfer.task.name) & (table.source == transfer.source)]


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of the values of the seeds and its 95% interval, Student's t; of one value no interval."""
    centre, half = float(np.mean(values)), half_interval(values)
    return Mean(centre, centre - half, centre + half)


def score(table: pd.DataFrame, variant: str) -> Mean:
    """Return the mean score of a variant over the test sets of a table, with an interval over seeds."""
    return mean(_by_seed(table)[variant].tolist())


def difference(table: pd.DataFrame, variant: str, reference: str) -> Mean:
    """Return by how much a variant is ahead of another one.

    Args:
        table: lines of `measure`, of one task and source; over its test sets the mean is taken.
        variant: name.
        reference: name of what is subtracted, seed by seed.
    """
    by_seed = _by_seed(table)
    return mean((by_seed[variant] - by_seed[reference]).tolist())


def _by_seed(table: pd.DataFrame) -> pd.DataFrame:
    return table.pivot_table(index="seed", columns="variant", values="score", aggfunc="mean")


def facts(study: FineTuningStudy, table: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return what was run on what, for a report."""
    data = {}
    for transfer in study.transfers:
        kind = transfer.task.example.kind
        name = f"{transfer.task.name}, trained on {transfer.source}"
        data[name] = f"{len(transfer.train.examples)} {kind} of {transfer.train.folder.name}"
        tests = (f"{test.examples.folder.name} ({len(test.examples.examples)})" for test in transfer.tests)
        data[f"{transfer.task.name}, scored"] = ", ".join(tests)
    cells = table.drop_duplicates(["task", "source", "variant", "seed"])
    runs = {
        "encoder": f"{study.encoder.name} ({study.encoder.fingerprint})",
        "fine-tunings": str(len(cells)),
        "updates of each": str(study.updates),
        "seeds": str(study.seeds),
        "device": str(study.place.device),
        "time": f"{cells.seconds.sum() / 60:.1f} minutes",
    }
    return {"Fine-tuning": runs, "Data": data}

"""How well learning curves are predicted: published scores at k = 1000 from those at k <= 100, and their bands.

    python tests/benchmarks/curve_fits.py [--priors] [--measured docs/measured/few_shot]

The scores are those of Table 5 of Lauscher et al. 2020. For each task and horizon it prints the mean absolute error, in
points, of five predictions, and how many truths lie in the 80% band of the last. For each language the prior is learnt
from the task's other languages, so that the language says nothing about itself. That each task has a prior of its own,
and how wide it is, was chosen on that table, though: its bands may flatter. ``--priors`` prints what is learnt from all
languages as the file of each task has it. ``--measured`` takes curves of another encoder, which ``fewshot compare
--table`` wrote, a file a task: what the priors as they are foretell of them, with the mean error too, which is above 0
where forecasts are too high.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from fewshot import tasks as registry
from fewshot.curves import fits
from fewshot.curves.points import Score
from fewshot.papers.published import lauscher
from fewshot.tasks import CurvePrior

HORIZONS = [(100, 1000), (100, 500), (50, 100), (10, 50), (10, 100), (500, 1000)]
"""From the scores up to this k, predict that k; the drift is learnt from the first two."""

ARTICLES = [(4, 10), (4, 8), (2, 4), (8, 10)]
"""The same where k counts articles."""

Shots = Mapping[int, float]
"""One published curve: score, in percent, by k."""

LEAST_SLOPE_SD = 0.03
"""Of the prior: languages are not all that differs. Encoders do too, and half of the mean slope is allowed for them."""


def last(seen: Shots, k: int) -> float:
    return seen[max(seen)]


def logarithm(seen: Shots, k: int) -> float:
    bought = [one for one in seen if one]
    if len(bought) < 2:
        return last(seen, k)
    slope, start = np.polyfit(np.log(bought), [seen[one] for one in bought], 1)
    return float(start + slope * np.log(k))


def form(weights: tuple[float, float]) -> Callable[[Shots, int], float]:
    """Return the power law or the anchored form alone, with a prior that says next to nothing."""
    loose = CurvePrior(slope=0.15, slope_sd=3, knee=2, knee_sd=30, noise=0.05)

    def predict(seen: Shots, k: int) -> float:
        return float(replace(fits.fit(scores(seen), loose, replicates=1), weights=weights).predict([k])[0])

    return predict


BASELINES = {"last value": last, "a + b ln k": logarithm, "power": form((1, 0)), "anchored": form((0, 1))}


def scores(seen: Shots) -> list[Score]:
    return [Score(k, score) for k, score in seen.items()]


def up_to(curve: Shots, k: int) -> Shots:
    return {one: score for one, score in curve.items() if one <= k}


def ours(curve: Shots, seen: int, k: int, prior: CurvePrior) -> tuple[float, bool, float]:
    """Return the error of the score, and so of the gain over the last one; whether it is in its band; its width."""
    fitted = fits.fit(scores(up_to(curve, seen)), prior)
    (low,), (high,) = fitted.band([k])
    error = abs(float(fitted.predict([k])[0]) - curve[k])
    return error, bool(low <= curve[k] <= high), float(high - low)


def learn(curves: Sequence[Shots], horizons: Sequence[tuple[int, int]]) -> CurvePrior:
    """Learn a prior from whole curves.

    Slope and noise are those of the power law through every k > 0. The drift is the least with which the bands hold 80%
    of the truths of the first two horizons.
    """
    slopes, variances = [], []
    for curve in curves:
        ks = np.array([k for k in curve if k])
        errors = np.log([100 - curve[k] for k in ks])
        slope, start = np.polyfit(np.log(ks), errors, 1)
        slopes.append(-slope)
        variances.append(((errors - start - slope * np.log(ks)) ** 2).sum() / (len(ks) - 2))
    mean = float(np.mean(slopes))
    sd = max(float(np.std(slopes, ddof=1)), mean / 2, LEAST_SLOPE_SD)
    prior = CurvePrior(mean, sd, noise=float(np.mean(variances)) ** 0.5)
    for drift in np.arange(0, 0.2, 0.01):
        prior = replace(prior, drift=round(float(drift), 2))
        held = [ours(curve, *horizon, prior)[1] for horizon in horizons[:2] for curve in curves]
        if np.mean(held) >= fits.BAND:
            break
    return prior


def horizons(task: str) -> list[tuple[int, int]]:
    return ARTICLES if task == "qa" else HORIZONS


def read() -> dict[str, dict[str, Shots]]:
    """Return the published curves by task and language."""
    found: dict[str, dict[str, Shots]] = {}
    for (table, task, _, _, lang, k), score in sorted(lauscher.figures().items()):
        if table == 5:
            found.setdefault(task, {}).setdefault(lang, {})[k] = score
    return found


def print_errors(task: str, curves: Mapping[str, Shots]) -> None:
    others = {lang: [curve for name, curve in curves.items() if name != lang] for lang in curves}
    priors = {lang: learn(rest, horizons(task)) for lang, rest in others.items()}
    for seen, k in horizons(task):
        errors = [
            np.mean([abs(predict(up_to(curve, seen), k) - curve[k]) for curve in curves.values()])
            for predict in BASELINES.values()
        ]
        mine, held, width = np.mean([ours(curve, seen, k, priors[lang]) for lang, curve in curves.items()], axis=0)
        cells = [*(f"{error:.2f}" for error in errors), f"{mine:.2f}", f"{held:.0%}", f"{width:.1f}"]
        print(f"| {task} | {seen} | {k} |", " | ".join(cells), "|", flush=True)


def measured(file: Path) -> dict[str, Shots]:
    """Return the curves of random shots with our presets, by test set."""
    found: dict[str, dict[int, float]] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["curve"].endswith("random") and "lauscher2020" not in row["curve"]:
                found.setdefault(row["test set"], {})[int(row["k"])] = float(row["score"])
    return {lang: dict(sorted(curve.items())) for lang, curve in found.items()}


def print_measured(folder: Path) -> None:
    print("| task | from k <= | to k | last value | ours | mean error | in its band | width |")
    print("|---|", "---:|" * 7, sep="")
    for file in sorted(folder.glob("*.csv")):
        curves, prior = measured(file), registry.get(file.stem).curve
        first, *middle, last_k = sorted({k for curve in curves.values() for k in curve if k})
        for seen, k in [(first, one) for one in (*middle, last_k)] + [(one, last_k) for one in middle]:
            whole = [curve for curve in curves.values() if {seen, k} <= curve.keys()]
            fitted = [fits.fit(scores(up_to(curve, seen)), prior) for curve in whole]
            errors = [float(one.predict([k])[0]) - curve[k] for one, curve in zip(fitted, whole, strict=True)]
            found = [ours(curve, seen, k, prior) for curve in whole]
            kept = np.mean([abs(curve[seen] - curve[k]) for curve in whole])
            error, held, width = np.mean(found, axis=0)
            cells = f"{kept:.2f}", f"{error:.2f}", f"{np.mean(errors):+.2f}", f"{held:.0%}", f"{width:.1f}"
            print(f"| {file.stem} | {seen} | {k} |", " | ".join(cells), "|", flush=True)


def print_prior(name: str, prior: CurvePrior) -> None:
    print(f"{name}:", ", ".join(f"{field}={value:.3f}" for field, value in asdict(prior).items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--priors", action="store_true")
    parser.add_argument("--measured", type=Path, help="folder of tables of other curves")
    arguments = parser.parse_args()
    if arguments.measured:
        return print_measured(arguments.measured)
    tasks = read()
    if not arguments.priors:
        print("| task | from k <= | to k |", " | ".join(BASELINES), "| ours | in its band | width |")
        print("|---|", "---:|" * (len(BASELINES) + 5), sep="")
        for task, curves in tasks.items():
            print_errors(task, curves)
        return
    learnt = {task: learn(list(curves.values()), horizons(task)) for task, curves in tasks.items()}
    for task, prior in learnt.items():
        print_prior(task, prior)
    slopes, noise, drift = ([getattr(prior, name) for prior in learnt.values()] for name in ("slope", "noise", "drift"))
    print_prior("any", CurvePrior(np.mean(slopes), np.std(slopes, ddof=1), np.mean(noise), np.mean(drift)))


if __name__ == "__main__":
    main()

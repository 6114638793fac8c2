"""How well learning curves are foretold: scores at a larger k from those at smaller ones, and their bands.

    PYTHONPATH=tests python -m benchmarks.curve_fits [--priors]

The curves are those of random shots in Table 5 of Lauscher et al. 2020 (mBERT) and in docs/measured/few_shot (*mini*).
For each task, encoder and horizon it prints the mean absolute error, in points, of five predictions; of the last also
the mean error, above 0 where forecasts are too high, and how many truths lie in its 80% band. For each language the
prior is learnt from the curves of the task's other languages, of both encoders, so that the language says nothing about
itself. That each task has a prior of its own, and how wide it is, was chosen on these tables, though: the bands may
flatter. ``--priors`` prints what is learnt from all curves as the file of each task has it.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from benchmarks.side_by_side import arguments, print_head, print_row

from fewshot.curves import fits
from fewshot.curves.points import Score
from fewshot.tasks import CurvePrior
from fewshot.transfer import lauscher

MEASURED = Path(__file__).resolve().parents[2] / "docs/measured/few_shot"
"""Curves of *mini* with our presets, as ``fewshot compare --table`` writes them, a file a task."""

HORIZONS = [(100, 1000), (100, 500), (50, 100), (10, 50), (10, 100), (500, 1000)]
"""From the scores up to this k, predict that k; the drift is learnt from the first two."""

ARTICLES = [(4, 10), (4, 8), (2, 4), (2, 6), (8, 10)]
"""The same where k counts articles."""

USUAL_DRIFT = 0.02
"""The mean of the other tasks."""

Shots = Mapping[int, float]
"""One curve: score, in percent, by k."""

Curves = Mapping[tuple[str, str], Shots]
"""The curves of a task by encoder and language."""

LEAST_SLOPE_SD = 0.03
"""Of the prior: more encoders differ than these two, and half of the mean slope is allowed for them."""


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
    """Return by how much the score is foretold too high, whether it is in its band, and how wide that is."""
    fitted = fits.fit(scores(up_to(curve, seen)), prior)
    (low,), (high,) = fitted.band([k])
    return float(fitted.predict([k])[0]) - curve[k], bool(low <= curve[k] <= high), float(high - low)


def learn(curves: Sequence[Shots], horizons: Sequence[tuple[int, int]]) -> CurvePrior:
    """Learn a prior from whole curves.

    Slope and noise are those of the power law through every k > 0. The drift is the least with which the bands hold 80%
    of the truths of the first two horizons; where no curve goes so far, it is `USUAL_DRIFT`.
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
    prior = CurvePrior(mean, sd, noise=float(np.mean(variances)) ** 0.5, drift=USUAL_DRIFT)
    reached = [(curve, seen, k) for seen, k in horizons[:2] for curve in curves if {seen, k} <= curve.keys()]
    for drift in np.arange(0, 0.2, 0.01) if reached else ():
        prior = replace(prior, drift=round(float(drift), 2))
        if np.mean([ours(*one, prior)[1] for one in reached]) >= fits.COVERAGE:
            break
    return prior


def horizons(task: str) -> list[tuple[int, int]]:
    return ARTICLES if task == "qa" else HORIZONS


def read() -> dict[str, dict[tuple[str, str], Shots]]:
    found: dict[str, dict[tuple[str, str], dict[int, float]]] = {}
    for (table, task, _, _, lang, k), score in sorted(lauscher.figures().items()):
        if table == 5:
            found.setdefault(task, {}).setdefault(("mBERT", lang), {})[k] = score
    for file in sorted(MEASURED.glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                if row["curve"].endswith("random") and "lauscher2020" not in row["curve"]:
                    curve = found.setdefault(file.stem, {}).setdefault(("mini", row["test set"]), {})
                    curve[int(row["k"])] = float(row["score"])
    return found


def print_errors(task: str, curves: Curves) -> None:
    others = {
        lang: [curve for (_, name), curve in curves.items() if name != lang] for lang in {lang for _, lang in curves}
    }
    priors = {lang: learn(rest, horizons(task)) for lang, rest in others.items()}
    for encoder in dict.fromkeys(encoder for encoder, _ in curves):
        for seen, k in horizons(task):
            whole = {
                lang: curve for (one, lang), curve in curves.items() if one == encoder and {seen, k} <= curve.keys()
            }
            if not whole:
                continue
            errors = [
                np.mean([abs(predict(up_to(curve, seen), k) - curve[k]) for curve in whole.values()])
                for predict in BASELINES.values()
            ]
            found = np.array([ours(curve, seen, k, priors[lang]) for lang, curve in whole.items()])
            mean, held, width = found.mean(0)
            cells = *(f"{error:.2f}" for error in errors), f"{np.abs(found[:, 0]).mean():.2f}", f"{mean:+.2f}"
            print_row(task, encoder, seen, k, *cells, f"{held:.0%}", f"{width:.1f}")


def print_prior(name: str, prior: CurvePrior) -> None:
    print(f"{name}:", ", ".join(f"{field}={value:.3f}" for field, value in asdict(prior).items()))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--priors", action="store_true")
    curves = read()
    if not parser.parse_args().priors:
        measures = ("ours", "mean error", "in its band", "width")
        print_head("task", "encoder", "from k <=", "to k", *BASELINES, *measures, texts=2)
        for task, found in curves.items():
            print_errors(task, found)
        return
    learnt = {task: learn(list(found.values()), horizons(task)) for task, found in curves.items()}
    for task, prior in learnt.items():
        print_prior(task, prior)
    slopes, noise, drift = ([getattr(prior, name) for prior in learnt.values()] for name in ("slope", "noise", "drift"))
    print_prior("any", CurvePrior(np.mean(slopes), np.std(slopes, ddof=1), np.mean(noise), np.mean(drift)))


if __name__ == "__main__":
    main()

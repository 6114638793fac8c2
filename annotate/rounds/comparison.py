"""Comparison of the learning curves of projects and of runs on this machine, and its report.

Curves of one group have the same test set and the same kind of prices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from annotate.rounds.curve import describe_unbilled, project_curve, scores
from annotate.rounds.effort import EffortSummary
from annotate.rounds.training_data import training_data
from annotate.store import Project, Store
from fewshot import tasks
from fewshot.corpora.load import fingerprint
from fewshot.costs.prices import Rates
from fewshot.curves.compare import steps
from fewshot.curves.points import Curve, curves
from fewshot.curves.results import RESULTS, Result, describe_part_scores, read_results
from fewshot.errors import FewshotError
from fewshot.reports import findings, learning_curves, page
from fewshot.reports.learning_curves import Rows


def project_curves(
    store: Store, project: Project, name: str, task: str, rates: Rates, tests: dict[str, str]
) -> dict[str, list[Curve]]:
    """Return the curve of a project by its group, or nothing if nothing was trained.

    Args:
        name: unique name of the curve.
        tests: name of the first curve on each test set, by fingerprint; a new test set is added.

    Raises:
        FewshotError: when the annotation is invalid.
    """
    if task not in project.tasks or not scores(store, project, task):
        return {}
    data = training_data(store, project, task)
    made = project_curve(store, project, task, rates, data=data)
    if made is None:
        return {}
    if made.crossvalidated:
        scored = f"cross-validated in {name}"
    else:  # the file is not enough: test sets of several sizes and seeds can come from it
        scored = f"{project.source}, test set of {tests.setdefault(fingerprint(data.test), name)}"
    return {f"{project.lang}, {scored}, paid in {project.currency}": [replace(made.curve, name=name, group=name)]}


def run_curves(folder: Path, task: str, rates: Rates) -> dict[str, list[Curve]]:
    """Return the curves of a task's runs in a folder of ``fewshot run``, or in its subfolders, by group.

    Raises:
        FewshotError: when there is no run of the task, or a file of results is damaged.
    """
    groups: dict[str, list[Curve]] = {}
    for path in _results_files(folder):
        parts: dict[tuple[str, str, str], list[Result]] = {}
        for result in read_results(path):
            if result.task == task:
                parts.setdefault((result.lang, result.data, result.model), []).append(result)
        for (lang, data, _), results in parts.items():
            if any(result.k for result in results):
                group = groups.setdefault(f"{lang}, {data}, at published prices", [])
                group.extend(curves(results, rates, group=path.parent.name))
    if not groups:
        raise FewshotError(
            f"{folder}: no run of {task} in this folder; choose a folder written by fewshot run, or its parent"
        )
    return groups


def describe_left_out(folder: Path) -> list[str]:
    """Return a line for each run with results that cannot be compared with the others."""
    return [line for path in _results_files(folder) if (line := describe_part_scores(path))]


def _results_files(folder: Path) -> list[Path]:
    return sorted([*folder.glob(RESULTS), *folder.glob(f"*/{RESULTS}")])


def table(curves: Sequence[Curve]) -> list[dict[str, str | int | float | None]]:
    """Return a row for each point: score with interval, effort, costs, and the price of a point."""
    several = len(curves) > 1
    return [
        {
            **({"curve": curve.name} if several else {}),
            "k": point.k,
            "score": round(point.score, 1),
            "95%": f"{point.low:.1f} – {point.high:.1f}",
            "gain": round(point.gain, 1),
            "tokens": round(point.tokens),
            "minutes": round(point.minutes, 1),
            "annotation": f"{curve.currency}{point.annotation:,.2f}",
            "computing": f"${point.compute:,.3f}",
            "cost": f"{curve.currency}{point.dollars:,.2f}",
            "a point": _price(curve, point.dollars_per_point),
            "a further point": _price(curve, step.per_further_point),
        }
        for curve in curves
        for step in steps(curve)
        for point in [step.point]
    ]


def _price(curve: Curve, price: float | None) -> str:
    return "–" if price is None else f"{curve.currency}{price:,.3f}"


def html(
    task: str,
    groups: Mapping[str, Sequence[Curve]],
    lines: Sequence[str],
    prices: Sequence[str],
    annotators: Mapping[str, Rows] | None = None,
) -> str:
    """Return a self-contained report of curves, by group, with findings and the prices behind the costs.

    ``annotators`` has the rows of `annotate.quality.annotators.table`, by name of the project.
    """
    kind, curves = tasks.get(task), list(chain.from_iterable(groups.values()))
    label, people = kind.score_label, kind.example.kind
    lang = next(iter(groups)).partition(",")[0]
    apart = ["Scores and prices of different groups are not comparable: each group has its own test set or prices."]
    alone = len(curves) == 1
    report = learning_curves.make_page(
        curves,
        title=f"{kind.title}: {'; '.join(groups)}",
        headline=learning_curves.headline(curves, lang, people, label) if alone else f"{len(curves)} learning curves",
        metric=label,
        kind=people,
        findings=lines,
        notes=[*describe_unbilled(curves), *learning_curves.caveats(curves), *(apart if len(groups) > 1 else [])],
        facts={name: {curve.name: f"k = {curve.points[-1].k}" for curve in group} for name, group in groups.items()},
        prices=prices,
        one_scale=len(groups) == 1,
        people=annotators,
    )
    return page.render_html(report)


def summarize(
    task: str,
    groups: Mapping[str, Sequence[Curve]],
    target: float | None,
    measured: Mapping[str, EffortSummary] | None = None,
) -> list[str]:
    """Return the findings about curves, by group, and the time saved by suggestions, a sentence each.

    Args:
        target: score whose price to report, in percent.
        measured: effort by name of the curve.
    """
    kind, curves = tasks.get(task).example.kind, list(chain.from_iterable(groups.values()))
    efforts = {curve.name: measured[curve.name] for curve in curves if measured and curve.name in measured}
    prices = {name: effort.price for name, effort in efforts.items() if effort.price is not None}
    saved = [(name, str(effect)) for name, effort in efforts.items() for effect in effort.effects]
    return [
        *findings.compare_curves(curves, groups, kind, target, prices),
        *(f"{name}: {text}" if len(curves) > 1 else text for name, text in saved),
    ]

"""Curves beside each other: those of projects, and of runs on this machine; and the report that is kept of them.

Curves are in groups: of one group are those whose scores are on one test set and whose prices mean the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from annotate.rounds import curve
from annotate.rounds.effort import Summary
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


def of_project(
    store: Store, project: Project, name: str, task: str, rates: Rates, tests: dict[str, str]
) -> dict[str, list[Curve]]:
    """Return the curve of a project under the name of its group; nothing where nothing was trained.

    Args:
        name: of the curve, no other project's.
        tests: name of the first curve on each test set, by the fingerprint of the test set; this one is added.

    Raises:
        FewshotError: when its annotation does not fit.
    """
    if task not in project.tasks:
        return {}
    data = training_data(store, project, task)
    made = curve.project_curve(store, project, task, rates, data=data)
    if made is None:
        return {}
    if made.crossvalidated:
        scored = f"cross-validated in {name}"
    else:  # a file alone says little: a test set is drawn from it with a size and a seed
        scored = f"{project.source}, test set of {tests.setdefault(fingerprint(data.test), name)}"
    return {f"{project.lang}, {scored}, paid in {project.currency}": [replace(made.curve, name=name, group=name)]}


def of_runs(folder: Path, task: str, rates: Rates) -> dict[str, list[Curve]]:
    """Return the curves of the runs of a task in a folder, or in folders of it, by group.

    Args:
        folder: written by ``fewshot run``, or of such folders.
        rates: prices of annotation and of computing.

    Raises:
        FewshotError: when there is no run of the task, or a file of results is damaged.
    """
    found: dict[str, list[Curve]] = {}
    for path in _results_files(folder):
        parts: dict[tuple[str, str, str], list[Result]] = {}
        for result in read_results(path):
            if result.task == task:
                parts.setdefault((result.lang, result.data, result.model), []).append(result)
        for (lang, data, _), mine in parts.items():
            if any(result.k for result in mine):
                found.setdefault(f"{lang}, {data}, at published prices", []).extend(
                    curves(mine, rates, group=path.parent.name)
                )
    if not found:
        raise FewshotError(f"{folder}: no run of {task} here; give a folder that fewshot run wrote, or its parent")
    return found


def left_out(folder: Path) -> list[str]:
    """Return which results of the runs that `of_runs` reads do not compare with the others, a line a run."""
    return [said for path in _results_files(folder) if (said := describe_part_scores(path))]


def _results_files(folder: Path) -> list[Path]:
    return sorted([*folder.glob(RESULTS), *folder.glob(f"*/{RESULTS}")])


def table(found: Sequence[Curve]) -> list[dict[str, str | int | float | None]]:
    """Return a row a point of each curve: score with interval, what it took, the bill, what a point of it cost."""
    several = len(found) > 1
    return [
        {
            **({"curve": one.name} if several else {}),
            "k": point.k,
            "score": round(point.score, 1),
            "95%": f"{point.low:.1f} – {point.high:.1f}",
            "gain": round(point.gain, 1),
            "tokens": round(point.tokens),
            "minutes": round(point.minutes, 1),
            "annotation": f"{one.currency}{point.annotation:,.2f}",
            "computing": f"${point.compute:,.3f}",
            "cost": f"{one.currency}{point.dollars:,.2f}",
            "a point": _price(one, point.dollars_per_point),
            "a further point": _price(one, step.per_further_point),
        }
        for one in found
        for step in steps(one)
        for point in [step.point]
    ]


def _price(one: Curve, price: float | None) -> str:
    return "–" if price is None else f"{one.currency}{price:,.3f}"


def html(
    task: str,
    groups: Mapping[str, Sequence[Curve]],
    lines: Sequence[str],
    prices: Sequence[str],
    annotators: Mapping[str, Rows] | None = None,
) -> str:
    """Return a report of curves, a page that needs nothing else.

    Args:
        groups: curves by group; at least one.
        lines: what they amount to, see `amounts`.
        prices: a line for each price behind the bills.
        annotators: side by side, see `annotate.quality.annotators.table`, by name of the project.
    """
    kind, every = tasks.get(task), [one for group in groups.values() for one in group]
    label, people = kind.score_label, kind.example.kind
    lang = next(iter(groups)).partition(",")[0]
    apart = ["Scores and prices of different groups are not on one scale: each has a test set, or a price, of its own."]
    alone = len(every) == 1
    report = learning_curves.make_page(
        every,
        title=f"{kind.title}: {'; '.join(groups)}",
        headline=learning_curves.headline(every, lang, people, label) if alone else f"{len(every)} learning curves",
        metric=label,
        kind=people,
        findings=lines,
        notes=[*curve.unbilled(every), *learning_curves.caveats(every), *(apart if len(groups) > 1 else [])],
        facts={name: {one.name: f"k = {one.points[-1].k}" for one in group} for name, group in groups.items()},
        prices=prices,
        one_scale=len(groups) == 1,
        people=annotators,
    )
    return page.render_html(report)


def amounts(
    task: str,
    groups: Mapping[str, Sequence[Curve]],
    target: float | None,
    measured: Mapping[str, Summary] | None = None,
) -> list[str]:
    """Return what curves amount to, and what suggestions save, a sentence each.

    Args:
        groups: curves by group; at least one.
        target: score to say the price of, in percent.
        measured: what people's time says, by name of the curve.
    """
    kind, every = tasks.get(task).example.kind, [one for group in groups.values() for one in group]
    mine = {one.name: measured[one.name] for one in every if measured and one.name in measured}
    prices = {name: one.price for name, one in mine.items() if one.price is not None}
    saved = [(name, str(effect)) for name, one in mine.items() for effect in one.effects]
    return [
        *findings.compare_curves(every, groups, kind, target, prices),
        *(f"{name}: {text}" if len(every) > 1 else text for name, text in saved),
    ]

"""``fewshot compare``: one report of several runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fewshot import tasks
from fewshot.cli.common.base import BillTest, RatesFile, app, command, command_line, console
from fewshot.errors import FewshotError
from fewshot.options import COST

if TYPE_CHECKING:
    from fewshot.costs.prices import Rates
    from fewshot.curves.points import Curve
    from fewshot.curves.results import Result


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The contents of a folder of ``fewshot run``.

    Args:
        results: at least one result, all of one task and language.
        test_set: identifies the test set.
        left_out: warning about a result that is left out; may be empty.
    """

    folder: Path
    results: Sequence[Result]
    facts: Mapping[str, str]
    test_set: str
    left_out: str


@command(
    app,
    example="fewshot compare runs/ja-pos-5abdb4 runs/sv-pos-90c1f2 --target 80",
    panels={COST: "rates bill_test target"},
    stopped="the report may not be written; repeat the command",
)
def compare(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished or half-finished runs.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("comparison"),
    rates: RatesFile = None,
    bill_test: BillTest = False,
    target: Annotated[float | None, typer.Option(help="Score in percent whose cost is estimated.")] = None,
    table: Annotated[
        list[Path] | None, typer.Option(help="File for all points: .csv, .md, .tex or .parquet; repeatable.")
    ] = None,
    figure: Annotated[
        list[Path] | None, typer.Option(help="File for the figure: .png, .svg, .pdf or .html; repeatable.")
    ] = None,
) -> None:
    """Write one report of several runs: languages, samplers, encoders, methods."""
    from fewshot.costs import prices
    from fewshot.reports import findings, language_models, learning_curves, page, tables

    for paths, endings in ((table, tables.TABLE_SUFFIXES), (figure, tables.PICTURE_SUFFIXES)):
        for path in paths or ():
            tables.check_suffix(path, endings)
    price_list = prices.load(rates)
    loaded = [_load(folder) for folder in {folder.resolve(): folder for folder in runs}.values()]
    task, names = _common_task(loaded), _names(loaded)
    metric, kind = task.score_label, task.example.kind
    drawn, groups = _curves(loaded, names, price_list, bill_test)
    results = [result for run in loaded for result in run.results]
    sentences = findings.compare_curves(drawn, groups, kind, target)
    doubts = [*learning_curves.caveats(drawn), *(run.left_out for run in loaded if run.left_out)]
    report = learning_curves.make_page(
        drawn,
        title=f"{task.title}: {', '.join(names) or results[0].lang}",
        headline=f"{len(drawn)} learning curves of {len(loaded)} runs",
        metric=metric,
        kind=kind,
        findings=sentences,
        notes=[
            learning_curves.test_note(price_list, results, bill_test),
            *doubts,
            *language_models.contamination_notes(results),
        ],
        facts={f"{name} ({run.folder})".strip(): run.facts for name, run in zip(names, loaded, strict=True)},
        prices=learning_curves.rate_sources(price_list, results),
        one_scale=len(groups) == 1,
        commands=[command_line()],
    )
    page.write(report, out / "report.html")
    tables.draw(report.figures[learning_curves.FIGURE], out / "curve.html")
    screen = console()
    screen.print(tables.terminal_table(drawn, metric))
    for line in (*sentences, *doubts, f"  {out / 'report.html'}"):
        screen.print(line, soft_wrap=True)
    for path in _written(groups, metric, kind, table or (), figure or ()):
        screen.print(f"  {path}", soft_wrap=True)


def _written(
    groups: Mapping[str, Sequence[Curve]], metric: str, kind: str, table: Sequence[Path], figure: Sequence[Path]
) -> Iterator[Path]:
    from fewshot.curves import plots
    from fewshot.reports import tables

    for path in table:
        tables.write(groups, path)
        yield path
    curves = [curve for group in groups.values() for curve in group]
    for path in figure:
        tables.draw(plots.figure(curves, metric, kind, ahead=True, front=len(groups) == 1), path)
        yield path


def _curves(
    loaded: Sequence[RunFolder], names: Sequence[str], rates: Rates, bill_test: bool
) -> tuple[list[Curve], dict[str, list[Curve]]]:
    """Return the curves of all runs, and the same curves by test set, see `_titled`."""
    from fewshot.curves.points import curves

    by_test: dict[tuple[str, str], list[Curve]] = {}
    by_run = [curves(run.results, rates, bill_test, name) for name, run in zip(names, loaded, strict=True)]
    for run, own in zip(loaded, by_run, strict=True):
        by_test.setdefault((run.results[0].lang, run.test_set), []).extend(own)
    return [curve for own in by_run for curve in own], _titled(by_test)


def _load(folder: Path) -> RunFolder:
    from fewshot.curves.results import RESULTS, describe_part_scores, read_results
    from fewshot.experiments import plan_file

    results, left_out = read_results(folder / RESULTS), describe_part_scores(folder / RESULTS)
    plan = plan_file.read(folder)
    facts, identity = plan.get("facts"), plan.get("identity")
    if left_out and not results:
        raise FewshotError(f"{left_out}, and there is no other result")
    if not results or not isinstance(facts, dict):
        names = f"{RESULTS} and {plan_file.PLAN_FILE}"
        raise FewshotError(f"{folder}: holds no run ({names}); give folders that fewshot run has written")
    known = str(identity.get("data", "")) if isinstance(identity, dict) else ""
    by_name = {name: value for part in facts.values() for name, value in part.items()}
    return RunFolder(folder, results, by_name, known.rpartition("-")[2] or results[0].data, left_out)


def _common_task(runs: Sequence[RunFolder]) -> tasks.Task[Any]:
    names = {run.results[0].task for run in runs}
    if len(names) > 1:
        raise FewshotError(
            f"runs of different tasks ({', '.join(sorted(names))}) have no common score; compare one task at a time"
        )
    return tasks.get(names.pop())


def _titled(by_test: Mapping[tuple[str, str], list[Curve]]) -> dict[str, list[Curve]]:
    """Name the groups of curves with one test set by language, and if necessary by their first curve."""
    langs = Counter(lang for lang, _ in by_test)
    return {
        lang if langs[lang] == 1 else f"{lang}, test set of {group[0].group}": group
        for (lang, _), group in by_test.items()
    }


def _names(runs: Sequence[RunFolder]) -> list[str]:
    """Return the shortest distinct names of runs by language, encoder, teacher, method, regime and data.

    If runs share all of these, their folders are the names.
    """
    firsts = [run.results[0] for run in runs]
    traits = [(r.lang, Path(r.model).name, r.taught_by, r.method, r.regime, Path(r.data).name) for r in firsts]
    names = [""] * len(traits)
    for column in zip(*traits, strict=True):
        if len(set(names)) < len(names) and len(set(column)) > 1:
            names = [f"{name} {trait}".strip() for name, trait in zip(names, column, strict=True)]
    by_folder = [run.folder.name for run in runs]
    for choice in (names, by_folder):
        if len(set(choice)) == len(choice):
            return choice
    return [str(run.folder) for run in runs]

"""Carry out a plan: one condition after the other, each result on disk before the next begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from torch import Tensor

from fewshot.corpora.types import Example
from fewshot.costs.prices import Rates
from fewshot.curves import results as results_file
from fewshot.curves.results import Result
from fewshot.encoders.pieces import Pieces
from fewshot.evaluation import Evaluation, evaluate
from fewshot.experiments import manifest
from fewshot.experiments.plan import Condition, run_id
from fewshot.experiments.setup import Setup, choose, recall, settings_of, shots_of, unchosen
from fewshot.training.adapt import adapt
from fewshot.training.fit import Progress
from fewshot.training.model import Model, find_card

MODEL = "model"
"""Folder of the adapted model that the last plan keeps: first sampler, largest k, first shot set and seed."""


@dataclass(frozen=True, slots=True)
class Event:
    """Where a plan stands.

    Args:
        condition: the run at work, or just finished.
        work: updates done over all runs of the plan, those of earlier sessions included.
        total: updates of the plan.
        result: of the run, when it has just finished.
        loss: of the last update, see `Progress`; None where there was none, or the run has finished.
    """

    condition: Condition
    work: int
    total: int
    result: Result | None = None
    loss: Tensor | None = None


def execute(
    setup: Setup,
    folder: Path,
    rates: Rates,
    report: Callable[[Event], None] | None = None,
    command: str = "",
    keep: bool = True,
) -> list[Result]:
    """Do the runs of a plan that the folder has no result of.

    What an earlier shot set of the same examples has found is taken over, unless the model has to choose the next
    round. A result says which shots its model has chosen, so that a stopped plan trains nothing again; only where a
    wider plan has more rounds, or larger ones, the model that has to choose is trained once more.

    Args:
        setup: plan, data and models.
        folder: takes ``results.jsonl``, ``plan.json`` and the adapted model; made if need be.
        rates: prices of the labels.
        report: called after every update and every run.
        command: that repeats the plan, for ``plan.json``.
        keep: whether the adapted model is kept, see `kept_condition`.

    Returns:
        The results of the plan in the order of its conditions.

    Raises:
        FewshotError: when the folder cannot be written, another process works in it, or it holds runs of another
            identity; when the labels have no price.
    """
    say = report or (lambda event: None)
    conditions, kept = setup.plan.conditions(), kept_condition(setup) if keep else None
    rates.annotating(setup.task.name, setup.task.units(setup.corpus.test))  # refused before anything is trained
    with results_file.writing(folder) as path:
        found = results_file.read(path)
        manifest.check(folder, setup, found)
        recall(setup, found)
        manifest.write(folder, setup, found, command)
        done = {result.run: result for result in found}
        pieces = setup.source.encode(setup.corpus.test)
        work = _Work(setup, conditions)
        results: list[Result] = []
        for condition in conditions:
            run = run_id(setup.identity, condition)
            missing = condition == kept and (find_card(folder / MODEL) or {}).get("run") != run
            asked = missing or unchosen(setup, condition) > 0
            if run not in done or asked:
                same = None if asked else _repeated(setup, condition, results)
                if same:
                    result = replace(same, run=run, shot_set=condition.shot_set, chosen=(), seconds=0.0)
                else:
                    result, model = _run(setup, condition, run, pieces, rates, work.during(condition, say))
                    if condition == kept:
                        model.save(folder / MODEL)
                if run not in done:
                    results_file.append(path, result)
                    done[run] = result
            results.append(done[run])
            say(Event(condition, work.finish(condition), work.total, done[run]))
    return results


def keep_unscored(setup: Setup, folder: Path, report: Callable[[Event], None]) -> None:
    """Train and keep the model that `execute` would keep, where the corpus has no test set to score it on.

    Args:
        setup: plan, data and models.
        folder: takes the model; a model of the same run that lies there is left alone.
        report: called after every update.

    Raises:
        FewshotError: when the folder cannot be written, or another process works in it.
    """
    condition = kept_condition(setup)
    run = run_id(setup.identity, condition)
    with results_file.writing(folder):
        if (find_card(folder / MODEL) or {}).get("run") != run:
            work = _Work(setup, [condition])
            _adapted(setup, condition, run, work.during(condition, report)).save(folder / MODEL)


def kept_condition(setup: Setup) -> Condition:
    """Return the condition whose model is kept, chosen before any score is seen."""
    largest = max((*setup.plan.ks, 0))
    return next(c for c in setup.plan.conditions() if c.k == largest)


def _run(
    setup: Setup,
    condition: Condition,
    run: str,
    pieces: Sequence[Sequence[Pieces]],
    rates: Rates,
    progress: Callable[[Progress], None],
) -> tuple[Result, Model]:
    started = time.perf_counter()
    model = _adapted(setup, condition, run, progress)
    evaluation = evaluate(model, setup.corpus.test, pieces)
    seconds = time.perf_counter() - started
    chosen = tuple(shot.id for shot in choose(setup, condition, model))
    result = _result(setup, condition, run, shots_of(setup, condition), evaluation, rates, seconds)
    return replace(result, chosen=chosen), model


def _repeated(setup: Setup, condition: Condition, results: Sequence[Result]) -> Result | None:
    """Return the result of another shot set of the same examples, with which this one would be one, see `distinct`."""
    mine = {shot.id for shot in shots_of(setup, condition)}
    alike = replace(condition, shot_set=0)
    same = (one for one in results if replace(Condition.of(one), shot_set=0) == alike and set(one.shots) == mine)
    return next(same, None)


def _adapted(setup: Setup, condition: Condition, run: str, progress: Callable[[Progress], None]) -> Model:
    shots = shots_of(setup, condition)
    recipe = setup.plan.recipe
    model = adapt(setup.source, shots, recipe, condition.seed, setup.device, setup.source_data, progress)
    where = {"lang": setup.plan.lang, "data": setup.corpus.source, "sampler": condition.sampler}
    draw = {"shot_set": condition.shot_set, "rounds": list(condition.rounds)}
    model.card = {"run": run, **where, **draw, **model.card}
    return model


def _result(
    setup: Setup,
    condition: Condition,
    run: str,
    shots: Sequence[Example],
    evaluation: Evaluation,
    rates: Rates,
    seconds: float,
) -> Result:
    task, plan = setup.task, setup.plan
    units = task.units(shots)
    minutes, dollars = rates.annotating(task.name, units)
    return Result(
        run=run,
        task=task.name,
        lang=plan.lang,
        sampler=condition.sampler,
        k=condition.k,
        shot_set=condition.shot_set,
        seed=condition.seed,
        method=plan.recipe.method,
        regime=str(plan.recipe.regime),
        model=setup.source.encoder.name,
        data=setup.corpus.source,
        metric=evaluation.metric,
        score=evaluation.score,
        low=evaluation.low,
        high=evaluation.high,
        metrics=evaluation.metrics,
        tokens=sum(shot.length for shot in shots),
        units=units,
        test_units=task.units(setup.corpus.test),
        minutes=minutes,
        dollars=dollars,
        seconds=seconds,
        device=setup.device.type,
        shots=tuple(shot.id for shot in shots),
        rounds=condition.rounds,
    )


class _Work:
    """Counts updates over a whole plan, so that one bar can show it."""

    def __init__(self, setup: Setup, conditions: Sequence[Condition]) -> None:
        self.updates = {c: settings_of(setup, c).updates if c.k else 1 for c in conditions}
        self.total = sum(self.updates.values())
        self.done = 0

    def during(self, condition: Condition, say: Callable[[Event], None]) -> Callable[[Progress], None]:
        planned = self.updates[condition]
        return lambda now: say(
            Event(condition, self.done + planned * now.update // now.updates, self.total, loss=now.loss)
        )

    def finish(self, condition: Condition) -> int:
        self.done += self.updates[condition]
        return self.done

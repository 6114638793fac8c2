"""How far a training is: one bar and one time for all of its plans, which are rounds and the folds of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from annotate.worker.pulse import Report
from fewshot.experiments.plan import Condition
from fewshot.experiments.run import Event
from fewshot.training.recipe import Recipe

EVERY = 1.0
"""Seconds after which the loss is read again: a GPU waits each time."""


class Plans:
    """Counts the work of plans that are carried out one after the other.

    Args:
        report: told how far the whole is.
        ks: shots of each plan.
        seeds: trainings of each plan.
        recipe: of them all.
    """

    def __init__(self, report: Report, ks: Sequence[int], seeds: int, recipe: Recipe) -> None:
        self.report, self.seeds, self.recipe = report, seeds, recipe
        self.total = sum(map(self._work, ks))
        self.done = self.before = 0.0

    def next(
        self, title: str, k: int, name: Callable[[Condition], str] = lambda one: f"seed {one.seed + 1}"
    ) -> Callable[[Event], None]:
        """Return what is to be told of each event of the next plan.

        Args:
            title: of the plan, for people.
            k: its shots; of a plan that stands alone it does not matter.
            name: what tells its trainings apart, for people.
        """
        plan, reached, read, loss = self._work(k), 0.0, 0.0, ""

        def say(event: Event) -> None:
            nonlocal reached, read, loss
            made, reached = plan * event.work / event.total - reached, plan * event.work / event.total
            self.done += made
            if event.result and not loss:
                self.before += made  # it was there already
            if event.loss is None:
                loss = ""
            elif time.monotonic() - read > EVERY:
                read, loss = time.monotonic(), f", loss {event.loss.item():.3f}"
            self.say(f"{title}, {name(event.condition)}{loss}" if event.condition.k else f"{title}, zero-shot")

        return say

    def say(self, message: str) -> None:
        """Say what is done now, at the place reached."""
        self.report(min(1.0, self.done / self.total), message, self.before / self.total)

    def _work(self, k: int) -> float:
        """Return about how many updates a plan has, whatever its encoder and task: zero-shot counts as one."""
        return 1 + self.seeds * self.recipe.resolve(k, inputs=k, hidden=1, depth=1).updates

"""The simulated curve of a project: its sampler draws from its pool, and gold labels answer in place of its people.

An active sampler draws in rounds, as in the project: at each k the model of the shots so far says what comes next.

Args of the job: ``task``; not needed: ``updates``, by k by default; ``device``.

The plan has a folder of its own, so that a job that was stopped goes on where it was.
"""

from __future__ import annotations

from dataclasses import asdict

from annotate.rounds import material, simulation
from annotate.store import Job, Store
from annotate.worker.progress import Plans
from annotate.worker.pulse import Report
from annotate.worker.train import corpus_of, prepared
from fewshot.costs import prices
from fewshot.errors import FewshotError
from fewshot.experiments.plan import Plan
from fewshot.experiments.run import Event, execute
from fewshot.hub.card import APP
from fewshot.training.recipe import Recipe

SHOT_SETS = 3
"""Draws of the sampler."""


def run(store: Store, job: Job, report: Report) -> None:
    """Train on what the sampler draws from the pool with its gold labels, and store each result as it comes.

    Args:
        store: of the job and its project.
        job: see the module for its args.
        report: told how far it is, from 0 to 1; raises when the job should stop.

    Raises:
        FewshotError: when there is no test set, too few of the pool have labels, or there is no source model.
    """
    report(0.0, "reading the pool")
    project, name = store.project(job.project_id), str(job.args["task"])
    found, pool = material.material(store, project, name), list(simulation.pool(store, project, name))
    if not found.test:
        raise FewshotError("no test set to score on; annotate one first")
    if not (ks := simulation.ks(project, found, len(pool))):
        raise FewshotError(f"{len(pool)} examples of the pool came with labels: too few for a round of {project.k}")
    plan = Plan(
        task=name, lang=project.lang, ks=tuple(ks), samplers=(project.sampler,), shot_sets=SHOT_SETS, seeds=1,
        recipe=Recipe(updates=job.args.get("updates")), rounds=True,
    )  # fmt: skip
    setup, folder = prepared(project, plan, corpus_of(project, pool, found.test), job)
    told = Plans(report, ks[-1:], SHOT_SETS, plan.recipe).next(
        name, ks[-1], lambda one: f"k = {one.k}, shot set {one.shot_set + 1}"
    )

    def say(event: Event) -> None:
        if event.result:
            row = asdict(event.result) | {"test": found.scored_on(0)}
            store.add_results(project.id, simulation.kept_as(name), [(event.result.run, row)])
        told(event)

    execute(setup, folder, prices.load(), say, APP, keep=False)

"""The simulated curve of a project: its sampler draws from its pool, and gold labels answer in place of its people.

An active sampler draws in rounds, as in the project: at each k the model of the shots so far says what comes next.

Args of the job: ``task``; not needed: ``updates``, by k by default; ``device``.

The plan has a folder of its own, so that a job that was stopped goes on where it was.
"""

from __future__ import annotations

from dataclasses import replace

from annotate.rounds import simulation
from annotate.rounds.training_data import training_data
from annotate.store import Job, Store
from annotate.worker.progress import JobProgress
from annotate.worker.train import corpus_of, folder_of, trainer_of
from fewshot import tasks
from fewshot.costs import prices
from fewshot.curves.results import Result
from fewshot.errors import FewshotError
from fewshot.experiments.draws import Draws
from fewshot.experiments.executors.place import Place
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Cell, Plan, check_plan
from fewshot.experiments.plan_file import APP_COMMAND
from fewshot.experiments.run import execute
from fewshot.progress import Progress, Report

SHOT_SETS = 3
"""Draws of the sampler."""


def run(store: Store, job: Job, report: Report, place: Place) -> None:
    """Train on what the sampler draws from the pool with its gold labels, and store each result as it comes.

    Raises:
        FewshotError: when there is no test set, too few of the pool have labels, or there is no source model.
    """
    report(Progress(0, 1, "reading the pool"))
    project, name = store.project(job.project_id), str(job.args["task"])
    data = training_data(store, project, name)
    if not data.test:
        raise FewshotError("no test set to score on; annotate one first")
    pool = list(simulation.pool(store, project, name, data.test))
    if not (ks := simulation.ks(project, data, len(pool))):
        raise FewshotError(f"{len(pool)} examples of the pool came with labels: too few for a round of {project.k}")
    plan = Plan(name, project.lang, tuple(ks), (project.sampler,), SHOT_SETS, seeds=1, rounds=True)
    corpus = corpus_of(project, pool, data.test)
    check_plan(plan, corpus)
    trainer, _ = trainer_of(store, project, name, job, place, report)
    tasks.check_gold(trainer.task, [*corpus.test, *corpus.pool])
    cells = [each for each in plan.cells() if each.k or trainer.scores_zero_shot(corpus.test)]
    experiment = Experiment(trainer, corpus, cells, Draws(plan, corpus.pool, trainer), _name)
    progress = JobProgress(report)
    progress.begin_task([experiment])

    def keep(result: Result) -> None:
        store.add_results(
            project.id,
            name,
            [replace(result, scored_on=data.scored_on(0), source_model=project.source_model)],
            simulated=True,
        )

    say, folder = progress.during(name, experiment), folder_of(project, experiment)
    workers = place.workers(experiment)
    execute(experiment, folder, prices.load(), say, keep, command=APP_COMMAND, keep=False, workers=workers)


def _name(cell: Cell) -> str:
    return f"k = {cell.k}, shot set {cell.shot_set + 1}" if cell.k else "zero-shot"

"""The simulated curve of a project: shots drawn from its pool, with gold labels as annotation.

An active sampler draws in rounds, as in the project: the model of the shots so far selects the next ones.

Args of the job: ``task``; optional: ``updates``, default: by k; ``device``. The plan has its own folder, so that an
interrupted job continues where it stopped.
"""

from __future__ import annotations

from dataclasses import replace

from annotate.rounds import simulation
from annotate.rounds.training_data import training_data
from annotate.store import Job, Store
from annotate.worker.progress import JobProgress
from annotate.worker.train import experiment_folder, make_corpus, make_trainer
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


def run(store: Store, job: Job, report: Report, place: Place) -> None:
    """Train on shots drawn from the pool with their gold labels, and store each result as it comes.

    Raises:
        FewshotError: when there is no test set or source model, or too few examples of the pool have labels.
    """
    report(Progress(0, 1, "reading the pool"))
    project, name = store.project(job.project_id), str(job.args["task"])
    data = training_data(store, project, name)
    if not data.test:
        raise FewshotError("no test set to score on; annotate one first")
    pool = list(simulation.pool(store, project, name, data.test))
    if not (ks := simulation.ks(project, data, len(pool))):
        raise FewshotError(
            f"only {len(pool)} examples of the pool have gold labels, too few for a round of {project.k}"
        )
    plan = Plan(name, project.lang, tuple(ks), (project.sampler,), SHOT_SETS, seeds=1, rounds=True)
    corpus = make_corpus(project, pool, data.test)
    check_plan(plan, corpus)
    trainer, _ = make_trainer(store, project, name, job, place, report)
    tasks.check_gold(trainer.task, [*corpus.test, *corpus.pool])
    cells = [cell for cell in plan.cells() if cell.k or trainer.scores_zero_shot(corpus.test)]
    experiment = Experiment(trainer, corpus, cells, Draws(plan, corpus.pool, trainer), _name)
    progress = JobProgress(report)
    progress.begin_task([experiment])

    def keep(result: Result) -> None:
        result = replace(result, scored_on=data.scored_on(0), source_model=project.source_model)
        store.add_results(project.id, name, [result], simulated=True)

    say, folder = progress.during(name, experiment), experiment_folder(project, experiment)
    workers = place.workers(experiment)
    execute(experiment, folder, prices.load(), say, keep, command=APP_COMMAND, keep=False, workers=workers)


def _name(cell: Cell) -> str:
    return f"k = {cell.k}, shot set {cell.shot_set + 1}" if cell.k else "zero-shot"

"""The plans that are tried, and how their results are compared."""

from dataclasses import replace

from fewshot.costs import prices
from fewshot.experiments.draws import Draws
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Plan
from fewshot.training import presets

QUICK = {"regime": "joint", "updates": 2, "batch": 4, "average": 2}
PLAN = Plan("pos", "xx", (3, 6), ("random", "longest"), 2, 1, changes=QUICK)
RATES = prices.load()

FAST = {**PLAN.changes, "head_lr": 0.05}  # so that a few updates change what a model asks for
IN_ROUNDS = replace(PLAN, ks=(3, 6, 9), samplers=("random", "entropy"), shot_sets=1, seeds=2, changes=FAST, rounds=True)


def of(setup, plan):
    """Return the experiment of another plan with the same models and data."""
    recipe = presets.adaptation(setup.trainer.task, "new", plan.method, **plan.changes)
    made_from = {**setup.trainer.made_from, "recipe": recipe.described()}
    trainer = replace(setup.trainer, recipe=recipe, made_from=made_from)
    return Experiment(trainer, setup.corpus, plan.conditions(), Draws(plan, setup.corpus.pool, trainer))


def scores(results):
    return [(r.sampler, r.k, r.shot_set, r.seed, r.score, r.shots) for r in results]

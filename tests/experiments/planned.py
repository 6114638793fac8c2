"""The plans that are tried, and how their results are compared."""

import pickle
from contextlib import contextmanager
from dataclasses import replace

from fewshot.costs import prices
from fewshot.costs.prices import TokenPrice
from fewshot.experiments.draws import Draws
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.language_model import PromptedExperiment
from fewshot.experiments.plan import Plan
from fewshot.llm import Client, Server
from fewshot.training import presets

QUICK = {"regime": "joint", "updates": 2, "batch": 4, "average": 2}
PLAN = Plan("pos", "xx", (3, 6), ("random", "longest"), 2, 1, changes=QUICK)
RATES = prices.load()

PRICED = replace(RATES, language_models={"tiny": TokenPrice(1000.0, 10_000.0, "2026-11", "made up")})
"""An answer of 100 tokens read and 10 written costs 20 cents."""

FAST = {**PLAN.changes, "head_lr": 0.05}  # so that a few updates change what a model asks for
IN_ROUNDS = replace(PLAN, ks=(3, 6, 9), samplers=("random", "entropy"), shot_sets=1, seeds=2, changes=FAST, rounds=True)


def of(setup, plan):
    """Return the experiment of another plan with the same models and data."""
    recipe = presets.adaptation(setup.trainer.task, "new", plan.method, **plan.changes)
    made_from = {**setup.trainer.made_from, "recipe": recipe.described()}
    trainer = replace(setup.trainer, recipe=recipe, made_from=made_from)
    return Experiment(trainer, setup.corpus, plan.cells(), Draws(plan, setup.corpus.pool, trainer))


def prompted(setup, server):
    return PromptedExperiment(setup, Client(Server(server.url, "tiny"), 5.0, wait=lambda _: None))


def timeless(results):
    return [replace(one, seconds=0.0) for one in results]


def scores(results):
    return [(r.sampler, r.k, r.shot_set, r.seed, r.score, r.shots) for r in results]


class LastFirst:
    """Workers in this process: take three runs at once, and the last one that was begun ends first."""

    at_once, machines = 3, 1.0

    @contextmanager
    def start(self, work, runs):
        work = pickle.loads(pickle.dumps(work.prepared()))

        def carry_out(runs, tell):
            begun = []
            while runs or begun:
                while runs and len(begun) < self.at_once:
                    begun.append(runs.popleft())
                run = begun.pop()
                yield run, work.keep(run, work.carry_out(run, tell))

        yield carry_out

"""A language model as a teacher: it labels pool examples, on which the encoder trains too.

The prompt contains the shots of a draw, as for the test set. Such training gained about ten points of F1 in
low-resource NER (Findings of ACL 2026, 1431).
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path

from fewshot.corpora.types import Example
from fewshot.costs.prices import Rates
from fewshot.curves.results import RESULTS, lock_results, read_results
from fewshot.errors import FewshotError
from fewshot.experiments import plan_file
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.language_model import PromptedExperiment, count_usage, request_replies, sum_seconds
from fewshot.experiments.plan import Cell, digest, run_id
from fewshot.experiments.silver import Silver, SilverLabels
from fewshot.llm import Reply, annotate
from fewshot.llm.cache import ANSWERS, NotAnsweredError
from fewshot.progress import Progress, Report

KEPT_SHARE = 0.75
"""Share of the usable answers to train on: the most confident ones.

The least confident answers should contain the most errors, and a smaller share would leave little to learn. The value
was set in advance, not by a score. If the server reports no confidence, all usable answers are kept.
"""


def check_size(experiment: Experiment, size: int) -> None:
    """Check that the pool has enough examples in addition to the shots of each draw.

    Raises:
        FewshotError: when the pool is too small, or no cell has shots.
    """
    most = max(cell.k for cell in experiment.cells)
    left, kind = len(experiment.corpus.pool) - most, experiment.trainer.task.example.kind
    if not most:
        raise FewshotError(f"--silver {size}: the prompt needs at least one annotated example; use a k of 1 or more")
    if size > left:
        raise FewshotError(
            f"--silver {size}: without {most} shots the pool has {left} {kind} left; give a smaller --silver or k"
        )


def label_pool(
    prompted: PromptedExperiment, size: int, folder: Path, rates: Rates, cap: float, report: Report | None, command: str
) -> Silver:
    """Label examples of the pool for each draw by a language model; stored answers are reused.

    Args:
        prompted: the language model and the experiment that provides the draws.
        folder: folder of the language model, for the answers.

    Raises:
        FewshotError: see `fewshot.experiments.language_model.execute_prompted`.
    """
    labelled: dict[Cell, SilverLabels] = {}
    by_draw: dict[Hashable, SilverLabels] = {}
    draws = [cell for cell in prompted.cells if cell.k]
    with lock_results(folder):
        plan_file.check(folder, prompted.identity, read_results(folder / RESULTS))
        answers = prompted.open_answers(folder, rates, cap)
        try:
            for number, cell in enumerate(draws):

                def tell(done: int, number: int = number, cell: Cell = cell) -> None:
                    if report:
                        doing = f"{prompted.client.server.model} labels for {cell}"
                        report(Progress(number * size + done, len(draws) * size, doing))

                draw = prompted.experiment.shots.training_key(cell)
                if draw not in by_draw:
                    prompt = prompted.make_prompt(prompted.experiment.shots.for_cell(cell))
                    replies = request_replies(prompted, prompt, _chosen(prompted, cell, size), answers, tell)
                    kept = _surest([reply for reply in replies if reply.example is not None])
                    usage = {**count_usage(replies), "kept": len(kept)}
                    examples = tuple(reply.example for reply in kept)
                    by_draw[draw] = SilverLabels(examples, usage, sum_seconds(replies))
                labelled[cell] = by_draw[draw]
        finally:
            prompted.write_plan(folder, answers, command)
    made_from = {"teacher": digest(prompted.identity), "kept": KEPT_SHARE}
    return Silver(prompted.client.server.model, prompted.device, size, made_from, labelled)


def with_silver(prompted: PromptedExperiment, silver: Silver) -> Experiment:
    """Return the experiment of the encoder with silver labels to train on."""
    return replace(prompted.experiment, silver=silver)


def silver_folder(experiment: Experiment, out: Path | None) -> Path:
    """Return the folder of the results of an experiment with silver labels.

    Args:
        out: output folder that the user named; None: next to the results of the encoder.
    """
    return experiment.sibling_folder(out, f"taught-{digest(experiment.identity)[:6]}")


def is_answered(prompted: PromptedExperiment, folder: Path, rates: Rates, size: int = 0) -> bool:
    """Return whether all answers of a language model are stored, so that its server is not needed.

    Args:
        prompted: the experiment; unknown shots count as not answered.
        folder: folder of the language model.
        size: number of examples to label for each draw; 0: none.

    Raises:
        FewshotError: when another process uses the folder, or a line of its files is damaged.
    """
    if not (folder / ANSWERS).exists():
        return False
    shots, test = prompted.experiment.shots, prompted.experiment.corpus.test
    with lock_results(folder) as path:
        known = {result.run for result in read_results(path)}
        answers = prompted.open_answers(folder, rates, 0.0)
        labelled: set[Hashable] = set()
        try:
            for cell in prompted.cells:
                labels = bool(size and cell.k)
                scored = run_id(prompted.identity, cell) in known
                if not shots.is_known(cell):
                    if labels or not scored:
                        return False
                    continue
                if labels:
                    draw = shots.training_key(cell)
                    labels = draw not in labelled
                    labelled.add(draw)
                wanted = [*(() if scored else test), *(_chosen(prompted, cell, size) if labels else ())]
                prompt = prompted.make_prompt(shots.for_cell(cell))
                for example in wanted:
                    annotate(prompt, example, answers.recall)
        except NotAnsweredError:
            return False
    return True


def _chosen(prompted: PromptedExperiment, cell: Cell, size: int) -> list[Example]:
    """Return the examples to label for a draw: a random choice from the pool without the shots.

    Examples of one shot set have the same order for every k and sampler, as shots do.
    """
    pool, shots = prompted.experiment.corpus.pool, {shot.id for shot in prompted.experiment.shots.for_cell(cell)}
    order = random.Random(cell.shot_set).sample(range(len(pool)), len(pool))
    chosen = [pool[index] for index in order if pool[index].id not in shots][:size]
    prompted.check_not_in_test(chosen)
    return chosen


def _surest(usable: Sequence[Reply]) -> Sequence[Reply]:
    """Return the replies to train on: the most confident ones if all have a confidence, see `KEPT_SHARE`."""
    pairs = [(reply.answers[-1].confidence, reply) for reply in usable]
    rated = [(confidence, reply) for confidence, reply in pairs if confidence is not None]
    if len(rated) < len(usable):
        return usable
    ordered = sorted(rated, key=lambda pair: -pair[0])
    return [reply for _, reply in ordered[: ceil(KEPT_SHARE * len(ordered))]]

"""A language model as a teacher: it labels examples of the pool, and the encoder learns from them beside the shots.

The shots of a draw stand in its prompt, as for the test set. An encoder that is trained on both was some ten points of
F1 better in low-resource NER (Findings of ACL 2026, 1431).
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path

from fewshot.corpora.types import Example
from fewshot.costs.prices import Rates
from fewshot.curves.results import RESULTS, locked_results, read_results
from fewshot.errors import FewshotError
from fewshot.experiments import plan_file
from fewshot.experiments.draws import training_key
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.language_model import PromptedExperiment, counts, replies_to, seconds
from fewshot.experiments.plan import Cell, digest, run_id
from fewshot.experiments.silver import Labelled, Silver
from fewshot.llm import Reply, annotate
from fewshot.llm.cache import ANSWERS, NotAnsweredError
from fewshot.progress import Progress, Report

KEPT = 0.75
"""Share of the usable answers that are trained on where the server says how sure the model is of each: the surest.

Errors should be among the least sure ones, and leaving out many more would leave little to learn; it was set
beforehand, by no score. Where the server does not say how sure the model is, all are kept.
"""


def check_size(experiment: Experiment, size: int) -> None:
    """Make sure that the pool has so many examples beside the shots of each draw.

    Raises:
        FewshotError: when it has not, or no cell has shots.
    """
    most = max(cell.k for cell in experiment.cells)
    left, kind = len(experiment.corpus.pool) - most, experiment.trainer.task.example.kind
    if not most:
        raise FewshotError(f"--silver {size}: there are no confirmed {kind} to show; ask for a k of 1 or more")
    if size > left:
        raise FewshotError(f"--silver {size}: beside {most} shots the pool has {left} {kind}; give that or fewer")


def label(
    asked: PromptedExperiment, size: int, folder: Path, rates: Rates, cap: float, report: Report | None, command: str
) -> Silver:
    """Have examples of the pool labelled for each draw; what the folder has is not asked again.

    Args:
        asked: the language model, and the experiment whose draws it is shown.
        size: examples for each draw, see `check_size`.
        folder: of the language model, which takes the answers.
        rates: prices.
        cap: most dollars that the answers in the folder may cost.
        report: told after every example.
        command: that repeats it, for ``plan.json``.

    Raises:
        FewshotError: see `fewshot.experiments.language_model.execute_prompted`.
    """
    labelled: dict[Cell, Labelled] = {}
    by_draw: dict[Hashable, Labelled] = {}
    draws = [cell for cell in asked.cells if cell.k]
    with locked_results(folder):
        plan_file.check(folder, asked.identity, read_results(folder / RESULTS))
        answers = asked.answers(folder, rates, cap)
        try:
            for number, cell in enumerate(draws):

                def tell(done: int, number: int = number, cell: Cell = cell) -> None:
                    if report:
                        doing = f"{asked.client.server.model} labels for {cell}"
                        report(Progress(number * size + done, len(draws) * size, doing))

                draw = training_key(cell, asked.experiment.shots.of(cell))
                if draw not in by_draw:
                    prompt = asked.prompt(asked.experiment.shots.of(cell))
                    replies = replies_to(asked, prompt, _chosen(asked, cell, size), answers, tell)
                    by_draw[draw] = _labelled(replies)
                labelled[cell] = by_draw[draw]
        finally:
            asked.note(folder, answers, command)
    made_from = {"teacher": digest(asked.identity), "kept": KEPT}
    return Silver(asked.client.server.model, asked.device, size, made_from, labelled)


def taught(asked: PromptedExperiment, silver: Silver) -> Experiment:
    """Return the experiment whose encoder learns from silver labels too."""
    return replace(asked.experiment, silver=silver)


def taught_folder(experiment: Experiment, out: Path | None) -> Path:
    """Return where the results of an experiment with silver labels are kept.

    Args:
        experiment: see `taught`.
        out: folder of the experiment, where the user has named one; None: beside that of the encoder.
    """
    return experiment.beside(out, f"taught-{digest(experiment.identity)[:6]}")


def is_answered(asked: PromptedExperiment, folder: Path, rates: Rates, size: int = 0) -> bool:
    """Return whether a language model need not be asked anything more, so that nobody has to start its server.

    Args:
        asked: what would be asked; shots that models have yet to choose are not known.
        folder: of the language model.
        rates: prices.
        size: examples that it labels for each draw; 0: none.

    Raises:
        FewshotError: when another process works in the folder, or one of its lines is damaged.
    """
    if not (folder / ANSWERS).exists():
        return False
    shots, test = asked.experiment.shots, asked.experiment.corpus.test
    with locked_results(folder) as path:
        known = {result.run for result in read_results(path)}
        answers = asked.answers(folder, rates, 0.0)
        labelled: set[Hashable] = set()
        try:
            for cell in asked.cells:
                labels = bool(size and cell.k)
                scored = run_id(asked.identity, cell) in known
                if not shots.known(cell):
                    if labels or not scored:
                        return False
                    continue
                if labels:
                    draw = training_key(cell, shots.of(cell))
                    labels = draw not in labelled
                    labelled.add(draw)
                wanted = [*(() if scored else test), *(_chosen(asked, cell, size) if labels else ())]
                prompt = asked.prompt(shots.of(cell))
                for example in wanted:
                    annotate(prompt, example, answers.recall)
        except NotAnsweredError:
            return False
    return True


def _chosen(asked: PromptedExperiment, cell: Cell, size: int) -> list[Example]:
    """Return the examples of the pool that are labelled for a draw: random ones beside its shots.

    Those of one shot set come in the same order for every k and sampler, as shots do.
    """
    pool, shots = asked.experiment.corpus.pool, {shot.id for shot in asked.experiment.shots.of(cell)}
    order = random.Random(cell.shot_set).sample(range(len(pool)), len(pool))
    chosen = [pool[place] for place in order if pool[place].id not in shots][:size]
    asked.check_apart(chosen)
    return chosen


def _labelled(replies: Sequence[Reply]) -> Labelled:
    kept = _surest([reply for reply in replies if reply.example is not None])
    took = {**counts(replies), "kept": len(kept)}
    return Labelled(tuple(reply.example for reply in kept), took, seconds(replies))


def _surest(usable: Sequence[Reply]) -> Sequence[Reply]:
    """Return the replies that are trained on, the surest first where all say how sure the model is, see `KEPT`."""
    sure = [(reply.answers[-1].confidence, reply) for reply in usable]
    said = [(confidence, reply) for confidence, reply in sure if confidence is not None]
    if len(said) < len(usable):
        return usable
    ordered = sorted(said, key=lambda one: -one[0])
    return [reply for _, reply in ordered[: ceil(KEPT * len(ordered))]]

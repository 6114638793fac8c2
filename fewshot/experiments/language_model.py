"""The learning curve of a language model with the shots in its prompt, without training."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fewshot import tasks
from fewshot.corpora.files import write_text
from fewshot.corpora.types import Example
from fewshot.corpora.ud import treebanks
from fewshot.costs.prices import REMOTE, Rates
from fewshot.curves.results import RESULTS, Result, append_result, lock_results, read_results
from fewshot.errors import FewshotError
from fewshot.evaluation.evaluate import score_predictions
from fewshot.experiments import plan_file
from fewshot.experiments.experiment import Experiment, ScoredCell
from fewshot.experiments.plan import ZERO_SHOT, Cell, digest, run_id
from fewshot.experiments.run import make_result
from fewshot.llm import AnswerCache, Client, LlmAnswer, Prompt, Reply, annotate_all
from fewshot.llm.cache import ANSWERS
from fewshot.progress import Progress, Report

METHOD, REGIME = "prompt", "in context"
"""Values in the results of language models where others have the method and regime of a recipe."""

FACTS_HEADING = "Language model"
"""Heading of the facts about a language model in a report."""

PROMPT_FILE = "prompt.txt"
"""File with the full prompt: the most shots and the question about the first test example."""


@dataclass(frozen=True)
class PromptedExperiment:
    """A language model and the experiment whose test set and shots it is prompted with.

    Args:
        experiment: experiment of the encoder; all its shots must be known, see `Shots.is_known`.
    """

    experiment: Experiment
    client: Client
    guidelines: str = ""
    at_once: int = 1

    @property
    def task(self) -> tasks.Task[Any]:
        """The task with the labels of the data only; labels of the encoder's source model are left out."""
        corpus = self.experiment.corpus
        return tasks.get(self.experiment.trainer.task.name).fitted([*corpus.pool, *corpus.test])

    @property
    def cells(self) -> list[Cell]:
        """Zero-shot and one cell for each shot set; there are no seeds, as nothing is trained."""
        return [ZERO_SHOT, *(cell for cell in self.experiment.cells if cell.k and cell.seed == 0)]

    @property
    def device(self) -> str:
        """The encoder's device if the server runs on this machine, else `REMOTE`."""
        return self.experiment.trainer.device.type if self.client.server.is_here else REMOTE

    @property
    def identity(self) -> dict[str, Any]:
        """Fingerprints of everything but the cell that decides a score."""
        server, trainer = self.client.server, self.experiment.trainer
        return {
            "task": self.task.name,
            "labels": list(self.task.labels),
            "lang": trainer.lang,
            "language model": server.model,
            "server": server.url,
            "prompt": self.make_prompt(()).fingerprint,
            "parameters": dict(self.client.parameters),
            "data": self.experiment.corpus.fingerprint,
        }

    @property
    def folder_name(self) -> str:
        """The name of the results folder, one for each identity."""
        return f"llm-{digest(self.identity)[:6]}"

    def folder(self, out: Path | None) -> Path:
        """Return the folder of the results.

        Args:
            out: output folder that the user named; None: next to the results of the encoder.
        """
        return self.experiment.sibling_folder(out, self.folder_name)

    def open_answers(self, folder: Path, rates: Rates, cap: float) -> AnswerCache:
        """Return the cache of answers in a folder that this process has locked."""

        def price(answer: LlmAnswer) -> float:
            tokens = answer.input_tokens, answer.output_tokens
            return rates.price_answers(self.client.server.model, self.device, *tokens, answer.seconds)

        return AnswerCache(folder / ANSWERS, self.client, price, cap)

    def write_plan(self, folder: Path, answers: AnswerCache, command: str) -> None:
        """Write ``plan.json`` with the facts about the language model."""
        plan_file.write(folder, self.identity, self.facts(answers), read_results(folder / RESULTS), command)

    def make_prompt(self, shots: Sequence[Example]) -> Prompt:
        """Return the prompt with some shots.

        Raises:
            FewshotError: when the test set contains the text of a shot.
        """
        self.check_not_in_test(shots)
        return Prompt(self.task, treebanks.language_name(self.experiment.trainer.lang), self.guidelines, shots)

    def check_not_in_test(self, examples: Sequence[Example]) -> None:
        """Check that the test set contains no text of some examples.

        Raises:
            FewshotError: with the place of the first such example.
        """
        test = {part for example in self.experiment.corpus.test for part in example.parts}
        if leaked := [example for example in examples if not test.isdisjoint(example.parts)]:
            raise FewshotError(f"{leaked[0].where or leaked[0].id}: this example is in the test set too; remove it")

    def facts(self, answers: AnswerCache) -> dict[str, dict[str, str]]:
        """Return the facts about the language model for a report."""
        server, trainer, corpus = self.client.server, self.experiment.trainer, self.experiment.corpus
        left_out = (
            f" (the server does not take {', '.join(sorted(self.client.refused))})" if self.client.refused else ""
        )
        drawn = [cell for cell in self.cells if cell.k]
        return {
            "Data": plan_file.describe_corpus(corpus, self.task.example.kind),
            FACTS_HEADING: {
                "language model": server.model,
                "version, as the server says": ", ".join(answers.versions) or "not asked yet",
                "server": f"{server.url} ({'this machine' if server.is_here else 'elsewhere'})",
                "parameters": ", ".join(f"{name} {value}" for name, value in self.client.parameters.items()) + left_out,
                "guidelines": f"{len(self.guidelines.split())} words" if self.guidelines else "none",
                "answers": f"{len(answers.known)}, ${answers.spent:.4f}",
            },
            "Plan": {
                "task": f"{self.task.title}, {self.task.metric}",
                "language": trainer.lang,
                "k": ", ".join(str(k) for k in sorted({cell.k for cell in drawn}) or [0]),
                "samplers": ", ".join(dict.fromkeys(cell.sampler for cell in drawn)) or "none",
            },
            "Machine": {"device": self.device, **plan_file.describe_software("fewshot", "httpx2")},
        }


def execute_prompted(
    prompted: PromptedExperiment,
    folder: Path,
    rates: Rates,
    cap: float,
    report: Report | None = None,
    command: str = "",
) -> list[Result]:
    """Score a language model on the test set with each shot set in its prompt; stored answers are reused.

    Args:
        folder: folder for ``results.jsonl``, ``answers.jsonl``, ``plan.json`` and ``prompt.txt``; created if missing.

    Returns:
        The results in the order of the cells.

    Raises:
        FewshotError: when the model has no price, the server does not answer, the cap is reached, or the folder cannot
            be written or holds other results. Answers and complete results stay stored.
    """
    rates.price_answers(prompted.client.server.model, prompted.device, 0, 0, 0.0)  # fails before anything is sent
    with lock_results(folder) as path:
        stored = read_results(path)
        plan_file.check(folder, prompted.identity, stored)
        answers = prompted.open_answers(folder, rates, cap)
        known = {result.run: result for result in stored}
        _check_shots(prompted, folder, known)
        largest = max(prompted.cells, key=lambda cell: cell.k)
        prompt = prompted.make_prompt(prompted.experiment.shots.for_cell(largest))
        messages = prompt.messages(prompted.experiment.corpus.test[0])
        write_text(folder / PROMPT_FILE, "\n".join(f"[{turn['role']}]\n{turn['content']}\n" for turn in messages))
        by_draw: dict[Hashable, Result] = {}
        try:
            for number, cell in enumerate(prompted.cells):
                run = run_id(prompted.identity, cell)
                draw = prompted.experiment.shots.training_key(cell)
                if run not in known:
                    if same := by_draw.get(draw):
                        known[run] = replace(same, run=run, shot_set=cell.shot_set, seconds=0.0)
                    else:
                        tell = _progress_of_cell(prompted, number, report)
                        known[run] = _result(prompted, cell, run, answers, rates, tell)
                    append_result(path, known[run])
                by_draw.setdefault(draw, known[run])
        finally:
            prompted.write_plan(folder, answers, command)
    return [known[run_id(prompted.identity, cell)] for cell in prompted.cells]


def _check_shots(prompted: PromptedExperiment, folder: Path, known: Mapping[str, Result]) -> None:
    """Raise an error if a stored result has other shots, such as those that another encoder chose."""
    for cell in prompted.cells:
        result = known.get(run_id(prompted.identity, cell))
        if result and set(result.shots) != {shot.id for shot in prompted.experiment.shots.for_cell(cell)}:
            raise FewshotError(
                f"{folder}: holds {cell} with other shots, chosen by another encoder; give another --out"
            )


def _result(
    prompted: PromptedExperiment,
    cell: Cell,
    run: str,
    answers: AnswerCache,
    rates: Rates,
    tell: Callable[[int], None],
) -> Result:
    test = prompted.experiment.corpus.test
    prompt = prompted.make_prompt(prompted.experiment.shots.for_cell(cell))
    replies = request_replies(prompted, prompt, test, answers, tell)
    predicted = [
        prompt.form.unanswered(example) if reply.example is None else reply.example
        for example, reply in zip(test, replies, strict=True)
    ]
    scored_cell = ScoredCell(score_predictions(prompted.task, test, predicted), sum_seconds(replies), ())
    return replace(
        make_result(prompted.experiment, cell, run, scored_cell, rates),
        method=METHOD,
        regime=REGIME,
        model=prompted.client.server.model,
        device=prompted.device,
        asked=count_usage(replies),
    )


def request_replies(
    prompted: PromptedExperiment,
    prompt: Prompt,
    examples: Sequence[Example],
    answers: AnswerCache,
    tell: Callable[[int], None],
) -> list[Reply]:
    """Return the replies of a language model to examples, several at once.

    Args:
        tell: called with the number of finished examples.
    """
    replies: list[Reply] = []
    coming = annotate_all(prompt, examples, answers.ask, prompted.at_once, prompted.client.stop)
    with closing(coming):  # while the folder is still locked
        for reply in coming:
            replies.append(reply)
            tell(len(replies))
    return replies


def count_usage(replies: Sequence[Reply]) -> dict[str, int]:
    """Return the usage that replies took, see `fewshot.curves.results.Result.asked`."""
    answers = [answer for reply in replies for answer in reply.answers]
    return {
        "answers": len(answers),
        "input_tokens": sum(answer.input_tokens for answer in answers),
        "output_tokens": sum(answer.output_tokens for answer in answers),
        "examples": len(replies),
        "refused": sum(reply.example is None for reply in replies),
    }


def sum_seconds(replies: Sequence[Reply]) -> float:
    """Return the total time of the answers in replies."""
    return sum(answer.seconds for reply in replies for answer in reply.answers)


def _progress_of_cell(prompted: PromptedExperiment, number: int, report: Report | None) -> Callable[[int], None]:
    """Return a function that reports the number of finished test examples of a cell."""
    size, cell = len(prompted.experiment.corpus.test), prompted.cells[number]
    doing = f"{prompted.client.server.model} {cell if cell.k else 'zero-shot'}"

    def tell(done: int) -> None:
        if report:
            report(Progress(number * size + done, len(prompted.cells) * size, doing))

    return tell

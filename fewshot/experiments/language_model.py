"""The curve of a language model: the shots stand in its prompt, and nothing is trained."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fewshot import tasks
from fewshot.corpora.files import write_text
from fewshot.corpora.types import Example
from fewshot.costs.prices import REMOTE, Rates
from fewshot.curves.results import RESULTS, Result, append_result, locked_results, read_results
from fewshot.errors import FewshotError
from fewshot.evaluation.evaluate import score_predictions
from fewshot.experiments import plan_file
from fewshot.experiments.draws import training_key
from fewshot.experiments.experiment import Experiment, Finding
from fewshot.experiments.plan import ZERO_SHOT, Cell, digest, run_id
from fewshot.experiments.run import result_of
from fewshot.llm import Answer, AnswerCache, Client, Prompt, Reply, annotate_all
from fewshot.llm.cache import ANSWERS
from fewshot.progress import Progress, Report

METHOD, REGIME = "prompt", "in context"
"""What results of language models have for those of a recipe."""

FACTS = "Language model"
"""The heading of what a report says of it."""

PROMPT = "prompt.txt"
"""In the folder of a run: the prompt in full, with the most shots and the question about the first test example."""


@dataclass(frozen=True)
class PromptedExperiment:
    """The test set and the shots of an experiment, for a language model.

    Args:
        experiment: whose shot sets are shown; those that models choose must be known, see `Shots.known`.
        client: of the language model.
        guidelines: that it is told; may be empty.
        at_once: questions under way.
    """

    experiment: Experiment
    client: Client
    guidelines: str = ""
    at_once: int = 1

    @property
    def task(self) -> tasks.Task[Any]:
        """The task, with the labels of the data alone: those of the encoder's source model are not meant here."""
        corpus = self.experiment.corpus
        return tasks.get(self.experiment.trainer.task.name).fitted([*corpus.pool, *corpus.test])

    @property
    def cells(self) -> list[Cell]:
        """Zero-shot, and one run for each shot set: nothing is trained, so that there are no seeds."""
        return [ZERO_SHOT, *(each for each in self.experiment.cells if each.k and each.seed == 0)]

    @property
    def device(self) -> str:
        """Where it computes: as the encoder where the server is on this machine, else `REMOTE`."""
        return self.experiment.trainer.device.type if self.client.server.is_here else REMOTE

    @property
    def identity(self) -> dict[str, Any]:
        """The fingerprints of all that decides a score, beside its cell."""
        server, trainer = self.client.server, self.experiment.trainer
        return {
            "task": self.task.name,
            "labels": list(self.task.labels),
            "lang": trainer.lang,
            "language model": server.model,
            "server": server.url,
            "prompt": self.prompt(()).fingerprint,
            "parameters": dict(self.client.parameters),
            "data": self.experiment.corpus.fingerprint,
        }

    @property
    def name(self) -> str:
        """Of its folder: one for each identity."""
        return f"llm-{digest(self.identity)[:6]}"

    def folder(self, out: Path | None) -> Path:
        """Return where its results are kept.

        Args:
            out: folder of the experiment, where the user has named one; None: beside that of the encoder.
        """
        return self.experiment.beside(out, self.name)

    def answers(self, folder: Path, rates: Rates, cap: float) -> AnswerCache:
        """Return the answers in its folder, which this process holds, and whoever gives those that are missing."""

        def price(answer: Answer) -> float:
            tokens = answer.input_tokens, answer.output_tokens
            return rates.asking(self.client.server.model, self.device, *tokens, answer.seconds)

        return AnswerCache(folder / ANSWERS, self.client, price, cap)

    def note(self, folder: Path, answers: AnswerCache, command: str) -> None:
        """Write ``plan.json``: what was asked of whom."""
        plan_file.write(folder, self.identity, self.facts(answers), read_results(folder / RESULTS), command)

    def prompt(self, shots: Sequence[Example]) -> Prompt:
        """Return what the model is told with some shots.

        Raises:
            FewshotError: when a text of a shot stands in the test set, whose annotation must not be told.
        """
        self.check_apart(shots)
        return Prompt(self.task, plan_file.language(self.experiment.trainer.lang), self.guidelines, shots)

    def check_apart(self, examples: Sequence[Example]) -> None:
        """Make sure that no text of some examples stands in the test set.

        Raises:
            FewshotError: with the place of the first that does.
        """
        test = {part for example in self.experiment.corpus.test for part in example.parts}
        if leaked := [example for example in examples if not test.isdisjoint(example.parts)]:
            raise FewshotError(f"{leaked[0].where or leaked[0].id}: this example is in the test set too; remove it")

    def facts(self, answers: AnswerCache) -> dict[str, dict[str, str]]:
        """Return what was asked of whom, for a report."""
        server, trainer, corpus = self.client.server, self.experiment.trainer, self.experiment.corpus
        left_out = (
            f" (the server does not take {', '.join(sorted(self.client.refused))})" if self.client.refused else ""
        )
        drawn = [each for each in self.cells if each.k]
        return {
            "Data": plan_file.of_corpus(corpus, self.task.example.kind),
            FACTS: {
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
                "k": ", ".join(str(k) for k in sorted({each.k for each in drawn}) or [0]),
                "samplers": ", ".join(dict.fromkeys(each.sampler for each in drawn)) or "none",
            },
            "Machine": {"device": self.device, **plan_file.of_software("fewshot", "httpx2")},
        }


def execute_prompted(
    asked: PromptedExperiment,
    folder: Path,
    rates: Rates,
    cap: float,
    report: Report | None = None,
    command: str = "",
) -> list[Result]:
    """Score a language model on the test set with each shot set in its prompt; what the folder has is not asked again.

    Args:
        asked: what is asked.
        folder: takes ``results.jsonl``, ``answers.jsonl``, ``plan.json`` and ``prompt.txt``; made if need be.
        rates: prices.
        cap: most dollars that the answers in the folder may cost.
        report: told after every test example.
        command: that repeats it, for ``plan.json``.

    Returns:
        The results in the order of the cells.

    Raises:
        FewshotError: when the model has no price, the server does not answer, the cap is reached, or the folder cannot
            be written or holds something else; what was answered is kept, and results of whole cells are.
    """
    rates.asking(asked.client.server.model, asked.device, 0, 0, 0.0)  # refused before anything is sent
    with locked_results(folder) as path:
        stored = read_results(path)
        plan_file.check(folder, asked.identity, stored)
        answers = asked.answers(folder, rates, cap)
        known = {result.run: result for result in stored}
        _check_shots(asked, folder, known)
        largest = max(asked.cells, key=lambda cell: cell.k)
        _write_prompt(asked.prompt(asked.experiment.shots.of(largest)), asked.experiment.corpus.test[0], folder)
        by_draw: dict[Hashable, Result] = {}
        try:
            for number, cell in enumerate(asked.cells):
                run = run_id(asked.identity, cell)
                draw = training_key(cell, asked.experiment.shots.of(cell))
                if run not in known:
                    if same := by_draw.get(draw):
                        known[run] = replace(same, run=run, shot_set=cell.shot_set, seconds=0.0)
                    else:
                        known[run] = _result(asked, cell, run, answers, rates, _telling(asked, number, report))
                    append_result(path, known[run])
                by_draw.setdefault(draw, known[run])
        finally:
            asked.note(folder, answers, command)
    return [known[run_id(asked.identity, cell)] for cell in asked.cells]


def _check_shots(asked: PromptedExperiment, folder: Path, known: Mapping[str, Result]) -> None:
    """Make sure that results are of the shots that are meant: another encoder chooses others."""
    for cell in asked.cells:
        result = known.get(run_id(asked.identity, cell))
        if result and set(result.shots) != {shot.id for shot in asked.experiment.shots.of(cell)}:
            raise FewshotError(
                f"{folder}: holds {cell} with other shots, which another encoder chose; give another --out"
            )


def _result(
    asked: PromptedExperiment,
    cell: Cell,
    run: str,
    answers: AnswerCache,
    rates: Rates,
    tell: Callable[[int], None],
) -> Result:
    test = asked.experiment.corpus.test
    prompt = asked.prompt(asked.experiment.shots.of(cell))
    replies = replies_to(asked, prompt, test, answers, tell)
    predicted = [
        prompt.form.nothing(example) if reply.example is None else reply.example
        for example, reply in zip(test, replies, strict=True)
    ]
    finding = Finding(score_predictions(asked.task, test, predicted), seconds(replies), ())
    return replace(
        result_of(asked.experiment, cell, run, finding, rates),
        method=METHOD,
        regime=REGIME,
        model=asked.client.server.model,
        device=asked.device,
        asked=counts(replies),
    )


def replies_to(
    asked: PromptedExperiment,
    prompt: Prompt,
    examples: Sequence[Example],
    answers: AnswerCache,
    tell: Callable[[int], None],
) -> list[Reply]:
    """Return what a language model makes of examples, several at once.

    Args:
        answers: of its folder.
        tell: called with the number of examples that are done.
    """
    replies: list[Reply] = []
    coming = annotate_all(prompt, examples, answers.ask, asked.at_once, asked.client.stop)
    with closing(coming):  # before the folder is let go of
        for reply in coming:
            replies.append(reply)
            tell(len(replies))
    return replies


def counts(replies: Sequence[Reply]) -> dict[str, int]:
    """Return what replies took, see `fewshot.curves.results.Result.asked`."""
    given = [answer for reply in replies for answer in reply.answers]
    return {
        "answers": len(given),
        "input_tokens": sum(answer.input_tokens for answer in given),
        "output_tokens": sum(answer.output_tokens for answer in given),
        "examples": len(replies),
        "refused": sum(reply.example is None for reply in replies),
    }


def seconds(replies: Sequence[Reply]) -> float:
    """Return how long the answers of replies took."""
    return sum(answer.seconds for reply in replies for answer in reply.answers)


def _telling(asked: PromptedExperiment, number: int, report: Report | None) -> Callable[[int], None]:
    """Return what is told how many test examples of a cell are done."""
    size, cell = len(asked.experiment.corpus.test), asked.cells[number]
    doing = f"{asked.client.server.model} {cell if cell.k else 'zero-shot'}"

    def tell(done: int) -> None:
        if report:
            report(Progress(number * size + done, len(asked.cells) * size, doing))

    return tell


def _write_prompt(prompt: Prompt, example: Example, folder: Path) -> None:
    turns = [f"[{turn['role']}]\n{turn['content']}\n" for turn in prompt.messages(example)]
    write_text(folder / PROMPT, "\n".join(turns))

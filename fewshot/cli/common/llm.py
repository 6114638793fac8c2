"""The language model of ``fewshot run --llm``: its options, its key, and its results."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from fewshot.cli.common.base import command_line
from fewshot.cli.common.progress import progress_bar
from fewshot.errors import FewshotError
from fewshot.options import LlmOptions

if TYPE_CHECKING:
    from fewshot.costs.prices import Rates
    from fewshot.curves.points import Curve
    from fewshot.curves.results import Result
    from fewshot.experiments.executors.base import Workers
    from fewshot.experiments.experiment import Experiment
    from fewshot.experiments.language_model import PromptedExperiment
    from fewshot.llm import Client
    from fewshot.reports.page import Section

TITLE = (f"{'LLM':6}", "bold")
"""Start of its lines on the screen."""


def check_cap(cap: float) -> float:
    """Return the maximum cost of answers.

    Raises:
        FewshotError: for ``nan``.
    """
    if isnan(cap):
        raise FewshotError("--llm-cap nan is not an amount; give dollars")
    return cap


@dataclass(frozen=True, slots=True)
class LinkedResults:
    """Results of a language model or a silver-trained encoder, shown in the report of another folder.

    Args:
        group: unique name of their curves.
        prompt: the full prompt; empty if the folder has none.
    """

    group: str
    results: Sequence[Result]
    prompt: str
    facts: Mapping[str, Mapping[str, str]]

    @classmethod
    def read_all(cls, folder: Path) -> list[LinkedResults]:
        """Return the linked results of a run folder, in the order in which they were added."""
        from fewshot.curves.results import RESULTS, read_results
        from fewshot.experiments import plan_file
        from fewshot.experiments.language_model import FACTS_HEADING, PROMPT_FILE

        by_folder = {
            path: results for path in plan_file.linked_folders(folder) if (results := read_results(path / RESULTS))
        }
        names = {
            path: f"{Path(results[0].model).name} {results[0].taught_by}".strip() for path, results in by_folder.items()
        }
        counts = Counter(names.values())
        linked = []
        for path, results in by_folder.items():
            facts, prompt = plan_file.read(path).get("facts", {}), path / PROMPT_FILE
            group = names[path] if counts[names[path]] == 1 else f"{names[path]} ({path.name})"
            text = prompt.read_text(encoding="utf-8") if prompt.exists() else ""
            own = {f"{FACTS_HEADING}, {group}": facts[FACTS_HEADING]} if FACTS_HEADING in facts else {}
            linked.append(cls(group, results, text, own))
        return linked

    def curves(self, rates: Rates, bill_test: bool) -> list[Curve]:
        """Return the curves of the results."""
        from fewshot.curves.points import curves

        return curves(self.results, rates, bill_test, self.group)

    def section(self, curves: Sequence[Curve], rates: Rates, kind: str) -> Section:
        """Return the section of a report about the results."""
        from fewshot.reports import language_models
        from fewshot.training.presets import SILVER_WEIGHT

        if self.results[0].teacher:
            return language_models.make_silver_section(self.results, self.group, curves, rates, kind, SILVER_WEIGHT)
        return language_models.make_section(self.results, self.group, curves, rates, kind, self.prompt)


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The language model of a run.

    Args:
        silver: number of pool examples to label for each draw; 0: none.
    """

    client: Client = field(repr=False)
    cap: float
    guidelines: str
    at_once: int
    silver: int = 0

    @classmethod
    def from_options(cls, options: LlmOptions, rates: Rates) -> LanguageModel | None:
        """Return the language model that options name, or None; sends no request.

        Raises:
            FewshotError: for an invalid address or cap, unreadable guidelines, a remote model without a token price,
                silver labels without a language model, or a missing library.
        """
        if options.llm is None:
            if options.silver:
                raise FewshotError(
                    f"--silver {options.silver}: silver labels need a language model; add --llm MODEL, or leave it out"
                )
            return None
        from fewshot.costs.prices import REMOTE
        from fewshot.llm import Client, Server
        from fewshot.llm.server import key_of

        server = Server(options.llm_url, options.llm, key_of(options.llm_url, os.environ))
        if not server.is_here:
            rates.price_answers(options.llm, REMOTE, 0, 0, 0.0)
        cap = check_cap(options.llm_cap)
        guidelines = _read_guidelines(options.llm_guidelines) if options.llm_guidelines else ""
        client = Client(server, options.llm_timeout, options.llm_tokens, confidences=bool(options.silver))
        return cls(client, cap, guidelines, options.llm_jobs, options.silver or 0)

    def _prompted(self, experiment: Experiment) -> PromptedExperiment:
        from fewshot.experiments.language_model import PromptedExperiment

        return PromptedExperiment(experiment, self.client, self.guidelines, self.at_once)

    def announce(self, experiment: Experiment, out: Path | None, rates: Rates, screen: Console) -> None:
        """Print what will be sent where and the maximum cost, then check that the server answers.

        Raises:
            FewshotError: when the server does not answer and answers are missing, or the pool is too small.
        """
        from fewshot.experiments import teacher

        test, kind = experiment.corpus.test, experiment.trainer.task.example.kind
        most = max(cell.k for cell in experiment.cells)
        if self.silver:
            teacher.check_size(experiment, self.silver)
        more = f", {self.silver} of the pool for each draw" if self.silver else ""
        what = f"{len(test)} test {kind}{more}, and up to {most} annotated ones at once,"
        notice = f"{self.client.server.notice(what)}; at most ${self.cap:g} (--llm-cap)"
        screen.print(Text.assemble(TITLE, notice), soft_wrap=True)
        prompted = self._prompted(experiment)
        if not teacher.is_answered(prompted, prompted.folder(out), rates, self.silver):
            self.client.reach()

    def ask(
        self, experiment: Experiment, folder: Path, out: Path | None, rates: Rates, workers: Workers, screen: Console
    ) -> FewshotError | KeyboardInterrupt | None:
        """Request all missing answers, train on silver labels, and link the results to the experiment's.

        Returns:
            The error or interrupt that stopped the work, or None.
        """
        from fewshot.experiments import teacher
        from fewshot.experiments.language_model import execute_prompted
        from fewshot.experiments.run import execute

        prompted = self._prompted(experiment)
        answers = prompted.folder(out)
        try:
            with progress_bar(screen, "asking") as report, _linking(folder, answers, screen):
                execute_prompted(prompted, answers, rates, self.cap, report, command_line())
            if self.silver:
                with progress_bar(screen, "asking for silver labels") as report:
                    silver = teacher.label_pool(prompted, self.silver, answers, rates, self.cap, report, command_line())
                taught = teacher.with_silver(prompted, silver)
                taught_folder = teacher.silver_folder(taught, out)
                with progress_bar(screen, "loading") as report, _linking(folder, taught_folder, screen):
                    execute(taught, taught_folder, rates, report, command=command_line(), workers=workers)
        except (FewshotError, KeyboardInterrupt) as error:
            return error
        finally:
            self.client.close()
        return None


@contextmanager
def _linking(folder: Path, linked: Path, screen: Console) -> Iterator[None]:
    """Link the results in another folder to a run folder, even after an error."""
    from fewshot.curves.results import RESULTS
    from fewshot.experiments import plan_file

    try:
        yield
    finally:
        if (linked / RESULTS).exists():
            plan_file.link_folder(folder, linked)
        screen.print(Text.assemble(TITLE, str(linked)), soft_wrap=True)


def _read_guidelines(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FewshotError(f"{path}: cannot be read as UTF-8 text ({error}); correct --llm-guidelines") from None

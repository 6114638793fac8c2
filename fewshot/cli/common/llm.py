"""The language model of ``fewshot run --llm``: its options, where its key comes from, and what it is asked."""

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

from fewshot.cli.common.base import progress_bar, typed
from fewshot.errors import FewshotError
from fewshot.options import Llm

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
"""What its lines on the screen begin with."""


def dollars(cap: float) -> float:
    """Return the bound of what answers may cost; what is no number is no bound.

    Raises:
        FewshotError: for ``nan``.
    """
    if isnan(cap):
        raise FewshotError("--llm-cap nan is no amount; give dollars")
    return cap


@dataclass(frozen=True, slots=True)
class Beside:
    """Results that a report shows beside those of its own folder: of a language model, or of an encoder that it taught.

    Args:
        group: what their curves are named by, no two alike.
        results: at least one.
        prompt: in full; empty where the folder has none.
        facts: what was asked of whom, by heading and name.
    """

    group: str
    results: Sequence[Result]
    prompt: str
    facts: Mapping[str, Mapping[str, str]]

    @classmethod
    def all_of(cls, folder: Path) -> list[Beside]:
        """Return those of a run folder, in the order in which they came to it."""
        from fewshot.curves.results import RESULTS, read_results
        from fewshot.experiments import plan_file
        from fewshot.experiments.language_model import FACTS_HEADING, PROMPT_FILE

        known = {
            place: results for place in plan_file.linked_folders(folder) if (results := read_results(place / RESULTS))
        }
        names = {
            place: f"{Path(results[0].model).name} {results[0].taught_by}".strip() for place, results in known.items()
        }
        often = Counter(names.values())
        found = []
        for place, results in known.items():
            facts, prompt = plan_file.read(place).get("facts", {}), place / PROMPT_FILE
            group = names[place] if often[names[place]] == 1 else f"{names[place]} ({place.name})"
            text = prompt.read_text(encoding="utf-8") if prompt.exists() else ""
            about = {f"{FACTS_HEADING}, {group}": facts[FACTS_HEADING]} if FACTS_HEADING in facts else {}
            found.append(cls(group, results, text, about))
        return found

    def curves(self, rates: Rates, bill_test: bool) -> list[Curve]:
        """Return its curves."""
        from fewshot.curves.points import curves

        return curves(self.results, rates, bill_test, self.group)

    def section(self, curves: Sequence[Curve], rates: Rates, kind: str) -> Section:
        """Return what a report says of it beside its curves.

        Args:
            curves: of all that stands beside each other.
            rates: prices.
            kind: what people call the examples.
        """
        from fewshot.reports import language_models
        from fewshot.training.presets import SILVER_WEIGHT

        if self.results[0].teacher:
            return language_models.make_silver_section(self.results, self.group, curves, rates, kind, SILVER_WEIGHT)
        return language_models.make_section(self.results, self.group, curves, rates, kind, self.prompt)


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The language model that options name.

    Args:
        client: of its server.
        cap: dollars.
        guidelines: that it is told.
        at_once: questions under way.
        silver: examples of the pool that it labels for each draw; 0: none.
    """

    client: Client = field(repr=False)
    cap: float
    guidelines: str
    at_once: int
    silver: int = 0

    @classmethod
    def of(cls, options: Llm, rates: Rates) -> LanguageModel | None:
        """Return the language model that options name, None where they name none; nothing is sent yet.

        Raises:
            FewshotError: when the address is none, the guidelines cannot be read, tokens that another machine would be
                paid for have no price, a bound is no number, silver labels have nobody who gives them, or a library is
                missing.
        """
        if options.llm is None:
            if options.silver:
                raise FewshotError(
                    f"--silver {options.silver}: a language model gives these labels; add --llm MODEL, or leave it out"
                )
            return None
        from fewshot.costs.prices import REMOTE
        from fewshot.llm import Client, Server
        from fewshot.llm.server import key_of

        server = Server(options.llm_url, options.llm, key_of(options.llm_url, os.environ))
        if not server.is_here:
            rates.price_answers(options.llm, REMOTE, 0, 0, 0.0)
        cap, guidelines = dollars(options.llm_cap), _text(options.llm_guidelines) if options.llm_guidelines else ""
        client = Client(server, options.llm_timeout, options.llm_tokens, confidences=bool(options.silver))
        return cls(client, cap, guidelines, options.llm_jobs, options.silver or 0)

    def _asked(self, experiment: Experiment) -> PromptedExperiment:
        from fewshot.experiments.language_model import PromptedExperiment

        return PromptedExperiment(experiment, self.client, self.guidelines, self.at_once)

    def announce(self, experiment: Experiment, out: Path | None, rates: Rates, screen: Console) -> None:
        """Say what is sent where, and what it may cost, before it is sent, and make sure that the server is there.

        Args:
            experiment: whose test set it is asked about.
            out: folder that the user has named, if any.
            rates: prices.

        Raises:
            FewshotError: when it is not, and has not answered everything already; when the pool is too small.
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
        asked = self._asked(experiment)
        if not teacher.is_answered(asked, asked.folder(out), rates, self.silver):
            self.client.reach()

    def ask(
        self, experiment: Experiment, folder: Path, out: Path | None, rates: Rates, workers: Workers, screen: Console
    ) -> FewshotError | KeyboardInterrupt | None:
        """Ask all that was not asked before, and train on silver labels; the results belong beside the experiment's.

        Args:
            experiment: carried out.
            folder: of its results.
            out: folder that the user has named, if any.
            rates: prices.
            workers: who trains.

        Returns:
            What kept it from going on, Ctrl-C too; None where all is done.
        """
        from fewshot.experiments import teacher
        from fewshot.experiments.language_model import execute_prompted
        from fewshot.experiments.run import execute

        asked = self._asked(experiment)
        answered = asked.folder(out)
        try:
            with progress_bar(screen, "asking") as report, _belonging(folder, answered, screen):
                execute_prompted(asked, answered, rates, self.cap, report, typed())
            if self.silver:
                with progress_bar(screen, "asking for silver labels") as report:
                    silver = teacher.label_pool(asked, self.silver, answered, rates, self.cap, report, typed())
                taught = teacher.with_silver(asked, silver)
                place = teacher.silver_folder(taught, out)
                with progress_bar(screen, "loading") as report, _belonging(folder, place, screen):
                    execute(taught, place, rates, report, command=typed(), workers=workers)
        except (FewshotError, KeyboardInterrupt) as error:
            return error
        finally:
            self.client.close()
        return None


@contextmanager
def _belonging(folder: Path, other: Path, screen: Console) -> Iterator[None]:
    """Note that whatever results another folder gets belong beside those of a run folder."""
    from fewshot.curves.results import RESULTS
    from fewshot.experiments import plan_file

    try:
        yield
    finally:
        if (other / RESULTS).exists():
            plan_file.link_folder(folder, other)
        screen.print(Text.assemble(TITLE, str(other)), soft_wrap=True)


def _text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        FewshotError: when it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FewshotError(f"{path}: no text in UTF-8 that can be read ({error}); mend --llm-guidelines") from None

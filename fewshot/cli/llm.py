"""The language model of ``fewshot run --llm``: its options, where its key comes from, and what it is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from fewshot.cli.base import progress_bar, typed
from fewshot.errors import FewshotError

if TYPE_CHECKING:
    from fewshot.costs.prices import Rates
    from fewshot.curves.points import Curve
    from fewshot.curves.results import Result
    from fewshot.experiments.experiment import Experiment
    from fewshot.llm import Client
    from fewshot.reports.page import Section

TITLE = (f"{'LLM':6}", "bold")
"""What its lines on the screen begin with."""

LlmName = Annotated[
    str | None, typer.Option("--llm", help="A language model as a further curve: the k examples are in its prompt.")
]
LlmUrl = Annotated[
    str,
    typer.Option(
        "--llm-url", help="Its server, OpenAI-compatible; a key is read from FEWSHOT_LLM_KEY in the environment."
    ),
]
LlmCap = Annotated[float, typer.Option("--llm-cap", min=0, help="Most dollars that its answers may cost, in all.")]
LlmGuidelines = Annotated[Path | None, typer.Option("--llm-guidelines", help="A text file that it is told too.")]
LlmTimeout = Annotated[float, typer.Option("--llm-timeout", min=0.1, help="Seconds that an answer may take.")]
LlmJobs = Annotated[int, typer.Option("--llm-jobs", min=1, help="Questions at once.")]
LlmTokens = Annotated[int, typer.Option("--llm-tokens", min=1, help="Most tokens of an answer, thoughts included.")]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of asking a language model.

    Args:
        model: its name, without a path or an owner before it, as curves have it.
        results: of the conditions that are whole.
        prompt: in full.
        facts: what was asked of whom, by heading and name.
        stopped: what kept it from going on, Ctrl-C too; None where it is done.
    """

    model: str
    results: Sequence[Result]
    prompt: str
    facts: Mapping[str, Mapping[str, str]]
    stopped: FewshotError | KeyboardInterrupt | None

    def curves(self, rates: Rates, bill_test: bool) -> list[Curve]:
        """Return its curves, none where no condition is whole."""
        from fewshot.curves.points import curves

        return curves(self.results, rates, bill_test, self.model) if self.results else []

    def lines(self, curves: Sequence[Curve], rates: Rates, kind: str) -> list[str]:
        """Return what the terminal says of it."""
        return [line for section in self.sections(curves, rates, kind) for line in section.lines]

    def sections(self, curves: Sequence[Curve], rates: Rates, kind: str) -> list[Section]:
        """Return what a report says of it beside its curves."""
        from fewshot.reports import language_models

        return [language_models.section(self.results, curves, rates, kind, self.prompt)] if self.results else []


NOT_ASKED = Outcome("", (), "", {}, None)


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The language model that options name.

    Args:
        client: of its server.
        cap: dollars.
        guidelines: that it is told.
        at_once: questions under way.
    """

    client: Client = field(repr=False)
    cap: float
    guidelines: str
    at_once: int

    @classmethod
    def of(
        cls,
        model: str,
        url: str,
        cap: float,
        guidelines: Path | None,
        timeout: float,
        tokens: int,
        at_once: int,
        rates: Rates,
    ) -> LanguageModel:
        """Return the language model that options name; nothing is sent yet.

        Raises:
            FewshotError: when the address is none, the guidelines cannot be read, tokens that another machine would be
                paid for have no price, or a library is missing.
        """
        from fewshot.costs.prices import REMOTE
        from fewshot.llm import Client, Server
        from fewshot.llm.server import key_of

        server = Server(url, model, key_of(url, os.environ))
        if not server.is_here:
            rates.asking(model, REMOTE, 0, 0, 0.0)
        return cls(Client(server, timeout, tokens), cap, _text(guidelines) if guidelines else "", at_once)

    def announce(self, experiment: Experiment, screen: Console) -> None:
        """Say what is sent where, and what it may cost, before it is sent, and make sure that the server is there.

        Raises:
            FewshotError: when it is not.
        """
        test, kind = experiment.corpus.test, experiment.trainer.task.example.kind
        most = max(condition.k for condition in experiment.conditions)
        what = f"{len(test)} test {kind}, and up to {most} annotated ones at once,"
        notice = f"{self.client.server.notice(what)}; at most ${self.cap:g} (--llm-cap)"
        screen.print(Text.assemble(TITLE, notice), soft_wrap=True)
        self.client.reach()

    def ask(self, experiment: Experiment, out: Path | None, rates: Rates, screen: Console) -> Outcome:
        """Ask all that was not asked before; an error ends it, and is handed back with what was found until then.

        Args:
            experiment: carried out.
            out: folder that the user has named, if any.
        """
        from fewshot.curves.results import RESULTS, read_results
        from fewshot.experiments import plan_file
        from fewshot.experiments.language_model import FACTS, PROMPT, PromptedExperiment, execute_prompted

        asked = PromptedExperiment(experiment, self.client, self.guidelines, self.at_once)
        folder, stopped = asked.folder(out), None
        try:
            with progress_bar(screen, "asking") as report:
                execute_prompted(asked, folder, rates, self.cap, report, typed())
        except (FewshotError, KeyboardInterrupt) as error:
            stopped = error
        finally:
            self.client.close()
        screen.print(Text.assemble(TITLE, str(folder)), soft_wrap=True)
        prompt = folder / PROMPT
        return Outcome(
            Path(self.client.server.model).name,
            read_results(folder / RESULTS),
            prompt.read_text(encoding="utf-8") if prompt.exists() else "",
            {FACTS: plan_file.read(folder).get("facts", {}).get(FACTS, {})},
            stopped,
        )


def _text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        FewshotError: when it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FewshotError(f"{path}: no text in UTF-8 that can be read ({error}); mend --llm-guidelines") from None

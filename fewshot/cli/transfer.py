"""``fewshot transfer``: what to expect of a language that nobody has annotated."""

from __future__ import annotations

from typing import Annotated

import typer

from fewshot.cli.common.base import TaskName, app, command, console
from fewshot.cli.common.reporting import ScoresFile, SourceLanguage


@command(app)
def transfer(
    lang: Annotated[str, typer.Option(help="Target language, e.g. ja; of a code that there is.", show_default=False)],
    task: TaskName = "pos",
    model: Annotated[str, typer.Option(help="mbert, xlm-r, mini, or an encoder of --scores.")] = "mbert",
    scores: ScoresFile = None,
    source: SourceLanguage = "en",
) -> None:
    """Predict what a language will score that nobody has annotated, and what k sentences will bring."""
    from fewshot import tasks
    from fewshot.reports.page import render_table
    from fewshot.transfer.prediction import notes, predict, table
    from fewshot.transfer.scores import load

    screen = console()
    prediction = predict(load(scores), lang, tasks.get(task).name, model, source)
    screen.print(render_table(table(prediction, lang)))
    for line in notes(prediction, lang):
        screen.print(line, soft_wrap=True)

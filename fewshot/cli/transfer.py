"""``fewshot transfer``: predict the scores of a language without annotated data."""

from __future__ import annotations

from typing import Annotated

import typer

from fewshot.cli.common.base import TaskName, app, command, console
from fewshot.cli.common.reporting import ScoresFile, SourceLanguage, print_table


@command(app, example="fewshot transfer --lang sw --task ner")
def transfer(
    lang: Annotated[str, typer.Option(help="Target language, e.g. ja; an existing code.", show_default=False)],
    task: TaskName = "pos",
    model: Annotated[str, typer.Option(help="Encoder: mbert, xlm-r, mini, or one of --scores.")] = "mbert",
    scores: ScoresFile = None,
    source: SourceLanguage = "en",
) -> None:
    """Predict the zero-shot score of a language without annotated data, and the gain of k sentences."""
    from fewshot import tasks
    from fewshot.transfer.prediction import notes, predict, table
    from fewshot.transfer.scores import load

    screen = console()
    prediction = predict(load(scores), lang, tasks.get(task).name, model, source)
    print_table(screen, table(prediction, lang))
    for line in notes(prediction, lang):
        screen.print(line, soft_wrap=True)

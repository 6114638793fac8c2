"""``fewshot adapt-encoder``: an encoder that has read raw text of a language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from fewshot.cli.common.base import FROM_CHECKPOINT, Device, Lang, app, command, console, given, progress_bar
from fewshot.errors import FewshotError

if TYPE_CHECKING:
    from fewshot.pretraining.continuing import AdaptResult


@command(app, stopped=FROM_CHECKPOINT)
def adapt_encoder(  # noqa: PLR0913
    encoder: Annotated[str, typer.Argument(help="mini, a hub id such as xlm-roberta-base, or a folder.")],
    text: Annotated[Path, typer.Option(help="Raw text of the language, a sentence or a paragraph a line.")],
    lang: Lang,
    out: Annotated[Path, typer.Option(help="Folder of the adapted encoder.")],
    also: Annotated[
        Path | None,
        typer.Option(help="Other text, such as English: a quarter of what is read, so that less is forgotten."),
    ] = None,
    new_pieces: Annotated[
        int, typer.Option(min=0, help="Pieces that the tokenizer gets for what it cuts too finely, at most.")
    ] = 0,
    romanize: Annotated[
        bool, typer.Option("--romanize", help="Read the script of the text in Latin letters, as uroman writes them.")
    ] = False,
    train: Annotated[
        str, typer.Option(help="What is trained: adapters (merged in the end), embeddings or all.")
    ] = "adapters",
    minutes: Annotated[float | None, typer.Option(help="Of training.", show_default="30")] = None,
    updates: Annotated[int | None, typer.Option(help="Of training, instead of minutes.", show_default="none")] = None,
    batch: Annotated[int, typer.Option(min=1, help="Sentences an update.")] = 32,
    lr: Annotated[float | None, typer.Option(help="Peak learning rate.", show_default="by --train")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of data, masks and adapters.")] = 0,
    device: Device = "auto",
) -> None:
    """Let an encoder read raw text of a language before anything is trained on it: masked language modelling."""
    from fewshot.encoders.load import load_encoder
    from fewshot.pretraining.adapting import RawText, adapt
    from fewshot.pretraining.continuing import Continuation
    from fewshot.training.adapt import resolve_device

    if minutes is not None and updates is not None:
        raise FewshotError("--minutes and --updates both say when the training ends; give one of them")
    ends = {"minutes": 0.0, "updates": updates} if updates is not None else given(minutes=minutes)
    how = Continuation(train=train, batch=batch, seed=seed, lr=lr, **ends)
    screen = console()
    with progress_bar(screen, "loading the encoder") as report:
        result = adapt(
            load_encoder(encoder),
            RawText(text, lang, also),
            new_pieces,
            romanize,
            how,
            out,
            resolve_device(device),
            report,
            lambda line: screen.print(f"warning: {line}", soft_wrap=True),
        )
    if result is None:
        screen.print(f"finished already: {out}", soft_wrap=True)
        return
    screen.print(_table(result))
    if new_pieces:
        screen.print(f"new pieces: {result.new_pieces:,}")
    screen.print(f"updates: {result.updates:,}; pieces read: {result.pieces:,}, the text {result.passes:g} times")
    screen.print(f"saved: {out}", soft_wrap=True)


def _table(result: AdaptResult) -> Table:
    """Return one row a text."""
    table = Table(box=None, pad_edge=False)
    table.add_column("held out")
    for title in ("sentences", "perplexity of hidden pieces before", "after"):
        table.add_column(title, justify="right")
    for name, after in result.after.items():
        before = result.before[name]
        table.add_row(name, str(after.sentences), f"{before.perplexity:.1f}", f"{after.perplexity:.1f}")
    return table

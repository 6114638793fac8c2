"""``fewshot adapt-encoder``: continue the pretraining of an encoder on raw text of a language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from fewshot.cli.common.base import CHECKPOINT_HINT, Device, Lang, app, command, console, drop_unset
from fewshot.cli.common.progress import progress_bar
from fewshot.cli.common.reporting import held_out_table
from fewshot.errors import FewshotError
from fewshot.options import TRAINING

if TYPE_CHECKING:
    from fewshot.pretraining.continuing import AdaptResult


@command(
    app,
    example="fewshot adapt-encoder mini --text my_text.txt --lang wo --out mini-wo",
    panels={TRAINING: "also new_pieces romanize train updates batch lr seed"},
    stopped=CHECKPOINT_HINT,
)
def adapt_encoder(  # noqa: PLR0913
    encoder: Annotated[str, typer.Argument(help="Encoder: mini, a hub id such as xlm-roberta-base, or a folder.")],
    text: Annotated[Path, typer.Option(help="Raw text of the language, one sentence or paragraph per line.")],
    lang: Lang,
    out: Annotated[Path, typer.Option(help="Folder of the adapted encoder.")],
    also: Annotated[
        Path | None,
        typer.Option(help="Other text, such as English, for a quarter of the training, against forgetting."),
    ] = None,
    new_pieces: Annotated[
        int, typer.Option(min=0, help="Maximum number of new pieces for words that the tokenizer splits too finely.")
    ] = 0,
    romanize: Annotated[
        bool, typer.Option("--romanize", help="Convert the text to Latin script with uroman's rules.")
    ] = False,
    train: Annotated[
        str, typer.Option(help="Weights to train: adapters (merged at the end), embeddings or all.")
    ] = "adapters",
    minutes: Annotated[float | None, typer.Option(help="Minutes of training.", show_default="30")] = None,
    updates: Annotated[
        int | None, typer.Option(help="Number of updates, instead of minutes.", show_default="none")
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="Sentences per update.")] = 32,
    lr: Annotated[float | None, typer.Option(help="Peak learning rate.", show_default="by --train")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of data, masks and adapters.")] = 0,
    device: Device = "auto",
) -> None:
    """Adapt an encoder to a language by masked language modelling on raw text, before any other training."""
    from fewshot.encoders.load import load_encoder
    from fewshot.pretraining.adapting import RawText, adapt
    from fewshot.pretraining.continuing import Continuation
    from fewshot.training.adapt import resolve_device

    if minutes is not None and updates is not None:
        raise FewshotError("--minutes and --updates both set the end of the training; give one of them")
    ends = {"minutes": 0.0, "updates": updates} if updates is not None else drop_unset(minutes=minutes)
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
    rows = [
        (name, str(after.sentences), f"{result.before[name].perplexity:.1f}", f"{after.perplexity:.1f}")
        for name, after in result.after.items()
    ]
    return held_out_table(("sentences", "perplexity of hidden pieces before", "after"), rows)

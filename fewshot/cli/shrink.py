"""``fewshot shrink``: make a small, fast encoder from a larger one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from fewshot.cli.common.base import CHECKPOINT_HINT, Device, app, command, console
from fewshot.cli.common.progress import progress_bar
from fewshot.cli.common.reporting import held_out_table
from fewshot.options import TRAINING

if TYPE_CHECKING:
    from fewshot.shrinking.shrink import ShrinkResult

Bits = Annotated[int, typer.Option(help="Bits of the layers' weights on disk: 4, 8 or 16.")]


@command(
    app,
    example="fewshot shrink xlm-roberta-base small --layers 6 --pieces 60000",
    panels={TRAINING: "updates batch lr frozen average_with seed"},
    stopped=CHECKPOINT_HINT,
)
def shrink(  # noqa: PLR0913
    encoder: Annotated[str, typer.Argument(help="A hub id such as xlm-roberta-base, or a folder.")],
    out: Annotated[Path, typer.Argument(help="Folder of the small encoder.")],
    layers: Annotated[int, typer.Option(help="Number of lowest layers to keep.", show_default="all")] = 0,
    pieces: Annotated[int, typer.Option(help="Number of vocabulary pieces to keep.", show_default="all")] = 0,
    corpus: Annotated[
        Path | None,
        typer.Option(help="Folder with mono/ and parallel/ texts for distillation.", show_default="no distillation"),
    ] = None,
    by_corpus: Annotated[
        bool, typer.Option("--by-corpus", help="Keep the most frequent pieces of the corpus.")
    ] = False,
    updates: Annotated[int, typer.Option(help="Number of updates in distillation.")] = 10_000,
    batch: Annotated[int, typer.Option(help="Sentences per update.")] = 64,
    lr: Annotated[float, typer.Option(help="Peak learning rate of distillation.")] = 5e-4,
    frozen: Annotated[
        int, typer.Option(help="Number of lowest layers that distillation leaves as they are.", min=0)
    ] = 0,
    average_with: Annotated[
        str | None,
        typer.Option(help="An encoder with the same layers: begin with the mean of both.", show_default="none"),
    ] = None,
    bits: Bits = 8,
    embedding_bits: Annotated[int, typer.Option(help="Bits of the embeddings on disk: 4, 8 or 16.")] = 4,
    seed: Annotated[int, typer.Option(help="Seed of data and draws.")] = 0,
    device: Device = "auto",
) -> None:
    """Make a small, fast encoder from a larger one: fewer layers, pieces and bits, then distillation."""
    from fewshot.encoders.load import load_encoder
    from fewshot.encoders.packed import check
    from fewshot.shrinking.distill import Distillation
    from fewshot.shrinking.shrink import Shape
    from fewshot.shrinking.shrink import shrink as make
    from fewshot.training.adapt import resolve_device

    check(bits)
    check(embedding_bits)
    screen = console()
    shape = Shape(layers=layers, pieces=pieces, by_corpus=by_corpus, bits=bits, embedding_bits=embedding_bits)
    how = Distillation(updates=updates, batch=batch, lr=lr, frozen=frozen, seed=seed)
    with progress_bar(screen, "shrinking") as report:
        result = make(
            load_encoder(encoder),
            shape,
            how,
            corpus,
            out,
            resolve_device(device),
            report,
            lambda line: screen.print(line),
            load_encoder(average_with) if average_with else None,
        )
    if result is None:
        screen.print(f"finished already: {out}", soft_wrap=True)
        return
    if result.after:
        screen.print(_table(result))
    size = sum(file.stat().st_size for file in out.iterdir() if file.is_file()) / 1e6
    screen.print(f"saved: {out} ({result.weights / 1e6:.0f} M weights, {size:.0f} MB)", soft_wrap=True)


def _table(result: ShrinkResult) -> Table:
    rows = [(lang, f"{100 * result.before[lang]:.1f}", f"{100 * after:.1f}") for lang, after in result.after.items()]
    means = [sum(shares.values()) / len(shares) for shares in (result.before, result.after)]
    mean_row = ("mean", *(f"{100 * mean:.1f}" for mean in means))
    return held_out_table(("unexplained, cut alone (%)", "after teaching (%)"), [*rows, mean_row])

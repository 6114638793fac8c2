"""``fewshot pretrain``: pretrain a small multilingual encoder on a corpus folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.common.base import CHECKPOINT_HINT, Device, app, command, console
from fewshot.cli.common.progress import progress_bar
from fewshot.cli.common.reporting import held_out_table


@command(app, example="fewshot pretrain data/pretrain.toml --corpus corpus/ --out my-encoder", stopped=CHECKPOINT_HINT)
def pretrain(
    config: Annotated[Path, typer.Argument(help="A TOML file such as data/pretrain.toml.")],
    corpus: Annotated[Path, typer.Option(help="Folder with mono/ and parallel/ texts.")],
    out: Annotated[Path, typer.Option(help="Folder of the encoder.")],
    device: Device = "auto",
) -> None:
    """Pretrain a small multilingual encoder."""
    from fewshot.pretraining.config import PretrainConfig, read_settings
    from fewshot.pretraining.pretrain import pretrain
    from fewshot.training.adapt import resolve_device

    screen = console()
    settings, processor = read_settings(config, PretrainConfig), resolve_device(device)
    with progress_bar(screen, "reading the corpus") as report:
        result = pretrain(
            settings,
            corpus,
            out,
            processor,
            report=report,
            warn=lambda line: screen.print(f"warning: {line}", soft_wrap=True),
        )
    if result is None:
        screen.print(f"finished already: {out}", soft_wrap=True)
        return
    if result.held_out:
        scores = ((lang, str(score.sentences), f"{score.perplexity:.1f}") for lang, score in result.held_out.items())
        screen.print(held_out_table(("sentences", "perplexity of hidden pieces"), scores))
    if result.pieces:
        screen.print(f"{result.pieces:,} pieces seen, {result.flops / 1e6:,.1f} MFLOP each")
    screen.print(f"saved: {out}", soft_wrap=True)

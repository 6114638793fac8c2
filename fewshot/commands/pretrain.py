"""``fewshot pretrain``: a small multilingual encoder from a corpus folder."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fewshot.pretraining.config import PretrainConfig, read
from fewshot.pretraining.mlm import Step
from fewshot.pretraining.pretrain import pretrain as build
from fewshot.training.adapt import find_device


def pretrain(config: Path, corpus: Path, out: Path, device: str, console: Console) -> None:
    """Pretrain: one line a stage and every 50 updates, then the scores on held-out sentences."""

    def stage(name: str) -> None:
        console.print(f"{name} ...")

    def say(step: Step) -> None:
        console.print(
            f"update {step.update}/{step.updates}  loss {step.loss:.3f}  {step.pieces_per_second:.0f} pieces/s  "
            f"{timedelta(seconds=round(step.seconds_left))} left",
            soft_wrap=True,
        )

    def warn(text: str) -> None:
        console.print(f"warning: {text}", soft_wrap=True)

    result = build(read(config, PretrainConfig), corpus, out, find_device(device), stage, say, warn)
    if result is None:
        console.print(f"finished already: {out}", soft_wrap=True)
        return
    if result.held_out:
        table = Table(box=None, pad_edge=False)
        table.add_column("held out")
        for title in ("sentences", "perplexity of hidden pieces"):
            table.add_column(title, justify="right")
        for lang, score in result.held_out.items():
            table.add_row(lang, str(score.sentences), f"{score.perplexity:.1f}")
        console.print(table)
    if result.pieces:
        console.print(f"{result.pieces:,} pieces seen, {result.flops / 1e6:,.1f} MFLOP each")
    console.print(f"saved: {out}", soft_wrap=True)

"""``fewshot pretrain``: a small multilingual encoder from a corpus folder."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from rich.console import Console

from fewshot.pretraining.config import read
from fewshot.pretraining.mlm import Step
from fewshot.pretraining.pretrain import pretrain as build
from fewshot.training import adapt


def pretrain(config: Path, corpus: Path, out: Path, device: str, console: Console) -> None:
    """Pretrain, one line a stage and every 50 updates."""

    def say(step: Step) -> None:
        console.print(
            f"update {step.update}/{step.updates}  loss {step.loss:.3f}  {step.pieces_per_second:.0f} pieces/s  "
            f"{timedelta(seconds=round(step.seconds_left))} left",
            highlight=False,
        )

    build(read(config), corpus, out, adapt.device(device), lambda name: console.print(f"{name} ..."), say)
    console.print(f"saved: {out}", soft_wrap=True, highlight=False)

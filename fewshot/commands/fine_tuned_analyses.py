"""``fewshot analyze layers`` and ``random-init``: an encoder fine-tuned in several ways on a source language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fewshot import tasks
from fewshot.commands.analyze import analyze, warning
from fewshot.corpora.embedded import data_dir
from fewshot.encoders.load import load_encoder
from fewshot.experiments.plan import parse_list, parse_numbers
from fewshot.papers import layers as frozen_layers
from fewshot.papers import random_init as initialised
from fewshot.papers.fine_tuning.fine_tune import Study, find
from fewshot.training.adapt import find_device


@dataclass(frozen=True, slots=True)
class Request:
    """The options that both share, see ``fewshot analyze layers --help``."""

    data: Sequence[Path]
    task: str
    source: str
    langs: str
    model: str
    sentences: int
    test_sentences: int
    updates: int
    seeds: int
    device: str
    out: Path
    command: str


def layers(request: Request, frozen: str, console: Console) -> None:
    """Freeze the bottom of an encoder (Wu & Dredze 2019, section 5.2)."""
    bottoms = parse_numbers("--frozen", frozen, "number of layers", "0,1,2")

    def analysis(move: Callable[[str], None], say: Callable[[str], None]) -> frozen_layers.Page:
        return frozen_layers.analyse(_study(request, warning(say)), bottoms, request.out, move)

    analyze(analysis, request.out, request.command, console)


def random_init(request: Request, chosen: str, console: Console) -> None:
    """Re-initialise layers of an encoder (Muller et al. 2021, section 2.1)."""

    def analysis(move: Callable[[str], None], say: Callable[[str], None]) -> initialised.Page:
        return initialised.analyse(_study(request, warning(say)), chosen, request.out, move)

    analyze(analysis, request.out, request.command, console)


def _study(request: Request, warn: Callable[[str], None]) -> Study:
    names, sources = parse_list(request.task), parse_list(request.source)
    kinds = dict.fromkeys(tasks.get(name).example.kind for name in names)
    data = request.data or [data_dir() / "sample" / kind for kind in kinds]
    device, encoder = find_device(request.device), load_encoder(request.model)
    langs, sizes = parse_list(request.langs), (request.sentences, request.test_sentences)
    transfers = find(names, sources, langs, data, *sizes, warn)
    return Study(encoder, transfers, request.updates, request.seeds, device)

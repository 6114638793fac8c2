"""``fewshot predict``: a model labels new text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from annotate.worker.predict import labelled
from fewshot.corpora import formats
from fewshot.corpora.files import write_text
from fewshot.errors import FewshotError
from fewshot.training import adapt
from fewshot.training.model import load_model


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot predict --help``."""

    model: Path
    file: Path
    out: Path
    format: str | None
    segment: str
    confidence: Path | None
    device: str


def predict(request: Request, console: Console) -> None:
    """Label a file and write it in a format of the field, and the probabilities beside it."""
    model = load_model(request.model).to(adapt.device(request.device))
    name = model.task.name.partition("+")[0]
    format_ = request.format or _format(request.out, name)
    rows = formats.stream(request.file, None, "", name, request.segment)
    columns = (SpinnerColumn(), TextColumn("{task.completed:,} labelled"), TimeElapsedColumn())
    lines: list[str] = []
    with Progress(*columns, console=console, transient=True) as bar:
        row = bar.add_task("", total=None)

        def told() -> Iterator[Any]:
            for example, confidence in labelled(model, name, rows):
                lines.append(json.dumps({"id": example.id, "confidence": confidence}, ensure_ascii=False))
                bar.update(row, advance=1)
                yield example

        formats.export(told(), [name], format_, request.out)
    console.print(f"{len(lines):,} {model.task.example.kind} are in {request.out}", soft_wrap=True)
    if request.confidence:
        write_text(request.confidence, "\n".join(lines) + "\n")
        console.print(f"  how sure the model is of each label: {request.confidence}", soft_wrap=True)


def _format(out: Path, task: str) -> str:
    """Return the first format of a task whose files have the suffix of the output."""
    known = [formats.FORMATS[name] for name in formats.holding([task])]
    found = next((one for one in known if out.suffix.lower() in one.suffixes), None)
    if found is None:
        suffixes = ", ".join(dict.fromkeys(suffix for one in known for suffix in one.suffixes))
        raise FewshotError(f"{out}: no format of {task} has this suffix; give --to, or one of {suffixes}")
    return found.name

"""``fewshot predict``: label text with a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fewshot.cli.common.base import Clitics, Device, Paragraphs, Segment, app, command, console
from fewshot.cli.common.progress import progress_bar
from fewshot.errors import FewshotError, counted
from fewshot.progress import Progress

if TYPE_CHECKING:
    from fewshot.tasks import Task


@command(app, example="fewshot predict runs/ja-pos-5abdb4/model new.txt --out new.conllu")
def predict(  # noqa: PLR0913
    model: Annotated[Path, typer.Argument(help="Folder of a model, e.g. runs/ja-pos-35059b/model.")],
    file: Annotated[Path, typer.Argument(help="Raw text (.txt), CoNLL-U, TSV, JSONL or SQuAD.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
    to: Annotated[str | None, typer.Option(help="Format of --out.", show_default="by its suffix")] = None,
    segment: Segment = "words",
    clitics: Clitics = "",
    paragraphs: Paragraphs = False,
    lang: Annotated[
        str, typer.Option(help="Language code of the text, for abbreviations with --paragraphs.", show_default="none")
    ] = "",
    confidence: Annotated[
        Path | None, typer.Option(help="Second file for the probability of each label: a JSON object per example.")
    ] = None,
    device: Device = "auto",
) -> None:
    """Label new text with an adapted model."""
    from fewshot.corpora import formats, nested
    from fewshot.corpora.files import write_text
    from fewshot.corpora.segmentation import Segmentation
    from fewshot.corpora.types import Example
    from fewshot.evaluation import label_stream
    from fewshot.training.adapt import resolve_device
    from fewshot.training.model import load_model

    files = [file, out, *([confidence] if confidence else [])]
    if len({path.resolve() for path in files}) < len(files):
        raise FewshotError(f"{out}: FILE, --out and --confidence must be different files; give --out another name")
    labeller = load_model(model).to(resolve_device(device))
    task = labeller.task
    format_ = to or _format(out, task)
    holds_nested = format_ in formats.FORMATS and formats.FORMATS[format_].nested
    unlabelled = formats.stream(file, None, lang, task, Segmentation(segment, clitics, paragraphs))
    lines: list[str] = []
    inner: list[str] = []
    screen = console()
    with progress_bar(screen, "labelled") as report:

        def labelled() -> Iterator[Example]:
            for example, shares in label_stream(labeller, unlabelled):
                lines.append(json.dumps({"id": example.id, "confidence": shares}, ensure_ascii=False))
                inner.extend([] if holds_nested else nested.inner(example))
                report(Progress(len(lines), 0))
                yield example

        formats.export(labelled(), [task], format_, out)
    screen.print(f"wrote {counted(len(lines), task.example.kind)} to {out}", soft_wrap=True)
    if inner:
        screen.print(nested.left_out(formats.FORMATS[format_], inner), soft_wrap=True)
    if confidence:
        write_text(confidence, "\n".join(lines) + "\n")
        screen.print(f"  probability of each label: {confidence}", soft_wrap=True)


def _format(out: Path, task: Task[Any]) -> str:
    from fewshot.corpora import formats
    from fewshot.tasks import base_name

    known = [formats.FORMATS[name] for name in formats.list_export_formats([task])]
    matching = [format_.name for format_ in known if out.suffix.lower() in format_.suffixes]
    if not matching:
        suffixes = ", ".join(dict.fromkeys(suffix for format_ in known for suffix in format_.suffixes))
        raise FewshotError(
            f"{out}: no format of {base_name(task.name)} has this suffix; give --to, or one of {suffixes}"
        )
    return matching[0]

"""``fewshot push``: export a model with its model card to a folder that transformers can load."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.common.base import app, command, console
from fewshot.errors import FewshotError


@command(app, example="fewshot push runs/ja-pos-5abdb4/model ja-pos")
def push(
    model: Annotated[Path, typer.Argument(help="Folder of a model, e.g. runs/ja-pos-35059b/model.")],
    out: Annotated[Path, typer.Argument(help="Folder to write, new or empty.", show_default=False)],
) -> None:
    """Export a model to a folder for a hub, with a model card; transformers loads it without fewshot."""
    from safetensors import SafetensorError

    from fewshot.corpora.files import write_text
    from fewshot.hub import card, export
    from fewshot.training.model import load_model

    folder = out.resolve()
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise FewshotError(f"{out}: exists already and is not empty; give the name of a new folder")
    trained = load_model(model)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        plain = export.write(trained, folder)
        write_text(folder / card.README, card.text(trained, model.resolve(), folder.name, plain))
    except (OSError, SafetensorError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise FewshotError(f"{out}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # leave no incomplete model
        raise
    head = plain.auto if plain else f"{export.ENCODER}, without its head, which only fewshot can load"
    screen = console()
    screen.print(f"{out}: transformers loads it with {head}", soft_wrap=True)
    screen.print(f"  {out / card.README}", soft_wrap=True)
    screen.print(f"to publish it: hf upload USER/NAME {out}", soft_wrap=True)

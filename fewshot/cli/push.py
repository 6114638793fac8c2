"""``fewshot push``: a model as a folder that plain transformers loads, with its card."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.common.base import app, command, console
from fewshot.errors import FewshotError


@command(app)
def push(
    model: Annotated[Path, typer.Argument(help="Folder of a model, e.g. runs/ja-pos-35059b/model.")],
    out: Annotated[Path, typer.Argument(help="Folder to write, new or empty.", show_default=False)],
) -> None:
    """Write a model as a folder for a hub: plain transformers loads it, and a card says what it is."""
    from safetensors import SafetensorError

    from fewshot.corpora.files import write_text
    from fewshot.hub import card, export
    from fewshot.training.model import load_model

    folder = out.resolve()
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise FewshotError(f"{out}: is there already and not empty; give the name of a new folder")
    trained = load_model(model)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        plain = export.write(trained, folder)
        write_text(folder / card.README, card.text(trained, model.resolve(), folder.name, plain))
    except (OSError, SafetensorError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise FewshotError(f"{out}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # half a model is none
        raise
    head = plain.auto if plain else f"{export.ENCODER}, without its head, which fewshot alone loads"
    screen = console()
    screen.print(f"{out}: transformers loads it with {head}", soft_wrap=True)
    screen.print(f"  {out / card.README}", soft_wrap=True)
    screen.print(f"to publish it: hf upload USER/NAME {out}", soft_wrap=True)

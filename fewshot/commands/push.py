"""``fewshot push``: a model as a folder that plain transformers loads, with its card."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from safetensors import SafetensorError

from fewshot.corpora.files import write_text
from fewshot.errors import FewshotError
from fewshot.hub import card, export
from fewshot.training.model import load_model


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot push --help``."""

    model: Path
    out: Path


def push(request: Request, console: Console) -> None:
    """Write the folder and say what loads it.

    Raises:
        FewshotError: when there is no model, or the folder is there already or cannot be written.
    """
    out = request.out.resolve()
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise FewshotError(f"{request.out}: is there already and not empty; give the name of a new folder")
    model = load_model(request.model)
    try:
        out.mkdir(parents=True, exist_ok=True)
        plain = export.write(model, out)
        write_text(out / card.README, card.text(model, request.model.resolve(), out.name, plain))
    except (OSError, SafetensorError) as error:
        shutil.rmtree(out, ignore_errors=True)
        raise FewshotError(f"{request.out}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)  # half a model is none
        raise
    head = plain.auto if plain else f"{export.ENCODER}, without its head, which fewshot alone loads"
    console.print(f"{request.out}: transformers loads it with {head}", soft_wrap=True)
    console.print(f"  {request.out / card.README}", soft_wrap=True)
    console.print(f"to publish it: hf upload USER/NAME {request.out}", soft_wrap=True)

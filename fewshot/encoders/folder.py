"""The folder of an encoder that was made here: its configuration, tokenizer and weights, and what it was made from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers.utils import SAFE_WEIGHTS_NAME

from fewshot import checkpoint, records
from fewshot.corpora.files import write_text
from fewshot.encoders import packed
from fewshot.encoders.load import Encoder
from fewshot.encoders.vocabulary import table
from fewshot.errors import FewshotError


def finished(out: Path, record: str, made_from: Mapping[str, Any]) -> bool:
    """Return whether a folder holds an encoder to its end, and refuse one that holds another, or a part of it.

    Args:
        record: name of the file that says what it was made from and, at its end, the ``result``.
        made_from: what it should have been made from.
    """
    found = records.load(out / record, dict, "give another folder, or delete this one") or {}
    if any((out / name).is_file() for name in (checkpoint.FILE, packed.FILE, SAFE_WEIGHTS_NAME, "config.json")):
        if {name: found.get(name) for name in made_from} != made_from:
            raise FewshotError(f"{out}: holds another encoder; give another folder, or delete it")
        return "result" in found
    return False


def save(encoder: Encoder, out: Path, bits: int = 16, embedding_bits: int = 16) -> None:
    """Write an encoder's configuration, tokenizer and weights.

    Args:
        bits: of the numbers of the layers' matrices, see `packed`.
        embedding_bits: of those of the embeddings.
    """
    module: Any = encoder.module.cpu()
    embeddings = table(module)
    weights = {**dict(module.named_parameters()), **dict(module.named_buffers())}  # each once, were it of two names
    weights = {name: weight.data for name, weight in weights.items() if name in module.state_dict()}
    widths = {
        name: embedding_bits if weight.data_ptr() == embeddings.data_ptr() else bits
        for name, weight in weights.items()
        if weight.dim() == 2
    }
    module.config.save_pretrained(out)
    save_tokenizer(encoder.tokenizer, out)
    packed.save(weights, widths, out / packed.FILE)


def save_tokenizer(tokenizer: Any, out: Path) -> None:
    """Write a tokenizer without the padding and truncation that its last call has left in it."""
    tokenizer.save_pretrained(out)
    settings = json.loads(tokenizer.backend_tokenizer.to_str())
    settings["padding"] = settings["truncation"] = None
    write_text(out / "tokenizer.json", json.dumps(settings, ensure_ascii=False, separators=(",", ":")))

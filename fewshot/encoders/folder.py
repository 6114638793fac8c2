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


class Record:
    """The file that says what the encoder of a folder is made from and, at its end, the ``result``.

    Args:
        out: the folder.
        name: of the file.
        made_from: what tells the encoder from others.
    """

    def __init__(self, out: Path, name: str, made_from: Mapping[str, Any]) -> None:
        self.out, self.path, self.made_from = out, out / name, made_from

    def finished(self) -> bool:
        """Return whether the folder holds the encoder to its end; refuse a folder of another, or of a part of it."""
        found = records.load(self.path, dict, "give another folder, or delete this one") or {}
        files = (checkpoint.FILE, packed.FILE, SAFE_WEIGHTS_NAME, "config.json")
        if any((self.out / name).is_file() for name in files):
            if {name: found.get(name) for name in self.made_from} != self.made_from:
                raise FewshotError(f"{self.out}: holds another encoder; give another folder, or delete it")
            return "result" in found
        return False

    def write(self, **result: Any) -> None:
        """Write the file, with the result where it is known."""
        write_text(self.path, json.dumps({**self.made_from, **result}, indent=2) + "\n")

    def keeper(self, updates: int = 0) -> checkpoint.Keeper:
        """Return what keeps the checkpoints of the encoder's training; ``updates``: see there."""
        return checkpoint.Keeper(self.out, json.dumps(self.made_from), updates=updates)


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

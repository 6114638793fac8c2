"""The folder of an encoder trained by this package: configuration, tokenizer, weights and origin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from transformers.utils import SAFE_WEIGHTS_NAME

from fewshot import checkpoint, records
from fewshot.corpora.files import write_text
from fewshot.encoders import packed
from fewshot.encoders.load import Encoder
from fewshot.encoders.vocabulary import table, unpack
from fewshot.errors import FewshotError


class EncoderRecord:
    """The file that records an encoder's origin and, once its training has finished, the ``result``.

    Args:
        made_from: settings and data that identify the encoder.
    """

    def __init__(self, out: Path, name: str, made_from: Mapping[str, Any]) -> None:
        self.out, self.path, self.made_from = out, out / name, made_from

    def is_finished(self) -> bool:
        """Return whether the folder holds the finished encoder; raise a FewshotError for another encoder."""
        record = records.load(self.path, dict, "give another folder, or delete this one") or {}
        files = (checkpoint.FILE, packed.FILE, SAFE_WEIGHTS_NAME, "config.json")
        if not any((self.out / name).is_file() for name in files):
            return False
        if {name: record.get(name) for name in self.made_from} != self.made_from:
            raise FewshotError(f"{self.out}: holds another encoder; give another folder, or delete it")
        return "result" in record

    def write(self, **result: Any) -> None:
        """Write the file, with the result if given."""
        write_text(self.path, json.dumps({**self.made_from, **result}, indent=2) + "\n")

    def checkpointer(self, updates: int = 0) -> checkpoint.Checkpointer:
        """Return the checkpointer of the encoder's training; ``updates`` as in `Checkpointer`."""
        return checkpoint.Checkpointer(self.out, json.dumps(self.made_from), updates=updates)


def save(encoder: Encoder, out: Path, bits: int = 16, embedding_bits: int = 16) -> None:
    """Write an encoder's configuration, tokenizer and weights, with so many bits per number, see `packed`."""
    module: Any = encoder.module.cpu()
    unpack(module)
    embeddings = table(module)
    weights = {**dict(module.named_parameters()), **dict(module.named_buffers())}  # a shared weight once
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
    """Write a tokenizer without the padding and truncation settings of its last call.

    Scores of pieces are written with the digits of single precision, which is what SentencePiece has computed them in.
    """
    tokenizer.save_pretrained(out)
    settings = json.loads(tokenizer.backend_tokenizer.to_str())
    settings["padding"] = settings["truncation"] = None
    if settings["model"]["type"] == "Unigram":
        scored = settings["model"]["vocab"]
        settings["model"]["vocab"] = [[piece, float(str(np.float32(score)))] for piece, score in scored]
    write_text(out / "tokenizer.json", json.dumps(settings, ensure_ascii=False, separators=(",", ":")))

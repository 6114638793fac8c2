"""Load a transformers encoder: the embedded one, a local folder, or a hub id."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import constants, get_session
from huggingface_hub.utils import logging as hub_logging
from torch import nn
from transformers import MODEL_FOR_TEXT_ENCODING_MAPPING, MODEL_MAPPING, AutoConfig, AutoModel, AutoTokenizer
from transformers.utils import logging as transformers_logging

from fewshot.corpora.embedded import data_dir
from fewshot.encoders import packed, vocabulary
from fewshot.encoders.normalization import unify
from fewshot.errors import FewshotError, first_line

EMBEDDED = "mini"
"""Name of the encoder that ships with the package."""

ONEDNN_CACHE = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "32")
"""Number of compiled operations that oneDNN caches, unless the user sets it. The default of 1,024 helps where shapes
recur; shapes of text hardly do, and the cache then takes a quarter of a gigabyte within 80 updates."""

ATTENTION_DROPOUT = ("attention_probs_dropout_prob", "attention_dropout")
"""Names of the setting for dropout of attention weights, which is turned off: with it every attention map is kept
for the backward pass and training takes up to twice as long, at equal scores (tags of eight languages zero-shot 71.6
with it and 71.1 without, with ten sentences 79.4 and 79.4; one training each)."""

UNLIMITED = 512
"""Pieces per window for encoders that take any number."""

FROM_NOTHING = "from_nothing"
"""The setting in ``config.json`` that marks encoders pretrained by `fewshot.pretraining`."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """A pretrained encoder and its tokenizer.

    Args:
        name: as typed by the user: ``mini``, a hub id, or a folder.
        module: maps ``input_ids``, ``attention_mask`` ``[windows, pieces]`` to ``[windows, pieces, hidden]``.
        tokenizer: a fast tokenizer of transformers.
        fingerprint: hash of the weights; part of every result's identity.
    """

    name: str
    module: nn.Module
    tokenizer: object
    fingerprint: str

    @property
    def hidden(self) -> int:
        """Size of a vector."""
        return int(self.module.config.hidden_size)  # type: ignore[union-attr, arg-type]

    @property
    def body_weights(self) -> int:
        """Number of weights, embeddings not counted."""
        tables = {id(part.weight) for part in self.module.modules() if isinstance(part, nn.Embedding)}
        return sum(weight.numel() for weight in self.module.parameters() if id(weight) not in tables)

    @property
    def from_nothing(self) -> bool:
        """Whether `fewshot.pretraining` made the encoder, on a small corpus."""
        return bool(getattr(self.module.config, FROM_NOTHING, False))

    @property
    def tokenizer_fingerprint(self) -> str:
        """Hash of the tokenizer, without the padding and truncation settings of its last call."""
        settings = json.loads(self.tokenizer.backend_tokenizer.to_str())  # type: ignore[attr-defined]
        kept = {name: value for name, value in settings.items() if name not in ("padding", "truncation")}
        return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def limit(self) -> int:
        """Most pieces in a window, special tokens included.

        RoBERTa-like encoders count positions from behind their padding index, so that XLM-R's 514 rows hold 512 pieces.
        """
        config = self.module.config
        rows = int(getattr(config, "max_position_embeddings", None) or UNLIMITED)
        if rows < 0:  # XLNet has relative positions
            rows = UNLIMITED
        table = next(
            (module for name, module in self.module.named_modules() if name.endswith("position_embeddings")), None
        )
        padding = getattr(table, "padding_idx", None)
        return rows if padding is None else rows - int(padding) - 1


def load_encoder(name: str | Path) -> Encoder:
    """Load an encoder in single precision, on the CPU, in evaluation mode.

    Args:
        name: ``mini``, a folder with a transformers encoder, or a hub id such as ``xlm-roberta-base``.

    Raises:
        FewshotError: when the folder holds no encoder, or the hub id is neither cached nor reachable.
    """
    name = str(name)
    os.environ.setdefault(*ONEDNN_CACHE)  # read when torch first computes
    folder = data_dir() / "models" / EMBEDDED if name == EMBEDDED else Path(name)
    is_folder = name == EMBEDDED or folder.exists() or name.startswith((".", "/", "~")) or name.count("/") > 1
    if is_folder and not (folder / "config.json").is_file():
        raise FewshotError(
            f"{folder}: no encoder here (no config.json); give a folder saved by transformers, a hub id, or {EMBEDDED}"
        )
    place = str(folder) if is_folder else name
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()
    hub_logging.set_verbosity(logging.ERROR)
    try:
        tokenizer, module = _cached_or_fetched(name, place, is_folder)
    except FewshotError:
        raise
    except Exception as error:  # for odd files libraries raise errors of any type
        raise FewshotError(_advice(name, is_folder, error)) from None
    if not _has_pieces(module):
        raise FewshotError(
            f"{name}: a {type(module).__name__} has no embeddings of word pieces; use an encoder that has them"
        )
    if not tokenizer.is_fast:
        raise FewshotError(f"{name}: its tokenizer is not a fast one, which word alignment needs; save tokenizer.json")
    tokenizer.backend_tokenizer.no_padding()  # some tokenizers of the hub pad and truncate by default
    tokenizer.backend_tokenizer.no_truncation()
    return Encoder(name, module.eval(), unify(tokenizer), fingerprint(module))


def _has_pieces(module: Any) -> bool:
    try:
        return module.get_input_embeddings() is not None
    except NotImplementedError:  # raised by CANINE, which reads characters
        return False


def untrained(encoder: Encoder, seed: int) -> Encoder:
    """Return an encoder of the same shape and tokenizer with random weights, as a baseline."""
    kind: Any = type(encoder.module)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        module = kind._from_config(encoder.module.config, dtype=torch.float32)
    return Encoder(f"{encoder.name}, untrained", module.eval(), encoder.tokenizer, fingerprint(module))


def _cached_or_fetched(name: str, place: str, is_folder: bool) -> tuple[Any, nn.Module]:
    """Load tokenizer and encoder from the cache, else from the hub.

    Before a download the hub gets one request without retries: a download without a network would be repeated for a
    minute.
    """
    if not is_folder:
        with suppress(OSError):
            return _loaded(name, place, local=True)
        get_session().head(constants.ENDPOINT, timeout=constants.HF_HUB_ETAG_TIMEOUT)
    return _loaded(name, place, local=is_folder)


def _loaded(name: str, place: str, local: bool) -> tuple[Any, nn.Module]:
    """Load tokenizer and encoder, without a pooler, and without the decoder of T5-like models."""
    options = {"local_files_only": local, "trust_remote_code": False}  # code of a model is never run
    tokenizer = AutoTokenizer.from_pretrained(place, **options)
    config = AutoConfig.from_pretrained(place, **options)
    kind: Any = MODEL_FOR_TEXT_ENCODING_MAPPING.get(type(config), None)
    if kind is None and getattr(config, "is_encoder_decoder", False):
        raise FewshotError(
            f"{name}: transformers cannot load the encoder of a {config.model_type} model without its decoder; "
            "use an encoder such as XLM-R or mT5"
        )
    for setting in ATTENTION_DROPOUT:
        if hasattr(config, setting):
            setattr(config, setting, 0.0)
    if (file := Path(place) / packed.FILE).is_file():
        module = _load_packed(name, kind or MODEL_MAPPING[type(config)], config, file)
    else:
        module = _load(name, kind or AutoModel, place, config=config, **options)
    _check_table(name, tokenizer, module)
    return tokenizer, module


def _check_table(name: str, tokenizer: Any, module: Any) -> None:
    """Raise a FewshotError if the tokenizer gives pieces that the encoder has no vector of."""
    if not (tokenizer.is_fast and _has_pieces(module)):
        return
    rows = module.get_input_embeddings().weight.shape[0]
    pieces = tokenizer.backend_tokenizer.get_vocab_size(with_added_tokens=False)
    if pieces > rows:
        raise FewshotError(
            f"{name}: the tokenizer has {pieces:,} pieces, and the encoder has vectors of {rows:,}; "
            "one of the two is another model's: save both again"
        )


def _load_packed(name: str, kind: Any, config: Any, file: Path) -> nn.Module:
    """Load an encoder with packed weights, of which a plain table of embeddings stays packed."""
    with torch.device("meta"):
        outline = kind(config)
    names = vocabulary.names(outline) if vocabulary.is_plain(outline) else set[str]()
    tables = {
        name: vocabulary.PackedEmbedding(numbers, scales, outline.get_input_embeddings().padding_idx)
        for name, (numbers, scales) in packed.load_packed(file, names).items()
    }
    stand_ins = {name: torch.empty(1).expand(table.shape) for name, table in tables.items()}
    module = _load(name, kind, None, config=config, state_dict=packed.load(file, without=tables) | stand_ins)
    for table in tables.values():
        module.set_input_embeddings(table)  # type: ignore[operator]
    return module


def _load(name: str, kind: Any, place: str | None, **given: Any) -> nn.Module:
    """Load an encoder; FewshotError if weights are missing, which transformers would set at random."""
    given |= {"dtype": torch.float32, "output_loading_info": True}
    module: nn.Module
    try:
        module, loaded = kind.from_pretrained(place, add_pooling_layer=False, **given)
    except TypeError:  # encoders without a pooler reject the argument
        module, loaded = kind.from_pretrained(place, **given)
    if missing := sorted(weight for weight in loaded["missing_keys"] if "pooler" not in weight):
        raise FewshotError(
            f"{name}: the file of weights lacks {len(missing)} of a {type(module).__name__}, such as {missing[0]!r}; "
            "config.json may be another model's, or the file incomplete: copy the encoder again"
        )
    return module


def _advice(name: str, is_folder: bool, error: Exception) -> str:
    if is_folder:
        return f"{name}: cannot be loaded as an encoder: {first_line(error)}"
    cause: BaseException = error
    while before := cause.__cause__ or cause.__context__:  # transformers hides the error of the network
        cause = before
    reason = first_line(cause)
    return (
        f"model {name!r} is neither a folder here nor in the hub cache, and the download from the hub failed "
        f"({reason}); check the name and the network, or give the path of a copy, or use --model {EMBEDDED}"
    )


def fingerprint(module: nn.Module) -> str:
    """Hash the names, shapes and a sample of every tensor: fast, and different after any training."""
    digest = hashlib.sha256()
    for name, tensor in module.state_dict(keep_vars=True).items():
        step = max(1, prod(tensor.shape) // 4096)
        is_packed = isinstance(tensor, vocabulary.PackedEmbedding)
        sample = tensor.every(step) if is_packed else tensor.detach().reshape(-1)[::step]
        digest.update(f"{name}{tuple(tensor.shape)}".encode())
        digest.update(sample.contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]

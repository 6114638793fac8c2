"""Pretrain an encoder on a corpus folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from fewshot import checkpoint
from fewshot.encoders.folder import EncoderRecord
from fewshot.encoders.load import FROM_NOTHING
from fewshot.errors import FewshotError
from fewshot.pretraining import corpus, heldout, mlm, tokenizer
from fewshot.pretraining.alignment import aligned
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.texts import Texts, read_texts
from fewshot.progress import Progress, Report

RECORD = "pretrain.json"
"""The file in the folder of an encoder that records what made it and, in the end, the result."""

ALIGNED = "aligned.safetensors"
"""The file of embeddings that language modelling does not train, and that its checkpoints leave out."""


@dataclass(frozen=True, slots=True)
class PretrainResult:
    """The result of language modelling.

    Args:
        pieces: number of pieces read, without padding.
        flops: floating-point operations per piece, see `mlm.MaskedLM.flops`.
        held_out: scores by language, and their ``mean``; empty when nothing was held out.
    """

    pieces: int = 0
    flops: float = 0.0
    held_out: dict[str, heldout.HeldOutScore] = field(default_factory=dict)


def pretrain(
    config: PretrainConfig,
    folder: Path,
    out: Path,
    device: torch.device,
    report: Report,
    warn: Callable[[str], None],
) -> PretrainResult | None:
    """Pretrain an encoder and save it in half precision; a stopped run continues from its checkpoint.

    Args:
        folder: corpus folder, see `fewshot.pretraining.corpus`.
        out: folder of the encoder, which transformers loads; ``pretrain.json`` has settings and result, ``log`` the
            event files of TensorBoard if it is installed.
        report: receives the name of each stage, and a `mlm.MLMStep` every `mlm.REPORT_UPDATES` updates.
        warn: called with a line about corrupt lines of the corpus, or that no log is written.

    Returns:
        The result, or None when the folder holds the finished encoder already.

    Raises:
        FewshotError: when the folder cannot be written, holds an encoder or a stopped run of other settings or another
            corpus, or the corpus is invalid.
    """
    transformers_logging.disable_progress_bar()
    made_from = {"settings": asdict(config), "corpus": corpus.fingerprint(folder)}
    record = EncoderRecord(out, RECORD, made_from)
    if record.is_finished():
        return None
    resumed = (out / checkpoint.FILE).is_file()
    record.write()
    checkpointer = record.checkpointer(config.checkpoint)
    report(Progress(0, 0, "reading the corpus"))
    texts = read_texts(folder, config, warn)
    encoder, pieces = _resumed(config, out) if resumed else _begun(config, texts, out, report)
    result = PretrainResult()
    if config.updates:
        report(Progress(0, 0, "language modelling"))
        how = (config.mlm_sentences, config.exponent, config.seed + 1)
        drawn, following = corpus.balanced(texts.sentences, *how), corpus.balanced(texts.following, *how)
        model, seen = mlm.train(
            encoder, pieces, drawn, texts.rows, following,
            config=config, device=device, checkpointer=checkpointer, report=report, warn=warn,
        )  # fmt: skip
        flops = model.flops(config.train_embeddings)
        result = PretrainResult(seen, flops, heldout.score(model, pieces, texts.held, config, device))
    encoder.cpu().half().save_pretrained(out)
    record.write(result=asdict(result))
    checkpointer.remove()
    (out / ALIGNED).unlink(missing_ok=True)
    return result


def _resumed(config: PretrainConfig, out: Path) -> tuple[BertModel, PreTrainedTokenizerFast]:
    pieces = PreTrainedTokenizerFast.from_pretrained(out)
    encoder = untrained(config, pieces)
    if (out / ALIGNED).is_file():
        encoder.embeddings.word_embeddings.load_state_dict(load_file(out / ALIGNED))
    return encoder, pieces


def _begun(
    config: PretrainConfig, texts: Texts, out: Path, report: Report
) -> tuple[BertModel, PreTrainedTokenizerFast]:
    report(Progress(0, 0, "learning the vocabulary"))
    drawn = corpus.balanced(texts.sentences, config.tokenizer_sentences, config.exponent, config.seed)
    pieces = tokenizer.train(drawn, config.vocabulary, config.tokenizer)
    pieces.save_pretrained(out)
    encoder = untrained(config, pieces)
    if config.alignment != "none":
        report(Progress(0, 0, "aligning the embeddings"))
        _align(encoder, aligned(config, pieces, texts))
        save_file(encoder.embeddings.word_embeddings.state_dict(), out / ALIGNED)
    return encoder, pieces


def untrained(config: PretrainConfig, pieces: PreTrainedTokenizerFast) -> BertModel:
    """Return an encoder with random weights, of the shape and seed of the settings."""
    with torch.random.fork_rng():
        torch.manual_seed(config.seed)
        shape = BertConfig(
            vocab_size=len(pieces),
            hidden_size=config.hidden,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            intermediate_size=config.intermediate,
            max_position_embeddings=config.positions,
            pad_token_id=pieces.pad_token_id,
            **{FROM_NOTHING: True},
        )
        return BertModel(shape, add_pooling_layer=False)


@torch.no_grad()
def _align(encoder: BertModel, vectors: np.ndarray) -> None:
    """Set the rows of aligned pieces; the other rows stay random, with the same mean length."""
    weight = encoder.embeddings.word_embeddings.weight
    rows = torch.from_numpy(vectors).float()
    seen = rows.norm(dim=1) > 0
    if not seen.any():
        raise FewshotError('the translations align no piece; give more of them, or set alignment = "none"')
    weight.mul_(rows[seen].norm(dim=1).mean() / weight.norm(dim=1).mean())
    weight[seen] = rows[seen]

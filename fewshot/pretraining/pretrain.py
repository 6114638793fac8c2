"""From a corpus folder to an encoder folder."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from fewshot.corpora.files import write_text
from fewshot.errors import FewshotError
from fewshot.pretraining import alignment, checkpoint, corpus, mlm, tokenizer, transforms
from fewshot.pretraining.config import PretrainConfig

SETTINGS = "pretrain.json"

CHUNK = 20_000
"""Aligned sentences tokenized at a time."""


def pretrain(
    config: PretrainConfig,
    texts: Path,
    out: Path,
    device: torch.device,
    stage: Callable[[str], None],
    progress: Callable[[mlm.Step], None],
) -> None:
    """Pretrain an encoder and save it in half precision.

    Language modelling that was stopped goes on from its last checkpoint.

    Args:
        config: the settings.
        texts: corpus folder, see `fewshot.pretraining.corpus`.
        out: folder of the encoder, as transformers saves it, with the settings in ``pretrain.json``.
        device: where to train.
        stage: called with the name of each stage when it begins.
        progress: called while language modelling runs.

    Raises:
        FewshotError: when the folder cannot be written or holds a stopped run of other settings, or the corpus is not
            as it should be.
    """
    transformers_logging.disable_progress_bar()
    resumed = _begin(out, config)
    stage("reading the corpus")
    rows, sentences = _read(texts, config)
    if resumed:
        pieces = PreTrainedTokenizerFast.from_pretrained(out)
        encoder = _untrained(config, pieces)
    else:
        stage("learning the vocabulary")
        drawn = corpus.balanced(sentences, config.tokenizer_sentences, config.exponent, config.seed)
        pieces = tokenizer.train(drawn, config.vocabulary, config.tokenizer)
        pieces.save_pretrained(out)
        encoder = _untrained(config, pieces)
        if config.aligned:
            stage("aligning the embeddings")
            counts = alignment.occurrences(_ids(pieces, rows), len(pieces))
            _align(encoder, alignment.embed(counts, config.hidden, config.svd_power, config.seed))
    if config.updates:
        stage("language modelling")
        mlm.train(
            encoder,
            pieces,
            corpus.balanced(sentences, config.mlm_sentences, config.exponent, config.seed + 1),
            rows,
            config=config,
            device=device,
            checkpoints=out,
            progress=progress,
        )
    encoder.cpu().half().save_pretrained(out)
    checkpoint.remove(out)


def _read(texts: Path, config: PretrainConfig) -> tuple[list[corpus.Aligned], dict[str, list[str]]]:
    """Return the aligned rows, and all sentences by language, those of the rows included; both transformed."""
    rows = list(corpus.parallel(texts))
    for lang, names in config.transforms.items():
        here = [row for row in rows if lang in row]
        for row, text in zip(here, transforms.apply(names, [row[lang] for row in here], config.seed), strict=True):
            row[lang] = text
    sentences = defaultdict(list)
    for lang in corpus.languages(texts):
        sentences[lang] = transforms.apply(config.transforms.get(lang, []), list(corpus.mono(texts, lang)), config.seed)
    for row in rows:
        for lang, text in row.items():
            sentences[lang].append(text)
    return rows, sentences


def _begin(out: Path, config: PretrainConfig) -> bool:
    """Write the settings, and return whether the folder holds a stopped run of the same ones."""
    settings = json.dumps(asdict(config), indent=2) + "\n"
    resumed = (out / checkpoint.FILE).is_file()
    if resumed and (out / SETTINGS).read_text(encoding="utf-8") != settings:
        raise FewshotError(f"{out}: holds a stopped run of other settings; give another --out, or delete it")
    write_text(out / SETTINGS, settings)
    return resumed


def _untrained(config: PretrainConfig, pieces: PreTrainedTokenizerFast) -> BertModel:
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
        )
        return BertModel(shape, add_pooling_layer=False)


def _ids(pieces: PreTrainedTokenizerFast, rows: Sequence[corpus.Aligned]) -> Iterator[list[list[int]]]:
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        flat = [text for row in chunk for text in row.values()]
        encoded = iter(pieces.backend_tokenizer.encode_batch_fast(flat, add_special_tokens=False))
        for row in chunk:
            yield [next(encoded).ids for _ in row]


@torch.no_grad()
def _align(encoder: BertModel, vectors: np.ndarray) -> None:
    """Set the rows of pieces that were seen in aligned sentences; the others stay random, at the same length."""
    weight = encoder.embeddings.word_embeddings.weight
    rows = torch.from_numpy(vectors).float()
    seen = rows.norm(dim=1) > 0
    weight.mul_(rows[seen].norm(dim=1).mean() / weight.norm(dim=1).mean())
    weight[seen] = rows[seen]

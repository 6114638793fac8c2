"""From a large encoder to the folder of a small one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedTokenizerFast

from fewshot.encoders import folder
from fewshot.encoders.freezing import layers
from fewshot.encoders.load import Encoder, fingerprint
from fewshot.errors import FewshotError
from fewshot.pretraining import corpus
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.texts import Texts, read_texts
from fewshot.progress import Progress, Report
from fewshot.shrinking.distill import Distillation, Lesson, distill
from fewshot.shrinking.vocabulary import kept_pieces, trimmed

RECORD = "shrink.json"
"""What an encoder was made from, and the result."""

BALANCE = 0.3
"""Exponent of language balancing, see `fewshot.pretraining.corpus.balanced`."""

HELD_OUT = 200
"""Sentences of a language that are held out, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What is kept of an encoder.

    Args:
        layers: the lowest ones; 0: all.
        pieces: of the vocabulary; 0: all.
        by_corpus: choose the pieces by the corpus, not by the tokenizer's own ranks.
        bits: of the numbers of the layers' matrices on disk.
        embedding_bits: of those of the embeddings.
    """

    layers: int = 0
    pieces: int = 0
    by_corpus: bool = False
    bits: int = 8
    embedding_bits: int = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    Args:
        weights: of the encoder.
        before: by language, what share of the variance of the teacher's last layer the cut alone leaves unexplained,
            see `Lesson.unexplained`; empty where nothing was taught.
        after: the same after the training.
        pieces: that the student has read.
    """

    weights: int
    before: dict[str, float] = field(default_factory=dict)
    after: dict[str, float] = field(default_factory=dict)
    pieces: int = 0


def shrink(
    teacher: Encoder,
    shape: Shape,
    how: Distillation,
    text: Path | None,
    out: Path,
    device: torch.device,
    report: Report,
    warn: Callable[[str], None],
) -> Outcome | None:
    """Cut an encoder, teach what is left of it, and save it; a training that was stopped goes on.

    Args:
        teacher: stays as it is.
        text: a corpus folder, see `fewshot.pretraining.corpus`; None: the cut alone.
        out: folder of the encoder, with what it is made from in ``shrink.json``.
        report: told the name of each stage when it begins, and every update.
        warn: called with a line about what is left out of the corpus.

    Returns:
        The result; None when the folder held the finished encoder already.

    Raises:
        FewshotError: when the folder holds another encoder, or shape, corpus and encoder do not fit together.
    """
    if text is None and shape.by_corpus:
        raise FewshotError("pieces can be chosen by a corpus only where there is one; give --corpus")
    if how.updates < 1 or how.batch < 2:
        raise FewshotError(f"{how.updates} updates of {how.batch} sentences teach nothing; give 1 and 2 or more")
    made_from = {
        "teacher": teacher.name,
        "teacher_fingerprint": teacher.fingerprint,
        "shape": asdict(shape),
        "distillation": asdict(how) if text else None,
        "corpus": corpus.fingerprint(text) if text else None,
    }
    record = folder.EncoderRecord(out, RECORD, made_from)
    if record.is_finished():
        return None
    record.write()
    checkpointer = record.checkpointer(how.checkpoint)
    texts = None
    if text:
        report(Progress(0, 0, "reading the corpus"))
        texts = read_texts(text, PretrainConfig(alignment="none", held_out=HELD_OUT, seed=how.seed), warn)
    report(Progress(0, 0, "cutting"))
    drawn = _drawn(texts, how) if texts else []
    student = cut(teacher, shape, drawn if shape.by_corpus else None)
    outcome = Outcome(sum(weight.numel() for weight in student.module.parameters()))
    if texts:
        report(Progress(0, 0, "scoring the cut"))
        lesson = Lesson(teacher, student, how.length, drawn, device)
        before = lesson.unexplained(texts.held)
        pieces = distill(lesson, drawn, texts.rows, how, checkpointer, report)
        outcome = replace(outcome, before=before, after=lesson.unexplained(texts.held), pieces=pieces)
    folder.save(student, out, shape.bits, shape.embedding_bits)
    record.write(result=asdict(outcome))
    checkpointer.remove()
    return outcome


def cut(teacher: Encoder, shape: Shape, texts: Sequence[str] | None = None) -> Encoder:
    """Return the lowest layers of an encoder, with a part of its vocabulary (Sajjad et al. 2023; Abdaoui et al. 2020).

    Args:
        teacher: stays as it is.
        texts: by which the pieces are chosen; None: by the tokenizer's own ranks.

    Raises:
        FewshotError: when there are not so many layers or pieces, or they cannot be told apart.
    """
    module = copy.deepcopy(teacher.module)
    tokenizer: PreTrainedTokenizerFast = teacher.tokenizer
    if shape.layers:
        _lowest(module, shape.layers)
    if shape.pieces:
        if shape.pieces > len(tokenizer):
            raise FewshotError(f"{teacher.name} has {len(tokenizer)} pieces, of which {shape.pieces} cannot be kept")
        kept = kept_pieces(tokenizer, shape.pieces, texts)
        tokenizer = trimmed(tokenizer, kept)
        _rows(module, kept, tokenizer)
    return Encoder(f"{teacher.name}, cut", module.eval(), tokenizer, fingerprint(module))


def _lowest(module: Any, count: int) -> None:
    stack = layers(module)
    depth = len(stack)
    if not 0 < count <= depth:
        raise FewshotError(f"the encoder has {depth} layers, of which {count} cannot be kept")
    del stack[count:]
    module.config.num_hidden_layers = count
    if getattr(module.config, "layer_types", None):
        module.config.layer_types = module.config.layer_types[:count]


def _rows(module: Any, kept: Sequence[int], tokenizer: PreTrainedTokenizerFast) -> None:
    """Keep some rows of the embeddings."""
    whole = module.get_input_embeddings()
    if type(whole) is not nn.Embedding:
        raise FewshotError(f"the embeddings of a {type(module).__name__} are no plain table; leave --pieces out")
    rows = nn.Embedding(len(kept), whole.embedding_dim, padding_idx=tokenizer.pad_token_id)
    rows.weight.data.copy_(whole.weight.data[list(kept)])
    module.set_input_embeddings(rows)
    module.config.vocab_size = len(kept)
    for name in ("pad", "bos", "eos", "cls", "sep"):
        if getattr(module.config, f"{name}_token_id", None) is not None:
            setattr(module.config, f"{name}_token_id", getattr(tokenizer, f"{name}_token_id", None))


def _drawn(texts: Texts, how: Distillation) -> list[str]:
    total = min(how.updates * how.batch, sum(map(len, texts.sentences.values())))
    return corpus.balanced(texts.sentences, total, BALANCE, how.seed)

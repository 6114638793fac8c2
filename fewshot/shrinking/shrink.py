"""Shrink a large encoder, and save the small one as a folder."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast

from fewshot.encoders import folder
from fewshot.encoders.freezing import layers
from fewshot.encoders.load import Encoder, fingerprint
from fewshot.encoders.vocabulary import names, unpack
from fewshot.errors import FewshotError
from fewshot.pretraining import corpus
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.texts import read_texts
from fewshot.progress import Progress, Report
from fewshot.shrinking.distill import Distillation, Lesson, distill
from fewshot.shrinking.vocabulary import kept_pieces, trimmed

T = TypeVar("T")

RECORD = "shrink.json"
"""The file in the folder of an encoder that records what made it, and the result."""

BALANCE_EXPONENT = 0.3
"""Exponent of language balancing, see `fewshot.pretraining.corpus.balanced`."""

MAX_HELD_OUT = 200
"""Number of held-out sentences of a language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The size of the small encoder.

    Args:
        layers: number of lowest layers that stay; 0 for all.
        pieces: number of pieces that stay; 0 for all.
        by_corpus: choose the pieces by the corpus, not by the tokenizer's ranks.
        bits: of a number in the matrices of the layers on disk.
        embedding_bits: of a number in the embeddings on disk.
    """

    layers: int = 0
    pieces: int = 0
    by_corpus: bool = False
    bits: int = 8
    embedding_bits: int = 4


@dataclass(frozen=True, slots=True)
class ShrinkResult:
    """The result of shrinking.

    Args:
        weights: number of weights of the encoder.
        before: by language, the share of the variance that the cut encoder leaves unexplained, see
            `Lesson.unexplained`; empty without training.
        after: the same after the training.
        pieces: number of pieces that the student has read.
    """

    weights: int
    before: dict[str, float] = field(default_factory=dict)
    after: dict[str, float] = field(default_factory=dict)
    pieces: int = 0


def shrink(  # noqa: PLR0913
    teacher: Encoder,
    shape: Shape,
    how: Distillation,
    text: Path | None,
    out: Path,
    device: torch.device,
    report: Report,
    warn: Callable[[str], None],
    averaged_with: Encoder | None = None,
) -> ShrinkResult | None:
    """Cut an encoder, distill into what is left, and save it; a stopped training continues.

    Args:
        teacher: not changed.
        text: corpus folder, see `fewshot.pretraining.corpus`; None cuts without training.
        out: folder of the encoder; ``shrink.json`` there records what made it.
        report: receives the name of each stage, and every update.
        warn: called with a line about lines of the corpus that are left out.
        averaged_with: an encoder of the same shape. The small encoder begins with the mean of its weights and those of
            the cut (Wortsman et al. 2022); the embeddings of pieces are the teacher's alone.

    Returns:
        The result, or None when the folder holds the finished encoder already.

    Raises:
        FewshotError: when the folder holds another encoder, or shape, corpus and encoder do not fit.
    """
    _check(teacher, shape, how, text)
    made_from = {
        "teacher": teacher.name,
        "teacher_fingerprint": teacher.fingerprint,
        "shape": asdict(shape),
        "distillation": asdict(how) if text else None,
        "corpus": corpus.fingerprint(text) if text else None,
        "averaged_with": averaged_with.fingerprint if averaged_with else None,
    }
    record = folder.EncoderRecord(out, RECORD, made_from)
    if record.is_finished():
        return None
    record.write()
    checkpointer = record.checkpointer(how.checkpoint)
    texts = None
    if text:
        report(Progress(0, 0, "reading the corpus"))
        texts = read_texts(text, PretrainConfig(alignment="none", held_out=MAX_HELD_OUT, seed=how.seed), warn)
    report(Progress(0, 0, "cutting"))
    drawn = _draw(texts.sentences, how) if texts else []
    student = cut(teacher, shape, drawn if shape.by_corpus else None)
    if averaged_with:
        average(student, averaged_with)
    result = ShrinkResult(sum(weight.numel() for weight in student.module.parameters()))
    if texts:
        report(Progress(0, 0, "scoring the cut"))
        lesson = Lesson(teacher, student, how, drawn, device)
        before = lesson.unexplained(texts.held)
        pieces = distill(lesson, drawn, _draw(corpus.translations(texts.rows), how), how, checkpointer, report)
        result = replace(result, before=before, after=lesson.unexplained(texts.held), pieces=pieces)
    folder.save(student, out, shape.bits, shape.embedding_bits)
    record.write(result=asdict(result))
    checkpointer.remove()
    return result


def _check(teacher: Encoder, shape: Shape, how: Distillation, text: Path | None) -> None:
    if text is None and shape.by_corpus:
        raise FewshotError("pieces can be chosen by a corpus only where there is one; give --corpus")
    if text is None and how.frozen:
        raise FewshotError("layers are frozen in distillation, which needs a corpus; give --corpus, or no --frozen")
    if how.updates < 1 or how.batch < 2:
        raise FewshotError(f"{how.updates} updates of {how.batch} sentences are too few; give 1 and 2 or more")
    if how.frozen and not 0 < how.frozen < (shape.layers or len(layers(teacher.module))):
        raise FewshotError(f"{how.frozen} of the small encoder's layers cannot be frozen; leave at least one to train")


def cut(teacher: Encoder, shape: Shape, texts: Sequence[str] | None = None) -> Encoder:
    """Return the lowest layers of an encoder, with a part of its vocabulary (Sajjad et al. 2023).

    Args:
        teacher: not changed.
        texts: decide which pieces stay; None for the tokenizer's ranks.

    Raises:
        FewshotError: when the encoder has fewer layers or pieces, or an unknown architecture.
    """
    module = copy.deepcopy(teacher.module)
    unpack(module)
    tokenizer: PreTrainedTokenizerFast = teacher.tokenizer
    if shape.layers:
        _keep_layers(module, shape.layers)
    if shape.pieces:
        if shape.pieces > len(tokenizer):
            raise FewshotError(f"{teacher.name} has {len(tokenizer)} pieces, of which {shape.pieces} cannot be kept")
        kept = kept_pieces(tokenizer, shape.pieces, texts)
        tokenizer = trimmed(tokenizer, kept)
        _keep_embeddings(module, kept, tokenizer)
    return Encoder(f"{teacher.name}, cut", module.eval(), tokenizer, fingerprint(module))


@torch.no_grad()
def average(student: Encoder, other: Encoder) -> None:
    """Set weights of an encoder, except its piece embeddings, to the mean of its own and another's.

    Raises:
        FewshotError: when the encoders differ in more than their vocabulary.
    """
    ours, theirs = (_weights_but_pieces(each.module) for each in (student, other))
    sizes, other_sizes = ({name: weight.shape for name, weight in each.items()} for each in (ours, theirs))
    if type(student.module) is not type(other.module) or sizes != other_sizes:
        raise FewshotError(f"{other.name} differs from the cut in more than its pieces; average encoders of one shape")
    for name, weight in ours.items():
        weight.lerp_(theirs[name], 0.5)


def _weights_but_pieces(module: Any) -> dict[str, Tensor]:
    pieces = names(module)
    return {name: weight for name, weight in module.named_parameters() if name not in pieces}


def _keep_layers(module: Any, count: int) -> None:
    stack = layers(module)
    depth = len(stack)
    if not 0 < count <= depth:
        raise FewshotError(f"the encoder has {depth} layers, of which {count} cannot be kept")
    del stack[count:]
    module.config.num_hidden_layers = count
    if getattr(module.config, "layer_types", None):
        module.config.layer_types = module.config.layer_types[:count]


def _keep_embeddings(module: Any, kept: Sequence[int], tokenizer: PreTrainedTokenizerFast) -> None:
    whole = module.get_input_embeddings()
    if type(whole) is not nn.Embedding:
        raise FewshotError(f"the embeddings of a {type(module).__name__} are not a plain table; leave --pieces out")
    rows = nn.Embedding(len(kept), whole.embedding_dim, padding_idx=tokenizer.pad_token_id)
    rows.weight.data.copy_(whole.weight.data[list(kept)])
    module.set_input_embeddings(rows)
    module.config.vocab_size = len(kept)
    for name in ("pad", "bos", "eos", "cls", "sep"):
        if getattr(module.config, f"{name}_token_id", None) is not None:
            setattr(module.config, f"{name}_token_id", getattr(tokenizer, f"{name}_token_id", None))


def _draw(texts: Mapping[str, Sequence[T]], how: Distillation) -> list[T]:
    total = min(how.updates * how.batch, sum(map(len, texts.values())))
    return corpus.balanced(texts, total, BALANCE_EXPONENT, how.seed)

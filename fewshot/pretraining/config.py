"""Settings of a pretraining run, with their defaults, read from TOML."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from fewshot import records
from fewshot.errors import FewshotError
from fewshot.pretraining import transforms
from fewshot.pretraining.tokenizer import KINDS, SPECIALS
from fewshot.training import schedules

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ALIGNMENTS = ("lexicon", "sentences", "none")
DECAYS = {"linear": schedules.linear, "inverse-sqrt": schedules.inverse_sqrt}

N = TypeVar("N", int, float)


def _number(default: N, least: float, most: float = inf) -> N:
    """Return the field of a number with its least and greatest value."""
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True, slots=True)
class PretrainConfig:
    """The settings of a pretraining run.

    Args:
        tokenizer: ``wordpiece``, ``unigram``, ``character`` or ``word``.
        vocabulary: number of pieces.
        tokenizer_sentences: sentences drawn to learn the pieces.
        hidden: size of a vector.
        intermediate: size of the feed-forward layers.
        positions: longest input in pieces.
        exponent: of language balancing, see `fewshot.pretraining.corpus.balanced`.
        alignment: initial embeddings: ``lexicon``, from the neighbours of the pivot's pieces, and inherited by
            translations (see `fewshot.pretraining.lexicon`); ``sentences``, from the sentence ids that pieces occur in
            (see `fewshot.pretraining.alignment`); ``none``, random.
        pivot: language of the lexicon that all others are translated into.
        svd_power: power of the singular values.
        train_embeddings: whether language modelling changes the embeddings.
        updates: of language modelling; 0 for none.
        batch: sequences of an update.
        length: maximum number of pieces of a sequence.
        lr: peak learning rate.
        decay: of the learning rate after the warm-up: ``linear`` to 0, or ``inverse-sqrt``.
        rare_exponent: a piece is masked with the weight count^-rare_exponent; 0 masks all pieces alike.
        pair_share: share of batches that are translation pairs.
        nsp: next-sentence prediction (Devlin et al. 2019): the other batches are pairs of sentences, whose second one
            is the next or a random one; the monolingual text must be in its order.
        mlm_sentences: sentences drawn for masked language modelling.
        held_out: maximum number of sentences of a language that are scored and not trained on, see
            `fewshot.pretraining.texts`.
        checkpoint: updates between two checkpoints.
        transforms: names of the transforms of a language, see `fewshot.pretraining.transforms`.

    Raises:
        FewshotError: when a value is out of its range, or two values do not fit.
    """

    tokenizer: str = "wordpiece"
    vocabulary: int = _number(24_000, len(SPECIALS) + 1)
    tokenizer_sentences: int = _number(900_000, 1)
    hidden: int = _number(256, 1)
    layers: int = _number(4, 1)
    heads: int = _number(4, 1)
    intermediate: int = _number(1024, 1)
    positions: int = _number(512, 1)
    exponent: float = _number(0.5, 0, 1)
    alignment: str = "lexicon"
    pivot: str = "en"
    svd_power: float = _number(0.5, 0)
    train_embeddings: bool = False
    updates: int = _number(5_000, 0)
    batch: int = _number(32, 1)
    length: int = _number(128, 8)
    lr: float = _number(1e-3, 1e-9, 1)
    decay: str = "linear"
    rare_exponent: float = _number(0.0, 0)
    pair_share: float = _number(0.5, 0, 1)
    nsp: bool = False
    mlm_sentences: int = _number(900_000, 1)
    held_out: int = _number(200, 0)
    checkpoint: int = _number(500, 1)
    transforms: dict[str, list[str]] = field(default_factory=dict)
    seed: int = _number(0, 0, 2**32 - 1)

    def __post_init__(self) -> None:
        for number in (each for each in fields(self) if each.metadata):
            name, value, least, most = number.name, getattr(self, number.name), *number.metadata.values()
            if not (least <= value <= most and value < inf):
                bounds = f"{least} or more" if most == inf else f"between {least} and {most}"
                raise FewshotError(f"{name} = {value!r} must be {bounds}")
        for name, known in (("tokenizer", KINDS), ("alignment", ALIGNMENTS), ("decay", tuple(DECAYS))):
            if getattr(self, name) not in known:
                raise FewshotError(f"unknown {name} {getattr(self, name)!r}; choose from {', '.join(known)}")
        if self.hidden % self.heads:
            raise FewshotError(f"hidden = {self.hidden} must be a multiple of heads = {self.heads}")
        if self.length > self.positions:
            raise FewshotError(f"length = {self.length} must not be greater than positions = {self.positions}")
        for lang, names in self.transforms.items():
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise FewshotError(f"transforms.{lang} = {names!r} must be a list of names, such as ['fake']")
            for name in names:
                transforms.named(name)


S = TypeVar("S", bound="DataclassInstance")


def read_settings(path: Path, settings: type[S]) -> S:
    """Read a TOML file with any fields of a dataclass that has defaults, such as `PretrainConfig`.

    Raises:
        FewshotError: when the file cannot be read, or holds an unknown key, a wrong type or an invalid value.
    """
    values = records.load(path, dict, "correct this file", toml=True)
    if values is None:
        raise FewshotError(f"{path}: cannot be read: no such file; correct the path")
    kinds = {name: type(default) for name, default in asdict(settings()).items()}
    for key, value in values.items():
        if key not in kinds:
            raise FewshotError(f"{path}: unknown setting {key!r}; choose from {', '.join(kinds)}")
        if type(value) is not kinds[key] and not (kinds[key] is float and type(value) is int):
            raise FewshotError(f"{path}: {key} = {value!r} must be {kinds[key].__name__}")
    try:
        return settings(**values)
    except FewshotError as error:
        raise FewshotError(f"{path}: {error}") from None

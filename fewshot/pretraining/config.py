"""Settings of a pretraining run: every default in one place, read from TOML."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fewshot.errors import FewshotError
from fewshot.pretraining import transforms
from fewshot.pretraining.tokenizer import KINDS

DECAYS = ("linear", "inverse-sqrt")


@dataclass(frozen=True, slots=True)
class PretrainConfig:
    """How an encoder is pretrained.

    Args:
        tokenizer: ``wordpiece``, ``unigram``, ``character`` or ``word``.
        vocabulary: pieces.
        tokenizer_sentences: drawn to learn them.
        hidden: size of a vector.
        layers: transformer layers.
        heads: attention heads a layer.
        intermediate: size of the feed-forward layers.
        positions: longest input in pieces.
        exponent: of language balancing, see `fewshot.pretraining.corpus.balanced`.
        aligned: whether the embeddings start from the SVD of sentence ids, see `fewshot.pretraining.alignment`.
        svd_power: of its singular values.
        train_embeddings: whether language modelling moves the embeddings.
        updates: of language modelling; 0 for none.
        batch: sequences an update.
        length: most pieces of a sequence.
        lr: peak learning rate.
        decay: of the learning rate after the warm-up: ``linear`` to 0, or ``inverse-sqrt``.
        rare_exponent: pieces are masked with a weight of their count to the power of minus this; 0: all alike.
        pair_share: share of batches that are translation pairs.
        mlm_sentences: drawn for masked language modelling.
        checkpoint: updates between two checkpoints.
        transforms: by language, names of what is done to its sentences, see `fewshot.pretraining.transforms`.
        seed: of everything.
    """

    tokenizer: str = "wordpiece"
    vocabulary: int = 24_000
    tokenizer_sentences: int = 900_000
    hidden: int = 256
    layers: int = 4
    heads: int = 4
    intermediate: int = 1024
    positions: int = 512
    exponent: float = 0.5
    aligned: bool = True
    svd_power: float = 0.5
    train_embeddings: bool = False
    updates: int = 5_000
    batch: int = 32
    length: int = 128
    lr: float = 1e-3
    decay: str = "linear"
    rare_exponent: float = 0.0
    pair_share: float = 0.5
    mlm_sentences: int = 900_000
    checkpoint: int = 500
    transforms: dict[str, list[str]] = field(default_factory=dict)
    seed: int = 0


def read(path: Path) -> PretrainConfig:
    """Read a TOML file that holds any part of the settings.

    Raises:
        FewshotError: when the file cannot be read, or holds a key or a type that is not a setting's.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FewshotError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FewshotError(f"{path}: not valid TOML: {error}") from None
    kinds = {name: type(default) for name, default in asdict(PretrainConfig()).items()}
    for key, value in values.items():
        if key not in kinds:
            raise FewshotError(f"{path}: unknown setting {key!r}; choose from {', '.join(kinds)}")
        if type(value) is not kinds[key] and not (kinds[key] is float and type(value) is int):
            raise FewshotError(f"{path}: {key} = {value!r} must be {kinds[key].__name__}")
    for key, known in (("tokenizer", KINDS), ("decay", DECAYS)):
        if values.get(key, known[0]) not in known:
            raise FewshotError(f"{path}: unknown {key} {values[key]!r}; choose from {', '.join(known)}")
    for names in values.get("transforms", {}).values():
        for name in names:
            transforms.named(name)
    return PretrainConfig(**values)

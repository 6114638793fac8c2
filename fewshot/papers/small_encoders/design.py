"""The design of an analysis of small encoders: the encoders, their probes and their scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fewshot.errors import FewshotError
from fewshot.experiments.plan import digest
from fewshot.pretraining import config
from fewshot.pretraining.config import PretrainConfig

FAKE = "-fake"
"""Suffix of a language written in other characters: ``en-fake`` is Fake-English."""


@dataclass(frozen=True, slots=True)
class Pretraining:
    """An encoder to pretrain on some languages; each repetition has its own seed."""

    langs: tuple[str, ...]
    settings: PretrainConfig

    @property
    def key(self) -> str:
        """Equal exactly for the same encoder."""
        return digest([self.langs, asdict(self.settings)])

    @property
    def name(self) -> str:
        """A short name: ``enfake-ru``, or the number of languages."""
        return "-".join(map(shown, self.langs)) if len(self.langs) < 5 else f"{len(self.langs)} languages"


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table of the paper.

    Args:
        name: of the setting, as in ``small_encoders.csv``; a setting that the paper lacks is a control.
        train: language that the probes are trained on.
        tests: languages that the probes are tested on.
        target: language whose published scores stand beside the row.
    """

    table: int
    name: str
    pretraining: Pretraining
    train: str
    tests: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class Design:
    """The tables of an analysis with their titles, and notes on differences to the paper.

    An encoder that occurs in several rows is pretrained once for each seed.
    """

    analysis: str
    paper: str
    titles: dict[int, str]
    rows: tuple[TableRow, ...]
    seeds: int
    notes: tuple[str, ...]


def base(lang: str) -> str:
    """Return a language without the mark of Fake-English."""
    return lang.removesuffix(FAKE)


def shown(lang: str) -> str:
    """Return a language code as tables show it: ``enfake``."""
    return lang.replace(FAKE, "fake")


@dataclass(frozen=True, slots=True)
class Scale:
    """The sizes of the base encoder and its probe; a row of an analysis changes one of them.

    Args:
        sentences: pretraining sentences of each language, at most.
        hidden: size of a vector; the feed-forward layers have four times as much.
        length: maximum number of pieces of a sequence.
        batch: sequences of an update.
        lr: peak learning rate of pretraining.
        probe_sentences: maximum number of training examples of a probe.

    Raises:
        FewshotError: when a value is out of its range, or two values do not fit.
    """

    sentences: int = 50_000
    vocabulary: int = 8_000
    layers: int = 4
    hidden: int = 240
    heads: int = 6
    length: int = 64
    updates: int = 5_000
    batch: int = 32
    lr: float = 1e-3
    probe_sentences: int = 5_000
    probe_updates: int = 1_000

    def __post_init__(self) -> None:
        for name in ("sentences", "probe_sentences", "probe_updates"):
            if getattr(self, name) < 1:
                raise FewshotError(f"{name} = {getattr(self, name)} must be 1 or more")
        self.settings(("en",))

    def settings(self, langs: Sequence[str], **changes: Any) -> PretrainConfig:
        """Return the settings of pretraining on some languages, without alignment."""
        total = self.sentences * len(langs)
        same = ("vocabulary", "layers", "hidden", "heads", "length", "updates", "batch", "lr")
        values: dict[str, Any] = {
            **{name: getattr(self, name) for name in same},
            "tokenizer_sentences": total,
            "mlm_sentences": total,
            "alignment": "none",
            "train_embeddings": True,
            "pair_share": 0.0,
            **changes,
        }
        return PretrainConfig(**values, intermediate=4 * values["hidden"], positions=values["length"])


SCALES = {
    "small": Scale(),
    "tiny": Scale(
        sentences=30_000, layers=2, hidden=144, updates=2_000, length=48, probe_sentences=3_000, probe_updates=300
    ),
}
"""Small takes hours on a laptop for a few tables; tiny, for trials, minutes a row on one core."""


def find(name: str) -> Scale:
    """Return a scale by its name, or read a TOML file with any of its settings.

    Raises:
        FewshotError: for an unknown name, and for an invalid key, type or value of a file.
    """
    if name in SCALES:
        return SCALES[name]
    if not Path(name).is_file():
        raise FewshotError(f"--scale {name}: choose {' or '.join(SCALES)}, or give a TOML file")
    return config.read_settings(Path(name), Scale)


def weights(settings: PretrainConfig) -> int:
    """Return the number of weights of all embeddings and of the layers with their biases."""
    hidden, inner = settings.hidden, settings.intermediate
    layer = 4 * hidden * (hidden + 1) + hidden * (inner + 1) + inner * (hidden + 1) + 4 * hidden
    return (settings.vocabulary + settings.positions + 4) * hidden + settings.layers * layer


def width(scale: Scale, total: float, layers: int, heads: int) -> int:
    """Return the hidden size, a multiple of the heads, whose number of weights is nearest to a total."""
    return min(
        range(heads, 8 * scale.hidden + heads, heads),
        key=lambda hidden: abs(weights(scale.settings(("en",), hidden=hidden, layers=layers, heads=heads)) - total),
    )

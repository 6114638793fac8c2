"""What an analysis is made of: rows of tables, each an encoder to pretrain and what it is probed on; their scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fewshot.errors import FewshotError
from fewshot.experiments.plan import digest
from fewshot.pretraining import config
from fewshot.pretraining.config import PretrainConfig

FAKE = "-fake"
"""End of the name of a language that is another one in other characters: ``en-fake`` is Fake-English."""


@dataclass(frozen=True, slots=True)
class Pretraining:
    """An encoder to pretrain on a corpus of languages; the seed is set for each repetition."""

    langs: tuple[str, ...]
    settings: PretrainConfig

    @property
    def key(self) -> str:
        """Equal exactly for the same encoder."""
        return digest([self.langs, asdict(self.settings)])

    @property
    def name(self) -> str:
        """For people: ``enfake-ru``, or how many languages there are."""
        return "-".join(map(shown, self.langs)) if len(self.langs) < 5 else f"{len(self.langs)} languages"

    def seeded(self, seed: int) -> PretrainConfig:
        """Return the settings of one repetition."""
        return replace(self.settings, seed=seed)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A line of a table of the paper.

    Args:
        name: of the setting, as in ``small_encoders.csv``; a setting that the paper does not have is a control.
        train: language that the probes are trained on.
        tests: languages that they are scored on.
        target: the language whose published figures stand beside the row.
    """

    table: int
    name: str
    pretraining: Pretraining
    train: str
    tests: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class Design:
    """The tables of an analysis, after a paper; encoders that occur in several are pretrained once a seed.

    Args:
        titles: of the tables, by number.
        notes: what differs from the paper.
    """

    analysis: str
    paper: str
    titles: dict[int, str]
    rows: tuple[TableRow, ...]
    seeds: int
    notes: tuple[str, ...]


def base(lang: str) -> str:
    """Return the language that a language is made from: itself, or that of which it is the fake."""
    return lang.removesuffix(FAKE)


def shown(lang: str) -> str:
    """Return how people write the name of a language: ``enfake``."""
    return lang.replace(FAKE, "fake")


@dataclass(frozen=True, slots=True)
class Scale:
    """The base encoder and its probe; a row of an analysis changes one thing of it.

    Args:
        sentences: of each language to pretrain on, or as many as there are.
        vocabulary: pieces.
        layers: transformer layers.
        hidden: size of a vector; the feed-forward layers have four times as much.
        heads: attention heads a layer.
        length: most pieces of a sequence.
        updates: of pretraining.
        batch: sequences an update.
        lr: peak learning rate of pretraining.
        probe_sentences: most training examples of a probe.
        probe_updates: of the training of a probe.

    Raises:
        FewshotError: when a value is out of its range, or does not fit another one.
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
        """Return the settings of pretraining on languages of the same size, with no alignment of any kind."""
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
"""By name: the default, hours on a laptop for a few tables; and one to try things out, minutes a row on one core."""


def find(name: str) -> Scale:
    """Return a scale by its name, or read a TOML file that holds any part of its settings.

    Raises:
        FewshotError: when there is neither, or the file holds a key, a type or a value that is not a setting's.
    """
    if name in SCALES:
        return SCALES[name]
    if not Path(name).is_file():
        raise FewshotError(f"--scale {name}: choose {' or '.join(SCALES)}, or give a TOML file")
    return config.read_settings(Path(name), Scale)


def weights(settings: PretrainConfig) -> int:
    """Return the weights of an encoder: embeddings of pieces, positions and segments, and layers (biases too)."""
    hidden, inner = settings.hidden, settings.intermediate
    layer = 4 * hidden * (hidden + 1) + hidden * (inner + 1) + inner * (hidden + 1) + 4 * hidden
    return (settings.vocabulary + settings.positions + 4) * hidden + settings.layers * layer


def width(scale: Scale, total: float, layers: int, heads: int) -> int:
    """Return the hidden size, a multiple of the heads, that brings an encoder nearest to a number of weights."""

    def distance(hidden: int) -> float:
        return abs(weights(scale.settings(("en",), hidden=hidden, layers=layers, heads=heads)) - total)

    return min(range(heads, 8 * scale.hidden + heads, heads), key=distance)

"""What an analysis is made of: rows of tables, each an encoder to pretrain and what it is probed on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from fewshot.experiments.plan import digest
from fewshot.pretraining.config import PretrainConfig

FAKE = "-fake"
"""End of the name of a language that is another one in other characters: ``en-fake`` is Fake-English."""


@dataclass(frozen=True, slots=True)
class Pretraining:
    """An encoder to pretrain.

    Args:
        langs: of its corpus; ``en-fake`` is Fake-English.
        settings: of the pretraining; the seed is set for each repetition.
    """

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
    """A line of a table.

    Args:
        table: number of the table in the paper.
        name: of the setting, as in ``small_encoders.csv``; a setting that the paper does not have is a control.
        pretraining: the encoder.
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
    """The tables of an analysis.

    Args:
        analysis: its name.
        paper: that the tables are of.
        titles: of the tables, by number.
        rows: of all tables; encoders that occur in several are pretrained once.
        seeds: repetitions of pretraining and probes.
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

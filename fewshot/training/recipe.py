"""The settings of one training. Where they come from is said by `fewshot.training.presets`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

from fewshot.encoders.readout import LayerMix, readout_name

FEATURE_BASED = "feature-based"
"""The method that keeps the whole encoder and learns to read it."""

ALL_TRAINED = "freeze-none"
"""The method that trains everything, of any encoder."""

LAUSCHER = "lauscher2020"
"""The method that continues a source model as the paper did."""

METHODS = ("full", "lora", FEATURE_BASED, ALL_TRAINED, LAUSCHER)
"""Beside freeze-N."""

REGIMES = ("joint", "sequential")

T = TypeVar("T")

Frozen = int | Literal["third", "all", "nothing"]
"""What stays as it is: the embeddings and so many of the lowest layers (0: the embeddings alone), or a third of the
layers, or all; or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a model is trained.

    The defaults stand in `fewshot.training.presets`. What depends on the size of the training is given for up to 10
    examples, up to 100, and more.

    Args:
        method: what is trained. ``full``: what ``frozen`` leaves; ``freeze-N``: all but the embeddings and the lowest N
            layers (Wu & Dredze 2019, 5.2); ``freeze-none``: everything; ``lora``: adapters beside the encoder;
            ``feature-based``: a mix of the encoder's layers and an LSTM over them (Wu & Dredze 2019, 5.2), at the
            head's rate. The paper halves the rate when a development score stops rising; here it falls linearly: no
            training looks at a score. ``lauscher2020``: everything, as Lauscher et al. 2020 (3.1, 4.1) did.
        pooling: what the vector of a word is made of, one of `POOLINGS`, which is that of the source model; None: of a
            source model the mean, of its continuation whatever it is.
        regime: ``joint`` mixes source and target in every update (Schmidt et al. 2022); ``sequential`` continues on
            target sentences alone (Lauscher et al. 2020, section 4).
        frozen: what of the encoder stays, by size.
        updates: optimizer steps, by size.
        swapped_updates: the same where parts of examples are swapped, which makes more forms to learn.
        epochs: passes over the target examples, in place of ``updates``; 0: not.
        least: fewest updates that ``epochs`` come to, for small data.
        batch: target inputs an update, and as many of the source under ``joint``.
        encoder_lr: peak learning rate of the encoder, or of its adapters.
        head_lr: peak learning rate of head and readout.
        warmup: share of the updates in which the rates rise; then they fall linearly to 0 (Wu & Dredze 2019).
        weight_decay: of AdamW (Wu & Dredze 2019).
        clip: largest gradient norm.
        dropout: before the head.
        swaps: how often, on average, a part of an example (a subtree of a tree) is replaced by a like one of the shots
            before it is read (after Dehouck & Gómez-Rodríguez 2020).
        balanced: whether the label of what is not marked (``O``) weighs at most as much in the loss as all others
            together, in target and source each, see `fewshot.training.balance`.
        average: the last model is the mean of this many evenly spaced checkpoints (Schmidt et al. 2023); 1: none. Under
            ``lora`` the mean is taken of each factor of the adapters, not of their product.
        lora_rank: rank of the adapters.
        lora_alpha: their scale times their rank.
        lora_dropout: on their input.
    """

    method: str
    pooling: str | None
    regime: str
    frozen: tuple[Frozen, Frozen, Frozen]
    updates: tuple[int, int, int]
    swapped_updates: tuple[int, int, int]
    epochs: int
    least: int
    batch: int
    encoder_lr: float
    head_lr: float
    warmup: float
    weight_decay: float
    clip: float
    dropout: float
    swaps: float
    balanced: bool
    average: int
    lora_rank: int
    lora_alpha: int
    lora_dropout: float

    @property
    def readout(self) -> str:
        """What a source model that is trained so sees of its encoder, by its name in `READOUTS`."""
        return readout(self.method, self.pooling)

    def described(self) -> dict[str, Any]:
        """Return all settings by name, as JSON has them; they tell trainings apart. The usual pooling is left out."""
        settings = asdict(self)
        if self.pooling in (None, "mean"):
            del settings["pooling"]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}

    def resolve(self, k: int, inputs: int, depth: int) -> Settings:
        """Decide what depends on the size of the training.

        Args:
            k: number of examples.
            inputs: what the encoder reads of the k examples, see `Task.inputs`.
            depth: number of the encoder's layers.
        """
        frozen, layers = _by_size(k, self.frozen), {"third": depth // 3, "all": depth, "nothing": None}
        updates = _by_size(k, self.swapped_updates if self.swaps else self.updates)
        if self.epochs:
            updates = max(self.least, self.epochs * -(-inputs // self.batch))
        return Settings(self, updates, layers[frozen] if isinstance(frozen, str) else frozen)


@dataclass(frozen=True, slots=True)
class Settings:
    """A recipe for a training of known size.

    Args:
        recipe: all that does not depend on it.
        updates: optimizer steps.
        frozen: bottom layers that stay (0: embeddings only; None: all are trained).
    """

    recipe: Recipe
    updates: int
    frozen: int | None

    @property
    def kept(self) -> str:
        """What of the encoder stays as it was, for people."""
        if self.recipe.method == FEATURE_BASED:
            return "encoder"
        if self.recipe.method == "lora":
            return "encoder, beside adapters"
        if self.frozen is None:
            return "nothing"
        return f"embeddings and lowest {self.frozen} layers" if self.frozen else "embeddings"

    def described(self) -> dict[str, Any]:
        """Return what the training was done with, by name, for ``model.json``."""
        settings = self.recipe.described() | {"updates": self.updates, "frozen": self.kept}
        unused = {"swapped_updates", "least"} | {name for name in ("epochs", "swaps", "balanced") if not settings[name]}
        return {name: value for name, value in settings.items() if name not in unused}


def readout(method: str, pooling: str | None = None) -> str:
    """Return what models of a method see of their encoder, by its name in `READOUTS`."""
    return LayerMix.name if method == FEATURE_BASED else readout_name(pooling)


def source_options(method: str, pooling: str | None = None) -> str:
    """Return the options with which a source model must be trained that such a recipe can continue; may be empty."""
    if method == FEATURE_BASED:
        return f"--method {FEATURE_BASED}"
    return "" if pooling is None else f"--pooling {pooling}"


def _by_size(k: int, values: tuple[T, T, T]) -> T:
    return values[0 if k <= 10 else 1 if k <= 100 else 2]

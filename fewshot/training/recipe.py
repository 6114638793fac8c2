"""The settings of one training; `fewshot.training.presets` has their defaults."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

from fewshot.encoders.readout import LayerMix, readout_name

FEATURE_BASED = "feature-based"
"""The method that freezes the whole encoder and trains a readout of all its layers."""

ALL_TRAINED = "freeze-none"
"""The method that trains all weights, whatever the encoder's size."""

LAUSCHER = "lauscher2020"
"""The method that continues a source model as Lauscher et al. 2020 did."""

METHODS = ("full", "lora", FEATURE_BASED, ALL_TRAINED, LAUSCHER)
"""All methods except freeze-N."""

REGIMES = ("joint", "sequential")

T = TypeVar("T")

Frozen = int | Literal["third", "half", "all", "nothing"]
"""The frozen part of an encoder: the embeddings and N of the lowest layers (0: the embeddings alone), or a third
or half of the layers, or all; or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The hyperparameters of one training.

    Three values of a setting are those for up to 10 examples, up to 100, and more.

    Args:
        method: ``full`` trains all but the ``frozen`` part; ``freeze-N`` all but the embeddings and the lowest N layers
            (Wu & Dredze 2019, 5.2); ``freeze-none`` everything; ``lora`` adapters beside the encoder; ``feature-based``
            a mix of the encoder's layers and an LSTM over them, at the head's rate (Wu & Dredze 2019, 5.2; the paper
            halves the rate when a development score stops rising, here it falls linearly, since no training looks at a
            score); ``lauscher2020`` everything, as Lauscher et al. 2020 (3.1, 4.1).
        pooling: how the pieces' vectors become the vector of a word, one of `POOLINGS`; None: the mean in a source
            model, the source model's pooling in its adaptation.
        regime: ``joint`` mixes source and target in every update (Schmidt et al. 2022); ``sequential`` continues on
            target sentences alone (Lauscher et al. 2020, section 4).
        frozen: the frozen part of the encoder, by size.
        updates: optimizer steps, by size.
        swapped_updates: optimizer steps, by size, if ``swaps`` is not 0.
        epochs: passes over the target examples, which replace ``updates``; 0: use ``updates``.
        least: fewest updates of a training by ``epochs``.
        batch: target inputs per update, and as many source inputs under ``joint``.
        encoder_lr: peak learning rate of the encoder, or of its adapters.
        head_lr: peak learning rate of head and readout.
        warmup: share of the updates in which the rates rise; then they fall linearly to 0 (Wu & Dredze 2019).
        weight_decay: of AdamW (Wu & Dredze 2019).
        clip: largest gradient norm.
        dropout: before the head.
        swaps: mean number of parts of an example (subtrees of a tree) that are replaced by a similar part of the shots
            (after Dehouck & Gómez-Rodríguez 2020).
        balanced: whether the background label (``O``) weighs at most as much in the loss as all other labels together,
            see `fewshot.training.fit.label_weights`.
        average: number of evenly spaced checkpoints whose mean is the final model (Schmidt et al. 2023); 1: the last
            one. Under ``lora`` the mean is taken of each factor, not of their product.
        kept: weight of the source model in the mean of its weights and the adapted ones, by size, for a source model
            that makes no error on the shots; see `fewshot.evaluation.source_share`.
        self_training: number of examples of the pool whose labels, by the adapted model, a second training learns
            beside the shots, with the weight of silver labels; 0: there is no second training.
        lora_rank: rank of the adapters.
        lora_alpha: scale of the adapters times their rank.
        lora_dropout: on the adapters' input.
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
    kept: tuple[float, float, float]
    self_training: int
    lora_rank: int
    lora_alpha: int
    lora_dropout: float

    @property
    def readout(self) -> str:
        """Name in `READOUTS` of the readout of models trained with this recipe."""
        return readout(self.method, self.pooling)

    def described(self) -> dict[str, Any]:
        """Return the settings as JSON values, part of a training's identity; some are left out when unset."""
        settings = asdict(self)
        if self.pooling in (None, "mean"):
            del settings["pooling"]
        if not any(self.kept):
            del settings["kept"]
        if not self.self_training:
            del settings["self_training"]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}

    def resolve(self, k: int, inputs: int, depth: int) -> Settings:
        """Return the settings of a training on k examples.

        Args:
            inputs: number of inputs that the encoder reads of the examples, see `Task.inputs`.
            depth: number of the encoder's layers.
        """
        frozen = by_size(k, self.frozen)
        layers = {"third": depth // 3, "half": depth // 2, "all": depth, "nothing": None}
        updates = by_size(k, self.swapped_updates if self.swaps else self.updates)
        if self.epochs:
            updates = max(self.least, self.epochs * -(-inputs // self.batch))
        return Settings(self, updates, layers[frozen] if isinstance(frozen, str) else frozen)


@dataclass(frozen=True, slots=True)
class Settings:
    """A recipe for a training of known size.

    Args:
        updates: optimizer steps.
        frozen: number of frozen bottom layers (0: embeddings only; None: all are trained).
    """

    recipe: Recipe
    updates: int
    frozen: int | None

    @property
    def frozen_part(self) -> str:
        """Description of the frozen part of the encoder, for people."""
        if self.recipe.method == FEATURE_BASED:
            return "encoder"
        if self.recipe.method == "lora":
            return "encoder, beside adapters"
        if self.frozen is None:
            return "nothing"
        return f"embeddings and lowest {self.frozen} layers" if self.frozen else "embeddings"

    def described(self) -> dict[str, Any]:
        """Return the settings that the training used, for ``model.json``; `adapt` adds ``kept``."""
        settings = self.recipe.described() | {"updates": self.updates, "frozen": self.frozen_part}
        unused = {"swapped_updates", "least", "kept"} | {
            name for name in ("epochs", "swaps", "balanced") if not settings[name]
        }
        return {name: value for name, value in settings.items() if name not in unused}


def readout(method: str, pooling: str | None = None) -> str:
    """Return the name in `READOUTS` of the readout of a method and a pooling."""
    return LayerMix.name if method == FEATURE_BASED else readout_name(pooling)


def source_options(method: str, pooling: str | None = None) -> str:
    """Return the command-line options that train a source model for such a recipe; may be empty."""
    if method == FEATURE_BASED:
        return f"--method {FEATURE_BASED}"
    return "" if pooling is None else f"--pooling {pooling}"


def by_size(k: int, values: tuple[T, T, T]) -> T:
    """Return the value for k examples of those for up to 10, up to 100, and more."""
    return values[0 if k <= 10 else 1 if k <= 100 else 2]

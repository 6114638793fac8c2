"""How a model is trained: every default in one place, each with its source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from fewshot.encoders.readout import LastLayer, LayerMix
from fewshot.errors import FewshotError

FEATURE_BASED = "feature-based"
"""The method that keeps the whole encoder and learns to read it."""

ALL_TRAINED = "freeze-none"
"""The method that trains everything, of any encoder."""

LAUSCHER = "lauscher2020"
"""The method that continues a source model as the paper did."""

METHODS = ("full", "lora", FEATURE_BASED, ALL_TRAINED, LAUSCHER)
"""Beside freeze-N."""

REGIMES = ("joint", "sequential")

BASE_HIDDEN = 768
"""Vector size of base encoders; the learning rate of smaller ones is higher."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings of one fine-tuning; None means "by k and encoder", which `resolve` decides.

    Args:
        method: ``freeze-N`` keeps the embeddings and the lowest N layers as they are (Wu & Dredze 2019, 5.2), and
            ``freeze-none`` keeps nothing; ``lora`` keeps the encoder and trains adapters beside it; ``full`` keeps the
            embeddings up to k=100, and up to k=10 the lowest third of the layers too; of small encoders the embeddings
            alone at every k, or it is what their task says, see `decided`. ``feature-based`` keeps the whole encoder
            and learns a mix of its layers and an LSTM over them (Wu & Dredze 2019, 5.2), at the head's rate. The paper
            halves the rate when a development score stops rising; here it falls linearly: no training looks at a score.
            ``lauscher2020`` trains everything as Lauscher et al. 2020 (3.1, 4.1) did: on target examples alone, in
            their batches and epochs, all at one rate, and the last model counts. Of words' tasks they do not print the
            rate: it is 5e-5, one of the two that they try for NLI and QA, and for small encoders that of ``full``. That
            it falls linearly, dropout and clipping are ours.
        regime: ``joint`` mixes source and target in every update (Schmidt et al. 2022); ``sequential`` continues on
            target sentences alone (Lauscher et al. 2020, section 4); by default joint, and of small encoders what
            their task says, see `decided`.
        updates: optimizer steps; by default 300 up to k=10, 500 up to k=100, then 1000; for small encoders 100, 200 and
            400, or 100, 400 and 800 where ``swaps`` makes more forms to learn, or the epochs that their task says; by
            half more for LoRA.
        epochs: passes over the target examples, where ``updates`` is not given.
        least: fewest updates that ``epochs`` come to, for small data.
        batch: target inputs an update, and as many of the source under ``joint``.
        encoder_lr: peak learning rate of the encoder; by default 2e-5 for base encoders (Devlin et al. 2019),
            5e-4 for smaller ones or what their task says, 3e-4 for LoRA (Hu et al. 2021).
        head_lr: peak learning rate of head and readout: 1e-3 for a new one, 1e-4 for one that continues.
        warmup: share of the updates in which the rate rises; then it falls linearly to 0 (Wu & Dredze 2019).
        weight_decay: of AdamW (Wu & Dredze 2019).
        clip: largest gradient norm.
        dropout: before the head.
        swaps: how often, on average, a part of an example (a subtree of a tree) is replaced by a like one of the shots
            before it is read (after Dehouck & Gómez-Rodríguez 2020); by default what the task says for small encoders,
            and nothing under ``lora``, ``feature-based`` and ``lauscher2020``.
        balanced: whether the label of what is not marked (``O``) weighs at most as much in the loss as all others
            together, in target and source each, see `fewshot.training.balance`; by default with small encoders, where
            the task has such a label, and not under ``lora``, ``feature-based`` and ``lauscher2020``.
        average: the last model is the mean of this many evenly spaced checkpoints (Schmidt et al. 2023); 1: none. Under
            ``lora`` the mean is taken of each factor of the adapters, not of their product.
        lora_rank: rank of the adapters.
        lora_alpha: their scale times their rank.
        lora_dropout: on their input.
    """

    method: str = "full"
    regime: str | None = None
    updates: int | None = None
    epochs: int | None = None
    least: int = 1
    batch: int = 16
    encoder_lr: float | None = None
    head_lr: float = 1e-4
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    dropout: float = 0.1
    swaps: float | None = None
    balanced: bool | None = None
    average: int = 10
    lora_rank: int = 16
    lora_alpha: int = 32
    lora_dropout: float = 0.1

    def __post_init__(self) -> None:
        if self.method not in METHODS and not re.fullmatch(r"freeze-\d+", self.method):
            known = ", ".join(METHODS)
            raise FewshotError(f"unknown method {self.method!r}; choose {known}, or freeze-N such as freeze-3")
        if self.regime not in (None, *REGIMES):
            raise FewshotError(f"unknown regime {self.regime!r}; choose {' or '.join(REGIMES)}")
        if (self.method, self.regime) == (LAUSCHER, "joint"):
            raise FewshotError(f"{LAUSCHER} is sequential; leave the joint regime out, or take another method")
        for name in ("updates", "epochs", "least", "batch", "average"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise FewshotError(f"{name} is {value}; it must be at least 1")
        if self.swaps is not None and not 0 <= self.swaps <= 100:
            raise FewshotError(f"swaps is {self.swaps}; it must be between 0 and 100")
        if self.method == LAUSCHER and self.swaps:
            raise FewshotError(f"{LAUSCHER} swaps nothing; leave swaps out, or take another method")
        if self.method == LAUSCHER and self.balanced:
            raise FewshotError(f"{LAUSCHER} balances nothing; leave balanced out, or take another method")

    @classmethod
    def source(cls, hidden: int, method: str = "full", small: Mapping[str, Any] | None = None) -> Recipe:
        """Return the recipe of source models: 3 epochs (Devlin et al. 2019), at least 1,000 updates, and a new head.

        Args:
            hidden: vector size of the encoder; a small one learns more slowly here than in the adaptation, because a
                high rate costs zero-shot accuracy.
            method: what is trained; LoRA has its own rate.
            small: what the task has in place of these settings, for small encoders.

        Raises:
            FewshotError: when the method is one of the adaptation alone.
        """
        check_source_method(method)
        lr = 2e-4 if hidden < BASE_HIDDEN else 2e-5
        shared = cls(regime="sequential", epochs=3, least=1000, batch=32, encoder_lr=lr, head_lr=1e-3, average=1)
        ours = replace(shared, method=method, **(small or {} if hidden < BASE_HIDDEN else {}))
        return replace(ours, encoder_lr=None) if method == "lora" else ours

    @property
    def readout(self) -> str:
        """What a source model that is trained so sees of its encoder, by its name in `READOUTS`."""
        return LayerMix.name if self.method == FEATURE_BASED else LastLayer.name

    def decided(self, small: Mapping[str, Any], published: Mapping[str, Any], hidden: int) -> Recipe:
        """Return the recipe with what its task decides: the regime, which says what data a training needs, and more.

        Args:
            small: what the task takes with small encoders where nothing is said. A method is said by any but ``full``;
                LoRA and feature-based training have their own rate and updates, and read the examples as they are.
            published: epochs and batch of the task in Lauscher et al. 2020.
            hidden: vector size of the encoder.
        """
        usual: dict[str, Any] = {"regime": "joint", **(small if hidden < BASE_HIDDEN else {})}
        method = usual.pop("method", self.method) if self.method == "full" else self.method
        if self.method in ("lora", FEATURE_BASED):
            usual = {"regime": usual["regime"]}
        if self.method == LAUSCHER:
            usual = {"encoder_lr": 5e-4 if hidden < BASE_HIDDEN else 5e-5, **usual, **published, "regime": "sequential"}
            usual |= {"swaps": None, "balanced": None}
        left = {name: value for name, value in usual.items() if getattr(self, name) is None}
        recipe = replace(self, **left, method=method)
        if self.method == LAUSCHER:
            plain: dict[str, Any] = {"head_lr": recipe.encoder_lr, "warmup": 0.0, "weight_decay": 0.0, "average": 1}
            recipe = replace(recipe, batch=published["batch"], **plain)
        return recipe

    def described(self) -> dict[str, Any]:
        """Return all settings by name, later ones only where they do something: so older trainings keep their names."""
        rest = {name: value for name, value in asdict(self).items() if name not in ("swaps", "balanced")}
        later = {"swaps": float(self.swaps or 0), "balanced": self.balanced}
        return rest | {name: value for name, value in later.items() if value}

    def resolve(self, k: int, inputs: int, hidden: int, depth: int) -> Settings:
        """Decide what is left open.

        Args:
            k: number of target examples.
            inputs: what the encoder reads of them, see `Task.inputs`.
            hidden: vector size of the encoder.
            depth: number of its layers.
        """
        small = hidden < BASE_HIDDEN
        lora = self.method == "lora"
        lr = self.encoder_lr or (3e-4 if lora else 5e-4 if small else 2e-5)
        recipe = replace(self, encoder_lr=lr)
        return Settings(recipe, self._updates(k, inputs, lora, hidden), self._frozen(k, small, depth))

    def by_size(self, hidden: int) -> tuple[int, int, int]:
        """Return the updates up to k=10, up to k=100, and above, of an encoder, where the recipe says none."""
        if hidden >= BASE_HIDDEN:
            return 300, 500, 1000
        return (100, 400, 800) if self.swaps else (100, 200, 400)

    def _updates(self, k: int, inputs: int, lora: bool, hidden: int) -> int:
        if self.updates is not None:
            return self.updates
        if self.epochs is not None:
            return max(self.least, self.epochs * -(-inputs // self.batch))
        by_k = self.by_size(hidden)[0 if k <= 10 else 1 if k <= 100 else 2]
        return by_k * 3 // 2 if lora else by_k

    def _frozen(self, k: int, small: bool, depth: int) -> int | None:
        """Return how many layers stay, None for none."""
        if self.method == FEATURE_BASED:
            return depth
        if self.method in (ALL_TRAINED, LAUSCHER):
            return None
        if self.method.startswith("freeze-"):
            return int(self.method.removeprefix("freeze-"))
        if small:
            return 0
        return depth // 3 if k <= 10 else 0 if k <= 100 else None


@dataclass(frozen=True, slots=True)
class Settings:
    """A recipe with nothing left open.

    Args:
        recipe: what it was made from, with the encoder's rate.
        updates: optimizer steps.
        frozen: bottom layers that stay (0: embeddings only; None: all are trained).
    """

    recipe: Recipe
    updates: int
    frozen: int | None


def check_source_method(method: str) -> None:
    """Refuse a method that only continues a source model.

    Raises:
        FewshotError: when the method is such a one.
    """
    if method == LAUSCHER:
        raise FewshotError(f"{LAUSCHER} is how a source model is continued; train the source model with full")

"""Every default of a training, in one table.

A row holds for a task, an encoder size and a method, and overrides the rows above it. A task inherits the rows of the
tasks that it derives from. The values for new and small encoders were chosen on development data of languages that no
table reports (Basque, Hebrew, Hindi, Italian, Korean, Russian), with ``tests/benchmarks/recipes.py``; the values for
base encoders are those of the papers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Any

from fewshot.encoders.load import Encoder
from fewshot.encoders.vectors import POOLINGS
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.tasks import Task
from fewshot.training.recipe import ALL_TRAINED, FEATURE_BASED, LAUSCHER, METHODS, REGIMES, Recipe

ANY, BASE, SMALL, NEW = "any", "base", "small", "new"
"""Sizes of encoders: as large as BERT base, or larger; smaller; and pretrained by ``fewshot pretrain``, on too little
text for freezing to pay."""

BASE_WEIGHTS = 50_000_000
"""Fewest weights of a ``base`` encoder, embeddings not counted; BERT base has 85 million."""

TUNED, KNOWN = "tuned", "known"
"""Groups of methods that fine-tune the encoder with our settings (full, freeze-N, freeze-none): always, and only if the
source model knows all labels, so that it has something to forget."""

BY_K = {"updates": (300, 500, 1000), "swapped_updates": (300, 500, 1000)}
BY_K_SMALL = {"updates": (100, 200, 400), "swapped_updates": (100, 400, 800)}
BY_K_LORA = {"updates": (450, 750, 1500), "swapped_updates": (450, 750, 1500)}
BY_K_LORA_SMALL = {"updates": (150, 300, 600), "swapped_updates": (150, 600, 1200)}
"""Optimizer steps up to k = 10, up to k = 100, and above; adapters take half as many again."""

SILVER_WEIGHT = 0.3
"""Weight of the loss of silver labels (a language model's) relative to the loss of people's labels.

Below a half, so that people's labels win where the two disagree; well above 0, so that silver labels teach something.
The value was not tuned: the best one depends on the language model's error rate, which ten annotated sentences cannot
tell."""

Row = tuple[str, str, str, Mapping[str, Any]]

COMMON: tuple[Row, ...] = (
    # Joint training: Schmidt et al. 2022; averaging: Schmidt et al. 2023; AdamW, warmup, decay: Wu & Dredze 2019.
    (ANY, ANY, ANY, {"regime": "joint", "batch": 16, "epochs": 0, "least": 1, "head_lr": 1e-4, "average": 10}),
    (ANY, ANY, ANY, {"warmup": 0.1, "weight_decay": 0.01, "clip": 1.0, "dropout": 0.1}),
    (ANY, ANY, ANY, {"swaps": 0.0, "balanced": False, "pooling": None, "kept": (0.0,) * 3, "self_training": 0}),
    (ANY, ANY, ANY, {"lora_rank": 16, "lora_alpha": 32, "lora_dropout": 0.1}),  # Hu et al. 2021
    (ANY, BASE, ANY, {"encoder_lr": 2e-5, "frozen": ("third", 0, "nothing"), **BY_K}),  # Devlin et al. 2019
    (ANY, SMALL, ANY, {"encoder_lr": 1e-4, "frozen": (0, 0, 0), **BY_K_SMALL}),
    (ANY, NEW, ANY, {"encoder_lr": 5e-4, "frozen": (0, 0, 0), **BY_K_SMALL}),
    (ANY, BASE, "lora", {"encoder_lr": 3e-4, **BY_K_LORA}),  # Hu et al. 2021
    (ANY, SMALL, "lora", {"encoder_lr": 3e-4, **BY_K_LORA_SMALL}),
    (ANY, NEW, "lora", {"encoder_lr": 3e-4, **BY_K_LORA_SMALL}),
    (ANY, ANY, FEATURE_BASED, {"frozen": ("all",) * 3}),
    (ANY, ANY, ALL_TRAINED, {"frozen": ("nothing",) * 3}),
)  # fmt: skip
"""Task, encoder size, method, settings: shared by all trainings."""

ADAPTATION: tuple[Row, ...] = (
    *COMMON,
    # Small pretrained encoders gain nothing from English beside the shots. Trees need a high rate and more forms. A few
    # shots say little about entities, classes and answers: at a high rate the model forgets English.
    (ANY, SMALL, ANY, {"regime": "sequential"}),
    # Tags, ten sentences: 30 updates at a higher rate with two of mini's layers frozen score like 100 updates of all
    # layers at 1e-4 (-0.1 ± 0.3 points: Hebrew, Basque, Korean, two draws) in a quarter of the time.
    ("pos", SMALL, TUNED, {"encoder_lr": 3e-4, "updates": (30, 200, 400)}),
    ("pos", SMALL, "full", {"frozen": ("third", 0, 0)}),
    ("dep", SMALL, TUNED, {"encoder_lr": 3e-4, "head_lr": 3e-4, "swaps": 2.0}),
    # Trees, ten sentences: keeping a part of the source model brings +0.4 ± 0.3 LAS (six languages, three draws), most
    # where its trees are good already (Italian +1.2).
    ("dep", SMALL, TUNED, {"kept": (1.0, 0.0, 0.0)}),
    # Entities, ten sentences: 30 updates at 5e-5 score like 100 at 2e-5 (+0.2 ± 0.8 points: five languages, two draws)
    # in half of the time; a hundred sentences: 200 updates score higher (+3.8 ± 2.4: five languages, one draw).
    ("ner", SMALL, KNOWN, {"encoder_lr": 5e-5, "updates": (30, 200, 400)}),
    ("nli", SMALL, KNOWN, {"encoder_lr": 1e-5, "head_lr": 1e-5, "updates": (10, 50, 400)}),
    # Topics: the head may learn faster than the encoder (+0.4 ± 1.1 and +1.0 ± 1.1 points with ten and a hundred
    # documents: five and four languages, two draws).
    ("topic", SMALL, KNOWN, {"encoder_lr": 2e-5, "head_lr": 1e-3, "updates": (10, 50, 400)}),
    ("qa", SMALL, KNOWN, {"encoder_lr": 1e-5, "head_lr": 1e-5}),
    # New encoders learn word-level tasks best with all weights trained, trees and entities from target sentences alone.
    ("pos", NEW, "full", {"method": ALL_TRAINED, "frozen": ("nothing",) * 3}),
    ("dep", NEW, "full", {"method": ALL_TRAINED, "frozen": ("nothing",) * 3}),
    ("ner", NEW, "full", {"method": ALL_TRAINED, "frozen": ("nothing",) * 3}),
    ("dep", NEW, ANY, {"regime": "sequential"}),
    ("ner", NEW, ANY, {"regime": "sequential"}),
    ("dep", NEW, TUNED, {"encoder_lr": 1e-3, "swaps": 2.0}),
    ("ner", NEW, TUNED, {"encoder_lr": 3e-4, "epochs": 30}),
    (ANY, NEW, TUNED, {"balanced": True}),  # ignored for tasks without a background label
    # Lauscher et al. 2020 (3.1, 4.1): target examples alone, all weights trained at one rate, the last model counts.
    # They do not print the rate of word-level tasks: base encoders take one of the two rates tried for NLI and QA, new
    # encoders the rate of `full`, small encoders the best rate for tags and trees on our development data. The linear
    # decay, dropout and clipping are ours. Tasks that the paper does not have use the values of NLI.
    (ANY, ANY, LAUSCHER, {"regime": "sequential", "frozen": ("nothing",) * 3, "average": 1}),
    (ANY, ANY, LAUSCHER, {"warmup": 0.0, "weight_decay": 0.0, "epochs": 3, "batch": 32}),
    (ANY, BASE, LAUSCHER, {"encoder_lr": 5e-5, "head_lr": 5e-5}),
    (ANY, SMALL, LAUSCHER, {"encoder_lr": 5e-5, "head_lr": 5e-5}),
    ("pos", SMALL, LAUSCHER, {"encoder_lr": 2e-4, "head_lr": 2e-4}),
    ("dep", SMALL, LAUSCHER, {"encoder_lr": 2e-4, "head_lr": 2e-4}),
    (ANY, NEW, LAUSCHER, {"encoder_lr": 5e-4, "head_lr": 5e-4}),
    ("dep", NEW, LAUSCHER, {"encoder_lr": 1e-3, "head_lr": 1e-3}),
    ("ner", NEW, LAUSCHER, {"encoder_lr": 3e-4, "head_lr": 3e-4}),
    ("pos", ANY, LAUSCHER, {"epochs": 50, "batch": 128}),
    ("dep", ANY, LAUSCHER, {"epochs": 50, "batch": 128}),
    ("ner", ANY, LAUSCHER, {"epochs": 10, "batch": 128}),
    ("qa", ANY, LAUSCHER, {"epochs": 3, "batch": 12}),
)  # fmt: skip
"""Settings that continue a source model on k examples."""

SOURCE: tuple[Row, ...] = (
    *COMMON,
    # 3 epochs (Devlin et al. 2019), at least 1,000 updates, and a new head. A high rate lowers zero-shot accuracy.
    (ANY, ANY, ANY, {"regime": "sequential", "epochs": 3, "least": 1000, "batch": 32, "head_lr": 1e-3, "average": 1}),
    (ANY, BASE, ANY, {"encoder_lr": 2e-5}),
    (ANY, SMALL, ANY, {"encoder_lr": 2e-4}),
    # What English does not change in the lower layers stays equal for all languages: zero-shot trees +5.1 LAS, entities
    # +7.9 F1 and topics +8.9 together with the third mini, on development files (data/models/README.md).
    (ANY, SMALL, "full", {"frozen": ("half",) * 3}),
    (ANY, NEW, ANY, {"encoder_lr": 2e-4}),
    ("dep", SMALL, ANY, {"epochs": 5, "encoder_lr": 5e-4, "head_lr": 2e-3}),
    ("nli", SMALL, ANY, {"epochs": 2, "encoder_lr": 1e-4}),  # at 2e-4 one seed learned nothing
    ("qa", SMALL, ANY, {"epochs": 2}),  # Devlin et al. 2019
    ("topic", SMALL, ANY, {"least": 250}),  # more updates lower the scores of other languages
    ("dep", NEW, ANY, {"epochs": 5, "encoder_lr": 1e-3, "head_lr": 4e-3}),
    (ANY, ANY, "lora", {"encoder_lr": 3e-4}),
)  # fmt: skip
"""Settings that train a source model."""


LIMITS = {
    **dict.fromkeys(("updates", "epochs", "least", "batch", "average"), (1, inf)),
    "swaps": (0, 100),
    "kept": (0, 1),
    "self_training": (0, inf),
    **dict.fromkeys(("encoder_lr", "head_lr", "weight_decay", "clip"), (0, inf)),
    **dict.fromkeys(("warmup", "dropout", "lora_dropout"), (0, 1)),
    **dict.fromkeys(("lora_rank", "lora_alpha"), (1, inf)),
}
"""Lowest and highest value of settings that a user may override."""

SETTABLE = tuple(name for name in Recipe.__slots__ if name not in ("method", "swapped_updates"))
"""Settings of a preset that a user may override."""


def encoder_size(encoder: Encoder) -> str:
    """Return the size of an encoder: ``new``, or by the weights of its layers ``base`` or ``small``."""
    if encoder.from_nothing:
        return NEW
    return BASE if encoder.body_weights >= BASE_WEIGHTS else SMALL


def adaptation(
    task: Task[Any], encoder: str, method: str = "full", labels_known: bool = True, **changes: Any
) -> Recipe:
    """Return the recipe that continues a source model on k examples.

    Args:
        labels_known: whether the source model knows all labels of the shots.
        changes: settings of `Recipe` that the user overrides; ``updates`` and ``frozen`` as one value for all sizes.

    Raises:
        FewshotError: for an unknown method, or settings that are invalid or unsupported by task or method.
    """
    return _recipe(ADAPTATION, task, encoder, method, changes, labels_known)


def source(task: Task[Any], encoder: str, method: str = "full", **changes: Any) -> Recipe:
    """Return the recipe that trains a source model; arguments and errors are those of `adaptation`."""
    check_source_method(method)
    return _recipe(SOURCE, task, encoder, method, changes, labels_known=False)


def check_source_method(method: str) -> None:
    """Raise a FewshotError for a method that only continues source models."""
    if method == LAUSCHER:
        raise FewshotError(f"{LAUSCHER} only continues source models; train the source model with full")


def check(method: str, changes: Mapping[str, Any]) -> None:
    """Raise a FewshotError for an unknown method, or settings that no training can have."""
    if unknown := [name for name in changes if name not in SETTABLE]:
        raise UnknownNameError("setting of a training", unknown[0], SETTABLE)
    if absent := [name for name, value in changes.items() if value is None]:
        raise FewshotError(f"{absent[0]} is None; leave it out to use the preset's value")
    if method not in METHODS and not re.fullmatch("freeze-[0-9]{1,4}", method):
        raise FewshotError(f"unknown method {method!r}; choose {', '.join(METHODS)}, or freeze-N such as freeze-3")
    for name, values in (("regime", REGIMES), ("pooling", POOLINGS)):
        if changes.get(name, values[0]) not in values:
            raise FewshotError(f"unknown {name} {changes[name]!r}; choose {' or '.join(values)}")
    for name, value in changes.items():
        if name in LIMITS:
            _check_number(name, value)
    if method == LAUSCHER:
        _check_lauscher(changes)


def _check_number(name: str, value: Any) -> None:
    (least, most), is_whole = LIMITS[name], name == "updates" or Recipe.__annotations__[name] == "int"
    if not hasattr(value, "__index__" if is_whole else "__float__"):
        raise FewshotError(f"{name} is {value!r}; it must be a {'whole ' if is_whole else ''}number")
    if not least <= value <= most:
        limits = f"at least {least}" if most == inf else f"between {least} and {most}"
        raise FewshotError(f"{name} is {value}; it must be {limits}")


def check_task(task: Task[Any], method: str, changes: Mapping[str, Any]) -> None:
    """Raise a FewshotError that names a setting without effect on a task."""
    if changes.get("swaps") and not task.swappable:
        raise FewshotError(f"task {task.name} has no parts to swap; leave swaps out")
    if changes.get("balanced") and not task.background:
        raise FewshotError(f"task {task.name} has no label to balance against others; leave balanced out")
    if changes.get("kept") and method == "lora":
        raise FewshotError("lora trains adapters beside the source model's weights; leave kept out")
    if "pooling" in changes and task.view.units == "sequence":
        raise FewshotError(f"task {task.name} has one vector for a whole text; leave pooling out")
    if "pooling" in changes and method == FEATURE_BASED:
        raise FewshotError(f"{FEATURE_BASED} reads a mix of layers; leave pooling out, or take another method")


def _check_lauscher(changes: Mapping[str, Any]) -> None:
    if changes.get("regime") == "joint":
        raise FewshotError(f"{LAUSCHER} is sequential; leave the joint regime out, or take another method")
    for name, does in (("swaps", "swaps"), ("balanced", "balances")):
        if changes.get(name):
            raise FewshotError(f"{LAUSCHER} {does} nothing; leave {name} out, or take another method")


def _recipe(
    rows: tuple[Row, ...], task: Task[Any], encoder: str, method: str, changes: Mapping[str, Any], labels_known: bool
) -> Recipe:
    check(method, changes)
    check_task(task, method, changes)
    tasks, methods = {ANY, *task.lineage}, {ANY, method}
    if method in ("full", ALL_TRAINED) or method.startswith("freeze-"):
        methods |= {TUNED, KNOWN} if labels_known else {TUNED}
    settings: dict[str, Any] = {"method": method}
    for row_task, row_encoder, row_method, values in rows:
        if row_task in tasks and row_encoder in (ANY, encoder) and row_method in methods:
            settings |= values
    if method.removeprefix("freeze-").isdecimal():
        settings["frozen"] = (int(method.removeprefix("freeze-")),) * 3
    settings["balanced"] = settings["balanced"] and bool(task.background)
    return Recipe(**settings | _given(method, changes))


def _given(method: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the user's settings in the format of `Recipe`.

    A single value of ``updates``, ``frozen`` or ``kept`` applies to all sizes, and ``updates`` replaces epochs. Under
    ``lauscher2020`` head and encoder share one rate.
    """
    given = dict(changes)
    if "updates" in given:
        given |= {"updates": (given["updates"],) * 3, "swapped_updates": (given["updates"],) * 3, "epochs": 0}
    for name in given.keys() & {"frozen", "kept"}:
        given[name] = (given[name],) * 3
    if method == LAUSCHER and "encoder_lr" in given:
        given.setdefault("head_lr", given["encoder_lr"])
    return given

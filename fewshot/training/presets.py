"""How models are trained unless the user says otherwise: every default, on one page.

A row says what differs, for some tasks, encoders and methods, from the rows above it that fit as well: the last one
that fits counts. The rows of a task hold for those that derive from it. Those of new and of small encoders were decided
on development data of languages that no table shows (Basque, Hebrew, Hindi, Italian, Korean, Russian), by
``tests/benchmarks/recipes.py``; those of base ones are the papers'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fewshot.encoders.load import Encoder
from fewshot.encoders.vectors import POOLINGS
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.tasks import Task
from fewshot.training.recipe import ALL_TRAINED, FEATURE_BASED, LAUSCHER, METHODS, REGIMES, Recipe

ANY, BASE, SMALL, NEW = "any", "base", "small", "new"
"""Kinds of encoders: as large as BERT base, or larger; smaller; and made from nothing by ``fewshot pretrain``, whose
body has seen too little text to be kept as it is."""

BASE_WEIGHTS = 50_000_000
"""Weights of the layers, embeddings not counted, from which on an encoder is ``base``; BERT base has 85 million."""

TUNED, KNOWN = "tuned", "known"
"""The methods that train the encoder itself with our settings (full, freeze-N, freeze-none): always, and where the
source model knows all labels, so that it has something to forget."""

BY_K = {"updates": (300, 500, 1000), "swapped_updates": (300, 500, 1000)}
BY_K_SMALL = {"updates": (100, 200, 400), "swapped_updates": (100, 400, 800)}
BY_K_LORA = {"updates": (450, 750, 1500), "swapped_updates": (450, 750, 1500)}
BY_K_LORA_SMALL = {"updates": (150, 300, 600), "swapped_updates": (150, 600, 1200)}
"""Optimizer steps up to k = 10, up to k = 100, and above; adapters take half as many again."""

SILVER = 0.3
"""How much the loss of silver labels, those of a language model, weighs beside that of people's labels, which weighs 1.

Below a half, so that where the two contradict each other people are right; far above 0, since else nothing is learned
from them. It was set beforehand, by no score: what is best depends on how often the language model is wrong, which
nobody knows of a language with ten annotated sentences.
"""

Row = tuple[str, str, str, Mapping[str, Any]]

COMMON: tuple[Row, ...] = (
    # Joint training: Schmidt et al. 2022; averaging: Schmidt et al. 2023; AdamW, warmup, decay: Wu & Dredze 2019.
    (ANY, ANY, ANY, {"regime": "joint", "batch": 16, "epochs": 0, "least": 1, "head_lr": 1e-4, "average": 10}),
    (ANY, ANY, ANY, {"warmup": 0.1, "weight_decay": 0.01, "clip": 1.0, "dropout": 0.1}),
    (ANY, ANY, ANY, {"swaps": 0.0, "balanced": False, "pooling": None}),
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
"""Task, encoder, method, settings: what all trainings share."""

ADAPTATION: tuple[Row, ...] = (
    *COMMON,
    # Small ones that were pretrained gain nothing from English beside the shots, and trees want a high rate and more
    # forms. Of entities, classes and answers a few shots say little: at a high rate they make the model forget English.
    (ANY, SMALL, ANY, {"regime": "sequential"}),
    # Ten sentences of tags: 30 updates at a higher rate with two of mini's layers frozen are as good as 100 of all of
    # it at 1e-4 (-0.1 ± 0.3 points: Hebrew, Basque, Korean, two draws) for a quarter of the time.
    ("pos", SMALL, TUNED, {"encoder_lr": 3e-4, "frozen": ("third", 0, 0), "updates": (30, 200, 400)}),
    ("dep", SMALL, TUNED, {"encoder_lr": 3e-4, "head_lr": 3e-4, "swaps": 2.0}),
    # Entities: 30 updates at 5e-5 are as good at ten sentences as 100 at 2e-5 (+0.2 ± 0.8 points: five languages, two
    # draws) for half of the time, and 200 are better at a hundred (+3.8 ± 2.4: five languages, one draw).
    ("ner", SMALL, KNOWN, {"encoder_lr": 5e-5, "updates": (30, 200, 400)}),
    ("nli", SMALL, KNOWN, {"encoder_lr": 1e-5, "head_lr": 1e-5, "updates": (10, 50, 400)}),
    ("topic", SMALL, KNOWN, {"encoder_lr": 1e-5, "head_lr": 1e-5, "updates": (10, 50, 400)}),
    ("qa", SMALL, KNOWN, {"encoder_lr": 1e-5, "head_lr": 1e-5}),
    # New encoders learn words' tasks best with everything trained, trees and entities from target sentences alone.
    ("pos", NEW, "full", {"method": ALL_TRAINED, "frozen": ("nothing",) * 3}),
    ("dep", NEW, "full", {"method": ALL_TRAINED, "frozen": ("nothing",) * 3}),
    ("ner", NEW, "full", {"method": ALL_TRAINED, "frozen": ("nothing",) * 3}),
    ("dep", NEW, ANY, {"regime": "sequential"}),
    ("ner", NEW, ANY, {"regime": "sequential"}),
    ("dep", NEW, TUNED, {"encoder_lr": 1e-3, "swaps": 2.0}),
    ("ner", NEW, TUNED, {"encoder_lr": 3e-4, "epochs": 30}),
    (ANY, NEW, TUNED, {"balanced": True}),  # where the task has a label of what is not marked
    # Lauscher et al. 2020 (3.1, 4.1): target examples alone, everything trained at one rate, and the last model counts.
    # Of words' tasks they do not print the rate: it is one of the two that they try for NLI and QA, for new encoders
    # that of `full`, and for tags and trees with small ones what is best on the data that ours were decided on. That it
    # falls linearly, dropout and clipping are ours. Tasks that they have not: as NLI.
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
"""How a source model is continued on k examples."""

SOURCE: tuple[Row, ...] = (
    *COMMON,
    # 3 epochs (Devlin et al. 2019), at least 1,000 updates, and a new head. A high rate costs zero-shot accuracy.
    (ANY, ANY, ANY, {"regime": "sequential", "epochs": 3, "least": 1000, "batch": 32, "head_lr": 1e-3, "average": 1}),
    (ANY, BASE, ANY, {"encoder_lr": 2e-5}),
    (ANY, SMALL, ANY, {"encoder_lr": 2e-4}),
    (ANY, NEW, ANY, {"encoder_lr": 2e-4}),
    ("dep", SMALL, ANY, {"epochs": 5, "encoder_lr": 5e-4, "head_lr": 2e-3}),
    ("nli", SMALL, ANY, {"epochs": 2, "encoder_lr": 1e-4}),  # at 2e-4 nothing was learned with one seed
    ("qa", SMALL, ANY, {"epochs": 2}),  # Devlin et al. 2019
    ("topic", SMALL, ANY, {"least": 250}),  # more costs other languages points
    ("dep", NEW, ANY, {"epochs": 5, "encoder_lr": 1e-3, "head_lr": 4e-3}),
    (ANY, ANY, "lora", {"encoder_lr": 3e-4}),
)  # fmt: skip
"""How a source model is trained."""


SETTABLE = tuple(name for name in Recipe.__slots__ if name not in ("method", "swapped_updates"))
"""What a user may set in place of a preset's value."""


def kind(encoder: Encoder) -> str:
    """Return whether an encoder is ``new``, or by the weights of its layers ``base`` or ``small``."""
    if encoder.from_nothing:
        return NEW
    return BASE if encoder.body >= BASE_WEIGHTS else SMALL


def adaptation(
    task: Task[Any], encoder: str, method: str = "full", labels_known: bool = True, **changes: Any
) -> Recipe:
    """Return how a source model is continued on k examples.

    Args:
        labels_known: whether the source model knows all labels that are to be learned.
        changes: settings of `Recipe` that the user gives; ``updates`` and ``frozen`` as one value for all sizes.

    Raises:
        FewshotError: for an unknown method, settings that make no sense, or that task or method do not know.
    """
    check(method, changes)
    check_task(task, method, changes)
    return _recipe(ADAPTATION, task, encoder, method, changes, labels_known)


def source(task: Task[Any], encoder: str, method: str = "full", **changes: Any) -> Recipe:
    """Return how a source model is trained.

    Args:
        changes: see `adaptation`.

    Raises:
        FewshotError: when the method is one of the adaptation alone, or see `adaptation`.
    """
    check_source_method(method)
    check(method, changes)
    check_task(task, method, changes)
    return _recipe(SOURCE, task, encoder, method, changes, labels_known=False)


def check_source_method(method: str) -> None:
    """Refuse a method that only continues a source model.

    Raises:
        FewshotError: when the method is such a one.
    """
    if method == LAUSCHER:
        raise FewshotError(f"{LAUSCHER} is how a source model is continued; train the source model with full")


def check(method: str, changes: Mapping[str, Any]) -> None:
    """Refuse what no task and no encoder can be trained with.

    Raises:
        FewshotError: for an unknown method, regime or pooling, a value that makes no sense, or one that the method
            rules out.
    """
    if unknown := [name for name in changes if name not in SETTABLE]:
        raise UnknownNameError("setting of a training", unknown[0], SETTABLE)
    if absent := [name for name, value in changes.items() if value is None]:
        raise FewshotError(f"{absent[0]} is None; leave it out to keep what the preset says")
    if method not in METHODS and not re.fullmatch(r"freeze-\d+", method):
        raise FewshotError(f"unknown method {method!r}; choose {', '.join(METHODS)}, or freeze-N such as freeze-3")
    for name, values in (("regime", REGIMES), ("pooling", POOLINGS)):
        if changes.get(name, values[0]) not in values:
            raise FewshotError(f"unknown {name} {changes[name]!r}; choose {' or '.join(values)}")
    for name in ("updates", "epochs", "least", "batch", "average"):
        if changes.get(name, 1) < 1:
            raise FewshotError(f"{name} is {changes[name]}; it must be at least 1")
    if not 0 <= changes.get("swaps", 0) <= 100:
        raise FewshotError(f"swaps is {changes['swaps']}; it must be between 0 and 100")
    if method == LAUSCHER:
        _check_lauscher(changes)


def check_task(task: Task[Any], method: str, changes: Mapping[str, Any]) -> None:
    """Refuse settings that would do nothing in a task.

    Raises:
        FewshotError: naming the setting.
    """
    if changes.get("swaps") and not task.swappable:
        raise FewshotError(f"task {task.name} has no parts to swap; leave swaps out")
    if changes.get("balanced") and not task.background:
        raise FewshotError(f"task {task.name} has no label to balance against others; leave balanced out")
    if "pooling" in changes and task.view.units == "sequence":
        raise FewshotError(f"task {task.name} has one vector for a whole text; leave pooling out")
    if "pooling" in changes and method == FEATURE_BASED:
        raise FewshotError(f"{FEATURE_BASED} reads a mix of layers; leave pooling out, or take another method")


def _check_lauscher(changes: Mapping[str, Any]) -> None:
    """Refuse what the paper's recipe rules out."""
    if changes.get("regime") == "joint":
        raise FewshotError(f"{LAUSCHER} is sequential; leave the joint regime out, or take another method")
    for name, does in (("swaps", "swaps"), ("balanced", "balances")):
        if changes.get(name):
            raise FewshotError(f"{LAUSCHER} {does} nothing; leave {name} out, or take another method")


def _recipe(
    rows: tuple[Row, ...], task: Task[Any], encoder: str, method: str, changes: Mapping[str, Any], labels_known: bool
) -> Recipe:
    tasks, methods = {ANY, *task.lineage}, {ANY, method}
    if method in ("full", ALL_TRAINED) or method.startswith("freeze-"):
        methods |= {TUNED, KNOWN} if labels_known else {TUNED}
    settings: dict[str, Any] = {"method": method}
    for of_task, of_encoder, of_method, values in rows:
        if of_task in tasks and of_encoder in (ANY, encoder) and of_method in methods:
            settings |= values
    if method.removeprefix("freeze-").isdecimal():
        settings["frozen"] = (int(method.removeprefix("freeze-")),) * 3
    settings["balanced"] = settings["balanced"] and bool(task.background)
    return Recipe(**settings | _given(method, changes))


def _given(method: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a user gives as a recipe has it.

    One value of ``updates`` or ``frozen`` holds for all sizes, and updates stand in place of epochs. Under
    ``lauscher2020`` head and encoder have one rate.
    """
    given = dict(changes)
    if "updates" in given:
        given |= {"updates": (given["updates"],) * 3, "swapped_updates": (given["updates"],) * 3, "epochs": 0}
    if "frozen" in given:
        given["frozen"] = (given["frozen"],) * 3
    if method == LAUSCHER and "encoder_lr" in given:
        given.setdefault("head_lr", given["encoder_lr"])
    return given

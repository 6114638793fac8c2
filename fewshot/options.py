"""The options of ``fewshot run``, each with name, type, default, bounds and help text.

The command line (`fewshot.cli.common.base`) and the files of ``fewshot sweep`` are generated from these groups.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from fewshot.llm.server import DEFAULT_URL

DRAWS, TRAINING, DATA, COST = "Draws", "Training", "Data", "Cost"
MACHINE, LANGUAGE_MODEL = "Machine", "Language model"
"""Panels of ``--help``; basic options are outside all panels, at the top."""


def option(
    default: Any = MISSING,
    *,
    help: str,
    panel: str = "",
    default_text: str = "",
    flag: str = "",
    minimum: float | None = None,
    in_recipe: bool = False,
) -> Any:
    """Return a field of an option group.

    Args:
        default: default of the option; MISSING: the option is required.
        help: line of ``--help``.
        panel: panel of ``--help``.
        default_text: text of ``--help`` in place of the default.
        flag: name of the option, if other than the field's.
        minimum: smallest valid number.
        in_recipe: whether the option replaces the field of the same name in `fewshot.training.recipe.Recipe`.
    """
    metadata = {
        "help": help, "panel": panel, "default_text": default_text, "flag": flag, "minimum": minimum,
        "in_recipe": in_recipe,
    }  # fmt: skip
    return field(default=default, metadata=metadata)


def copy_option(group: type, name: str) -> Any:
    """Return a copy of a field of another group."""
    original = next(own for own in fields(group) if own.name == name)
    return field(default=original.default, metadata=original.metadata)


@dataclass(frozen=True, slots=True)
class Request:
    """The options that decide the scores of ``fewshot run``; None: default by task, encoder, k or device."""

    lang: str = option(help="Target language, e.g. ja.")
    task: str = option("pos", help="pos, dep, ner, nli, qa, topic or your own task; with options, e.g. dep+upos.")
    k: str = option("10", help="Numbers of examples to annotate: 10, or 10,50,100. 0 is always run.")
    model: str = option("mini", help="Encoder: mini (embedded), a hub id such as xlm-roberta-base, or a folder.")
    data: str = option("sample", help="Data: sample (embedded), ud, UD_Japanese-GSD, a folder, or a file.")
    sampler: str | None = option(
        None, panel=DRAWS, default_text="random; ner: confused",
        help="Samplers: random, longest, entropy ...; several with commas, or all.",
    )  # fmt: skip
    shot_sets: int | None = option(None, panel=DRAWS, default_text="3", help="Number of draws of each sampler.")
    seeds: int | None = option(None, panel=DRAWS, default_text="2 (GPU: 3)", help="Number of trainings on each draw.")
    rounds: bool = option(
        False, panel=DRAWS, flag="--rounds",
        help="Active samplers: after each k, the model trained on the shots so far chooses the next shots.",
    )  # fmt: skip
    method: str = option(
        "full", panel=TRAINING,
        help="What is trained: full (by k and encoder), lora, feature-based, freeze-N, freeze-none or lauscher2020.",
    )  # fmt: skip
    pooling: str | None = option(
        None, panel=TRAINING, in_recipe=True, default_text="mean, or that of --source",
        help="Vector of a word from its pieces: mean, first, last or max; the source model must use the same.",
    )  # fmt: skip
    regime: str | None = option(
        None, panel=TRAINING, in_recipe=True, default_text="by task",
        help="joint (source and target mixed) or sequential.",
    )  # fmt: skip
    updates: int | None = option(
        None, panel=TRAINING, in_recipe=True, default_text="by k and task", help="Optimizer steps."
    )
    swaps: float | None = option(
        None, panel=TRAINING, in_recipe=True, default_text="by task",
        help="Trees: mean number of subtrees replaced by similar ones of other shots, each time a tree is read.",
    )  # fmt: skip
    kept: float | None = option(
        None, panel=TRAINING, in_recipe=True, default_text="by k, task and encoder",
        help="Largest share of the source model in the final weights, 0 to 1: that of a source model without an error "
        "on the shots.",
    )  # fmt: skip
    self_training: int | None = option(
        None, panel=TRAINING, in_recipe=True, default_text="0",
        help="Number of pool examples whose labels by the adapted model are learned too, in a second training.",
    )  # fmt: skip
    balanced: bool | None = option(
        None, panel=TRAINING, in_recipe=True, flag="--balanced/--unbalanced",
        default_text="by task, encoder and method",
        help="Entities: limit the weight of words outside entities to the weight of those inside.",
    )  # fmt: skip
    vowel_signs: str = option(
        "auto", panel=TRAINING,
        help="Optional vowel signs (Arabic, Hebrew, Syriac) that the encoder reads: keep, strip, or auto (strip them "
        "where pool, test set or encoder lack them).",
    )  # fmt: skip
    dictionary: bool = option(
        True, panel=TRAINING, flag="--dictionary/--no-dictionary",
        help="Lemmas: look up words that the shots lack in a dictionary, if simplemma is installed and has the "
        "language.",
    )  # fmt: skip
    source: Path | None = option(
        None, panel=TRAINING, help="Folder of a source model, or auto: the one whose language ranks first, see sources."
    )
    source_data: Path | None = option(None, panel=TRAINING, help="Source-language data to mix in (joint).")
    min_tokens: int | None = option(None, panel=DATA, default_text="3 if sentences", help="Shortest example.")
    max_tokens: int | None = option(None, panel=DATA, default_text="50 if sentences", help="Longest example.")
    test_share: float | None = option(
        None, panel=DATA, default_text="all of it", help="Score on a random share of the test set, e.g. 0.2."
    )


@dataclass(frozen=True, slots=True)
class MachineOptions:
    """The options about where cells run."""

    device: str = option("auto", panel=MACHINE, help="Device: auto, cpu, cuda or mps.")
    jobs: int | None = option(
        None, panel=MACHINE, minimum=1, default_text="by cores and memory; GPU: 1",
        help="Number of parallel runs, each in a process with one thread.",
    )  # fmt: skip
    ray: str | None = option(
        None, panel=MACHINE, default_text="this machine", help="Use a Ray cluster: auto, local or ray://HOST:10001."
    )
    gpus_per_run: float = option(
        0, panel=MACHINE, minimum=0, help="With --ray: share of a GPU for each run; 0: one core."
    )


@dataclass(frozen=True, slots=True)
class LlmOptions:
    """The options of a language model; there is none if ``llm`` is None."""

    llm: str | None = option(
        None, panel=LANGUAGE_MODEL, help="Add the curve of a language model with the k examples in its prompt."
    )
    llm_url: str = option(
        DEFAULT_URL,
        panel=LANGUAGE_MODEL,
        help="OpenAI-compatible server of the language model; FEWSHOT_LLM_KEY in the environment may hold a key.",
    )
    llm_cap: float = option(1.0, panel=LANGUAGE_MODEL, minimum=0, help="Maximum total cost of its answers, in dollars.")
    llm_guidelines: Path | None = option(
        None, panel=LANGUAGE_MODEL, help="A text file of annotation guidelines for its prompt."
    )
    llm_timeout: float = option(120.0, panel=LANGUAGE_MODEL, minimum=0.1, help="Maximum seconds for an answer.")
    llm_tokens: int = option(
        8192, panel=LANGUAGE_MODEL, minimum=1, help="Maximum number of tokens in an answer, reasoning included."
    )
    llm_jobs: int = option(4, panel=LANGUAGE_MODEL, minimum=1, help="Number of parallel requests.")
    silver: int | None = option(
        None, panel=LANGUAGE_MODEL, minimum=1,
        help="Number of pool examples that --llm labels for each draw, to train another encoder on too.",
    )  # fmt: skip

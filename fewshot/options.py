"""The options of ``fewshot run``: name, type, default, bounds and help text of each stand here.

The command line (`fewshot.cli.common.groups`) and the files of ``fewshot sweep`` are made from these groups.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from fewshot.llm.server import DEFAULT_URL

DRAWS, TRAINING, DATA, MACHINE, LANGUAGE_MODEL = "Draws", "Training", "Data", "Machine", "Language model"
"""Panels of ``--help``; what a beginner needs is in none of them, and stands first."""


def option(
    default: Any = MISSING,
    *,
    says: str,
    panel: str = "",
    shown: str = "",
    flag: str = "",
    least: float | None = None,
    in_recipe: bool = False,
) -> Any:
    """Return a field of a group.

    Args:
        default: of the option; without one it must be given.
        says: its line of ``--help``.
        panel: of ``--help`` that it stands in.
        shown: what ``--help`` says in place of the default.
        flag: its name, where it is not that of the field.
        least: the least number that it can be.
        in_recipe: whether it takes the place of a preset's value, in the field of `fewshot.training.recipe.Recipe` that
            has its name.
    """
    about = {"says": says, "panel": panel, "shown": shown, "flag": flag, "least": least, "in_recipe": in_recipe}
    return field(default=default, metadata=about)


def as_in(group: type, name: str) -> Any:
    """Return a field like that of another group."""
    like = next(one for one in fields(group) if one.name == name)
    return field(default=like.default, metadata=like.metadata)


@dataclass(frozen=True, slots=True)
class Request:
    """What decides the numbers of ``fewshot run``; what is None is by task, encoder, k or device."""

    lang: str = option(says="Target language, e.g. ja.")
    task: str = option("pos", says="pos, dep, ner, nli, qa, topic or one of your own; options after it, e.g. dep+upos.")
    k: str = option("10", says="Sentences to annotate: 10, or 10,50,100. 0 is always run.")
    model: str = option("mini", says="mini (embedded), a hub id such as xlm-roberta-base, or a folder.")
    data: str = option("sample", says="sample (embedded), ud, UD_Japanese-GSD, a folder, or a file.")
    sampler: str | None = option(
        None, panel=DRAWS, shown="random; ner: confused",
        says="random, longest, entropy ...; several with commas, or all.",
    )  # fmt: skip
    shot_sets: int | None = option(None, panel=DRAWS, shown="3", says="Draws of each sampler.")
    seeds: int | None = option(None, panel=DRAWS, shown="2 (GPU: 3)", says="Trainings on each draw.")
    rounds: bool = option(
        False, panel=DRAWS, flag="--rounds",
        says="Active samplers: after each k, the model of the shots so far chooses the next.",
    )  # fmt: skip
    method: str = option(
        "full", panel=TRAINING,
        says="full (by k and encoder), lora, feature-based, freeze-N, freeze-none, or lauscher2020.",
    )  # fmt: skip
    pooling: str | None = option(
        None, panel=TRAINING, in_recipe=True, shown="mean, or that of --source",
        says="Vector of a word from its pieces: mean, first, last or max; runs take source models trained so.",
    )  # fmt: skip
    regime: str | None = option(
        None, panel=TRAINING, in_recipe=True, shown="by task", says="joint (source and target mixed) or sequential."
    )
    updates: int | None = option(None, panel=TRAINING, in_recipe=True, shown="by k and task", says="Optimizer steps.")
    swaps: float | None = option(
        None, panel=TRAINING, in_recipe=True, shown="by task",
        says="Trees: how often subtrees of one are swapped for others before it is read.",
    )  # fmt: skip
    balanced: bool | None = option(
        None, panel=TRAINING, in_recipe=True, shown="by task, encoder and method", flag="--balanced/--unbalanced",
        says="Entities: words outside of them weigh at most as much as those inside.",
    )  # fmt: skip
    source: Path | None = option(
        None, panel=TRAINING, says="Folder of a source model, or auto: that of the language ranked first, see sources."
    )
    source_data: Path | None = option(None, panel=TRAINING, says="Source-language data to mix in (joint).")
    min_tokens: int | None = option(None, panel=DATA, shown="3 if sentences", says="Shortest example.")
    max_tokens: int | None = option(None, panel=DATA, shown="50 if sentences", says="Longest example.")
    test_share: float | None = option(
        None, panel=DATA, shown="all of it", says="Score on a random share of the test set: 0.2."
    )


@dataclass(frozen=True, slots=True)
class Where:
    """Where runs are carried out."""

    device: str = option("auto", panel=MACHINE, says="auto, cpu, cuda or mps.")
    jobs: int | None = option(
        None, panel=MACHINE, least=1, shown="by cores and memory; GPU: 1",
        says="Runs at once, each in a process with one thread.",
    )  # fmt: skip
    ray: str | None = option(
        None, panel=MACHINE, shown="this machine", says="Runs on a Ray cluster: auto, local or ray://HOST:10001."
    )
    gpus_per_run: float = option(
        0, panel=MACHINE, least=0, says="With --ray: share of a GPU that each run takes; 0: it takes a core."
    )


@dataclass(frozen=True, slots=True)
class Llm:
    """A language model that answers beside the encoder; where ``llm`` is None there is none."""

    llm: str | None = option(
        None, panel=LANGUAGE_MODEL, says="A language model as a further curve: the k examples are in its prompt."
    )
    llm_url: str = option(
        DEFAULT_URL,
        panel=LANGUAGE_MODEL,
        says="Its server, OpenAI-compatible; a key is read from FEWSHOT_LLM_KEY in the environment.",
    )
    llm_cap: float = option(1.0, panel=LANGUAGE_MODEL, least=0, says="Most dollars that its answers may cost, in all.")
    llm_guidelines: Path | None = option(None, panel=LANGUAGE_MODEL, says="A text file that it is told too.")
    llm_timeout: float = option(120.0, panel=LANGUAGE_MODEL, least=0.1, says="Seconds that an answer may take.")
    llm_tokens: int = option(8192, panel=LANGUAGE_MODEL, least=1, says="Most tokens of an answer, thoughts included.")
    llm_jobs: int = option(4, panel=LANGUAGE_MODEL, least=1, says="Questions at once.")
    silver: int | None = option(
        None, panel=LANGUAGE_MODEL, least=1,
        says="Pool sentences that --llm labels for each draw; a further encoder learns from them too.",
    )  # fmt: skip

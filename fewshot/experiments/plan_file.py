"""``plan.json``: the identity, facts and commands of the results in a folder."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypedDict

from fewshot import records
from fewshot.corpora.files import write_text
from fewshot.corpora.load import Corpus
from fewshot.corpora.ud import treebanks
from fewshot.corpora.writing import describe_difference
from fewshot.curves.journal import lock_folder
from fewshot.curves.results import RESULTS, Result
from fewshot.encoders.readout import MEAN_OF_LAST
from fewshot.encoders.vowel_signs import strips_signs
from fewshot.errors import FewshotError, counted, listed
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Cell, run_id
from fewshot.training import sources
from fewshot.training.recipe import Settings

PLAN_FILE = "plan.json"


class PlanFile(TypedDict, total=False):
    """The contents of ``plan.json``."""

    identity: dict[str, Any]
    facts: dict[str, dict[str, Any]]
    commands: list[str]
    beside: list[str]


APP_COMMAND = "fewshot app"
"""The command of experiments whose shots were annotated in the app."""


def read(folder: Path) -> dict[str, Any]:
    """Return the contents of ``plan.json``; an empty dictionary if the file is missing.

    Raises:
        FewshotError: when the file is damaged.
    """
    return records.load(folder / PLAN_FILE, PlanFile, "delete it and repeat the command, which writes it anew") or {}


def check(folder: Path, identity: dict[str, Any], results: Sequence[Result]) -> None:
    """Raise an error if a folder holds results of another identity.

    Args:
        identity: identity of the experiment to be run, see `Trainer.identity`.

    Raises:
        FewshotError: when language, task, models, data, recipe or device differ from those of a result.
    """
    if all(result.run == run_id(identity, Cell.from_result(result)) for result in results):
        return
    before = read(folder).get("identity")
    known = identity if before is None else before
    changed = [name for name, value in identity.items() if known.get(name) != value]
    raise FewshotError(f"{folder}: holds runs of another {listed(changed) or 'plan'}; give another --out")


def write(
    folder: Path,
    identity: Mapping[str, Any],
    facts: Mapping[str, Mapping[str, str]],
    results: Sequence[Result],
    command: str,
) -> None:
    """Write ``plan.json``.

    Raises:
        FewshotError: when the file cannot be written.
    """
    before = read(folder) if results else {}
    plan = {
        "identity": identity,
        "facts": facts,
        "commands": [line for line in dict.fromkeys([*before.get("commands", []), command]) if line],
        **({"beside": before["beside"]} if "beside" in before else {}),
    }
    _write(folder, plan)


def link_folder(folder: Path, linked: Path) -> None:
    """Record that every report of a folder includes the results of another folder.

    Raises:
        FewshotError: when ``plan.json`` cannot be read or written, or another process uses the folder.
    """
    with lock_folder(folder):
        plan = read(folder)
        path = Path(os.path.relpath(linked, folder)).as_posix()
        _write(folder, {**plan, "beside": list(dict.fromkeys([*plan.get("beside", []), path]))})


def linked_folders(folder: Path) -> list[Path]:
    """Return the folders recorded by `link_folder` that still hold results."""
    paths = (Path(os.path.normpath(folder / path)) for path in read(folder).get("beside", []))
    return [path for path in paths if (path / RESULTS).exists()]


def _write(folder: Path, plan: Mapping[str, Any]) -> None:
    write_text(folder / PLAN_FILE, json.dumps(plan, indent=2, ensure_ascii=False) + "\n")


def collect_facts(experiment: Experiment, cells: Sequence[Cell]) -> dict[str, dict[str, str]]:
    """Return the facts about an experiment for screen and report, by heading and name."""
    trainer, corpus = experiment.trainer, experiment.corpus
    task, recipe = trainer.task, trainer.recipe
    drawn = [cell for cell in cells if cell.k]
    resolved = [(c.k, trainer.settings(experiment.shots.for_cell(c))) for c in drawn if c.seed == 0]
    shot_sets, seeds = (max((getattr(c, name) + 1 for c in drawn), default=1) for name in ("shot_set", "seed"))
    in_rounds = any(cell.rounds[1:] for cell in drawn)
    trained_on = treebanks.language_names(sources.languages(trainer.source.provenance))
    return {
        "Data": describe_corpus(corpus, task.example.kind, strips_signs(trainer.source.encoder)),
        "Model": {
            "encoder": f"{trainer.source.encoder.name} ({trainer.source.encoder.fingerprint})",
            f"{trained_on} source model".strip(): trainer.source_name,
            "source data mixed in": trainer.source_data_name,
            **({"lemmas by": looked_up} if (looked_up := trainer.made_from.get("dictionary")) else {}),
        },
        "Plan": {
            "task": f"{task.title}, {task.metric}",
            **({"labels": trainer.new_labels_notice(corpus.test)} if trainer.new_labels else {}),
            "language": trainer.lang,
            "k": ", ".join(str(k) for k in sorted({cell.k for cell in drawn}) or [0]),
            "samplers": ", ".join(dict.fromkeys(cell.sampler for cell in drawn)) or "none",
            "in rounds": "active samplers, where a curve is named with sizes" if in_rounds else "none",
            "shot sets x seeds": f"{shot_sets} x {seeds}",
            "method, regime": f"{recipe.method}, {recipe.regime}",
            "kept as in the source model": _by_k(resolved, lambda settings: settings.frozen_part) or "all",
            "updates": _by_k(resolved, lambda settings: settings.updates) or "none",
            "learning rates": f"{recipe.encoder_lr:g} encoder, {recipe.head_lr:g} head",
            **({"word vectors": readout} if (readout := trainer.source.readout.name) != MEAN_OF_LAST else {}),
            **({f"{task.swappable} swapped": f"{recipe.swaps:g} an example"} if recipe.swaps else {}),
            **({"self-training": f"{recipe.self_training} of the pool"} if recipe.self_training else {}),
            **({"silver labels": str(experiment.silver)} if experiment.silver else {}),
            **({f"{task.background} weighs": "at most what all other labels do"} if recipe.balanced else {}),
        },
        "Machine": {
            "device": trainer.device.type,
            **describe_software("fewshot", "torch", "transformers"),
        },
    }


def describe_corpus(corpus: Corpus, kind: str, strips: bool = False) -> dict[str, str]:
    """Return the facts about pool and test set.

    Args:
        strips: see `describe_difference`.
    """
    count = corpus.count
    left_out = f"{count.wrong_length} of other lengths, {count.in_test} in the test set, {count.repeated} repeated"
    return {
        "source": corpus.source,
        "pool": f"{counted(count.kept, kind)} (left out: {left_out})",
        "test set": counted(len(corpus.test), kind),
        **({"writing": writing} if (writing := describe_difference(corpus.pool, corpus.test, strips)) else {}),
    }


def describe_software(*packages: str) -> dict[str, str]:
    """Return the versions of packages and Python, and the date."""
    return {
        "versions": ", ".join(f"{name} {version(name)}" for name in packages),
        "python": platform.python_version(),
        "date": datetime.now().astimezone().date().isoformat(),
    }


def _by_k(resolved: Sequence[tuple[int, Settings]], value: Callable[[Settings], Any]) -> str:
    """Return the value for each k, as a range where the draws differ: ``8-10 (k=10), 40 (k=50)``."""
    values_by_k: dict[int, list[Any]] = {}
    for k, settings in resolved:
        values_by_k.setdefault(k, []).append(value(settings))
    ranges = {k: dict.fromkeys([min(values), max(values)]) for k, values in values_by_k.items()}
    return ", ".join(f"{'-'.join(map(str, ends))} (k={k})" for k, ends in ranges.items())

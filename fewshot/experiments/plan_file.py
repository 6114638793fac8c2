"""``plan.json``: what the runs of a folder are made from, which guards it, and what a report says of them."""

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
from fewshot.curves.journal import holding
from fewshot.curves.results import RESULTS, Result
from fewshot.encoders.readout import MEAN_OF_LAST
from fewshot.errors import FewshotError, UnknownNameError, listed
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Cell, run_id
from fewshot.training import sources
from fewshot.training.recipe import Settings

PLAN = "plan.json"


class PlanFile(TypedDict, total=False):
    """What ``plan.json`` holds."""

    identity: dict[str, Any]
    facts: dict[str, dict[str, Any]]
    commands: list[str]
    beside: list[str]


APP = "fewshot app"
"""The command of runs whose shots people have annotated in the app, over rounds of any sampler."""


def read(folder: Path) -> dict[str, Any]:
    """Return ``plan.json``; empty where there is none.

    Raises:
        FewshotError: when it is damaged.
    """
    return records.load(folder / PLAN, PlanFile, "delete it and repeat the command, which writes it anew") or {}


def check(folder: Path, identity: dict[str, Any], results: Sequence[Result]) -> None:
    """Refuse a folder that holds runs of another identity.

    Args:
        identity: of what is to be carried out there, see `Trainer.identity`.
        results: all that the folder holds.

    Raises:
        FewshotError: when language, task, models, data, recipe or device differ from those of a result.
    """
    if all(result.run == run_id(identity, Cell.of(result)) for result in results):
        return
    before = read(folder).get("identity")
    known = identity if before is None else before
    changed = [name for name, value in identity.items() if known.get(name) != value]
    raise FewshotError(f"{folder}: holds runs of another {' and '.join(changed) or 'plan'}; give another --out")


def write(
    folder: Path,
    identity: Mapping[str, Any],
    facts: Mapping[str, Mapping[str, str]],
    results: Sequence[Result],
    command: str,
) -> None:
    """Write ``plan.json``: what the folder holds, its identity, its facts, the commands that repeat it.

    Args:
        folder: of the runs, checked.
        identity: of what is carried out there.
        facts: what a report says of it, by heading and name.
        results: all that the folder holds already.
        command: that repeats the experiment; may be empty.

    Raises:
        FewshotError: when it cannot be written.
    """
    before = read(folder) if results else {}
    plan = {
        "identity": identity,
        "facts": facts,
        "commands": [line for line in dict.fromkeys([*before.get("commands", []), command]) if line],
        **({"beside": before["beside"]} if "beside" in before else {}),
    }
    _write(folder, plan)


def set_beside(folder: Path, other: Path) -> None:
    """Note that the results of another folder belong beside those of a folder, in every report of it.

    Raises:
        FewshotError: when ``plan.json`` cannot be read or written, or another process works in the folder.
    """
    with holding(folder):
        plan = read(folder)
        place = Path(os.path.relpath(other, folder)).as_posix()
        _write(folder, {**plan, "beside": list(dict.fromkeys([*plan.get("beside", []), place]))})


def beside(folder: Path) -> list[Path]:
    """Return the folders that `set_beside` noted, as far as they still have results."""
    places = (Path(os.path.normpath(folder / place)) for place in read(folder).get("beside", []))
    return [place for place in places if (place / RESULTS).exists()]


def _write(folder: Path, plan: Mapping[str, Any]) -> None:
    write_text(folder / PLAN, json.dumps(plan, indent=2, ensure_ascii=False) + "\n")


def facts(experiment: Experiment, cells: Sequence[Cell]) -> dict[str, dict[str, str]]:
    """Return what was run, on what, with what, for screen and report.

    Args:
        experiment: data and models.
        cells: all that was run of them, in any order.
    """
    trainer, corpus = experiment.trainer, experiment.corpus
    task, recipe = trainer.task, trainer.recipe
    drawn = [cell for cell in cells if cell.k]
    resolved = [(c.k, trainer.settings(experiment.shots.expected(c))) for c in drawn if c.seed == 0]
    shot_sets, seeds = (max((getattr(c, name) + 1 for c in drawn), default=1) for name in ("shot_set", "seed"))
    in_rounds = any(cell.rounds[1:] for cell in drawn)
    return {
        "Data": of_corpus(corpus, task.example.kind),
        "Model": {
            "encoder": f"{trainer.source.encoder.name} ({trainer.source.encoder.fingerprint})",
            f"{languages(sources.languages(trainer.source.provenance))} source model".strip(): trainer.source_name,
            "source data mixed in": trainer.source_data_name,
        },
        "Plan": {
            "task": f"{task.title}, {task.metric}",
            **({"labels": trainer.notice(corpus.test)} if trainer.new_labels else {}),
            "language": trainer.lang,
            "k": ", ".join(str(k) for k in sorted({cell.k for cell in drawn}) or [0]),
            "samplers": ", ".join(dict.fromkeys(cell.sampler for cell in drawn)) or "none",
            "in rounds": "active samplers, where a curve is named with sizes" if in_rounds else "none",
            "shot sets x seeds": f"{shot_sets} x {seeds}",
            "method, regime": f"{recipe.method}, {recipe.regime}",
            "kept as in the source model": _by_k(resolved, lambda settings: settings.frozen_part) or "all",
            "updates": _by_k(resolved, lambda found: found.updates) or "none",
            "learning rates": f"{recipe.encoder_lr:g} encoder, {recipe.head_lr:g} head",
            **({"word vectors": readout} if (readout := trainer.source.readout.name) != MEAN_OF_LAST else {}),
            **({f"{task.swappable} swapped": f"{recipe.swaps:g} an example"} if recipe.swaps else {}),
            **({"silver labels": str(experiment.silver)} if experiment.silver else {}),
            **({f"{task.background} weighs": "at most what all other labels do"} if recipe.balanced else {}),
        },
        "Machine": {
            "device": trainer.device.type,
            **of_software("fewshot", "torch", "transformers"),
        },
    }


def of_corpus(corpus: Corpus, kind: str) -> dict[str, str]:
    """Return what is said of pool and test set."""
    return {
        "source": corpus.source,
        "pool": _pool_line(corpus, kind),
        "test set": f"{len(corpus.test)} {kind}",
        **({"writing": said} if (said := describe_difference(corpus.pool, corpus.test)) else {}),
    }


def of_software(*packages: str) -> dict[str, str]:
    """Return versions and date."""
    return {
        "versions": ", ".join(f"{name} {version(name)}" for name in packages),
        "python": platform.python_version(),
        "date": datetime.now().astimezone().date().isoformat(),
    }


def _pool_line(corpus: Corpus, kind: str) -> str:
    count = corpus.count
    left_out = f"{count.wrong_length} of other lengths, {count.in_test} in the test set, {count.repeated} repeated"
    return f"{count.kept} {kind} (left out: {left_out})"


def _by_k(resolved: Sequence[tuple[int, Settings]], value: Callable[[Settings], Any]) -> str:
    """Return the value of each k, the lowest and the highest where draws differ: ``8-10 (k=10), 40 (k=50)``."""
    found: dict[int, list[Any]] = {}
    for k, settings in resolved:
        found.setdefault(k, []).append(value(settings))
    ends = {k: dict.fromkeys([min(values), max(values)]) for k, values in found.items()}
    return ", ".join(f"{'-'.join(str(end) for end in both)} (k={k})" for k, both in ends.items())


def languages(codes: Sequence[str]) -> str:
    """Return the names of languages: ``English and Indonesian``; empty for none."""
    return listed(list(map(language, codes))) if codes else ""


def language(code: str) -> str:
    """Return the name of a language, its code where it has none here."""
    try:
        return treebanks.find(code).language
    except UnknownNameError:
        return code

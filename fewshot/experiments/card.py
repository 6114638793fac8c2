"""``plan.json``: what the runs of a folder are made from, which guards it, and what a report says of them."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fewshot.corpora.files import write_text
from fewshot.corpora.load import Corpus
from fewshot.curves.results import Result
from fewshot.errors import FewshotError
from fewshot.experiments.plan import Condition, Plan, run_id
from fewshot.experiments.setup import Setup
from fewshot.training.adapt import settings
from fewshot.training.recipe import FEATURE_BASED, Settings

PLAN = "plan.json"


def read(folder: Path) -> dict[str, Any]:
    """Return ``plan.json``; empty where there is none, or none that can be read."""
    try:
        card = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return card if isinstance(card, dict) else {}


def check(folder: Path, setup: Setup, results: Sequence[Result]) -> None:
    """Refuse a folder that holds runs of another identity.

    Args:
        folder: of the runs.
        setup: whose plan is to be carried out there.
        results: all that the folder holds.

    Raises:
        FewshotError: when language, task, models, data, recipe or device differ from those of a result.
    """
    if all(result.run == run_id(setup.identity, _condition(result)) for result in results):
        return
    before = read(folder).get("identity")
    known = before if isinstance(before, dict) else setup.identity
    changed = [name for name, value in setup.identity.items() if known.get(name) != value]
    raise FewshotError(f"{folder}: holds runs of another {' and '.join(changed) or 'plan'}; give another --out")


def write(folder: Path, setup: Setup, results: Sequence[Result], command: str) -> None:
    """Write ``plan.json``: the plan, with all that the folder holds already, its identity, its facts, its commands.

    Args:
        folder: of the runs, checked.
        setup: plan, data and models.
        results: all that the folder holds.
        command: that repeats the plan; may be empty.

    Raises:
        FewshotError: when it cannot be written.
    """
    before = read(folder) if results else {}
    plan = setup.plan.covering([_condition(result) for result in results])
    card = {
        "plan": asdict(plan),
        "identity": setup.identity,
        "facts": facts(setup, plan),
        "commands": [line for line in dict.fromkeys([*before.get("commands", []), command]) if line],
    }
    write_text(folder / PLAN, json.dumps(card, indent=2, ensure_ascii=False) + "\n")


def facts(setup: Setup, plan: Plan) -> dict[str, dict[str, str]]:
    """Return what was run, on what, with what, for screen and report.

    Args:
        setup: data and models.
        plan: all that was run of them.
    """
    corpus, recipe = setup.corpus, plan.recipe
    resolved = {k: settings(setup.source, recipe, k) for k in plan.ks if k}
    return {
        "Data": {
            "source": corpus.source,
            "pool": _pool_line(corpus, setup.task.example.kind),
            "test set": f"{len(corpus.test)} {setup.task.example.kind}",
        },
        "Model": {
            "encoder": f"{setup.source.encoder.name} ({setup.source.encoder.fingerprint})",
            "English source model": setup.source_name,
            "English data mixed in": setup.source_data_name,
        },
        "Plan": {
            "task": f"{setup.task.title}, {setup.task.metric}",
            "language": plan.lang,
            "k": ", ".join(str(k) for k in plan.ks),
            "samplers": ", ".join(plan.samplers),
            "shot sets x seeds": f"{plan.shot_sets} x {plan.seeds}",
            "method, regime": f"{recipe.method}, {recipe.regime}",
            "kept as in the source model": ", ".join(f"{_kept(s)} (k={k})" for k, s in resolved.items()) or "all",
            "updates": ", ".join(f"{s.updates} (k={k})" for k, s in resolved.items()) or "none",
            "learning rates": ", ".join(sorted({f"{s.encoder_lr:g}" for s in resolved.values()})) + " encoder, "
            f"{recipe.head_lr:g} head",
        },
        "Machine": {
            "device": setup.device.type,
            "versions": ", ".join(f"{name} {version(name)}" for name in ("fewshot", "torch", "transformers")),
            "python": platform.python_version(),
            "date": datetime.now().astimezone().date().isoformat(),
        },
    }


def _condition(result: Result) -> Condition:
    return Condition(result.sampler, result.k, result.shot_set, result.seed)


def _pool_line(corpus: Corpus, kind: str) -> str:
    count = corpus.count
    left_out = f"{count.wrong_length} of other lengths, {count.in_test} in the test set, {count.repeated} repeated"
    return f"{count.kept} {kind} (left out: {left_out})"


def _kept(settings: Settings) -> str:
    if settings.recipe.method == FEATURE_BASED:
        return "encoder"
    if settings.recipe.method == "lora":
        return "encoder, beside adapters"
    if settings.frozen is None:
        return "nothing"
    return f"embeddings and lowest {settings.frozen} layers" if settings.frozen else "embeddings"

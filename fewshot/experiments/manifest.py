"""``plan.json``: what the runs of a folder are made from, which guards it, and what a report says of them."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fewshot.corpora.files import write_text
from fewshot.corpora.load import Corpus
from fewshot.corpora.ud import treebanks
from fewshot.curves.results import Result
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.experiments.plan import Condition, Plan, run_id
from fewshot.experiments.setup import Setup, settings_of
from fewshot.training import sources
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
    if all(result.run == run_id(setup.identity, Condition.of(result)) for result in results):
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
    plan = setup.plan.covering([Condition.of(result) for result in results])
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
    conditions = plan.conditions()
    resolved = [(c.k, settings_of(setup, c)) for c in conditions if c.k and c.seed == 0]
    in_rounds = any(c.rounds[1:] for c in conditions)
    return {
        "Data": {
            "source": corpus.source,
            "pool": _pool_line(corpus, setup.task.example.kind),
            "test set": f"{len(corpus.test)} {setup.task.example.kind}",
        },
        "Model": {
            "encoder": f"{setup.source.encoder.name} ({setup.source.encoder.fingerprint})",
            f"{language(sources.language(setup.source.card))} source model".strip(): setup.source_name,
            "source data mixed in": setup.source_data_name,
        },
        "Plan": {
            "task": f"{setup.task.title}, {setup.task.metric}",
            "language": plan.lang,
            "k": ", ".join(str(k) for k in plan.ks),
            "samplers": ", ".join(plan.samplers),
            "in rounds": "active samplers, where a curve is named with sizes" if in_rounds else "none",
            "shot sets x seeds": f"{plan.shot_sets} x {plan.seeds}",
            "method, regime": f"{recipe.method}, {recipe.regime}",
            "kept as in the source model": _by_k(resolved, _kept) or "all",
            "updates": _by_k(resolved, lambda found: found.updates) or "none",
            "learning rates": ", ".join(sorted({f"{s.recipe.encoder_lr:g}" for _, s in resolved})) + " encoder, "
            f"{recipe.head_lr:g} head",
            **({f"{setup.task.swappable} swapped": f"{recipe.swaps:g} an example"} if recipe.swaps else {}),
            **({f"{setup.task.background} weighs": "at most what all other labels do"} if recipe.balanced else {}),
        },
        "Machine": {
            "device": setup.device.type,
            "versions": ", ".join(f"{name} {version(name)}" for name in ("fewshot", "torch", "transformers")),
            "python": platform.python_version(),
            "date": datetime.now().astimezone().date().isoformat(),
        },
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


def language(code: str) -> str:
    """Return the name of a language, its code where it has none here."""
    try:
        return treebanks.find(code).language
    except UnknownNameError:
        return code


def _kept(settings: Settings) -> str:
    if settings.recipe.method == FEATURE_BASED:
        return "encoder"
    if settings.recipe.method == "lora":
        return "encoder, beside adapters"
    if settings.frozen is None:
        return "nothing"
    return f"embeddings and lowest {settings.frozen} layers" if settings.frozen else "embeddings"

"""The model card, ``README.md``: task, scores, training data, and code that loads the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import EvalResult, ModelCardData
from jinja2 import Environment, PackageLoader, StrictUndefined

from fewshot.corpora.ud import treebanks
from fewshot.curves.points import distinct, estimate
from fewshot.curves.results import RESULTS, Result, describe_part_scores, read_results
from fewshot.encoders.load import EMBEDDED
from fewshot.encoders.readout import MEAN_OF_LAST
from fewshot.encoders.vectors import takes_types
from fewshot.experiments import plan_file
from fewshot.heads import TransformersHead
from fewshot.hub.export import ADAPTER
from fewshot.tasks.base import metric_name
from fewshot.training import sources
from fewshot.training.model import Model

README = "README.md"

SPACE = "\u2581"
"""SentencePiece's mark of a space; see `fewshot.encoders.pieces`."""


def text(model: Model, folder: Path, name: str, plain: TransformersHead | None) -> str:
    """Return the card of a model.

    Args:
        folder: of the model; the folder above holds the results and the plan of its run.
        name: of the exported folder.
        plain: the head in transformers, or None where transformers has no such head.

    Raises:
        FewshotError: when the results of the run cannot be read.
    """
    environment = Environment(
        loader=PackageLoader("fewshot.hub", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    results = read_results(folder.parent / RESULTS)
    own = next((result for result in results if result.run == model.provenance.get("run")), None)
    plan = plan_file.read(folder.parent) if own else {}
    return environment.get_template("card.md.jinja").render(
        front=_front_matter(model, name, own, plain).to_yaml(),
        name=name,
        task=model.task,
        kind=model.task.example.kind,
        metric=model.task.score_label.removesuffix(" (%)"),
        run=own,
        points=_points(results) if own else [],
        known_only=next((r.known_only for r in results if not r.k and r.known_only not in (None, r.score)), None),
        zero_shot_left_out=bool(describe_part_scores(folder.parent / RESULTS)),
        plan=plan,
        by_app=plan_file.APP_COMMAND in plan.get("commands", []),
        **_history(model),
        **_loading(model, plain),
    )


def _history(model: Model) -> dict[str, Any]:
    task, provenance = model.task, _flat(model.provenance, model.task.example.kind)
    recipe = dict(provenance.get("recipe", {}))
    silver = recipe.pop("silver", None)
    unknown = dict.fromkeys(("k", "data", "sampler", "rounds", "shot_set", "seed", task.example.kind))
    return {
        "provenance": unknown | provenance,
        "language": treebanks.language_names(_languages(model)),
        "source": unknown | _flat(provenance["source"], task.example.kind) if "source" in provenance else None,
        "source_language": treebanks.language_names(sources.languages(provenance)),
        "dev": provenance.get("dev", {}).get(task.metric),
        "silver": silver,
        "recipe": _recipe(recipe),
        "encoder": model.encoder.name,
        "embedded": model.encoder.name == EMBEDDED,
    }


def _languages(model: Model) -> list[str]:
    provenance = model.provenance
    return sources.languages(provenance) if "source" not in provenance else list(filter(None, [provenance.get("lang")]))


def _flat(provenance: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return a provenance with one text and one count for the data of all corpora."""
    if "sources" not in provenance:
        return dict(provenance)
    corpora = provenance["sources"]
    data = f"{', '.join(corpus['data'] for corpus in corpora)} ({sources.describe_corpora(corpora, kind)})"
    return {**provenance, "data": data, kind: sum(corpus[kind] for corpus in corpora)}


def _loading(model: Model, plain: TransformersHead | None) -> dict[str, Any]:
    view, most = model.task.view, model.encoder.limit
    tokenizer: Any = model.encoder.tokenizer
    return {
        "plain": plain,
        "by_word": view.units == "words",
        "limit": min(view.limit or most, most),
        "types": takes_types(model.module),
        "bare": SPACE in tokenizer.get_vocab(),
        "last_layer": model.readout.name == MEAN_OF_LAST,
        "adapter": model.adapter,
        "adapter_folder": ADAPTER,
    }


def _front_matter(model: Model, name: str, own: Result | None, plain: TransformersHead | None) -> ModelCardData:
    task, base, codes = model.task, model.encoder.name, _languages(model)
    evaluations = [
        EvalResult(
            task_type=task.hub,
            task_name=task.title,
            dataset_type=Path(data).name,
            dataset_name=Path(data).name,
            metric_type=task.metric,
            metric_value=round(score, 2),
            metric_name=f"{metric_name(task.metric)}{interval}",
        )
        for data, score, interval in _scores(model, own)
    ]
    return ModelCardData(
        language=codes[0] if len(codes) == 1 else codes or None,
        library_name="transformers",
        pipeline_tag=task.hub if plain and plain.pipeline == task.hub else None,  # others would load a random head
        tags=["fewshot", "cross-lingual", task.title.replace(" ", "-").lower()],
        base_model=None if base == EMBEDDED or Path(base).is_dir() else base,
        metrics=[task.metric],
        model_name=name,
        eval_results=evaluations or None,
    )


def _scores(model: Model, own: Result | None) -> list[tuple[str, float, str]]:
    """Return data, score in percent and the end of the metric's name, of the run or the dev file."""
    if own:
        return [(own.data, own.score, f", 95% interval [{own.low:.1f}, {own.high:.1f}]")]
    score = model.provenance.get("dev", {}).get(model.task.metric)
    return [] if score is None else [(f"{model.provenance.get('data', 'source')} (dev)", score, "")]


def _points(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return a row for each draw and k: mean score in percent with its 95% interval, and mean costs."""
    groups: dict[tuple[str, int], list[Result]] = {}
    for result in sorted(distinct(results), key=lambda result: result.k):
        groups.setdefault((result.drawn_by, result.k), []).append(result)
    rows = []
    for (drawn_by, k), group in groups.items():
        score, low, high = estimate(group)
        costs = ("tokens", "minutes", "dollars")
        means = {name: sum(getattr(result, name) for result in group) / len(group) for name in costs}
        draws = len({result.shot_set for result in group})
        rows.append({"drawn_by": drawn_by, "k": k, "score": score, "low": low, "high": high, "draws": draws, **means})
    return rows


def _recipe(recipe: Mapping[str, Any]) -> str:
    """Return the settings of a recipe as text; those of adapters only for the method ``lora``."""
    lora = recipe.get("method") == "lora"
    shown = {name: value for name, value in recipe.items() if value is not None and (lora or "lora" not in name)}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in shown.items())

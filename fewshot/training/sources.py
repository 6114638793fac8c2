"""Source models on disk, found by the data and settings that they were trained with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewshot.corpora.embedded import data_dir
from fewshot.corpora.files import cache_dir, file_hash
from fewshot.corpora.language_codes import language
from fewshot.encoders.load import EMBEDDED, Encoder
from fewshot.encoders.readout import MEAN_OF_LAST
from fewshot.errors import FewshotError
from fewshot.tasks import Task
from fewshot.training.description import DESCRIPTION, read_description, weights_file
from fewshot.training.recipe import Recipe, readout, source_options


@dataclass(frozen=True, slots=True)
class SavedSource:
    """A source model on disk: its folder and its ``model.json``."""

    place: Path
    description: Mapping[str, Any]


def user_dir() -> Path:
    """Return the folder of the source models that the user has trained."""
    return cache_dir() / "sources"


def embedded_dir() -> Path:
    """Return the folder of the source models that ship with the package."""
    return data_dir() / "models" / "sources"


def fingerprint(place: Path) -> str:
    """Return a hash of a saved model's weights."""
    return file_hash(weights_file(place, read_description(place) or {}))[:16]


def folder(root: Path, task: Task[Any], encoder: Encoder, data: str, recipe: Recipe, seed: int) -> Path:
    """Return the folder of a source model, named by a hash of all that the model depends on."""
    made_from = [task.name, list(task.labels), encoder.fingerprint, data, recipe.described(), seed]
    key = hashlib.sha256(json.dumps(made_from).encode()).hexdigest()[:12]
    return root / f"{task.name}-{Path(encoder.name).name}-{key}"


def origin(description: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the description of the source model that a model was adapted from, directly or not."""
    while "source" in description:
        description = description["source"]
    return description


def corpora(description: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the descriptions of the corpora of a model's source training."""
    first = origin(description)
    trained_on: list[Mapping[str, Any]] = first.get("sources", [first])
    return trained_on


def languages(description: Mapping[str, Any]) -> list[str]:
    """Return the codes of the languages of a model's source training; may be empty."""
    return list(dict.fromkeys(str(corpus["lang"]) for corpus in corpora(description) if corpus.get("lang")))


def describe_corpora(corpora: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Return the corpora of a description for people: ``12544 en, 4482 id sentences``."""
    sizes = ", ".join(f"{corpus.get(kind)} {corpus.get('lang')}" for corpus in corpora)
    return f"{sizes} {kind}"


def continued(task: Task[Any]) -> tuple[str, ...]:
    """Return the names of the tasks whose source models a task continues, the preferred first.

    A task of several labels continues the task of one label, whose head has the same weights.
    """
    return (task.name, task.name.replace("+several", "")) if task.several else (task.name,)


def find(
    task: Task[Any],
    encoder: Encoder,
    roots: Sequence[Path] | None = None,
    method: str = "full",
    langs: Collection[str] = (),
    pooling: str | None = None,
) -> Path:
    """Return the folder of the source model of a task for an encoder.

    The user's models come before the embedded ones; among several, a model trained with ``full`` comes first, then the
    newest, then the last by name.

    Args:
        encoder: the pretrained encoder, with the weights that the model was trained from.
        method: of the recipe that continues the model, like ``pooling``; ``feature-based`` needs a model trained with
            that method, which other methods continue only when its folder is given.
        langs: the exact set of languages that the model was trained on; empty: any.

    Raises:
        FewshotError: when there is no such model, with the command that trains one.
    """
    wanted = set(map(language, langs))
    for root in roots or [user_dir(), embedded_dir()]:
        for model in find_all(task, encoder, root, method, pooling):
            if not wanted or set(map(language, languages(model.description))) == wanted:
                return model.place
    trained = source_options(method, pooling)
    options = "" if encoder.name == EMBEDDED else f" --model {encoder.name}"
    options += f" {trained}" if trained else ""
    options += f" --lang {','.join(langs)}" if langs else ""
    data = " ".join(f"--data FOLDER_OF_{lang.upper()}_{task.example.kind.upper()}" for lang in langs or ["ENGLISH"])
    named = f" of {', '.join(langs)}" if langs else ""
    how = f" was trained with {trained}" if trained else ""
    raise FewshotError(
        f"no source model{named} for task {task.name} with encoder {encoder.name}{how}; train one with: "
        f"fewshot source --task {task.name}{options} {data}"
    )


def find_all(
    task: Task[Any], encoder: Encoder, root: Path, method: str = "full", pooling: str | None = None
) -> list[SavedSource]:
    """Return the source models of a folder for a task and an encoder, in the preference order of `find`."""
    wanted, named = readout(method, pooling), continued(task)
    candidates = []
    for path in root.glob(f"*/{DESCRIPTION}"):
        description = read_description(path.parent)  # None when damaged
        if (
            description
            and description["task"] in named
            and description["encoder_fingerprint"] == encoder.fingerprint
            and description.get("readout", MEAN_OF_LAST) == wanted
        ):
            is_full = description.get("recipe", {}).get("method", "full") == "full"
            rank = (-named.index(description["task"]), is_full, path.stat().st_mtime, path.parent)
            candidates.append((rank, description))
    ordered = sorted(candidates, key=lambda candidate: candidate[0], reverse=True)
    return [SavedSource(rank[-1], description) for rank, description in ordered]

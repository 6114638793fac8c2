"""Source models on disk: trained once, found again by what they were trained from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewshot.corpora.embedded import data_dir, sample_dir
from fewshot.corpora.files import cache_dir, file_hash
from fewshot.corpora.language_codes import language
from fewshot.encoders.load import EMBEDDED, Encoder
from fewshot.encoders.readout import MEAN_OF_LAST
from fewshot.errors import FewshotError
from fewshot.tasks import Task
from fewshot.training.model import DESCRIPTION, read_description, weights
from fewshot.training.recipe import Recipe, readout, source_options


@dataclass(frozen=True, slots=True)
class Found:
    """A source model on disk.

    Args:
        place: its folder.
        description: what its ``model.json`` says.
    """

    place: Path
    description: Mapping[str, Any]


def kept_in() -> Path:
    """Return the folder where source models are kept between runs."""
    return cache_dir() / "sources"


def embedded_in() -> Path:
    """Return the folder of the source models that ship with the package."""
    return data_dir() / "models" / "sources"


def embedded_english(kind: str) -> Path:
    """Return the English part of the embedded sample, of one kind of example."""
    return sample_dir("en", kind)


def fingerprint(place: Path) -> str:
    """Return a hash of a saved model's weights."""
    return file_hash(weights(place, read_description(place) or {}))[:16]


def folder(root: Path, task: Task[Any], encoder: Encoder, data: str, recipe: Recipe, seed: int) -> Path:
    """Return the place of a source model, named by a hash of all that it is made from.

    Args:
        root: where source models are kept.
        data: fingerprint of the training examples.
    """
    made_from = [task.name, list(task.labels), encoder.fingerprint, data, recipe.described(), seed]
    key = hashlib.sha256(json.dumps(made_from).encode()).hexdigest()[:12]
    return root / f"{task.name}-{Path(encoder.name).name}-{key}"


def origin(description: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the description of the source model that a model was adapted from, through any number of adaptations."""
    while "source" in description:
        description = description["source"]
    return description


def corpora(description: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what a model was first trained on, a description each: one corpus, unless it lists several."""
    first = origin(description)
    found: list[Mapping[str, Any]] = first.get("sources", [first])
    return found


def languages(description: Mapping[str, Any]) -> list[str]:
    """Return the codes of the languages that a model was first trained on; none where its description has none."""
    return list(dict.fromkeys(str(corpus["lang"]) for corpus in corpora(description) if corpus.get("lang")))


def listed(corpora: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Return the corpora of a description for people: ``12544 en, 4482 id sentences``."""
    each = ", ".join(f"{corpus.get(kind)} {corpus.get('lang')}" for corpus in corpora)
    return f"{each} {kind}"


def find(
    task: Task[Any],
    encoder: Encoder,
    roots: Sequence[Path] | None = None,
    method: str = "full",
    langs: Collection[str] = (),
    pooling: str | None = None,
) -> Path:
    """Return the source model of a task for an encoder.

    Those of the user come before the embedded ones; of several, one trained with ``full`` comes before others, then the
    newest, then the last by name.

    Args:
        encoder: the pretrained encoder; its weights must be those the model was trained from.
        method: of the recipe that is to continue it; ``feature-based`` needs a model trained so, and other
            methods take one only when its folder is given.
        langs: languages that it must have been trained on, these and no others; none: whatever they are.
        pooling: of the recipe likewise, see `Recipe`.

    Raises:
        FewshotError: when there is none, saying how to train one.
    """
    asked = set(map(language, langs))
    for root in roots or [kept_in(), embedded_in()]:
        for found in fitting(task, encoder, root, method, pooling):
            if not asked or set(map(language, languages(found.description))) == asked:
                return found.place
    model = "" if encoder.name == EMBEDDED else f" --model {encoder.name}"
    trained = source_options(method, pooling)
    option, so = (f" {trained}", f" was trained with {trained}") if trained else ("", "")
    of, lang = (f" of {', '.join(langs)}", f" --lang {','.join(langs)}") if langs else ("", "")
    data = " ".join(f"--data FOLDER_OF_{one.upper()}_{task.example.kind.upper()}" for one in langs or ["ENGLISH"])
    raise FewshotError(
        f"no source model{of} for task {task.name} with encoder {encoder.name}{so}; train one with: "
        f"fewshot source --task {task.name}{model}{option}{lang} {data}"
    )


def fitting(
    task: Task[Any], encoder: Encoder, root: Path, method: str = "full", pooling: str | None = None
) -> list[Found]:
    """Return the source models of a folder for a task and an encoder, in the order in which `find` prefers them."""
    wanted = readout(method, pooling)
    found = [
        (description.get("recipe", {}).get("method", "full") == "full", (place / DESCRIPTION).stat().st_mtime, place)
        for place, description in _descriptions(root)
        if description["task"] == task.name
        and description["encoder_fingerprint"] == encoder.fingerprint
        and description.get("readout", MEAN_OF_LAST) == wanted
    ]
    return [Found(place, read_description(place) or {}) for _, _, place in sorted(found, reverse=True)]


def _descriptions(root: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(root.glob(f"*/{DESCRIPTION}")):
        if description := read_description(path.parent):  # a damaged one is no model
            yield path.parent, description

"""The data that source models are trained on, and that is mixed in with the shots: one corpus, or several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewshot import tasks
from fewshot.corpora.load import describe, find_split, fingerprint, read
from fewshot.corpora.types import Example
from fewshot.errors import FewshotError
from fewshot.training import sources
from fewshot.training.mixture import joined
from fewshot.training.model import Model
from fewshot.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class SourceCorpus:
    """Annotated examples of a source language.

    Args:
        lang: the language.
        path: of the data.
        train: examples of the training file.
        dev: of the development file; empty where there is none.
    """

    lang: str
    path: Path
    train: Sequence[Example]
    dev: Sequence[Example]

    def described(self) -> dict[str, Any]:
        """Return what ``model.json`` says of it."""
        data = {"data": str(self.path.resolve()), "data_fingerprint": fingerprint(self.train)}
        return {"lang": self.lang, **data, self.train[0].kind: len(self.train)}


def described(corpora: Sequence[SourceCorpus]) -> dict[str, Any]:
    """Return what ``model.json`` says of the data of a source model; of several corpora a list, under ``sources``."""
    each = [corpus.described() for corpus in corpora]
    return each[0] if len(each) == 1 else {"sources": each}


def mixed_in(model: Model, recipe: Recipe, given: Path | None) -> tuple[Sequence[Example], str]:
    """Return the source-language examples that a recipe mixes in, none but under ``joint``, and their name for people.

    Args:
        recipe: says the regime.
        given: file or folder that the user chose; None: what the model was trained on as far as it is still there, else
            the embedded English sample, as far as the model knows its labels; what the user chose is learned whole.

    Raises:
        FewshotError: when the user chose one and the recipe mixes nothing in, or nothing that the model knows is left.
    """
    if recipe.regime != "joint":
        if given is not None:
            raise FewshotError(
                f"{given}: source data is mixed in under --regime joint alone; add that, or leave it out"
            )
        return [], "none"
    trained_on, task = sources.corpora(model.provenance), model.task
    if given is None and (left := list(still_there(trained_on, task))):
        return joined([examples for _, examples in left]), ", ".join(corpus["data"] for corpus, _ in left)
    path = given or sources.embedded_english(task.example.kind)
    examples = train_file(path, task)
    if given is not None or not task.open:
        return examples, describe(path)
    known = [one for one in map(task.masked, examples) if task.is_annotated(one)]
    if not known:
        names = ", ".join(one["data"] for one in trained_on if "data" in one)
        raise FewshotError(
            f"{names or 'what the source model was trained on'} is not here, and the embedded English has "
            "other labels; give --source-data, or take --regime sequential"
        )
    part = f", {len(known)} of {len(examples)}: the others have other labels" if len(known) < len(examples) else ""
    return known, f"{describe(path)}{part}"


def train_file(path: Path, task: tasks.Task[Any]) -> Sequence[Example]:
    """Read a file, or the training file of a folder.

    Raises:
        FewshotError: when there is none.
    """
    kind = task.example.kind
    if not path.is_dir():
        return read(path, kind=kind, task=task)
    file = find_split(path, "train", kind) or find_split(path, "pool", kind)
    if file is None:
        raise FewshotError(f"{path}: no train file of {kind} here; give a folder with one, or the file itself")
    return read(file, kind=kind, task=task)


def still_there(
    corpora: Sequence[Mapping[str, Any]], task: tasks.Task[Any]
) -> Iterator[tuple[Mapping[str, Any], Sequence[Example]]]:
    """Yield each description of `sources.corpora` whose examples are where they were, and these.

    Args:
        task: that they are annotated for.
    """
    for corpus in corpora:
        with suppress(FewshotError, KeyError):  # something else of that name may lie here, or no name was kept
            examples = train_file(Path(corpus["data"]), task)
            if fingerprint(examples) == corpus["data_fingerprint"]:
                yield corpus, examples

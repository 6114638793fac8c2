"""Source-language data: one corpus or several, to train source models on and to mix in with the shots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewshot import tasks
from fewshot.corpora.embedded import sample_dir
from fewshot.corpora.load import describe, find_split, fingerprint, read
from fewshot.corpora.types import Example
from fewshot.errors import FewshotError
from fewshot.training import sources
from fewshot.training.mixture import join_corpora
from fewshot.training.model import Model
from fewshot.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class SourceCorpus:
    """Annotated examples of a source language."""

    lang: str
    path: Path
    train: Sequence[Example]
    dev: Sequence[Example]

    def describe(self) -> dict[str, Any]:
        """Return the description of the corpus for ``model.json``."""
        data = {"data": str(self.path.resolve()), "data_fingerprint": fingerprint(self.train)}
        return {"lang": self.lang, **data, self.train[0].kind: len(self.train)}


def provenance(corpora: Sequence[SourceCorpus]) -> dict[str, Any]:
    """Return the description of the data of a source model for ``model.json``."""
    descriptions = [corpus.describe() for corpus in corpora]
    return descriptions[0] if len(descriptions) == 1 else {"sources": descriptions}


def load_mixed_in(model: Model, recipe: Recipe, given: Path | None) -> tuple[Sequence[Example], str]:
    """Return the source examples that a recipe mixes in and their name for users; empty unless ``joint``.

    Args:
        given: file or folder that the user chose, used whole; None: the training data of the model if it still exists,
            else the part of the embedded English sample whose labels the model knows.

    Raises:
        FewshotError: when the user chose data for a recipe without mixing, or no example has labels that the model
            knows.
    """
    if recipe.regime != "joint":
        if given is not None:
            raise FewshotError(
                f"{given}: source data is mixed in under --regime joint only; add --regime joint, or leave it out"
            )
        return [], "none"
    trained_on, task = sources.corpora(model.provenance), model.task
    if given is None and (left := list(read_existing(trained_on, task))):
        return join_corpora([examples for _, examples in left]), ", ".join(corpus["data"] for corpus, _ in left)
    path = given or sample_dir("en", task.example.kind)
    examples = read_train_file(path, task)
    if given is not None or not task.open:
        return examples, describe(path)
    known = [example for example in map(task.masked, examples) if task.is_annotated(example)]
    if not known:
        names = ", ".join(corpus["data"] for corpus in trained_on if "data" in corpus)
        raise FewshotError(
            f"cannot find {names or 'the training data of the source model'}, and the embedded English sample has "
            "other labels; give --source-data, or use --regime sequential"
        )
    part = f", {len(known)} of {len(examples)}: the others have other labels" if len(known) < len(examples) else ""
    return known, f"{describe(path)}{part}"


def read_train_file(path: Path, task: tasks.Task[Any]) -> Sequence[Example]:
    """Read a file, or the training file of a folder.

    Raises:
        FewshotError: when the folder has no training file.
    """
    kind = task.example.kind
    if not path.is_dir():
        return read(path, kind=kind, task=task)
    file = find_split(path, "train", kind) or find_split(path, "pool", kind)
    if file is None:
        raise FewshotError(f"{path}: no training file of {kind} here; give a folder with one, or the file itself")
    return read(file, kind=kind, task=task)


def read_existing(
    corpora: Sequence[Mapping[str, Any]], task: tasks.Task[Any]
) -> Iterator[tuple[Mapping[str, Any], Sequence[Example]]]:
    """Yield each description of `sources.corpora` whose data is unchanged at its path, with the examples."""
    for corpus in corpora:
        with suppress(FewshotError, KeyError):  # the path may hold other data, or the description may have no path
            examples = read_train_file(Path(corpus["data"]), task)
            if fingerprint(examples) == corpus["data_fingerprint"]:
                yield corpus, examples

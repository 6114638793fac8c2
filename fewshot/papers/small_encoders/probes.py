"""What a design has data for: the probes behind the cells of its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewshot import tasks
from fewshot.corpora.types import Pair, Sentence
from fewshot.errors import FewshotError
from fewshot.experiments.data_folders import Examples, Folders
from fewshot.experiments.executors.place import Place
from fewshot.experiments.plan import digest
from fewshot.papers.small_encoders.design import Design, Pretraining, TableRow, base
from fewshot.papers.small_encoders.scale import Scale
from fewshot.pretraining.corpus import fingerprint
from fewshot.training import presets
from fewshot.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Probe:
    """A score to be found, once for each seed.

    Args:
        pretraining: the encoder.
        task: the task.
        langs: trained on, scored on.
        train: examples to train on, before they are changed.
        test: examples to score, before they are changed.
        recipe: of the training.
        identity: of all that decides the number, beside the seed.
    """

    pretraining: Pretraining
    task: tasks.Task[Any]
    langs: tuple[str, str]
    train: Examples
    test: Examples
    recipe: Recipe
    identity: str

    def run(self, seed: int) -> str:
        """Return the identity of one repetition."""
        return digest([self.identity, seed])


TableCell = tuple[TableRow, str, str]
"""A row, the language that is scored, the name of the task."""


@dataclass(frozen=True, slots=True)
class Work:
    """A design and what it works on.

    Args:
        design: what to do.
        scale: of encoders and probes.
        source: corpus folder.
        cells: what there is data for, in the order of the rows, with the probe that fills it.
        place: where to train.
    """

    design: Design
    scale: Scale
    source: Path
    cells: list[tuple[TableCell, Probe]]
    place: Place


def prepare(
    design: Design,
    names: Sequence[str],
    scale: Scale,
    source: Path,
    data: Sequence[Path],
    place: Place,
    warn: Callable[[str], None],
) -> Work:
    """Find the data of every task for every row.

    Args:
        names: of the tasks that encoders are probed with, where there is data.
        scale: of encoders and probes.
        source: corpus folder.
        data: folders of annotated data, see `Folders`.
        place: where to train.
        warn: called with a line for data that is left out, and for languages that no task has data for.

    Raises:
        FewshotError: when there are no seeds, or data for no row at all.
    """
    if design.seeds < 1:
        raise FewshotError(f"seeds is {design.seeds}; it must be at least 1")
    probed = [tasks.get(name) for name in names]
    if bad := [task.name for task in probed if task.example not in (Sentence, Pair)]:
        raise FewshotError(f"encoders are not probed with {', '.join(bad)}; choose among pos, dep, ner and nli")
    folders = Folders(data, sorted({base(lang) for row in design.rows for lang in (row.train, *row.tests)}), warn)
    text = fingerprint(source)
    cells = []
    without: dict[str, None] = {}
    for row in design.rows:
        for test in row.tests:
            found = list(_probes(row, test, probed, scale, folders, [text, scale.sentences, place.device.type]))
            cells += found
            if not found:
                without[f"{base(row.train)} to {base(test)}"] = None
    if not cells:
        places = ", ".join(map(str, data))
        raise FewshotError(
            f"no annotated data for {', '.join(without)} under {places}; "
            "give --data folders that hold folders such as en_ewt and it_isdt, with train and test files"
        )
    for pair in without:
        warn(f"no task has data for {pair}; these rows are left out")
    return Work(design, scale, source, cells, place)


def _probes(
    row: TableRow,
    test: str,
    probed: Sequence[tasks.Task[Any]],
    scale: Scale,
    folders: Folders,
    identity: Sequence[Any],
) -> Iterator[tuple[TableCell, Probe]]:
    for task in probed:
        within = all(base(row.train) == base(lang) for lang in row.tests)
        train = folders.train(task, base(row.train), scale.probe_sentences, within)
        scored = folders.test(task, base(test), train.folder) if train else None
        if train and scored:
            recipe = presets.source(task, presets.NEW, updates=scale.probe_updates)
            made_from = [*identity, row.pretraining.key, task.name, list(task.labels), row.train, test]
            whole = digest([*made_from, train.fingerprint, scored.fingerprint, recipe.described()])
            yield (row, test, task.name), Probe(row.pretraining, task, (row.train, test), train, scored, recipe, whole)

"""Annotated data of the probes: which folder serves a task and a language, and the same data in Fake-English."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fewshot import tasks
from fewshot.analysis.plan import base
from fewshot.analysis.texts import separated
from fewshot.corpora.load import POOL_SPLITS, find_split, fingerprint, read
from fewshot.corpora.types import UNANNOTATED, Pair, Sentence
from fewshot.errors import CorpusError, FewshotError
from fewshot.pretraining import transforms

KEPT = ("fake", "mark")
"""Transforms of a pretraining corpus that its probes' data get too; order and frequencies stay (section 3.2.2)."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Annotated examples of one task and language.

    Args:
        folder: where they are from.
        examples: that are annotated.
        fingerprint: hash of texts and labels.
    """

    folder: Path
    examples: tuple[Any, ...]
    fingerprint: str


class Treebanks:
    """The annotated data under some folders.

    A folder such as ``it_isdt`` or ``wikiann_it`` is of the language that its name holds. Where several serve, the
    collection (the name without the language) with the most of the languages comes first, then the first name.

    Args:
        folders: of folders.
        langs: languages that are asked for.
        warn: called with a line for each file that is left out because its labels are not those of the task.

    Raises:
        FewshotError: when a folder is not there.
    """

    def __init__(self, folders: Sequence[Path], langs: Sequence[str], warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._found: dict[str, list[tuple[str, Path]]] = {base(lang): [] for lang in langs}
        self._read: dict[Path, Sequence[Any]] = {}
        self._chosen: dict[tuple[str, Path], list[Any]] = {}
        for folder in folders:
            if not folder.is_dir():
                raise FewshotError(f"{folder}: no such folder; give one that holds folders such as it_isdt")
            for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
                parts = inner.name.split("_")
                for lang in self._found.keys() & set(parts):
                    collection = "_".join("" if part == lang else part for part in parts)
                    self._found[lang].append((collection, inner))
        covers = Counter(name for found in self._found.values() for name in {name for name, _ in found})
        for found in self._found.values():
            found.sort(key=lambda pair: (-covers[pair[0]], pair[1]))

    def train(self, task: tasks.Task[Any], lang: str, most: int, within: bool) -> Examples | None:
        """Return examples to train on, None when there are none.

        Args:
            task: the task.
            lang: the language, or its fake: the words are those of the language.
            most: examples; of more, a random draw.
            within: whether the folder must have a test file too.
        """
        for _, folder in self._found[base(lang)]:
            if within and not self._split(task, folder, "test"):
                continue
            for split in POOL_SPLITS:
                if chosen := self._split(task, folder, split):
                    drawn = random.Random(0).sample(chosen, most) if len(chosen) > most else chosen
                    return _examples(folder, drawn)
        return None

    def test(self, task: tasks.Task[Any], lang: str, beside: Path) -> Examples | None:
        """Return examples to score: of the folder that the training examples are from, else of the first one.

        Args:
            task: the task.
            lang: as in `train`.
            beside: the folder of the training examples.
        """
        folders = [folder for _, folder in self._found[base(lang)]]
        for folder in sorted(folders, key=lambda folder: folder != beside):
            if chosen := self._split(task, folder, "test"):
                return _examples(folder, chosen)
        return None

    def _split(self, task: tasks.Task[Any], folder: Path, name: str) -> list[Any]:
        file = find_split(folder, name, task.example.kind)
        if file is None:
            return []
        if file not in self._read:
            self._read[file] = read(file)
        if (task.name, file) not in self._chosen:
            ours = [example for example in self._read[file] if isinstance(example, task.example)]
            chosen = [example for example in ours if task.is_annotated(example)]
            try:
                tasks.check_gold(task, chosen)
            except CorpusError as error:
                self._warn(f"left out: {error}")
                chosen = []
            self._chosen[task.name, file] = chosen
        return self._chosen[task.name, file]


def change(example: Any, names: Sequence[str]) -> Any:
    """Do to an example what was done to the text of its language in pretraining; the labels stay.

    Args:
        example: annotated; a sentence or a pair.
        names: of transforms; those that are not `KEPT` are left out.
    """
    for name in names:
        if name.partition("-")[0] not in KEPT:
            continue
        if isinstance(example, Pair):
            premise, hypothesis = transforms.apply([name], [example.premise, example.hypothesis])
            example = replace(example, premise=premise, hypothesis=hypothesis)
        else:
            example = _changed(example, name)
    return example


def _changed(sentence: Sentence, name: str) -> Sentence:
    (text,) = transforms.apply([name], [sentence.text])
    if name != "fake":
        return _marked(sentence, text)
    words = transforms.fake([separated(word) for word in sentence.words])
    return replace(sentence, words=tuple(words), text=text, lines=())


def _marked(sentence: Sentence, text: str) -> Sentence:
    """Set the first word of a text, which nobody has annotated, before the words."""
    return replace(
        sentence,
        text=text,
        words=(text.split(maxsplit=1)[0], *sentence.words),
        upos=(UNANNOTATED, *sentence.upos),
        heads=(-1, *(head + (head > 0) for head in sentence.heads)),
        deprels=(UNANNOTATED, *sentence.deprels),
        entities=(UNANNOTATED, *sentence.entities),
        lines=(),
    )


def _examples(folder: Path, examples: Sequence[Any]) -> Examples:
    return Examples(folder, tuple(examples), fingerprint(examples))

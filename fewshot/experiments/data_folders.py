"""Annotated data in folders, by task and language."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import langcodes

from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.embedded import data_dir, sample_languages
from fewshot.corpora.language_codes import language
from fewshot.corpora.load import POOL_SPLITS, find_split, fingerprint, read
from fewshot.corpora.ud import treebanks
from fewshot.errors import CorpusError, FewshotError, UnknownNameError


@dataclass(frozen=True, slots=True)
class AnnotatedExamples:
    """Annotated examples of one task and language; the fingerprint covers texts and labels."""

    folder: Path
    examples: tuple[Any, ...]
    fingerprint: str


class DataFolders:
    """The annotated data in some folders.

    The name of a folder such as ``it_isdt``, ``UD_Italian-ISDT`` or ``sib200_ita_Latn``, or of a file such as
    ``xquad.it.json``, states its language. A file is a test set. Among several candidates, the collection (the name
    without the language) that covers the most languages comes first, then the first name.

    Args:
        warn: called with one line for each file that is left out because its labels do not fit the task.

    Raises:
        FewshotError: when a folder does not exist.
    """

    def __init__(self, folders: Sequence[Path], langs: Sequence[str], warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._paths: dict[str, list[tuple[str, Path]]] = {lang: [] for lang in langs}
        self._read: dict[tuple[str, Path], Sequence[Any]] = {}
        self._annotated: dict[tuple[str, Path], list[Any]] = {}
        for path in _list_data(folders):
            code, collection = _parse_name(path.name)
            for lang in self._paths:
                if code and language(lang) == language(code):
                    self._paths[lang].append((collection, path))
        coverage = Counter(name for paths in self._paths.values() for name in {name for name, _ in paths})
        for paths in self._paths.values():
            paths.sort(key=lambda pair: (-coverage[pair[0]], pair[1]))

    def find_train(
        self, task: tasks.Task[Any], lang: str, most: int, within: bool, only: Path | None = None
    ) -> AnnotatedExamples | None:
        """Return training examples, or None if there are none; of more than ``most``, a random draw.

        Args:
            within: whether the folder must have a test file too.
            only: the folder to read; None: any.
        """
        for _, folder in self._paths[lang]:
            if only not in (None, folder):
                continue
            if within and not self._split(task, lang, folder, "test"):
                continue
            for split in POOL_SPLITS:
                if chosen := self._split(task, lang, folder, split):
                    return _examples(folder, chosen, most)
        return None

    def find_test(self, task: tasks.Task[Any], lang: str, beside: Path | None = None) -> AnnotatedExamples | None:
        """Return test examples, from the folder ``beside`` if possible, or None if there are none."""
        return next(self.find_tests(task, lang, beside), None)

    def find_tests(
        self, task: tasks.Task[Any], lang: str, beside: Path | None = None, most: int | None = None
    ) -> Iterator[AnnotatedExamples]:
        """Yield the test examples of each folder, the one of `find_test` first; of many, ``most`` at random."""
        folders = [folder for _, folder in self._paths[lang]]
        for folder in sorted(folders, key=lambda folder: folder != beside):
            if chosen := self._split(task, lang, folder, "test"):
                yield _examples(folder, chosen, most)

    def find_corpus(self, task: tasks.Task[Any], lang: str) -> Path | None:
        """Return a folder with a pool and a test file, or a file to be split into both, or None."""
        for _, folder in self._paths[lang]:
            pools = POOL_SPLITS if folder.is_dir() else ("test",)
            if self._split(task, lang, folder, "test") and any(self._split(task, lang, folder, pool) for pool in pools):
                return folder
        return None

    def _split(self, task: tasks.Task[Any], lang: str, folder: Path, name: str) -> list[Any]:
        kind = task.example.kind
        if folder.is_dir():
            file = find_split(folder, name, kind)
        else:
            file = folder if name == "test" and formats.is_annotated_file(folder, kind) else None
        if file is None:
            return []
        if (task.name, file) not in self._annotated:
            key = task.name if formats.detect(file, kind).exported else kind, file
            if key not in self._read:
                self._read[key] = read(file, lang, kind, task)
            examples = [example for example in self._read[key] if isinstance(example, task.example)]
            try:
                annotated = [example for example in examples if task.is_annotated(example)]
                tasks.check_gold(task, annotated)
            except CorpusError as error:
                self._warn(f"left out: {error}")
                annotated = []
            self._annotated[task.name, file] = annotated
        return self._annotated[task.name, file]


def languages_in(folders: Sequence[Path]) -> list[str]:
    """Return the shortest codes of the languages in the names of folders and files, sorted.

    Raises:
        FewshotError: when a folder does not exist.
    """
    return sorted({language(code) for path in _list_data(folders) if (code := _parse_name(path.name)[0])})


def data_or_sample(data: Sequence[Path] | None, names: Sequence[str]) -> Sequence[Path]:
    """Return the folders of the user, or those of the embedded sample for some tasks if there are none."""
    return data or [data_dir() / "sample" / kind for kind in _kinds(names)]


def langs_of_sample(names: Sequence[str]) -> list[str]:
    """Return the languages of the embedded sample for some tasks."""
    return list(dict.fromkeys(lang for kind in _kinds(names) for lang in sample_languages(kind)))


def _kinds(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(tasks.get(name).example.kind for name in names))


def _list_data(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the folders and files that may be data, by name within each folder."""
    suffixes = formats.suffixes()
    for folder in folders:
        if not folder.is_dir():
            raise FewshotError(f"{folder}: no such folder; give one that holds folders such as it_isdt")
        yield from sorted(path for path in folder.iterdir() if path.is_dir() or path.suffix.lower() in suffixes)


def _parse_name(name: str) -> tuple[str | None, str]:
    """Return the language code and the collection in the name of a folder or file.

    The language is the first part that is a code of two letters, else the first of three.
    """
    if name.startswith("UD_"):
        with suppress(UnknownNameError):
            treebank = treebanks.find(name)
            return treebank.lang, f"_{treebank.code.partition('_')[2]}"  # as for ja_gsd
    parts = re.split(r"[._-]", name)
    codes = [part for part in parts if part.islower() and langcodes.tag_is_valid(part)]
    code = next((code for size in (2, 3) for code in codes if len(code) == size), None)
    return code, "_".join("" if part == code else part for part in parts)


def _examples(folder: Path, examples: Sequence[Any], most: int | None) -> AnnotatedExamples:
    drawn = random.Random(0).sample(examples, most) if most and len(examples) > most else examples
    return AnnotatedExamples(folder, tuple(drawn), fingerprint(drawn))

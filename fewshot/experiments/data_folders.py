"""Annotated data under some folders: which file serves a task and a language."""

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
class Examples:
    """Annotated examples of one task and language, from a folder or file; the fingerprint is of texts and labels."""

    folder: Path
    examples: tuple[Any, ...]
    fingerprint: str


class Folders:
    """The annotated data under some folders.

    A folder such as ``it_isdt``, ``UD_Italian-ISDT`` or ``sib200_ita_Latn`` is of the language that its name holds; so
    is a file such as ``xquad.it.json``, which is all test. Where several serve, the collection (the name without the
    language) with the most of the languages comes first, then the first name.

    Args:
        folders: of folders.
        warn: called with a line for each file that is left out because its labels are not those of the task.

    Raises:
        FewshotError: when a folder is not there.
    """

    def __init__(self, folders: Sequence[Path], langs: Sequence[str], warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._found: dict[str, list[tuple[str, Path]]] = {lang: [] for lang in langs}
        self._read: dict[tuple[str, Path], Sequence[Any]] = {}
        self._chosen: dict[tuple[str, Path], list[Any]] = {}
        for inner in _listed(folders):
            code, collection = _named(inner.name)
            for lang in self._found:
                if code and language(lang) == language(code):
                    self._found[lang].append((collection, inner))
        covers = Counter(name for found in self._found.values() for name in {name for name, _ in found})
        for found in self._found.values():
            found.sort(key=lambda pair: (-covers[pair[0]], pair[1]))

    def train(
        self, task: tasks.Task[Any], lang: str, most: int, within: bool, only: Path | None = None
    ) -> Examples | None:
        """Return examples to train on, None when there are none; of more than ``most``, a random draw.

        Args:
            within: whether the folder must have a test file too.
            only: the folder that they must be of, if any.
        """
        for _, folder in self._found[lang]:
            if only not in (None, folder):
                continue
            if within and not self._split(task, lang, folder, "test"):
                continue
            for split in POOL_SPLITS:
                if chosen := self._split(task, lang, folder, split):
                    return _examples(folder, chosen, most)
        return None

    def test(self, task: tasks.Task[Any], lang: str, beside: Path | None = None) -> Examples | None:
        """Return examples to score, of the preferred folder if it has any; None when there are none."""
        return next(self.tests(task, lang, beside), None)

    def tests(
        self, task: tasks.Task[Any], lang: str, beside: Path | None = None, most: int | None = None
    ) -> Iterator[Examples]:
        """Yield what each folder has to score, that of `test` first; of more than ``most`` examples, a random draw."""
        folders = [folder for _, folder in self._found[lang]]
        for folder in sorted(folders, key=lambda folder: folder != beside):
            if chosen := self._split(task, lang, folder, "test"):
                yield _examples(folder, chosen, most)

    def place(self, task: tasks.Task[Any], lang: str) -> Path | None:
        """Return the folder that has a pool and a test file, or the file to be split into both; None without one."""
        for _, folder in self._found[lang]:
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
        if (task.name, file) not in self._chosen:
            known = task.name if formats.detect(file, kind).exported else kind, file
            if known not in self._read:
                self._read[known] = read(file, lang, kind, task)
            ours = [example for example in self._read[known] if isinstance(example, task.example)]
            try:
                chosen = [example for example in ours if task.is_annotated(example)]
                tasks.check_gold(task, chosen)
            except CorpusError as error:
                self._warn(f"left out: {error}")
                chosen = []
            self._chosen[task.name, file] = chosen
        return self._chosen[task.name, file]


def languages_in(folders: Sequence[Path]) -> list[str]:
    """Return the shortest codes of the languages that names of folders and files under some folders hold, sorted.

    Raises:
        FewshotError: when a folder is not there.
    """
    return sorted({language(code) for inner in _listed(folders) if (code := _named(inner.name)[0])})


def data_or_sample(data: Sequence[Path] | None, names: Sequence[str]) -> Sequence[Path]:
    """Return the folders of the user; where there are none, those of the embedded sample that serve some tasks."""
    return data or [data_dir() / "sample" / kind for kind in _kinds(names)]


def langs_of_sample(names: Sequence[str]) -> list[str]:
    """Return the languages of the embedded sample for some tasks."""
    return list(dict.fromkeys(lang for kind in _kinds(names) for lang in sample_languages(kind)))


def _kinds(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(tasks.get(name).example.kind for name in names))


def _listed(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the folders and files that may be data, by name within each folder."""
    suffixes = formats.suffixes()
    for folder in folders:
        if not folder.is_dir():
            raise FewshotError(f"{folder}: no such folder; give one that holds folders such as it_isdt")
        yield from sorted(path for path in folder.iterdir() if path.is_dir() or path.suffix.lower() in suffixes)


def _named(name: str) -> tuple[str | None, str]:
    """Return the language and the collection that the name of a folder or file holds."""
    if name.startswith("UD_"):
        with suppress(UnknownNameError):  # it may be something else
            treebank = treebanks.find(name)
            return treebank.lang, f"_{treebank.code.partition('_')[2]}"  # as of ja_gsd
    parts = re.split(r"[._-]", name)
    code = _code(parts)
    return code, "_".join("" if part == code else part for part in parts)


def _code(parts: Sequence[str]) -> str | None:
    """Return the part of a name that is its language: the first of two letters, else the first of three."""
    codes = [part for part in parts if part.islower() and langcodes.tag_is_valid(part)]
    return next((code for size in (2, 3) for code in codes if len(code) == size), None)


def _examples(folder: Path, examples: Sequence[Any], most: int | None) -> Examples:
    """Return the examples, or a random draw where there are more than so many."""
    drawn = random.Random(0).sample(examples, most) if most and len(examples) > most else examples
    return Examples(folder, tuple(drawn), fingerprint(drawn))

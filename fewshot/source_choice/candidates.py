"""Languages that there are annotated data of: given, installed, or in the registry of treebanks."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fewshot.corpora.embedded import data_dir
from fewshot.corpora.language_codes import language
from fewshot.corpora.load import POOL_SPLITS, find_split, read
from fewshot.corpora.types import Example
from fewshot.corpora.ud import cache, treebanks
from fewshot.errors import FewshotError
from fewshot.experiments.data_folders import AnnotatedExamples, DataFolders, languages_in
from fewshot.tasks import Task

TARGET_SENTENCES = 25
"""Of the target language that are read: as few rank sources nearly as well as all (Ebrahimi et al. 2025)."""

SOURCE_SENTENCES = 200
"""Of each source that are read, at most."""


def given(
    task: Task[Any], lang: str, folders: Sequence[Path], warn: Callable[[str], None]
) -> dict[str, AnnotatedExamples]:
    """Return the sources of some folders for a target language: of each language a random draw of training examples."""
    langs = [one for one in languages_in(folders) if one != language(lang)]
    data = DataFolders(folders, langs, warn)
    found = {one: data.find_train(task, one, SOURCE_SENTENCES, within=False) for one in langs}
    return {one: examples for one, examples in found.items() if examples}


def installed(task: Task[Any], lang: str, warn: Callable[[str], None]) -> dict[str, AnnotatedExamples]:
    """Return the sources of this machine: those of the embedded sample, and in their place downloaded treebanks."""
    kind = task.example.kind
    found = given(task, lang, [data_dir() / "sample" / kind], warn)
    if task.in_ud:
        root = cache.default_root()
        releases = sorted({root / entry.release for entry in cache.listing(root)})
        found |= given(task, lang, releases, warn)
    return found


def listed(task: Task[Any], lang: str, known: Sequence[str]) -> dict[str, str]:
    """Return the usual treebank of each language of the registry but the target and known ones, by language.

    There are none for a task that UD has not.
    """
    if not task.in_ud:
        return {}
    left = {language(one) for one in (lang, *known)}
    usual = {treebank.lang: treebank.name for treebank in reversed(treebanks.treebanks())}
    return {one: name for one, name in sorted(usual.items()) if language(one) not in left}


def raw(task: Task[Any], lang: str, path: Path) -> Sequence[Example]:
    """Return some examples of the target language, a random draw; nobody need have annotated them.

    Args:
        path: a file, or a folder with a pool, train, dev or test file.

    Raises:
        FewshotError: when there is no such file, or it cannot be read.
    """
    kind = task.example.kind
    file: Path | None = path
    if path.is_dir():
        file = next((file for split in (*POOL_SPLITS, "test") if (file := find_split(path, split, kind))), None)
    if file is None:
        raise FewshotError(f"{path}: no pool, train, dev or test file of {kind} here; give the file itself")
    examples = read(file, lang, kind, task)
    return random.Random(0).sample(examples, min(TARGET_SENTENCES, len(examples)))

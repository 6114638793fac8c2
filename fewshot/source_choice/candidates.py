"""Candidate source languages with annotated data: given, installed, or in the registry of treebanks."""

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
"""Sentences of the target language that are read: 25 rank sources nearly as well as all (Ebrahimi et al. 2025)."""

SOURCE_SENTENCES = 200
"""Most sentences of each source that are read."""


def given(
    task: Task[Any], lang: str, folders: Sequence[Path], warn: Callable[[str], None]
) -> dict[str, AnnotatedExamples]:
    """Return the sources in folders for a target language, with a random sample of training examples."""
    langs = [source for source in languages_in(folders) if source != language(lang)]
    data = DataFolders(folders, langs, warn)
    samples = {source: data.find_train(task, source, SOURCE_SENTENCES, within=False) for source in langs}
    return {source: examples for source, examples in samples.items() if examples}


def installed(task: Task[Any], lang: str, warn: Callable[[str], None]) -> dict[str, AnnotatedExamples]:
    """Return the sources on this machine: downloaded treebanks, else the embedded sample."""
    kind = task.example.kind
    sources = given(task, lang, [data_dir() / "sample" / kind], warn)
    if task.in_ud:
        root = cache.default_root()
        releases = sorted({root / entry.release for entry in cache.listing(root)})
        sources |= given(task, lang, releases, warn)
    return sources


def listed(task: Task[Any], lang: str, known: Sequence[str]) -> dict[str, str]:
    """Return the default treebank of each other language in the registry, except known ones, by language.

    Empty for a task that is not annotated in UD.
    """
    if not task.in_ud:
        return {}
    excluded = {language(code) for code in (lang, *known)}
    usual = {treebank.lang: treebank.name for treebank in reversed(treebanks.treebanks())}
    return {code: name for code, name in sorted(usual.items()) if language(code) not in excluded}


def raw(task: Task[Any], lang: str, path: Path) -> Sequence[Example]:
    """Return a random sample of examples of the target language, which need no annotation.

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

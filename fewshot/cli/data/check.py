"""``fewshot data check``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fewshot.cli.base import command, console, data_app
from fewshot.errors import FewshotError, listed

if TYPE_CHECKING:
    from fewshot.corpora.types import Example
    from fewshot.tasks import Task

SHOWN = 10
"""Likely errors that are printed."""

Read = Callable[[Path], "Sequence[Example]"]


@command(data_app, "check")
def check_treebanks(
    path: Annotated[Path | None, typer.Argument(help="A file or folder of yours.", show_default="the cache")] = None,
    task: Annotated[str | None, typer.Option(help="Check the labels of this task too.")] = None,
) -> None:
    """Check treebanks: the cache against what was downloaded, or your own file line by line.

    With a task, words that are annotated in several ways are named too, the likeliest errors first.
    """
    from fewshot import tasks
    from fewshot.corpora.load import read

    labels_of = tasks.get(task) if task else None

    def check(file: Path) -> Sequence[Example]:
        if not labels_of:
            return read(file)
        examples = read(file, kind=labels_of.example.kind, task=labels_of)
        tasks.check_corpus(labels_of.fitted(examples), examples)
        return examples

    if path is None:
        _check_cache(check)
    else:
        _check_files(path, check, labels_of)


def _check_cache(read: Read) -> None:
    from fewshot.corpora.ud import cache

    findings, screen = cache.check(parse=read), console()
    for finding in findings:
        screen.print(finding.message, soft_wrap=True)
    if findings:
        raise FewshotError(f"{len(findings)} files of {cache.default_root()} are not as they should be")
    screen.print(f"{len(cache.listing())} treebanks in {cache.default_root()}: all as downloaded", soft_wrap=True)


def _check_files(path: Path, read: Read, task: Task[Any] | None) -> None:
    from fewshot.corpora.formats import suffixes
    from fewshot.corpora.types import Sentence

    files, known = [path], suffixes()
    if path.is_dir():
        files = [file for file in sorted(path.iterdir()) if file.suffix.lower() in known]
    if not files:
        raise FewshotError(f"{path}: no file to check here ({', '.join(known)})")
    for file in files:
        examples = read(file)
        words = sum(example.length for example in examples)
        found = [label for label in task.fitted(examples).choices if label not in task.always] if task else []
        labels = f"; labels {listed(found, 100)}" if task and task.open and found else ""
        console().print(f"{file}: {len(examples)} {examples[0].kind}, {words} words, no error{labels}", soft_wrap=True)
        if task and task.example is Sentence:
            _print_findings(task, examples)


def _print_findings(task: Task[Any], sentences: Sequence[Any]) -> None:
    """Print what is annotated in several ways or hardly ever, the likeliest errors, with the first place of each."""
    from fewshot.corpora import consistency, patterns

    found, screen = consistency.findings(sentences, task.columns), console()
    if found:
        screen.print(f"  annotated in several ways, or hardly ever: {len(found):,}; the likeliest errors:")
    for one in found[:SHOWN]:
        label = one.labels[-1][0]
        matches = patterns.matches(patterns.parse(one.pattern(label)))
        where = next(sentence.where for sentence in sentences if matches(sentence))
        counts = ", ".join(f"{name} {count:,}" for name, count in one.labels)
        screen.print(f"  {where}: {one.title or 'a rare label'}: {counts}", soft_wrap=True)

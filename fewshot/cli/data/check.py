"""``fewshot data check``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fewshot.cli.common.base import command, console, data_app
from fewshot.errors import FewshotError, counted, listed

if TYPE_CHECKING:
    from fewshot.corpora.formats import BadRows
    from fewshot.tasks import Task

MAX_FINDINGS, MAX_BAD_ROWS, MAX_ODDITIES = 10, 50, 20
"""Maximum numbers of likely annotation errors, invalid rows and oddities printed for a file."""


@command(data_app, "check", example="fewshot data check my.conllu --task pos")
def check_treebanks(
    path: Annotated[Path | None, typer.Argument(help="A file or folder of yours.", show_default="the cache")] = None,
    task: Annotated[str | None, typer.Option(help="Check the labels of this task too, or of several: pos,ner.")] = None,
) -> None:
    """Check treebanks: the cache against the downloaded files, or your own files line by line.

    Prints every invalid line of every file, and warns of oddities. With a task, words with several annotations are
    listed too, the likeliest errors first.
    """
    from fewshot import tasks

    labels_of = [tasks.get(name.strip()) for name in task.split(",")] if task else []
    if len({labelled.example for labelled in labels_of}) > 1:
        raise FewshotError(f"--task {task}: these tasks have different kinds of examples; check them one by one")
    if path is None:
        _check_cache(labels_of)
    else:
        _check_files(path, labels_of)


def _check_cache(chosen: Sequence[Task[Any]]) -> None:
    from fewshot import tasks
    from fewshot.corpora.load import read
    from fewshot.corpora.ud import cache

    def parse(file: Path) -> None:
        if not chosen:
            read(file)
        for task in chosen:
            examples = read(file, kind=task.example.kind, task=task)
            tasks.check_corpus(task.fitted(examples), examples)

    findings, screen = cache.check(parse=parse), console()
    for finding in findings:
        screen.print(finding.message, soft_wrap=True)
    if findings:
        raise FewshotError(f"{len(findings)} files of {cache.default_root()} are missing, changed or invalid")
    screen.print(f"{len(cache.listing())} treebanks in {cache.default_root()}: all as downloaded", soft_wrap=True)


def _check_files(path: Path, chosen: Sequence[Task[Any]]) -> None:
    from fewshot.corpora.formats import suffixes

    files, known = [path], suffixes()
    if path.is_dir():
        files = [file for file in sorted(path.iterdir()) if file.suffix.lower() in known]
    if not files:
        raise FewshotError(f"{path}: holds no file to check ({', '.join(known)})")
    errors = sum(_check_file(file, chosen, len(files) == 1) for file in files)
    if errors:
        where = f"{len(files)} files" if len(files) > 1 else str(path)
        raise FewshotError(f"{where}: {counted(errors, 'errors')}, listed above")


def _check_file(file: Path, chosen: Sequence[Task[Any]], is_only: bool) -> int:
    """Print the errors and oddities of a file and return the number of errors.

    Args:
        is_only: whether no other file is checked; then a single error is raised.
    """
    from fewshot.corpora import formats, nested
    from fewshot.corpora.oddities import oddities, other_spellings, untagged
    from fewshot.corpora.types import Sentence

    examples, bad = formats.check(file, None, "", chosen[0] if chosen else None, also=chosen[1:])
    for task in chosen if examples else ():
        _add_label_errors(task, examples, bad)
    is_raised = is_only and bad.total == 1
    if not is_raised:
        _print_rows([(row.where, row.message) for row in bad], bad.total, MAX_BAD_ROWS, "error")
    odd = list(oddities(examples))
    if any("heads" in task.columns for task in chosen):
        odd += untagged(examples)
    for task in chosen:
        if {"label", "entities"} & {*task.columns}:
            odd += other_spellings(((example.where, task.labels_of(example)) for example in examples), task.choices)
    _print_rows(odd, len(odd), MAX_ODDITIES, "warning")
    if is_raised:
        raise FewshotError(f"{bad[0].where}: {bad[0].message}")
    if bad.total:
        return bad.total
    words = sum(example.length for example in examples)
    open_ = [task for task in chosen if task.open]
    names = [label for task in open_ for label in task.fitted(examples).choices if label not in task.required_labels]
    labels = f"; labels {listed(names, 100)}" if names else ""
    counts = f"{counted(len(examples), examples[0].kind)}, {counted(words, 'words')}"
    console().print(f"{file}: {counts}, no error{labels}", soft_wrap=True)
    if inner := [name for example in examples for name in nested.inner(example)]:
        what = f"entities inside others: {len(inner):,}, such as {inner[0]}"
        console().print(f"  {what}; models learn and are scored on the outermost alone", soft_wrap=True)
    for task in chosen if examples[0].kind == Sentence.kind else ():
        _print_findings(task, examples)
    return 0


def _add_label_errors(task: Task[Any], examples: Sequence[Any], bad: BadRows) -> None:
    from fewshot import tasks

    fitted, before = task.fitted(examples), bad.total
    for error in tasks.gold_errors(fitted, examples):
        bad.add(error.where, error.message)
    if bad.total == before and (problem := fitted.find_missing(examples)):
        bad.add(examples[0].where or examples[0].id, problem)


def _print_rows(rows: Sequence[tuple[str, str]], total: int, most: int, kind: str) -> None:
    screen = console()
    for where, message in rows[:most]:
        screen.print(f"{where}: {kind}: {message}", soft_wrap=True)
    if total > most:
        screen.print(f"... and {counted(total - most, f'more {kind}s')}", soft_wrap=True)


def _print_findings(task: Task[Any], sentences: Sequence[Any]) -> None:
    """Print items with several or rare annotations and the first place of each, likeliest errors first."""
    from fewshot.corpora import consistency

    findings, screen = consistency.find_inconsistencies(sentences, task.columns), console()
    if findings:
        screen.print(f"  with several annotations, or a rare one: {len(findings):,}; the likeliest errors:")
    for finding in findings[:MAX_FINDINGS]:
        counts = ", ".join(f"{name} {count:,}" for name, count in finding.labels)
        screen.print(f"  {finding.where}: {finding.title or 'a rare label'}: {counts}", soft_wrap=True)

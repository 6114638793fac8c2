"""``fewshot data list | get | check``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Table

from fewshot import tasks
from fewshot.corpora import formats, load
from fewshot.corpora.embedded import sample_languages
from fewshot.corpora.types import Example
from fewshot.corpora.ud import cache, treebanks
from fewshot.errors import FewshotError


def show(lang: str | None, console: Console) -> None:
    """Print the treebanks that can be named, those in the cache marked."""
    cached = {entry.name: entry for entry in cache.listing()}
    rows = treebanks.treebanks(lang)
    table = Table(box=None, pad_edge=False)
    for title in ("lang", "language", "code", "treebank", "in the cache"):
        table.add_column(title, no_wrap=True)
    for treebank in rows:
        entry = cached.get(treebank.name)
        splits = ", ".join(entry.splits) + f" ({entry.release})" if entry else ""
        table.add_row(treebank.lang, treebank.language, treebank.code, treebank.name, splits)
    console.print(table)
    console.print(
        f"\n{len(rows)} treebanks. Embedded sample: {', '.join(sample_languages())}. "
        f"Any other UD treebank works by its full name. Cache: {cache.default_root()}",
        soft_wrap=True,
    )


def get(name: str, release: str | None, home: str | None, root: Path | None, console: Console) -> None:
    """Download a treebank, showing progress, and print its files."""
    treebank = treebanks.find(name)
    with downloading(console) as progress:
        files = cache.get(
            treebank, release=release or cache.RELEASE, root=root, base_url=home or cache.HOME, progress=progress
        )
    for split, path in files.items():
        console.print(f"{split:5}  {path}", soft_wrap=True)


def check(path: Path | None, task: str | None, console: Console) -> None:
    """Check the cache, or a file or folder of the user, and print what is wrong.

    Raises:
        FewshotError: when anything is.
    """
    wanted = tasks.get(task) if task else None

    def read(file: Path) -> Sequence[Example]:
        if not wanted:
            return load.read(file)
        examples = load.read(file, kind=wanted.example.kind, task=wanted)
        tasks.check_gold(wanted, examples)
        return examples

    if path is None:
        findings = cache.check(parse=read)
        for finding in findings:
            console.print(finding.message, soft_wrap=True)
        if findings:
            raise FewshotError(f"{len(findings)} files of {cache.default_root()} are not as they should be")
        console.print(f"{len(cache.listing())} treebanks in {cache.default_root()}: all as downloaded", soft_wrap=True)
        return
    files, known = [path], formats.suffixes()
    if path.is_dir():
        files = [file for file in sorted(path.iterdir()) if file.suffix.lower() in known]
    if not files:
        raise FewshotError(f"{path}: no file to check here ({', '.join(known)})")
    for file in files:
        examples = read(file)
        words = sum(example.length for example in examples)
        console.print(f"{file}: {len(examples)} {examples[0].kind}, {words} words, no error", soft_wrap=True)


@contextmanager
def downloading(console: Console) -> Iterator[cache.FileProgress]:
    """Yield a callback that keeps one bar a file; nothing is shown where nothing is downloaded."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    bars = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
    rows: dict[str, TaskID] = {}

    def move(file: str, done: int, total: int | None) -> None:
        bars.start()
        if file not in rows:
            rows[file] = bars.add_task(file, total=total)
        bars.update(rows[file], completed=done, total=total)

    try:
        yield move
    finally:
        if rows:
            bars.stop()

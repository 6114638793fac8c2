"""What a file format is: what it can hold, and what reads and writes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from fewshot.corpora.files import Report, fail, raw_lines
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.corpora.types import Record


class Layer(Protocol):
    """The annotation that is read or written, as a task describes it."""

    name: str
    """What people call it."""

    @property
    def example(self) -> Any:
        """The type of example, see `fewshot.corpora.types`."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the example that hold it."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a file is read.

    Args:
        layer: whose annotation is read, for files that do not say it; None: whatever there is.
        kind: of example; None: the file tells.
        segmentation: of raw text into sentences and words.
        lang: code of the language.
        report: told of each bad row.
        also: further layers that are read where the file has them.
    """

    layer: Layer | None = None
    kind: str | None = None
    segmentation: Segmentation = PLAIN
    lang: str = ""
    report: Report = fail
    also: Sequence[Layer] = ()

    @property
    def further(self) -> tuple[str, ...]:
        """The columns of the further layers."""
        return tuple(column for layer in self.also for column in layer.columns)


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Args:
        name: what users type.
        title: what screens call it.
        rank: its place in lists of formats; the first that can hold something is what users get by default.
        suffixes: of its files, that of those that are written first.
        also: suffixes of files of other formats that may be of this one: how they begin tells.
        holds: columns of annotation that it can hold, by kind of example.
        read: from path and how it is read to the examples.
        write: takes examples, path and the columns that are wanted; None for a format that holds no annotation.
        opens: columns that its examples are annotated in, where these are more than it holds.
        rename: gives a record other ids, which it gets by the old ones; None for a format that holds no ids.
        begins: what a file of this format begins with, where others have the same suffix.
        gaps: whether it can say that nobody has annotated a word.
        whole: whether its files are only written with all of their examples.
        units: whether its sentences are lines of a text, or tasks, that stay one whatever sentences people see in them.
        exported: whether only other tools keep their data so: beside other data, such a file is an export.
    """

    name: str
    title: str
    rank: int
    suffixes: tuple[str, ...]
    holds: Mapping[str, Collection[str]]
    read: Callable[[Path, ReadOptions], Iterable[Any]]
    write: Callable[[Iterable[Any], Path, Sequence[str]], None] | None
    opens: Mapping[str, Collection[str]] = field(default_factory=dict)
    rename: Callable[[Record, Mapping[str, str]], Record] | None = None
    begins: str = ""
    also: tuple[str, ...] = ()
    gaps: bool = True
    whole: bool = False
    units: bool = False
    exported: bool = False

    @property
    def suffix(self) -> str:
        """Return the suffix of the files that are written."""
        return self.suffixes[0]

    def can_hold(self, layer: Layer) -> bool:
        """Return whether it has all columns of an annotation."""
        return set(layer.columns) <= set(self.holds.get(layer.example.kind, ()))

    def can_open(self, layer: Layer) -> bool:
        """Return whether its examples are annotated with a task, be it that other formats hold that."""
        return self.can_hold(layer) or set(layer.columns) <= set(self.opens.get(layer.example.kind, ()))

    def may_be_called(self, path: Path) -> bool:
        """Return whether a file has a suffix of this format."""
        return path.suffix.lower() in (*self.suffixes, *self.also)

    def begins_like(self, path: Path) -> bool:
        """Return whether a file begins as this format does, or is empty."""
        if not self.begins:
            return True
        lines = (line.decode("utf-8", "replace").removeprefix("\ufeff").strip() for _, line in raw_lines(path))
        line = next(filter(None, lines), "")
        return not line or line.startswith(self.begins)

"""Describe a file format: what it can hold, and the functions that read and write it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from fewshot.corpora.files import Report, fail, raw_lines
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.corpora.types import Record
from fewshot.errors import CorpusError


class Layer(Protocol):
    """The annotation to read or write, as a task describes it."""

    name: str
    """The name of the task."""

    @property
    def example(self) -> Any:
        """The type of example, see `fewshot.corpora.types`."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the example that hold the annotation."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options for reading a file.

    Args:
        layer: the annotation to read, for files that do not name it; None: all that the file holds.
        kind: of example; None: decided by the file.
        segmentation: of raw text into sentences and words.
        lang: language code.
        report: receives the error of each bad row.
        also: further layers, read where the file has them.
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
        name: typed by users.
        title: shown on screens.
        rank: position in lists of formats; the first format that can hold an annotation is the default.
        suffixes: of its files, first the one for new files.
        holds: columns of annotation that it can hold, by kind of example.
        read: returns the examples in file order, named by their ids or ``<file stem>-<number>``. Bad rows are reported;
            a file that is not of the format, not UTF-8 or without examples raises `CorpusError` with ``file:line``.
        write: writes examples to a path atomically; the columns select what is written. Examples from a file of the
            format keep their lines except for changed annotation. None: the format holds no annotation.
        opens: columns that its examples can be annotated with, where it holds fewer.
        rename: returns a record with other ids, given by the old ones; None: the format holds no ids.
        begins: first characters of the files, where other formats have the same suffix.
        also: suffixes of other formats that its files may have, recognized by ``begins``.
        gaps: whether it can express that a word is not annotated.
        marks_begun: whether it can mark an example as begun, see `fewshot.corpora.types.BEGUN`.
        whole: whether a file is only written with all of its examples.
        units: whether an example stays one line or task, however many sentences people see in it.
        nested: whether it can hold entities inside others.
        exported: whether only other tools store their data so; such a file beside other data is an export.
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
    marks_begun: bool = True
    whole: bool = False
    units: bool = False
    exported: bool = False
    nested: bool = False

    @property
    def suffix(self) -> str:
        """The suffix of new files."""
        return self.suffixes[0]

    def can_hold(self, layer: Layer) -> bool:
        """Return whether the format has all columns of an annotation."""
        return set(layer.columns) <= set(self.holds.get(layer.example.kind, ()))

    def can_open(self, layer: Layer) -> bool:
        """Return whether examples of the format can be annotated with a task."""
        return self.can_hold(layer) or set(layer.columns) <= set(self.opens.get(layer.example.kind, ()))

    def may_be_called(self, path: Path) -> bool:
        """Return whether a file has a suffix of this format."""
        return path.suffix.lower() in (*self.suffixes, *self.also)

    def begins_like(self, path: Path) -> bool:
        """Return whether a file begins like this format, or is empty; a file that cannot be read does not."""
        if not self.begins:
            return True
        try:
            lines = (line.decode("utf-8", "replace").removeprefix("\ufeff").strip() for _, line in raw_lines(path))
            line = next(filter(None, lines), "")
        except CorpusError:
            return False
        return not line or line.startswith(self.begins)

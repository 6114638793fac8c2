"""The file formats by name, and which one a file is in."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fewshot.corpora.files import Report, fail
from fewshot.corpora.formats.format import Format, Layer, ReadOptions
from fewshot.corpora.offsets import is_annotated
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.corpora.types import Article, Example, Sentence
from fewshot.errors import CorpusError, FewshotError, UnknownNameError


def _all() -> Iterator[Format]:
    """Yield the ``FORMAT`` of each module of this folder that has one."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name != "registry":
            format_ = getattr(importlib.import_module(f"fewshot.corpora.formats.{module.name}"), "FORMAT", None)
            if format_:
                yield format_


FORMATS: Mapping[str, Format] = {format_.name: format_ for format_ in sorted(_all(), key=lambda format_: format_.rank)}
"""Every format by name."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be imported.

    Args:
        where: ``file:line``, or the place in a JSON file.
        message: what is wrong with it and what to do.
    """

    where: str
    message: str


KEPT = 1000
"""Most bad rows of a file that are kept; the others are only counted."""


class BadRows(list[BadRow]):
    """The first `KEPT` bad rows of a file.

    Attributes:
        total: how many there are.
    """

    def __init__(self, rows: Iterable[BadRow] = (), total: int = 0) -> None:
        super().__init__(rows)
        self.total = max(total, len(self))

    def add(self, where: str, message: str) -> None:
        """Keep a row, or count it."""
        if len(self) < KEPT:
            self.append(BadRow(where, message))
        self.total += 1


def export(examples: Iterable[Example], layers: Sequence[Layer], format: str, path: str | Path) -> None:
    """Write examples with their annotation, atomically.

    Of examples that were read from this format, what was annotated since is changed and all else stays as it was.

    Args:
        examples: of the kind that the tasks are about; in CoNLL-U, IOB2 and JSON Lines one is held at a time.
        layers: tasks whose annotation is exported.
        path: the file to write or replace.

    Raises:
        FewshotError: when the format cannot hold this, or the file cannot be written.
    """
    chosen = _format(format)
    if not layers:
        raise FewshotError("name at least one task to export")
    unfit = [layer.name for layer in layers if not chosen.can_hold(layer)]
    if unfit or chosen.write is None:
        what = f"annotation of {', '.join(unfit)}" if chosen.write else "annotation"
        raise FewshotError(f"{chosen.title} cannot hold {what}; choose from {', '.join(holding(layers))}")
    columns = list(dict.fromkeys(column for layer in layers for column in layer.columns))
    chosen.write(_fitting(examples, layers, chosen), Path(path), columns)


def _fitting(examples: Iterable[Example], layers: Sequence[Layer], chosen: Format) -> Iterator[Example]:
    """Yield examples that are of the tasks' kind, and annotated where the format knows no others."""
    kinds: Collection[str] = {layer.example.kind for layer in layers}
    for example in examples:
        if example.kind not in kinds:
            names = ", ".join(layer.name for layer in layers)
            raise FewshotError(f"{example.id}: {names} is about {' and '.join(kinds)}; these are {example.kind}")
        if not chosen.gaps and isinstance(example, Sentence) and not is_annotated(example.entities):
            what = f"{chosen.title} cannot say that nobody has annotated a sentence"
            raise FewshotError(f"{example.id}: {what}; export what is annotated, or choose another format")
        yield example


def renamed(example: Any, ids: Mapping[str, str]) -> Any:
    """Return an example with other ids, also in what its file had of it.

    Args:
        ids: by the old ones: that of the example, of an article also those of its questions.
    """
    if (record := example.record) and (rename := _format(record.format).rename):
        example = replace(example, record=rename(record, ids))
    if isinstance(example, Article):
        paragraphs = (
            replace(paragraph, questions=tuple(replace(asked, id=ids[asked.id]) for asked in paragraph.questions))
            for paragraph in example.paragraphs
        )
        example = replace(example, paragraphs=tuple(paragraphs))
    return replace(example, id=ids[example.id])


def holding(layers: Sequence[Layer]) -> list[str]:
    """Return the names of the formats that can hold the annotation of all of these tasks."""
    return [name for name, format_ in FORMATS.items() if format_.write and all(map(format_.can_hold, layers))]


def stream(
    path: str | Path,
    format: str | None,
    lang: str,
    layer: Layer | None,
    segmentation: Segmentation = PLAIN,
    report: Report = fail,
    also: Sequence[Layer] = (),
) -> Iterator[Any]:
    """Yield the examples of a file in order; of raw text, one line is held at a time.

    Args:
        format: a name of `FORMATS`; without it the suffix and beginning of the file tell.
        layer: the task whose examples and annotation are read; None: whatever the file holds.
        segmentation: of raw text into sentences and words.
        report: told of each bad row.
        also: further tasks about the same examples, whose annotation is read where the file has it.

    Raises:
        FewshotError: when the file is not what it should be; with ``file:line`` for the first row that is bad, unless
            it is reported.
    """
    path = Path(path)
    kind = layer.example.kind if layer else None
    chosen = _format(format) if format else detect(path, kind, layer)
    if layer and not chosen.can_open(layer):
        raise CorpusError(f"{chosen.title} holds no examples of {layer.name}; choose another format", path)
    options = ReadOptions(layer, kind, segmentation, lang, report, also)
    for example in distinct(chosen.read(path, options), report):
        if layer and example.kind != kind:
            raise CorpusError(f"{layer.name} is about {kind}; these are {example.kind}", example.where or str(path))
        yield replace(example, lang=lang) if lang and isinstance(example, Article) else example


def distinct(examples: Iterable[Any], report: Report = fail) -> Iterator[Any]:
    """Yield examples; one whose id another one had before is reported and left out."""
    seen: set[str] = set()
    for example in examples:
        if example.id in seen:
            message = f"the id {example.id!r} is used twice; give each of the {example.kind} its own"
            report(CorpusError(message, example.where or example.id))
            continue
        seen.add(example.id)
        yield example


def check(
    path: str | Path,
    format: str | None,
    lang: str,
    layer: Layer | None,
    segmentation: Segmentation = PLAIN,
    also: Sequence[Layer] = (),
) -> tuple[list[Any], BadRows]:
    """Read what can be read of a file, and list what cannot.

    Reading goes on behind a bad sentence, line, question or task. Whether labels are among a project's is not checked.

    Args are those of `stream`.

    Returns:
        The good examples in file order, and the problems in the order they were found, of which `KEPT` are kept.
    """
    bad = BadRows()
    return list(readable(path, format, lang, layer, segmentation, bad, also)), bad


def readable(
    path: str | Path,
    format: str | None,
    lang: str,
    layer: Layer | None,
    segmentation: Segmentation,
    bad: BadRows,
    also: Sequence[Layer] = (),
) -> Iterator[Any]:
    """Yield what can be read of a file, see `check`; of raw text one line is held at a time.

    Args:
        bad: gets what cannot.
    """

    def note(error: CorpusError) -> None:
        bad.add(error.where, error.message)

    try:
        yield from stream(path, format, lang, layer, segmentation, note, also)
    except CorpusError as error:
        if not bad or error.where != str(path):  # else it says only that no row is left
            note(error)
    except FewshotError as error:
        bad.add(str(path), str(error))


def detect(path: str | Path, kind: str | None = None, layer: Layer | None = None) -> Format:
    """Return the format of a file, by its suffix and what it begins with.

    Args:
        kind: of example that it should hold, see `fewshot.corpora.types`; None: any.
        layer: the task that its examples should be annotated with; None: any.

    Raises:
        CorpusError: when there is no such format.
    """
    path = Path(path)
    able = [format_ for format_ in _of(kind) if layer is None or format_.can_open(layer)]
    fitting = [format_ for format_ in able if format_.may_be_called(path)]
    if not fitting:
        wanted = layer.name if layer else kind
        what = f"{path.suffix or '(no suffix)'!r}" + (f" for {wanted}" if wanted else "")
        raise CorpusError(f"unknown file type {what}; known are {', '.join(_suffixes(able))}", path)
    return next((format_ for format_ in fitting if format_.begins_like(path)), fitting[0])


def suits(path: Path, kind: str) -> bool:
    """Return whether a file is, by its suffix and beginning, of a format that holds annotated examples of a kind.

    Raw text is not: UD has such beside a treebank.
    """
    fitting = [format_ for format_ in _of(kind) if format_.write and format_.may_be_called(path)]
    return path.is_file() and any(format_.begins_like(path) for format_ in fitting)


def suffixes(kind: str | None = None) -> list[str]:
    """Return the suffixes of all files that can be read, or of those that hold annotated examples of a kind."""
    return _suffixes(format_ for format_ in _of(kind) if format_.write or not kind)


def _of(kind: str | None) -> list[Format]:
    return [format_ for format_ in FORMATS.values() if kind is None or kind in format_.holds]


def _suffixes(formats: Iterable[Format]) -> list[str]:
    return list(dict.fromkeys(suffix for format_ in formats for suffix in format_.suffixes))


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return FORMATS[name]

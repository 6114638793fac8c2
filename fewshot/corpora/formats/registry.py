"""The file formats by name, their detection, and import and export of files."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fewshot.corpora import nested, offsets
from fewshot.corpora.files import Report, fail
from fewshot.corpora.formats.format import Format, Layer, ReadOptions
from fewshot.corpora.segmentation import PLAIN, Segmentation
from fewshot.corpora.types import Article, Example, Sentence
from fewshot.errors import CorpusError, FewshotError, UnknownNameError, listed

SPREADSHEETS = (".csv", ".xlsx", ".xls", ".ods", ".numbers")
TEXT_DOCUMENTS = (".docx", ".doc", ".odt", ".rtf", ".pages", ".pdf")
ARCHIVES = (".gz", ".zip", ".bz2", ".xz", ".7z", ".tar", ".tgz", ".rar", ".zst")
STAND_OFF = (".ann", ".spacy", ".xmi")
TRANSCRIPTS = (".textgrid", ".cha", ".trs", ".exb")
CONLL = (".conllup", ".conllx", ".conll", ".conll09", ".vrt")

ADVICE = (
    *((ARCHIVES, name, "unpack it") for name in ("conllu", "jsonl", "squad")),
    (STAND_OFF, "jsonl", "write its texts with their annotation into {stem}.jsonl"),
    (TRANSCRIPTS, "eaf", "import it in ELAN, and save it as {stem}.eaf"),
    (CONLL, "conllu", "write the ten columns of CoNLL-U into {stem}.conllu"),
    (SPREADSHEETS, "tsv", "save it as text with tabs between the columns, named {stem}.tsv"),
    (SPREADSHEETS, "conllu", "write its words into {stem}.conllu, or its texts into {stem}.txt"),
    (TEXT_DOCUMENTS, "text", "save it as plain text in UTF-8, named {stem}.txt"),
    (TEXT_DOCUMENTS, "tsv", "write its texts into a table with tabs between the columns, named {stem}.tsv"),
)
"""How a file that no format reads becomes one of a format: suffixes, name of the format, advice."""


def _find_formats() -> Iterator[Format]:
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name != "registry":
            format_ = getattr(importlib.import_module(f"fewshot.corpora.formats.{module.name}"), "FORMAT", None)
            if format_:
                yield format_


FORMATS: Mapping[str, Format] = {
    format_.name: format_ for format_ in sorted(_find_formats(), key=lambda format_: format_.rank)
}
"""Every format by name."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be imported: its place (such as ``file:line``) and the error message."""

    where: str
    message: str


MAX_BAD_ROWS = 1000
"""Most bad rows of a file that are stored; further ones are only counted."""


class BadRows(list[BadRow]):
    """The first `MAX_BAD_ROWS` bad rows of a file; ``total`` counts all of them."""

    def __init__(self, rows: Iterable[BadRow] = (), total: int = 0) -> None:
        super().__init__(rows)
        self.total = max(total, len(self))

    def add(self, where: str, message: str) -> None:
        """Store a row, or count it."""
        if len(self) < MAX_BAD_ROWS:
            self.append(BadRow(where, message))
        self.total += 1


def export(examples: Iterable[Example], layers: Sequence[Layer], format: str, path: str | Path) -> None:
    """Write examples with their annotation atomically; see `Format.write`.

    Args:
        examples: of the kind of the tasks; CoNLL-U, IOB2 and JSON Lines are written as a stream.
        layers: tasks whose annotation is exported.

    Raises:
        FewshotError: when the format cannot hold the annotation, or the file cannot be written.
    """
    chosen = _format(format)
    if not layers:
        raise FewshotError("name at least one task to export")
    unfit = [layer.name for layer in layers if not chosen.can_hold(layer)]
    if unfit or chosen.write is None:
        what = f"annotation of {', '.join(unfit)}" if chosen.write else "annotation"
        raise FewshotError(f"{chosen.title} cannot hold {what}; choose from {', '.join(list_export_formats(layers))}")
    columns = list(dict.fromkeys(column for layer in layers for column in layer.columns))
    chosen.write(_checked_examples(examples, layers, chosen), Path(path), columns)


def _checked_examples(examples: Iterable[Example], layers: Sequence[Layer], chosen: Format) -> Iterator[Example]:
    """Yield the part of the examples that the format holds; refuse other kinds and open sentences."""
    kinds: Collection[str] = {layer.example.kind for layer in layers}
    for example in examples:
        if example.kind not in kinds:
            names = ", ".join(layer.name for layer in layers)
            raise FewshotError(f"{example.id}: {names} is about {' and '.join(kinds)}; these are {example.kind}")
        if not chosen.gaps and isinstance(example, Sentence) and not offsets.is_annotated(example.entities):
            what = f"{chosen.title} cannot mark a sentence as not annotated"
            raise FewshotError(f"{example.id}: {what}; export annotated sentences only, or choose another format")
        yield example if chosen.nested else nested.outermost(example)


def rename_example(example: Any, ids: Mapping[str, str]) -> Any:
    """Return an example with its ids replaced, also in its record.

    Args:
        ids: new by old id: of the example, and of an article's questions.
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


def list_export_formats(layers: Sequence[Layer]) -> list[str]:
    """Return the names of the formats that can hold the annotation of all these tasks."""
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
    """Yield the examples of a file in order; raw text is read as a stream.

    Args:
        format: a name of `FORMATS`; None: detected by suffix and beginning.
        layer: the task to read; None: all that the file holds.
        segmentation: of raw text into sentences and words.
        report: receives the error of each bad row.
        also: further tasks, read where the file has their annotation.

    Raises:
        FewshotError: when the file cannot be read; with ``file:line`` for the first bad row, unless it is reported.
    """
    path = Path(path)
    kind = layer.example.kind if layer else None
    chosen = _format(format) if format else detect(path, kind, layer)
    if layer and not chosen.can_open(layer):
        raise CorpusError(f"{chosen.title} holds no examples of {layer.name}; choose another format", path)
    options = ReadOptions(layer, kind, segmentation, lang, report, also)
    for example in skip_repeated(chosen.read(path, options), report):
        if layer and example.kind != kind:
            raise CorpusError(f"{layer.name} is about {kind}; these are {example.kind}", example.where or str(path))
        yield replace(example, lang=lang) if lang and isinstance(example, Article) else example


def skip_repeated(examples: Iterable[Any], report: Report = fail) -> Iterator[Any]:
    """Yield examples; report and skip those with a repeated id."""
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
    """Return the readable examples of a file, in order, and the errors of its bad rows.

    Arguments are those of `stream`. Whether labels belong to a project's label set is not checked.
    """
    bad = BadRows()
    return list(read_valid(path, format, lang, layer, segmentation, bad, also)), bad


def read_valid(
    path: str | Path,
    format: str | None,
    lang: str,
    layer: Layer | None,
    segmentation: Segmentation,
    bad: BadRows,
    also: Sequence[Layer] = (),
) -> Iterator[Any]:
    """Yield the readable examples of a file and add its errors to ``bad``; see `check` and `stream`."""

    def note(error: CorpusError) -> None:
        bad.add(error.where, error.message)

    try:
        yield from stream(path, format, lang, layer, segmentation, note, also)
    except CorpusError as error:
        if not bad or error.where != str(path):  # else the error only says that no row is left
            note(error)
    except FewshotError as error:
        bad.add(str(path), str(error))


def detect(path: str | Path, kind: str | None = None, layer: Layer | None = None) -> Format:
    """Return the format of a file, by suffix and beginning.

    Args:
        kind: of example that the format must hold; None: any.
        layer: task that its examples must be open to; None: any.

    Raises:
        CorpusError: when there is no such file, and when no format fits.
    """
    path = Path(path)
    able = [format_ for format_ in _of(kind) if layer is None or format_.can_open(layer)]
    fitting = [format_ for format_ in able if format_.may_be_called(path)]
    if not fitting:
        if not path.exists():
            raise CorpusError("no such file", path)
        wanted = layer.name if layer else kind
        what = f"{path.suffix or '(no suffix)'!r}" + (f" for {wanted}" if wanted else "")
        known = f"known are {', '.join(_suffixes(able))}"
        parts = f"unknown file type {what}", advice_on(path, kind, layer) or _other_task(path, kind), known
        raise CorpusError("; ".join(filter(None, parts)), path)
    return next((format_ for format_ in fitting if format_.begins_like(path)), fitting[0])


def check_raw(path: Path) -> None:
    """Refuse a file of another format than raw text.

    Raises:
        CorpusError: as `detect`, and for a file of another format.
    """
    if (detected := detect(path)).write:
        raise CorpusError(f"this is {detected.title}; give raw text with a sentence or a paragraph in each line", path)


def _other_task(path: Path, kind: str | None) -> str:
    """Return what a file of this name holds that other tasks annotate; empty if no format has such files."""
    held: dict[str, None] = {}
    for format_ in FORMATS.values():
        if format_.may_be_called(path):
            others = dict(format_.holds)
            held |= dict.fromkeys([*others.pop(kind or "", ()), *others])
    return f"such a file holds {listed(list(held))}, which another task annotates; choose that one" if held else ""


def advice_on(path: Path, kind: str | None, layer: Layer | None = None) -> str:
    """Return how a spreadsheet or text document becomes a file that is read; empty for other files.

    Args:
        kind: as for `detect`.
        layer: as for `detect`.
    """
    able = {format_.name for format_ in _of(kind) if layer is None or format_.can_open(layer)}
    fitting = (text for suffixes, name, text in ADVICE if path.suffix.lower() in suffixes and name in able)
    return next(fitting, "").format(stem=path.stem)


def is_annotated_file(path: Path, kind: str) -> bool:
    """Return whether a file is of a format for annotated examples of a kind, by suffix and beginning.

    Raw text does not count, since UD has text files beside its treebanks.
    """
    fitting = [format_ for format_ in _of(kind) if format_.write and format_.may_be_called(path)]
    return path.is_file() and any(format_.begins_like(path) for format_ in fitting)


def suffixes(kind: str | None = None) -> list[str]:
    """Return the suffixes of all readable files, or of those with annotated examples of a kind."""
    return _suffixes(format_ for format_ in _of(kind) if format_.write or not kind)


def _of(kind: str | None) -> list[Format]:
    return [format_ for format_ in FORMATS.values() if kind is None or kind in format_.holds]


def _suffixes(formats: Iterable[Format]) -> list[str]:
    return list(dict.fromkeys(suffix for format_ in formats for suffix in format_.suffixes))


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return FORMATS[name]

"""The file formats of annotation: what reads and writes each, and which one a file is in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from fewshot.corpora.files import Report, fail, raw_lines
from fewshot.corpora.formats import bio, conllu, jsonl, label_studio, squad, text, tsv, webanno
from fewshot.corpora.types import Article, Example
from fewshot.errors import CorpusError, FewshotError, UnknownNameError

Reader = Callable[[Path, str | None, Sequence[str], str, Report], Iterable[Any]]
Writer = Callable[[Iterable[Any], Path, Sequence[str]], None]

TASKS = {"sentences": ("pos", "dep", "ner"), "pairs": ("nli",), "documents": ("topic",), "articles": ("qa",)}
"""Tasks whose annotation the files of each kind of example can hold."""

KINDS = {task: kind for kind, names in TASKS.items() for task in names}
"""Kind of example of each of these tasks."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that could not be imported.

    Args:
        where: ``file:line``, or the place in a JSON file.
        message: what is wrong with it and what to do.
    """

    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Args:
        name: what users type.
        title: what screens call it.
        suffixes: of its files, that of those that are written first.
        tasks: whose annotation it can hold.
        read: takes path, kind of example (None: the file tells), tasks whose annotation is read, segmenter of raw
            text, and what to do with a bad row.
        write: takes examples, path and names of tasks; None for a format that holds no annotation.
        begins: what a file of this format begins with, where others have the same suffix.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    tasks: tuple[str, ...]
    read: Reader
    write: Writer | None
    begins: str = ""

    @property
    def suffix(self) -> str:
        """Return the suffix of the files that are written."""
        return self.suffixes[0]


def _reading(read: Callable[..., Iterable[Any]]) -> Reader:
    return lambda path, kind, tasks, segment, report: read(path, report=report)


def _writing(write: Callable[..., None]) -> Writer:
    return lambda examples, path, names: write(examples, path)


def _read_text(path: Path, kind: str | None, tasks: Sequence[str], segment: str, report: Report) -> Iterable[Any]:
    return text.read(path, segment, report)


def _read_jsonl(path: Path, kind: str | None, tasks: Sequence[str], segment: str, report: Report) -> Iterable[Any]:
    return jsonl.read(path, kind, report)


def _read_label_studio(
    path: Path, kind: str | None, tasks: Sequence[str], segment: str, report: Report
) -> Iterable[Any]:
    if not tasks:
        raise CorpusError("Label Studio's files do not say which task they are of; give it (--task)", path)
    return label_studio.read(path, tasks, report)


_read_bio, _write_spans = _reading(bio.read), _writing(partial(jsonl.write, stretches=True))
_SENTENCES, _LABELS = TASKS["sentences"], (*TASKS["pairs"], *TASKS["documents"])
_JSONL = (".jsonl", ".ndjson")

_ALL = (
    Format("conllu", "CoNLL-U", (".conllu",), _SENTENCES, _reading(conllu.read), _writing(conllu.write)),
    Format("bio", "IOB2 with tabs", (".bio", ".iob2"), ("ner",), _read_bio, _writing(bio.write)),
    Format("conll2003", "CoNLL-2003", (".conll",), ("ner",), _read_bio, _writing(webanno.write_conll2003)),
    Format(
        "webanno",
        "WebAnno TSV 3.3",
        (".tsv",),
        ("ner",),
        _reading(webanno.read),
        _writing(webanno.write),
        webanno.FORMAT,
    ),
    Format("tsv", "tab-separated columns", (".tsv",), _LABELS, _reading(tsv.read), _writing(tsv.write)),
    Format("jsonl", "JSON Lines", _JSONL, (*_SENTENCES, *_LABELS), _read_jsonl, _writing(jsonl.write)),
    Format("spans", "JSON Lines with character offsets", _JSONL, ("ner",), _read_jsonl, _write_spans),
    Format("squad", "SQuAD 1.1", (".json",), ("qa",), _reading(squad.read), _writing(squad.write), "{"),
    Format("label-studio", "Label Studio", (".json",), tuple(KINDS), _read_label_studio, label_studio.write, "["),
    Format("text", "raw text, one sentence a line", (".txt",), _SENTENCES, _read_text, None),
)

FORMATS: Mapping[str, Format] = {each.name: each for each in _ALL}
"""Every format by name."""


def export(examples: Iterable[Example], task_names: Sequence[str], format: str, path: str | Path) -> None:
    """Write examples with their annotation, atomically.

    Examples that were read from CoNLL-U are written to it with the same bytes, but for what was annotated.

    Args:
        examples: of the kind that the tasks are about; in CoNLL-U, IOB2 and JSON Lines one is held at a time.
        task_names: whose annotation is exported.
        format: a name of `FORMATS`.
        path: the file to write or replace.

    Raises:
        FewshotError: when the format cannot hold this, or the file cannot be written.
    """
    chosen = _format(format)
    names = [_base(name) for name in task_names]
    if not names:
        raise FewshotError("name at least one task to export")
    kinds = {KINDS[name] for name in names}
    unfit = [name for name in names if name not in chosen.tasks]
    if unfit or chosen.write is None:
        what = f"annotation of {', '.join(unfit)}" if chosen.write else "annotation"
        raise FewshotError(f"{chosen.title} cannot hold {what}; choose from {', '.join(holding(task_names))}")
    chosen.write(_of_kind(examples, kinds, names), Path(path), names)


def _of_kind(examples: Iterable[Example], kinds: Collection[str], names: Sequence[str]) -> Iterator[Example]:
    for row in examples:
        if row.kind not in kinds:
            raise FewshotError(f"{row.id}: {', '.join(names)} is about {' and '.join(kinds)}; these are {row.kind}")
        yield row


def holding(task_names: Sequence[str]) -> list[str]:
    """Return the names of the formats that can hold the annotation of all of these tasks."""
    names = {_base(name) for name in task_names}
    return [each.name for each in _ALL if each.write and names <= set(each.tasks)]


def stream(
    path: str | Path,
    format: str | None,
    lang: str,
    task: str,
    segment: str = "words",
    report: Report = fail,
) -> Iterator[Any]:
    """Yield the examples of a file in order; of raw text, one line is held at a time.

    Args:
        path: of the file.
        format: a name of `FORMATS`; without it the suffix and beginning of the file tell.
        lang: language code.
        task: name of the task whose examples and annotation are read.
        segment: of raw text into words, see `fewshot.corpora.formats.text.segmenter`.
        report: told of each bad row.

    Raises:
        FewshotError: when the file is not what it should be; with ``file:line`` for the first row that is bad, unless
            it is reported.
    """
    path = Path(path)
    base = _base(task)
    kind = KINDS[base]
    chosen = _format(format) if format else detect(path, task=task)
    if base not in chosen.tasks:
        raise CorpusError(f"{chosen.title} holds no examples of {task}; choose another format", path)
    seen: set[str] = set()
    for example in chosen.read(path, kind, [base], segment, report):
        where = example.where or str(path)
        if example.kind != kind:
            raise CorpusError(f"{task} is about {kind}; these are {example.kind}", where)
        if example.id in seen:
            report(CorpusError(f"the id {example.id!r} is used twice; give each of the {kind} its own", where))
            continue
        seen.add(example.id)
        yield replace(example, lang=lang) if isinstance(example, Article) else example


def check(
    path: str | Path, format: str | None, lang: str, task: str, segment: str = "words"
) -> tuple[list[Any], list[Problem]]:
    """Read what can be read of a file, and list what cannot.

    Reading goes on behind a bad sentence, line, question or task. Whether labels are among a project's is not checked.

    Args are those of `stream`.

    Returns:
        The good examples in file order, and the problems in the order they were found.
    """
    examples: list[Any] = []
    problems: list[Problem] = []

    def note(error: CorpusError) -> None:
        problems.append(Problem(error.where, error.message))

    try:
        examples += stream(path, format, lang, task, segment, note)
    except CorpusError as error:
        if not problems or error.where != str(path):  # else it says only that no row is left
            note(error)
    except FewshotError as error:
        problems.append(Problem(str(path), str(error)))
    return examples, problems


def detect(path: str | Path, kind: str | None = None, task: str | None = None) -> Format:
    """Return the format of a file, by its suffix and what it begins with.

    Args:
        path: of the file.
        kind: of example that it should hold, see `fewshot.corpora.types`; None: any.
        task: whose annotation it should hold; None: any.

    Raises:
        CorpusError: when there is no such format.
    """
    path = Path(path)
    suit = [each for each in _of(kind) if task is None or _base(task) in each.tasks]
    found = [each for each in suit if path.suffix.lower() in each.suffixes]
    if not found:
        known = ", ".join(_suffixes(suit))
        what = f"{path.suffix or '(no suffix)'!r}" + (f" for {task or kind}" if task or kind else "")
        raise CorpusError(f"unknown file type {what}; known are {known}", path)
    return next((each for each in found if _begins(path, each)), found[0])


def of_a_tool(path: Path, kind: str) -> bool:
    """Return whether a file is in a format of other tools, as an export is that lies beside the data."""
    return detect(path, kind).name in ("webanno", "label-studio")


def suits(path: Path, kind: str) -> bool:
    """Return whether a file is, by its suffix and beginning, of a format that holds annotated examples of a kind.

    Raw text is not: UD has such beside a treebank.
    """
    suffix = path.suffix.lower()
    found = (each for each in _of(kind) if each.write and suffix in each.suffixes)
    return path.is_file() and any(_begins(path, each) for each in found)


def suffixes(kind: str | None = None) -> list[str]:
    """Return the suffixes of all files that can be read, or of those that hold annotated examples of a kind."""
    return _suffixes(each for each in _of(kind) if each.write or not kind)


def _of(kind: str | None) -> list[Format]:
    return [each for each in _ALL if kind is None or kind in {KINDS[task] for task in each.tasks}]


def _suffixes(found: Iterable[Format]) -> list[str]:
    return list(dict.fromkeys(suffix for each in found for suffix in each.suffixes))


def _begins(path: Path, format: Format) -> bool:
    if not format.begins:
        return True
    _, line = next(raw_lines(path), (0, b""))
    return not line or line.decode("utf-8", "replace").removeprefix("\ufeff").strip().startswith(format.begins)


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    return FORMATS[name]


def _base(task: str) -> str:
    name = task.split("+")[0]
    if name not in KINDS:
        raise UnknownNameError("task", name, KINDS)
    return name

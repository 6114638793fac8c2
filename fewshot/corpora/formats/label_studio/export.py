"""Read and write the JSON of Label Studio (https://labelstud.io/guide/task_format).

A task is a sentence, pair or document, or one question of an article. Its annotations are:

- UPOS, heads: a region of the control ``pos`` per word, labelled with its UPOS (``_`` for none); a relation from head
  to dependent; a region of the control ``root`` on the root
- entities: regions of the control ``ner``
- label: a choice
- answers: regions of the control ``qa``; an annotation without results means that there is no answer

Offsets count characters (code points), as in Label Studio since 2022. Older files in UTF-16 units are recognized by the
text of their regions, and converted where an annotation changes. Words are stored in the task's data; without them a
text is split like raw text. Predictions are not read, but predicted columns are written as predictions. A task that was
read changes only in its annotation and its mark (``label_status`` of its data is ``begun``): further keys and data,
results of other controls, notes, annotations of other people and the layout of the file stay.

A control with another name is used if it is the only one of its type in the annotations of the file or, without any
annotation, in its predictions and drafts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fewshot.corpora import fields, offsets
from fewshot.corpora.files import Report, fail, keep, read_lines, write_text
from fewshot.corpora.formats.common.layout import NEW_LAYOUT, dump, layout_of
from fewshot.corpora.formats.format import Format, ReadOptions
from fewshot.corpora.formats.label_studio.controls import (
    NAMES,
    annotations_key,
    controls_of,
    is_choice,
    named_columns,
    newest_annotation,
)
from fewshot.corpora.formats.label_studio.results import Result, merge
from fewshot.corpora.formats.label_studio.tasks import (
    HINT,
    NAME,
    Head,
    articles_of,
    example_maker,
    read_task,
    read_tasks,
)
from fewshot.corpora.offsets import Entity
from fewshot.corpora.types import SEPARATOR, UNANNOTATED, Article, Document, Pair, Record, Sentence, file_lines
from fewshot.errors import CorpusError

MODEL = "fewshot"
"""The model version of written predictions."""

TEXTS = {
    Sentence.kind: ("text",),
    Pair.kind: ("premise", "hypothesis"),
    Document.kind: ("text",),
    Article.kind: ("question", "text"),
}
"""Displayed texts of each kind of example."""


def write(examples: Iterable[Any], path: str | Path, columns: Sequence[str]) -> None:
    """Write examples of one kind as tasks to import; ``columns`` selects the columns of sentences."""
    all_examples = list(examples)
    rows = [row for example in all_examples for row in _tasks_of(example, columns)]
    write_text(path, dump(rows, _recorded(all_examples[0])[0]["layout"] if all_examples else NEW_LAYOUT))


def read(
    path: str | Path, kind: str, columns: Sequence[str], report: Report = fail, further: Sequence[str] = ()
) -> list[Any]:
    """Read tasks with their newest annotation that was not cancelled, named by ``id`` in their data.

    Args:
        columns: to read of sentences. A sentence with an annotation has ``O`` where no entity is marked, unless only
            other columns were annotated.
        further: columns that are read if the file has a control with our name.

    Raises:
        CorpusError: with file and task, for missing data, or a region outside the text or across words.
    """
    path = Path(path)
    text = "".join(read_lines(path))
    rows = fields.parse(text.removeprefix("\ufeff"), path)
    if not isinstance(rows, list):
        raise CorpusError(f"a list of tasks is expected; {HINT}", path)
    numbered = enumerate(rows, start=1)
    columns = [*columns, *named_columns(rows, further)]
    head = {"layout": layout_of(text, rows), "controls": controls_of(rows, kind, columns, path)}
    made = keep(partial(read_task, path, example_maker(kind, columns, head["controls"]), head), numbered, report)
    examples: list[Any] = articles_of(made, report) if kind == Article.kind else list(made)
    if not examples:
        raise CorpusError("no task in this file", path)
    return examples


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of an example with its id, and for questions also the article, replaced."""
    head, *tasks = map(json.loads, record.lines)
    for data in (task["data"] for task in tasks):
        for name in ("id", "article") if "question" in data else ("id",):
            fields.rename(data, name, ids)
    return Record(record.format, tuple(json.dumps(value, ensure_ascii=False) for value in (head, *tasks)))


def _recorded(example: Any) -> tuple[Head, list[dict[str, Any]]]:
    """Return the head and the tasks in an example's record; no tasks for other sources."""
    head, *tasks = list(map(json.loads, file_lines(example, FORMAT.name))) or [{"layout": NEW_LAYOUT, "controls": {}}]
    return head, tasks


def _tasks_of(example: Any, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the tasks of an example: those that were read, with the current annotation, or new ones."""
    head, olds = _recorded(example)
    guessed = [column for column in columns if column in example.predicted]
    before = read_tasks(example.kind, columns, head, olds) if olds else example.unannotated()
    texts = [old["data"]["text"] if isinstance(example, Sentence) else "" for old in olds]
    new = list(_new_tasks(_with_old_columns(example, guessed, before), columns, *texts))
    rows = new
    if olds:
        pairs = zip(olds, _new_tasks(before, columns, *texts), new, strict=True)
        rows = [_updated_task(example.kind, columns, head, *each) for each in pairs]
    for row, guess in zip(rows, _new_tasks(example, guessed, *texts) if guessed else new, strict=True):
        if guessed:
            row = row | {"predictions": [*_other_predictions(row), *_own_predictions(guess, head["controls"])]}
        data = fields.with_status(row["data"], example.begun)
        yield row if data == row["data"] else row | {"data": data}


def _other_predictions(row: Mapping[str, Any]) -> list[Any]:
    known = row.get("predictions")
    made = known if isinstance(known, list) else []
    return [item for item in made if not isinstance(item, dict) or item.get("model_version") != MODEL]


def _own_predictions(guess: Mapping[str, Any], controls: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for annotation in guess["annotations"]:
        results = [_with_file_names(result, controls) for result in annotation["result"]]
        yield {"model_version": MODEL, **annotation, "result": results}


def _with_old_columns(example: Any, columns: Sequence[str], before: Any) -> Any:
    if isinstance(example, Article):
        return before if columns else example
    return replace(example, **{column: getattr(before, column) for column in columns})


def _updated_task(
    kind: str, columns: Sequence[str], head: Head, old: dict[str, Any], before: dict[str, Any], new: dict[str, Any]
) -> dict[str, Any]:
    """Return a task with the current annotation in its newest annotation.

    Args:
        before: the new task of the annotation that was read.
    """
    if new["annotations"] == before["annotations"]:
        return old
    data: dict[str, Any] = {}
    if kind == Sentence.kind:
        names, done = [NAMES.get(column) for column in columns], old["data"].get("annotated")
        others = [name for name in done if name not in names] if isinstance(done, list) else []
        data = {key: new["data"][key] for key in ("text", "words")}
        data["annotated"] = [*new["data"]["annotated"], *others]
    key, newest = annotations_key(old), newest_annotation(old)
    made = [
        _with_file_names(result, head["controls"])
        for annotation in new["annotations"]
        for result in annotation["result"]
    ]
    if newest is None:
        annotations = [*old.get(key, ()), *([{"result": made}] if new["annotations"] else [])]
    else:
        results = merge(
            newest["result"], made, old["data"].get("text", ""), _own_result_filter(kind, columns, head["controls"])
        )
        changed = [newest | {"result": results}] if results or new["annotations"] else []
        place = next(place for place, annotation in enumerate(old[key]) if annotation is newest)
        annotations = [*old[key][:place], *changed, *old[key][place + 1 :]]
    return old | {"data": old["data"] | data, key: annotations}


def _own_result_filter(kind: str, columns: Sequence[str], controls: Mapping[str, str]) -> Callable[[Result], bool]:
    if kind in (Pair.kind, Document.kind):
        return lambda result: is_choice(result, controls)
    names = {"qa"} if kind == Article.kind else {"ner"} & {NAMES.get(column) for column in columns}
    names |= {"pos"} if "upos" in columns or "heads" in columns else set()
    names |= {"root", "relation"} if "heads" in columns else set()
    names = {controls.get(name, name) for name in names}

    def is_own(result: Result) -> bool:
        if result.get("type") == "relation":
            return "relation" in names
        return result.get("type") == "labels" and str(result.get("from_name")) in names

    return is_own


def _with_file_names(result: Result, controls: Mapping[str, str]) -> Result:
    name = str(result.get("from_name"))
    target = {"to_name": controls["to_name"]} if "to_name" in controls and "to_name" in result else {}
    return result | target | ({"from_name": controls[name]} if name in controls else {})


def _new_tasks(example: Any, columns: Sequence[str], *texts: str) -> Iterator[dict[str, Any]]:
    """Yield new tasks of an example; offsets count in the given text of a sentence, if any."""
    if isinstance(example, Sentence):
        word_places = offsets.places(texts[0], example.words) if texts else None
        text, word_places = (texts[0], word_places) if word_places else offsets.lay_out(example)
        done = [name for name in columns if name in NAMES and offsets.is_annotated(getattr(example, name))]
        annotated = [NAMES[column] for column in done]
        data: dict[str, Any] = {"id": example.id, "text": text, "words": example.words, "annotated": annotated}
        results = [result for column in done for result in _results(column, done, example, text, word_places)]
        yield _task(data, results, bool(done))
    elif isinstance(example, Article):
        for paragraph in example.paragraphs:
            for question in paragraph.questions:
                data = {"id": question.id, "article": example.id, "text": paragraph.context, "question": question.text}
                spans = (Entity(a.start, a.start + len(a.text), "answer") for a in question.answers)
                yield _task(data, [_region("qa", span, paragraph.context) for span in spans], question.settled)
    else:
        names = ("premise", "hypothesis") if isinstance(example, Pair) else ("text",)
        data = {"id": example.id} | {name: getattr(example, name) for name in names}
        labels = example.label.split(SEPARATOR) if isinstance(example, Document) else [example.label]
        choice = {"from_name": "label", "to_name": names[-1], "type": "choices", "value": {"choices": labels}}
        yield _task(data, [choice], example.label != UNANNOTATED)


def _task(data: dict[str, Any], results: list[Result], annotated: bool) -> dict[str, Any]:
    return {"data": data, "annotations": [{"result": results}] if annotated else []}


def _results(
    column: str, done: Sequence[str], sentence: Sentence, text: str, word_places: list[tuple[int, int]]
) -> Iterator[Result]:
    words = [Entity(start, end, upos) for (start, end), upos in zip(word_places, sentence.upos, strict=True)]
    if column == "entities":
        before = None
        for entity in offsets.entities(sentence.entities, word_places):
            region, place = _region("ner", entity, text), entity[:2]
            yield region | {"id": f"{region['id']}-{entity.label}"} if place == before else region
            before = place
    if column == "upos" or (column == "heads" and "upos" not in done):
        yield from (_region("pos", word, text) for word in words)
    if column == "heads":
        for word, head, deprel in zip(words, sentence.heads, sentence.deprels, strict=True):
            if head == 0:
                yield _region("root", word._replace(label=deprel), text)
            elif head > 0:
                ids = {"from_id": _id("pos", words[head - 1]), "to_id": _id("pos", word)}
                yield ids | {"type": "relation", "direction": "right", "labels": [deprel]}


def _id(control: str, region: Entity) -> str:
    return f"{control}-{region.start}-{region.end}"


def _region(control: str, region: Entity, text: str) -> Result:
    start, end, label = region
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"id": _id(control, region), "from_name": control, "to_name": "text", "type": "labels", "value": value}


def _read(path: Path, options: ReadOptions) -> list[Any]:
    if options.layer is None:
        raise CorpusError("Label Studio files do not name their task; give it (--task)", path)
    return read(path, options.layer.example.kind, options.layer.columns, options.report, options.further)


FORMAT = Format(
    name=NAME,
    title="Label Studio",
    rank=9,
    suffixes=(".json",),
    holds={kind.kind: kind.columns for kind in (Pair, Document, Article)}
    | {Sentence.kind: ("upos", "heads", "deprels", "entities")},
    read=_read,
    write=write,
    rename=rename,
    begins="[",
    exported=True,
    units=True,
    nested=True,
)

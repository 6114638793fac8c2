"""Read and write the JSON of Label Studio (https://labelstud.io/guide/task_format).

A Label Studio task is a sentence, pair or document, or one question of an article. Its annotations are:

- UPOS, heads: a region a word of the control ``pos``, labelled with its UPOS (``_`` where it has none); a relation from
  head to dependent; a region of the control ``root`` on the root
- entities: a region an entity, of the control ``ner``
- label: a choice
- answers: a region an answer, of the control ``qa``

Offsets are counted in characters (code points), as Label Studio does since 2022; older files, which count in UTF-16,
are known by the text that stands beside the offsets. The words are kept in the task's data, so that they are the same
when it is read again; without them a text is split as by `fewshot.corpora.formats.text`. Predictions are not read; what
a model has filled is written as one. Of a task that was read only what was annotated changes: further keys and data,
results of other controls, notes, and other people's annotations stay, and so does the layout of the file.

Where a control has another name than these, it is used if it is the only one of its type in the file.
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
from fewshot.corpora.formats.format import Format, Reading
from fewshot.corpora.formats.label_studio_results import Result, merged
from fewshot.corpora.formats.layout import NEW, layout_of, written
from fewshot.corpora.offsets import Entity
from fewshot.corpora.segmentation import PLAIN
from fewshot.corpora.types import (
    UNANNOTATED,
    Answer,
    Article,
    Document,
    Pair,
    Paragraph,
    Question,
    Record,
    Sentence,
    file_lines,
)
from fewshot.errors import CorpusError, listed

HINT = "Label Studio's JSON export has tasks with data and annotations; JSON-MIN and CSV are other formats"

NAMES = {"upos": "pos", "heads": "dep", "entities": "ner", "label": "label", "answers": "qa"}
"""What columns are called in the files; relations are named by that of the heads."""

CONTROLS = ("pos", "ner", "root")
"""Controls (``from_name``) of sentences that are written."""

TEXTS = {
    Sentence.kind: ("text",),
    Pair.kind: ("premise", "hypothesis"),
    Document.kind: ("text",),
    Article.kind: ("question", "text"),
}
"""What is shown of each kind of example."""

Head = dict[str, Any]
"""What the record of an example has of its file: ``layout``, and ``controls``: what ours are called there."""

Answered = tuple[str, str, Question, str, tuple[str, str]]
"""Title of an article, paragraph, question, where it stands, the lines of its record."""


def write(examples: Iterable[Any], path: str | Path, columns: Sequence[str]) -> None:
    """Write examples as tasks to import, atomically.

    Args:
        examples: of one kind.
        path: the file to write or replace.
        columns: that are written of sentences; others have one only.
    """
    found = list(examples)
    rows = [row for example in found for row in _rows(example, columns)]
    write_text(path, written(rows, _recorded(found[0])[0]["layout"] if found else NEW))


def read(path: str | Path, kind: str, columns: Sequence[str], report: Report = fail) -> list[Any]:
    """Read tasks with their newest annotation that was not cancelled.

    Args:
        path: a UTF-8 file.
        kind: of example.
        columns: that are read of sentences. One that has an annotation has ``O`` where no entity is marked, unless only
            other columns were annotated.
        report: told of each bad task.

    Returns:
        Sentences, pairs, documents or articles, named by ``id`` in their data, else ``<file stem>-<number>``.

    Raises:
        CorpusError: with file and task, for data that is missing, a region outside the text or across words.
    """
    path = Path(path)
    text = "".join(read_lines(path))
    rows = fields.parse(text.removeprefix("\ufeff"), path)
    if not isinstance(rows, list):
        raise CorpusError(f"a list of tasks is expected; {HINT}", path)
    numbered = enumerate(rows, start=1)
    head = {"layout": layout_of(text, rows), "controls": _controls(rows, kind, columns, path)}
    made = keep(partial(_made, path, _maker(kind, columns, head["controls"]), head), numbered, report)
    examples: list[Any] = _articles(made) if kind == Article.kind else list(made)
    if not examples:
        raise CorpusError("no task in this file", path)
    return examples


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of an example with another id and, of a question, another article, where it has them."""
    head, *tasks = map(json.loads, record.lines)
    for data in (task["data"] for task in tasks):
        for name in ("id", "article") if "question" in data else ("id",):
            fields.rename(data, name, ids)
    return Record(record.format, tuple(json.dumps(each, ensure_ascii=False) for each in (head, *tasks)))


def _recorded(example: Any) -> tuple[Head, list[dict[str, Any]]]:
    """Return what the record of an example has of its file, and its tasks; no task for one of another source."""
    head, *tasks = list(map(json.loads, file_lines(example, FORMAT.name))) or [{"layout": NEW, "controls": {}}]
    return head, tasks


def _rows(example: Any, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the tasks of an example: those that were read, with the annotation as it is now, or new ones."""
    head, olds = _recorded(example)
    guessed = [column for column in columns if column in example.predicted]
    change = partial(_changed, example.kind, columns, head)
    before = _read_again(example.kind, columns, head, olds) if olds else example.unannotated()
    texts = [old["data"]["text"] if isinstance(example, Sentence) else "" for old in olds]
    new = list(_fresh(_restored(example, guessed, before), columns, *texts))
    rows = [change(*pair) for pair in zip(olds, new, strict=True)] if olds else new
    for row, guess in zip(rows, _fresh(example, guessed, *texts) if guessed else new, strict=True):
        if guessed:
            row = row | {"predictions": [{"model_version": "fewshot", **each} for each in guess["annotations"]]}
        yield row


def _restored(example: Any, columns: Sequence[str], before: Any) -> Any:
    """Return an example with some columns as they were before."""
    if isinstance(example, Article):
        return before if columns else example
    return replace(example, **{column: getattr(before, column) for column in columns})


def _maker(kind: str, columns: Sequence[str], controls: Mapping[str, str]) -> Callable[..., Any]:
    """Return what makes an example, or one question of an article, of a task."""
    return partial(_sentence, columns, controls) if kind == Sentence.kind else partial(MAKE[kind], controls)


def _read_again(kind: str, columns: Sequence[str], head: Head, tasks: Sequence[dict[str, Any]]) -> Any:
    """Return the example of the tasks that were read."""
    made = [_made(Path(), _maker(kind, columns, head["controls"]), head, (0, task)) for task in tasks]
    return _articles(made)[0] if kind == Article.kind else made[0]


def _changed(kind: str, columns: Sequence[str], head: Head, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return a task that was read with the annotation as it is now, in the newest of its annotations."""
    again = _read_again(kind, columns, head, [old])
    (same,) = _fresh(again, columns, old["data"]["text"] if kind == Sentence.kind else "")
    if new["annotations"] == same["annotations"]:
        return old
    said: dict[str, Any] = {}
    if kind == Sentence.kind:
        others = [
            name for name in old["data"].get("annotated", ()) if name not in {NAMES.get(each) for each in columns}
        ]
        said = {key: new["data"][key] for key in ("text", "words")}
        said["annotated"] = [*new["data"]["annotated"], *others]
    key, newest = _key(old), _newest(old)
    made = [_renamed(result, head["controls"]) for each in new["annotations"] for result in each["result"]]
    if newest is None:
        annotations = [*old.get(key, ()), *([{"result": made}] if new["annotations"] else [])]
    else:
        results = merged(newest["result"], made, old["data"].get("text", ""), _is_own(kind, columns, head["controls"]))
        changed = [newest | {"result": results}] if results or new["annotations"] else []
        annotations = [one for each in old[key] for one in (changed if each is newest else [each])]
    return old | {"data": old["data"] | said, key: annotations}


def _is_own(kind: str, columns: Sequence[str], controls: Mapping[str, str]) -> Callable[[Result], bool]:
    """Return what tells whether a result holds the annotation of these columns, which is written anew."""
    if kind in (Pair.kind, Document.kind):
        return lambda result: _is_choice(result, controls)
    names = {"qa"} if kind == Article.kind else {"ner"} & {NAMES.get(column) for column in columns}
    names |= {"pos"} if "upos" in columns or "heads" in columns else set()
    names |= {"root", "relation"} if "heads" in columns else set()
    names = {controls.get(name, name) for name in names}
    return lambda result: (result.get("from_name") if result.get("type") != "relation" else "relation") in names


def _renamed(result: Result, controls: Mapping[str, str]) -> Result:
    """Return a new result under the name that its control has in the file."""
    name = str(result.get("from_name"))
    return result | {"from_name": controls[name]} if name in controls else result


def _fresh(example: Any, columns: Sequence[str], *texts: str) -> Iterator[dict[str, Any]]:
    """Yield new tasks of an example.

    Args:
        texts: that the file shows of a sentence, in which offsets are counted, if it is from a file.
    """
    if isinstance(example, Sentence):
        word_places = offsets.places(texts[0], example.words) if texts else None
        text, word_places = (texts[0], word_places) if word_places else offsets.laid_out(example)
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
                yield _task(data, [_region("qa", span, paragraph.context) for span in spans], bool(question.answers))
    else:
        names = ("premise", "hypothesis") if isinstance(example, Pair) else ("text",)
        data = {"id": example.id} | {name: getattr(example, name) for name in names}
        choice = {"from_name": "label", "to_name": names[-1], "type": "choices", "value": {"choices": [example.label]}}
        yield _task(data, [choice], example.label != UNANNOTATED)


def _task(data: dict[str, Any], results: list[Result], annotated: bool) -> dict[str, Any]:
    return {"data": data, "annotations": [{"result": results}] if annotated else []}


def _results(
    column: str, done: Sequence[str], sentence: Sentence, text: str, word_places: list[tuple[int, int]]
) -> Iterator[Result]:
    words = [Entity(start, end, upos) for (start, end), upos in zip(word_places, sentence.upos, strict=True)]
    if column == "entities":
        yield from (_region("ner", each, text) for each in offsets.entities(sentence.entities, word_places))
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


def _made(path: Path, make: Callable[..., Any], head: Head, row: tuple[int, Any]) -> Any:
    number, task = row
    where = f"{path}: task {number}"
    data = fields.field(task, "data", dict, where, HINT)
    if _key(task) in task:
        fields.field(task, _key(task), list, where, HINT)
    newest = _newest(task)
    results = None if newest is None else fields.field(newest, "result", list, where, HINT)
    made = make(fields.name(data, "id", f"{path.stem}-{number}"), data, results, where)
    lines = json.dumps(head), json.dumps(task, ensure_ascii=False)
    return (*made, lines) if isinstance(made, tuple) else replace(made, record=Record(FORMAT.name, lines))


def _key(task: dict[str, Any]) -> str:
    """Return the key of a task's annotations; before version 1.0 they were called completions."""
    return "completions" if "completions" in task and "annotations" not in task else "annotations"


def _newest(task: dict[str, Any]) -> dict[str, Any] | None:
    """Return the annotation of a task that counts: the ground truth, else the newest, none that was cancelled."""
    done = [each for each in task.get(_key(task), ()) if isinstance(each, dict) and not each.get("was_cancelled")]
    return max(done, key=lambda each: (each.get("ground_truth") is True, str(each.get("updated_at", ""))), default=None)


def _controls(rows: Sequence[Any], kind: str, columns: Sequence[str], path: Path) -> dict[str, str]:
    """Return what our controls are called in a file, where that is another name.

    Raises:
        CorpusError: when several controls could be meant, or the annotation is of a type that is not read.
    """
    results = [result for row in rows if isinstance(row, dict) for result in _all_results(row)]
    is_class = kind in (Pair.kind, Document.kind)
    types = {str(result.get("type")) for result in results}
    unread = {"taxonomy"} if is_class else {name for name in types if name.endswith("labels")} - {"labels"}
    if named := sorted(types & unread):
        raise CorpusError(f"regions of type {named[0]} are not read; annotate plain text with Labels or Choices", path)
    own = {"label"} if is_class else {"qa"} if kind == Article.kind else {NAMES.get(name, "") for name in columns}
    own = {"pos" if name == "dep" else name for name in own} & {"label", "qa", "ner", "pos"}
    wanted = [result for result in results if result.get("type") == ("choices" if is_class else "labels")]
    names = dict.fromkeys(str(each.get("from_name")) for each in wanted if not (is_class and _is_of_region(each)))
    others = [name for name in names if name not in CONTROLS]
    missing = own - names.keys()
    if missing and len(others) > 1:
        what = f"annotation of several controls, {listed(others)}"
        raise CorpusError(f"{what}; call the one that is meant {min(missing)!r}, or export it alone", path)
    return dict.fromkeys(missing, others[0]) if others else {}


def _all_results(task: dict[str, Any]) -> Iterator[Result]:
    annotations = task.get(_key(task))
    for annotation in annotations if isinstance(annotations, list) else ():
        if isinstance(annotation, dict) and isinstance(annotation.get("result"), list):
            yield from (result for result in annotation["result"] if isinstance(result, dict))


def _is_of_region(result: Result) -> bool:
    """Return whether a choice is about a region, not about the whole task."""
    value = result.get("value")
    return isinstance(value, dict) and "start" in value


def _is_choice(result: Result, controls: Mapping[str, str]) -> bool:
    is_ours = result.get("from_name") == controls.get("label", "label")
    return result.get("type") == "choices" and is_ours and not _is_of_region(result)


def _sentence(
    columns: Sequence[str],
    controls: Mapping[str, str],
    key: str,
    data: dict[str, Any],
    results: list[Result] | None,
    where: str,
) -> Sentence:
    text = fields.text(data, "text", where)
    words = fields.words(data, "words", where) if "words" in data else tuple(PLAIN.segmenter(text))
    word_places = offsets.places(text, words)
    if word_places is None:
        raise CorpusError("the words do not stand in the text one after the other", where)
    if results is not None and not _tells_entities(data, results, controls):
        columns = [column for column in columns if column != "entities"]
    values = {} if results is None else _values(columns, controls, results, text, word_places, where)
    return Sentence(key, text, words, **values, where=where)


def _tells_entities(data: dict[str, Any], results: list[Result], controls: Mapping[str, str]) -> bool:
    """Return whether a sentence without marked entities has none, rather than annotation of other tasks only."""
    names = [result.get("from_name") for result in results if isinstance(result, dict)]
    done = data.get("annotated")
    is_said = "ner" in done if isinstance(done, list) else not ("pos" in names or "root" in names)
    return controls.get("ner", "ner") in names or is_said


def _values(
    columns: Sequence[str],
    controls: Mapping[str, str],
    results: list[Result],
    text: str,
    word_places: list[tuple[int, int]],
    where: str,
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    ner, pos = (controls.get(name, name) for name in ("ner", "pos"))
    numbers = {place: number for number, place in enumerate(word_places, start=1)}
    if "entities" in columns:
        regions = _regions(results, ner, text, where)
        values["entities"] = offsets.tags((region for _, region in regions), word_places, len(text), where)
    if "upos" in columns or "heads" in columns:
        named = dict(_regions(results, pos, text, where))
        words = {name: _number(region, numbers, where) for name, region in named.items()}
    if "upos" in columns:
        labels = {words[name]: region.label for name, region in named.items()}
        values["upos"] = tuple(labels.get(number, UNANNOTATED) for number in numbers.values())
    if "heads" in columns:
        roots = (region for _, region in _regions(results, "root", text, where))
        tree = {_number(region, numbers, where): (0, region.label) for region in roots}
        for head, word, label in _arcs(results, words, where):
            if word in tree:
                raise CorpusError(f"word {word} has two heads; remove one relation", where)
            tree[word] = head, label
        values["heads"] = tuple(tree.get(number, (-1, ""))[0] for number in numbers.values())
        values["deprels"] = tuple(tree.get(number, (-1, UNANNOTATED))[1] for number in numbers.values())
    return values


def _arcs(results: list[Result], words: dict[str, int], where: str) -> Iterator[tuple[int, int, str]]:
    """Yield head, dependent and relation of each arc."""
    for result in results:
        if isinstance(result, dict) and result.get("type") == "relation":
            ends = [words.get(str(result.get(name))) for name in ("from_id", "to_id")]
            head, word = reversed(ends) if result.get("direction") == "left" else ends
            if head is None or word is None:
                raise CorpusError("a relation between regions that are no words", where)
            labels = fields.words(result, "labels", where) if result.get("labels") else (UNANNOTATED,)
            yield head, word, labels[0]


def _number(region: Entity, numbers: dict[tuple[int, int], int], where: str) -> int:
    number = numbers.get(region[:2])
    if number is None:
        raise CorpusError(f"{region.label} at {region.start}-{region.end} is not on one whole word", where)
    return number


def _regions(results: list[Result], control: str, text: str, where: str) -> Iterator[tuple[str, Entity]]:
    """Yield id and stretch of each region of a control."""
    ids: set[str] = set()
    for result in results:
        if isinstance(result, dict) and result.get("type") == "labels" and result.get("from_name") == control:
            value = fields.field(result, "value", dict, where, HINT)
            labels = fields.words(value, "labels", where)
            if len(labels) != 1:
                raise CorpusError(f"a region has {len(labels)} labels; leave one", where)
            if (id := str(result.get("id") or f"number {len(ids)}")) in ids:
                raise CorpusError(f"two regions have the id {id!r}; give each its own", where)
            ids.add(id)
            yield id, Entity(*_stretch(value, text, where), labels[0])


def _stretch(value: dict[str, Any], text: str, where: str) -> tuple[int, int]:
    start, end = (fields.field(value, name, int, where, HINT) for name in ("start", "end"))
    said = value.get("text")
    stretch = offsets.find(text, start, end, said if isinstance(said, str) else None)
    if stretch is None:
        raise CorpusError(f"the region {start}-{end} is not in the text, or not where {said!r} stands", where)
    return stretch


def _choice(controls: Mapping[str, str], results: list[Result] | None, where: str) -> str:
    choices = [each for each in results or () if isinstance(each, dict) and _is_choice(each, controls)]
    if not choices:
        return UNANNOTATED
    labels = fields.words(fields.field(choices[-1], "value", dict, where, HINT), "choices", where)
    if len(labels) != 1:
        raise CorpusError(f"{len(labels)} choices; leave one", where)
    return labels[0]


def _pair(
    controls: Mapping[str, str], key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> Pair:
    premise, hypothesis = (fields.text(data, name, where) for name in ("premise", "hypothesis"))
    return Pair(key, premise, hypothesis, _choice(controls, results, where), where)


def _document(
    controls: Mapping[str, str], key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> Document:
    return Document(key, fields.text(data, "text", where), _choice(controls, results, where), where)


def _question(
    controls: Mapping[str, str], key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> tuple[str, str, Question, str]:
    context = fields.text(data, "text", where)
    spans = [span for _, span in _regions(results or [], controls.get("qa", "qa"), context, where)]
    answers = tuple(Answer(context[start:end], start) for start, end, _ in spans)
    question = Question(key, fields.text(data, "question", where), answers)
    return fields.name(data, "article", context[:40]), context, question, where


def _articles(rows: Iterable[Answered]) -> list[Article]:
    """Put the questions of a paragraph, and the paragraphs of an article, together."""
    articles: dict[str, dict[str, list[Answered]]] = {}
    for row in rows:
        articles.setdefault(row[0], {}).setdefault(row[1], []).append(row)
    return [_article(title, list(paragraphs.values())) for title, paragraphs in articles.items()]


def _article(title: str, paragraphs: Sequence[Sequence[Answered]]) -> Article:
    made = (Paragraph(rows[0][1], tuple(question for _, _, question, *_ in rows)) for rows in paragraphs)
    lines = [each for rows in paragraphs for *_, each in rows]
    record = Record(FORMAT.name, (lines[0][0], *(task for _, task in lines)))
    return Article(title, tuple(made), where=paragraphs[0][0][3], record=record)


MAKE: Mapping[str, Callable[..., Any]] = {Pair.kind: _pair, Document.kind: _document, Article.kind: _question}
"""What makes an example of a task, or one question of an article, by kind."""


def _read(path: Path, how: Reading) -> list[Any]:
    if how.layer is None:
        raise CorpusError("Label Studio's files do not say which task they are of; give it (--task)", path)
    return read(path, how.layer.example.kind, how.layer.columns, how.report)


FORMAT = Format(
    name="label-studio",
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
)

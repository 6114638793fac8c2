"""Begun work leaves a project in a file, comes into another one, and is finished there as if it had never left."""

import shutil

import pytest
from corpora.formats.annotating import arbitrary
from desk import Desk, new_project
from making import examples

from annotate.editing import content, session
from annotate.exchange import project_data
from annotate.exchange.importing import continue_upload
from fewshot import tasks
from fewshot.corpora import formats

CASES = [
    (task, name)
    for task in ("pos+feats+lemma+xpos", "dep", "ner", "topic", "nli", "qa")
    for name in formats.list_export_formats([tasks.get(task)])
    if formats.FORMATS[name].marks_begun
]


def part_of(annotation):
    """Return the first half of an annotation of words or questions; a label is one piece."""
    half = {}
    for column, values in annotation.items():
        blank = {"heads": -1, "entities": "O"}.get(column, "_")
        if isinstance(values, list):
            values = [value if place < len(values) / 2 else blank for place, value in enumerate(values)]
        half[column] = dict(list(values.items())[:1]) if isinstance(values, dict) else values
    return half


def annotate(desk, begun=False):
    """Annotate every second example; leave all but the first of them begun."""
    (name,) = desk.project.tasks
    items = {item.example_id: item for item in session.items(desk.store, desk.project, name, "ana")}
    for place, row in enumerate(list(desk.store.examples(desk.project.id))[::2]):
        item = items.get(row.id) or desk.draw((desk.ids.index(row.id), name, "ana"))[0]
        annotation, half = arbitrary(name, content.from_json(row.content)), begun and place > 0
        desk.keep(item, part_of(annotation) if half else annotation, done=not half)


@pytest.mark.parametrize(("task", "name"), CASES)
def test_begun_work_goes_out_and_in_and_is_finished_as_if_at_once(store, tmp_path, task, name):
    kind, path = tasks.get(task), tmp_path / f"in{formats.FORMATS[name].suffix}"
    formats.export(list(examples(kind.example.kind, 6, seed=1)), [kind], name, path)
    given = list(formats.stream(path, name, "", kind))

    def begin(examples):
        return Desk(store, new_project(store, examples, task, people=("ana",), double_share=0.0), tmp_path)

    def out(desk, as_it_is=False):
        made = desk.export(part="all", format=name, as_it_is=as_it_is)
        return shutil.copy(made, tmp_path / f"{desk.project.id}{made.suffix}").read_bytes()

    at_once, half = begin(given), begin(given)
    annotate(at_once)
    annotate(half, begun=True)
    marked = tmp_path / path.name
    marked.write_bytes(out(half, as_it_is=True))
    again = list(formats.stream(marked, name, "", kind))
    assert [one.begun for one in again] == [False, False, True, False, True, False]
    goes_on, imported = begin(again), begin(given)
    continue_upload(store, goes_on.project, "ana")
    assert out(goes_on) == marked.read_bytes(), "untouched, it keeps its marks"
    assert imported.take(marked).unfinished == 2
    for desk in (half, goes_on, imported):
        annotate(desk)
        assert out(desk) == out(at_once)


def test_a_file_with_a_begun_example_is_not_gold(tmp_path):
    given = [one.annotated(begun=not place) for place, one in enumerate(examples("sentences", 3, seed=1))]
    path = tmp_path / "in.conllu"
    formats.export(given, [tasks.get("pos")], "conllu", path)
    for read, is_gold in ((given[1:], True), (list(formats.stream(path, None, "", None)), False)):
        taken = project_data.take(project_data.Data("x", lambda read=read: read), ["pos"], 0, 0, 1)
        assert taken.is_gold == is_gold

"""What every format that can be written keeps, for each task whose annotation the format holds: found by discovery."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from corpora.drawn import label, of_task
from corpora.formats.annotating import come_back
from corpora.formats.breaking import broken
from hypothesis import given
from hypothesis import strategies as st
from making import examples

from annotate.editing import content
from fewshot import tasks
from fewshot.corpora.files import fail
from fewshot.corpora.formats import FORMATS, check, detect, export, list_export_formats, rename_example, squad, stream
from fewshot.corpora.formats.format import ReadOptions
from fewshot.corpora.load import find_split, read
from fewshot.corpora.types import Article, Sentence
from fewshot.errors import CorpusError

PAIRS = [
    (name, task)
    for name, each in FORMATS.items()
    for task, layer in tasks.registry().items()
    if each.write and each.can_hold(layer)
]
every_pair = pytest.mark.parametrize(("name", "task"), PAIRS)
TASKS = {name: [task for format, task in PAIRS if format == name] for name, _ in PAIRS}
every_format = pytest.mark.parametrize("name", TASKS)


WITHOUT_IDS = ("bio", "conll2003", "webanno", "flextext", "sfm", "eaf")
WITHOUT_TEXTS = ("bio", "conll2003", "sfm")
XML = ("flextext", "eaf")
LABELS = {"conllu": st.sampled_from(["PER", "a=b", "NER"])}
"""Labels of entities, where a format cannot hold all of those that are drawn."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("formats")


def write(made, name, task, path):
    export(made, [tasks.get(task)], name, path)
    return path


def whole(path, name, task):
    return list(stream(path, name, "", tasks.get(task)))


def as_kept(made, name, path):
    """Examples with the ids and texts that a format gives back."""
    for number, example in enumerate(made, start=1):
        if name in WITHOUT_IDS:
            example = replace(example, id=f"{path.stem}-{number}")
        if name in WITHOUT_TEXTS:
            example = replace(example, text=" ".join(example.words))
        elif name in XML:
            example = replace(example, text=re.sub(" +", " ", example.text))
        yield example


@every_format
@given(data=st.data())
def test_what_is_written_is_read_again_and_then_written_the_same(folder, name, data):
    path, task = folder / f"x{FORMATS[name].suffix}", data.draw(st.sampled_from(TASKS[name]))
    made = data.draw(of_task(tasks.get(task), LABELS.get(name, label)))
    if name in XML and any(char in "\ufffe\uffff" for example in made for char in example.text):
        with pytest.raises(CorpusError, match=r"U\+FFF[EF] cannot be written as XML; remove it"):
            write(made, name, task, path)
        return
    found = whole(write(made, name, task, path), name, task)
    assert found == list(as_kept(made, name, path))
    before = path.read_bytes()
    assert write(found, name, task, path).read_bytes() == before


CHANGES = {
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "no final newline": lambda data: data.rstrip(b"\n"),
    "blank end": lambda data: data + b"\n",
}
WRITTEN_ANEW = ("webanno",)
"""Formats whose files are written anew, in one layout."""


@every_pair
def test_a_file_that_nobody_annotated_comes_back_byte_for_byte(tmp_path, name, task):
    path = write(examples(tasks.get(task).example.kind, 3, seed=1), name, task, tmp_path / f"x{FORMATS[name].suffix}")
    plain, found = path.read_bytes(), whole(path, name, task)
    for change, changed in CHANGES.items():
        path.write_bytes(changed(plain))
        expected = plain if name in WRITTEN_ANEW else path.read_bytes()
        again = whole(path, name, task)
        assert again == found, change
        assert write(again, name, task, path).read_bytes() == expected, change


@pytest.mark.parametrize(("name", "task"), [pair for pair in PAIRS if FORMATS[pair[0]].gaps])
def test_only_what_was_annotated_is_changed_and_can_be_changed_back(tmp_path, name, task):
    layer, path = tasks.get(task), tmp_path / f"x{FORMATS[name].suffix}"
    before = whole(write(examples(layer.example.kind, 3, seed=1), name, task, path), name, task)
    data = path.read_bytes()
    nothing = content.annotation_of(task, before[1].unannotated())
    given = [before[0], content.annotated(task, before[1], nothing), before[2]]
    opened = whole(write(given, name, task, path), name, task)
    assert [opened[0], opened[2]] == [before[0], before[2]]
    assert not layer.is_annotated(opened[1])
    again = content.annotated(task, opened[1], content.annotation_of(task, before[1]))
    write([opened[0], again, opened[2]], name, task, path)
    if name in ("eaf", "label-studio"):  # new annotations get new numbers, and regions for arcs no tags
        assert whole(path, name, task) == before
    else:
        assert path.read_bytes() == data


@pytest.mark.parametrize(("name", "task"), [pair for pair in PAIRS if FORMATS[pair[0]].rename])
def test_an_example_is_read_again_under_its_new_ids_with_its_annotation(tmp_path, name, task):
    def ids(example):
        questions = (asked for paragraph in getattr(example, "paragraphs", ()) for asked in paragraph.questions)
        return [example.id, *(asked.id for asked in questions)]

    path = write(examples(tasks.get(task).example.kind, 4, seed=1), name, task, tmp_path / f"x{FORMATS[name].suffix}")
    found = whole(path, name, task)
    new = [rename_example(one, {id: f"{id}-2" for id in ids(one)}) for one in found]
    again = whole(write([*found, *new], name, task, path), name, task)
    assert again == [*found, *new]
    assert [ids(one) for one in again[4:]] == [[f"{id}-2" for id in ids(one)] for one in found]


@every_pair
def test_every_format_may_be_a_split_of_a_corpus(tmp_path, name, task):
    layer = tasks.get(task)
    kind, made = layer.example.kind, examples(layer.example.kind, 6, seed=1)
    for suffix in FORMATS[name].suffixes:
        path = write(made, name, task, tmp_path / f"x-test{suffix}")
        assert find_split(tmp_path, "test", kind) == path
        tasks.check_gold(layer.fitted(made), read(path, kind=kind, task=layer))
        path.unlink()


def test_every_task_is_held_by_a_format_that_can_be_written_and_its_options_do_not_change_them():
    assert [task.name for task in tasks.registry().values() if not list_export_formats([task])] == []
    assert list_export_formats([tasks.get("ner+crf"), tasks.get("dep+upos")]) == ["conllu", "jsonl", "label-studio"]


@pytest.mark.parametrize(
    ("task", "name"), [("qa", "squad"), ("qa", "label-studio"), ("nli", "tsv"), ("ner", "webanno"), ("pos", "jsonl")]
)
def test_the_format_of_a_file_is_detected(tmp_path, task, name):
    path = write(examples(tasks.get(task).example.kind, 3, seed=1), name, task, tmp_path / f"x{FORMATS[name].suffix}")
    assert detect(path, layer=tasks.get(task)).name == name
    assert len(whole(path, None, task)) == 3


@st.composite
def damaged(draw, data):
    for _ in range(draw(st.integers(1, 4))):
        data = broken(data, lambda values: draw(st.sampled_from(values)))
    return data


def assert_both_ways_agree(path, name, task):
    """Read a file twice, behind bad rows and up to the first: the first error is the same, and each is one line."""
    layer, errors = tasks.get(task), []

    def read_with(report):
        return list(FORMATS[name].read(path, ReadOptions(layer, layer.example.kind, report=report)))

    try:
        found = read_with(errors.append)
    except CorpusError as error:
        errors.append(error)
    assert all(error.where.startswith(str(path)) and "\n" not in str(error) for error in errors)
    if not errors:
        assert repr(read_with(fail)) == repr(found)
        return found
    with pytest.raises(CorpusError) as caught:
        read_with(fail)
    assert str(caught.value) == str(errors[0])
    return None


@every_format
@given(data=st.data())
def test_a_damaged_file_is_refused_or_what_is_read_can_be_annotated_and_written(folder, name, data):
    path, task = folder / f"broken{FORMATS[name].suffix}", data.draw(st.sampled_from(TASKS[name]))
    write(data.draw(of_task(tasks.get(task), st.just("PER"))), name, task, path)
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    assert_both_ways_agree(path, name, task)
    try:
        good, bad = check(path, name, "", tasks.get(task))
    except CorpusError:
        return
    come_back(good, task, folder, bad.total)


KEYS = ["data", "text", "words", "annotations", "result", "type", "value", "start", "end", "labels", "id", "from_id"]
KEYS += ["to_id", "direction", "choices", "title", "paragraphs", "context", "qas", "question", "answers"]
KEYS += ["upos", "heads", "deprels", "entities", "label", "premise", "hypothesis", "from_name", "was_cancelled"]
value = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 5), st.floats())
    | st.sampled_from(["a", "", "labels", "relation", "choices", "\ud83d"]),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner)),
    max_leaves=25,
)


def with_other_value(draw, node):
    if draw(st.integers(0, 3)) == 0 or not isinstance(node, (dict, list)) or not node:
        return draw(value)
    place = draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[place] = with_other_value(draw, node[place])
    return copy


@pytest.mark.parametrize("name", [name for name in TASKS if "json" in FORMATS[name].suffix])
@given(data=st.data())
def test_any_json_in_place_of_a_value_gives_nothing_but_corpus_errors(folder, name, data):
    path, task = folder / f"json{FORMATS[name].suffix}", data.draw(st.sampled_from(TASKS[name]))
    write(data.draw(of_task(tasks.get(task))), name, task, path)
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines() if name in ("jsonl", "spans") else [text]
    path.write_text("\n".join(json.dumps(with_other_value(data.draw, json.loads(line))) for line in lines))
    assert_both_ways_agree(path, name, task)


@pytest.mark.parametrize("name", ["flextext", "sfm", "eaf"])
@given(data=st.data())
def test_broken_interlinear_texts_come_back_as_they_are_or_with_tags(folder, name, data):
    path, source = folder / f"broken.{name}", Path(__file__).parent / "interlinear" / f"wolof.{name}"
    path.write_bytes(data.draw(damaged(source.read_bytes())))
    found = assert_both_ways_agree(path, name, "pos")
    if found is None:
        return
    out = write(found, name, "pos", folder / f"out.{name}")
    assert out.read_bytes() == path.read_bytes()
    tagged = [one.annotated(upos=("NOUN",) * one.length) for one in found]
    again = whole(write(tagged, name, "pos", out), name, "pos")
    assert [(one.words, one.upos) for one in again] == [(one.words, one.upos) for one in tagged]


def test_a_text_with_half_a_character_is_refused_and_nothing_is_left(tmp_path):
    with pytest.raises(CorpusError, match="half a character"):
        squad.write([Article("\ud83d", ())], tmp_path / "x.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "word", "labels", "message"),
    [
        *((name, "a\tb", {}, "cannot be written") for name in ("bio", "conllu", "conll2003")),
        *((name, "-DOCSTART-", {}, "-DOCSTART- cannot be written") for name in ("bio", "conll2003")),
        *((name, "\ufeffAna", {}, "ufeffAna' cannot be written") for name in ("bio", "conll2003")),
        ("conll2003", "Hà Nội", {}, "has a space and cannot be written"),
        ("sfm", "Hà Nội", {}, "has a space in it, which Toolbox cannot hold; choose CoNLL-U"),
        ("conll2003", "a", {"entities": ("B-A B",)}, "'B-A B' has a space"),
        ("bio", "a", {"entities": ("B-A\tB",)}, "label with a tab"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_the_old_file_stays(tmp_path, name, word, labels, message):
    path = tmp_path / "x"
    path.write_text("old")
    sentence = Sentence("s", word, (word,), **{"entities": ("O",)} | labels)
    with pytest.raises(CorpusError, match=message):
        write([sentence], name, "ner" if "ner" in TASKS[name] else "pos", path)
    assert path.read_text() == "old"

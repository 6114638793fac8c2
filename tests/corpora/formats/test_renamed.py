"""An example that gets another id gets it in its file too."""

import pytest
from making import examples

from fewshot import tasks
from fewshot.corpora import formats

CASES = [("pos", "conllu"), ("ner", "jsonl"), ("ner", "label-studio"), ("nli", "tsv"), ("topic", "jsonl")]
CASES += [("topic", "label-studio"), ("qa", "squad"), ("qa", "label-studio")]


def ids(example):
    questions = (asked for paragraph in getattr(example, "paragraphs", ()) for asked in paragraph.questions)
    return [example.id, *(asked.id for asked in questions)]


@pytest.mark.parametrize(("task", "name"), CASES)
def test_an_example_is_read_again_under_its_new_ids_with_its_annotation(tmp_path, task, name):
    kind, path = tasks.get(task), tmp_path / f"x{formats.FORMATS[name].suffix}"
    formats.export(examples(kind.example.kind, 4, seed=1), [kind], name, path)
    found = list(formats.stream(path, name, "", kind))
    new = [formats.renamed(one, {id: f"{id}-2" for id in ids(one)}) for one in found]
    formats.export([*found, *new], [kind], name, path)
    again = list(formats.stream(path, name, "", kind))
    assert again == [*found, *new]
    assert [ids(one) for one in again[4:]] == [[f"{id}-2" for id in ids(one)] for one in found]


def test_only_the_id_of_a_line_is_changed(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_bytes(b"note\tindex_id\ttext\r\nb1\t b1 \tb1\r\n")
    (found,) = formats.stream(path, None, "", tasks.get("topic"))
    formats.export([formats.renamed(found, {"b1": "b1-2"})], [tasks.get("topic")], "tsv", path)
    assert path.read_bytes() == b"note\tindex_id\ttext\r\nb1\tb1-2\tb1\r\n"

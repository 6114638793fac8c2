import json
from dataclasses import replace

import pytest
from making import examples

from annotate.editing import content
from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.formats import conllu

GOLD = "# sent_id = a\n1\tva\tir\tVERB\tV1\tMood=Ind\t0\troot\t_\tGloss=go\n2\tal\t_\tADP\tP\t_\t1\tcase\t_\t_\n\n"
MARKS = {
    "conllu": ["# predicted = NER\n", "|Source=model\n", "\tSource=model\n"],
    "bio": ["# predicted = NER\n"],
    "conll2003": ["# predicted = NER\n"],
    "jsonl": ['"predicted": ["entities"]', '"predicted": ["label"]'],
    "spans": ['"predicted": ["entities"]'],
    "label-studio": ['"predictions"'],
    "tsv": ["\tlabel_source\n", "\tmodel\n"],
    "squad": ['"predicted": true'],
}
PAIRS = [(task, name) for task in ("ner", "topic", "qa") for name in formats.list_export_formats([tasks.get(task)])]
CASES = [pair for pair in PAIRS if pair[1] in MARKS and pair != ("topic", "jsonl")]  # which is marked as entities are


def written(given, task, name, path):
    formats.export(given, [tasks.get(task)], name, path)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("task", "name"), CASES)
def test_what_a_model_has_filled_is_marked_until_somebody_annotates_it(tmp_path, task, name):
    kind = tasks.get(task)
    given = [replace(one, predicted=kind.columns) for one in examples(kind.example.kind, 4, seed=1)]
    path = tmp_path / f"x{formats.FORMATS[name].suffix}"
    text = written(given, task, name, path)
    assert any(mark in text for mark in MARKS[name])
    found = list(formats.stream(path, name, "", kind))
    if name == "label-studio":
        assert not any(kind.is_annotated(one) for one in found)
        return
    assert [one.predicted for one in found] == [kind.columns] * 4
    assert written(found, task, name, path) == text
    done = [content.annotated(task, one, content.annotation_of(task, one)) for one in found]
    assert not any(one.predicted for one in done)
    text = written(done, task, name, path)
    assert not any(mark in text.replace("\tlabel_source\n", "") for mark in MARKS[name])


def test_a_comment_names_the_columns_that_a_model_has_filled_beside_those_of_the_file(parse):
    (gold,) = parse(GOLD)
    guessed = replace(gold, upos=("NOUN", "ADP"), predicted=("upos",))
    assert conllu.to_text(guessed) == (
        "# sent_id = a\n# predicted = UPOS\n1\tva\tir\tNOUN\tV1\tMood=Ind\t0\troot\t_\tGloss=go|Source=model\n"
        "2\tal\t_\tADP\tP\t_\t1\tcase\t_\tSource=model\n\n"
    )
    (again,) = parse(conllu.to_text(guessed))
    assert again.predicted == ("upos",)
    assert conllu.to_text(content.annotated("pos", again, {"upos": ["VERB", "ADP"]})) == GOLD


def test_a_key_of_somebody_else_is_no_mark_and_predictions_for_label_studio_leave_its_annotations(tmp_path):
    path, topic = tmp_path / "a.jsonl", tasks.get("topic")
    path.write_text(json.dumps({"text": "a", "label": "x", "predicted": "sports"}) + "\n")
    (found,) = formats.stream(path, None, "", topic)
    assert found.predicted == ()
    assert json.loads(written([replace(found, label="y")], "topic", "jsonl", path))["predicted"] == "sports"
    path = tmp_path / "a.json"
    choice = {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["x"]}}
    task = {"id": 1, "data": {"text": "a"}, "annotations": [{"id": 2, "result": [choice]}]}
    path.write_text(json.dumps([task]))
    (found,) = formats.stream(path, None, "", topic)
    (made,) = json.loads(written([replace(found, label="y", predicted=("label",))], "topic", "label-studio", path))
    assert made["annotations"] == task["annotations"]
    assert made["predictions"][0]["result"][0]["value"] == {"choices": ["y"]}


def test_predictions_for_label_studio_are_told_from_what_people_have_annotated(tmp_path):
    (one,) = examples("sentences", 1, seed=1)
    given = replace(one, entities=("B-PER", *one.entities[1:]), predicted=("entities",))
    path = tmp_path / "a.json"
    formats.export([given], [tasks.get("pos"), tasks.get("ner")], "label-studio", path)
    (made,) = json.loads(path.read_text())
    controls = [{one["from_name"] for one in made[key][0]["result"]} for key in ("annotations", "predictions")]
    assert controls == [{"pos"}, {"ner"}]
    assert made["data"]["annotated"] == ["pos"]
    (again,) = formats.stream(path, "label-studio", "", tasks.get("pos"))
    again = replace(again, entities=given.entities, predicted=("entities",))
    formats.export([again], [tasks.get("pos"), tasks.get("ner")], "label-studio", path)
    assert json.loads(path.read_text()) == [made]


def test_a_byte_order_mark_hides_no_prediction_and_the_comment_ends_as_the_lines_of_its_file(tmp_path):
    path, ner = tmp_path / "a.bio", tasks.get("ner")
    path.write_text("\ufeff# predicted = NER\nAna\tB-PER\n\n", encoding="utf-8")
    (found,) = formats.stream(path, None, "", ner)
    assert found.predicted == ("entities",)
    assert written([replace(found, predicted=())], "ner", "bio", path) == "\ufeffAna\tB-PER\n\n"
    for text in ("Ana\tB-PER\r\n\r\n", "# a\r\nAna\tB-PER"):
        path.write_bytes(text.encode())
        formats.export(
            [replace(one, predicted=("entities",)) for one in formats.stream(path, None, "", ner)], [ner], "bio", path
        )
        assert path.read_bytes().count(b"# predicted = NER\r\n") == 1


@pytest.mark.parametrize("comment", ["by hand", "UPOS by hand", ""])
def test_a_comment_and_a_source_of_somebody_else_stay(tmp_path, comment):
    for name, rows in (("conllu", GOLD.replace("Gloss=go", "Source=model")), ("bio", "Ana\tB-PER\n\n")):
        path = tmp_path / f"a.{name}"
        path.write_text(f"# predicted = {comment}\n{rows}")
        before = path.read_text()
        (found,) = formats.stream(path, None, "", tasks.get("ner"))
        assert found.predicted == ()
        assert written([found], "ner", name, path) == before

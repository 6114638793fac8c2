import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from fewshot import tasks
from fewshot.corpora import formats, offsets
from fewshot.corpora.formats import label_studio
from fewshot.corpora.formats.label_studio.config import config
from fewshot.corpora.types import Answer, Article, Document, Paragraph, Question, Sentence
from fewshot.errors import CorpusError

ANNA = Sentence(
    "s", "Anna sleeps.", ("Anna", "sleeps", "."), ("PROPN", "VERB", "PUNCT"), (2, 0, 2), ("nsubj", "root", "punct")
).annotated(entities=("B-PER", "O", "O"))


def exported(path, *results, control="tags", **annotation):
    """A task as Label Studio exports it, with a region for each (start, end, text)."""
    result = [
        {"id": f"r{number}", "from_name": control, "to_name": "doc", "type": "labels",
         "value": {"start": start, "end": end, "labels": ["PER"]} | ({"text": text} if text else {})}
        for number, (start, end, text) in enumerate(results)
    ]  # fmt: skip
    return put(path, {"id": 5, "data": {"text": "😀 Anna Smith"}, "annotations": [{"result": result} | annotation]})


def put(path, *tasks):
    path.write_text(json.dumps(tasks))
    return path


def task(*results, text="Ana dem", **more):
    """A task about a text, with an annotation of each list of results."""
    return {"data": {"text": text}, "annotations": [{"result": result} for result in results]} | more


def entities(path):
    return [sentence.entities for sentence in label_studio.read(path, "sentences", ["entities"])]


def test_regions_and_relations(tmp_path):
    label_studio.write([ANNA], tmp_path / "x.json", ["upos", "heads", "deprels", "entities"])
    (task,) = json.loads((tmp_path / "x.json").read_text())
    result = task["annotations"][0]["result"]
    words = {"id": "s", "text": "Anna sleeps.", "words": ["Anna", "sleeps", "."]}
    assert task["data"] == words | {"annotated": ["pos", "dep", "ner"]}
    region = {"start": 0, "end": 4, "text": "Anna", "labels": ["PROPN"]}
    assert result[0] == {"id": "pos-0-4", "from_name": "pos", "to_name": "text", "type": "labels", "value": region}
    arc = {"from_id": "pos-5-11", "to_id": "pos-0-4", "type": "relation", "direction": "right", "labels": ["nsubj"]}
    assert next(each for each in result if each["type"] == "relation") == arc
    assert [each["value"]["text"] for each in result if each.get("from_name") == "root"] == ["sleeps"]


def test_offsets_in_characters_and_those_of_old_files_in_utf16(tmp_path):
    for region in ((2, 12), (3, 13)):
        assert entities(exported(tmp_path / "x.json", (*region, "Anna Smith"))) == [("O", "B-PER", "I-PER")]
    assert offsets.to_characters("😀 😀 😀 😀", 6, 8, "😀") == (4, 5)  # it ends behind the text in characters


def test_further_columns_are_read_where_a_control_has_our_name(tmp_path):
    path = exported(tmp_path / "x.json", (2, 6, None), control="ner")
    (sentence,) = label_studio.read(path, "sentences", ["upos"], further=["entities"])
    assert (sentence.upos, sentence.entities) == (("_",) * 3, ("O", "B-PER", "O"))
    path = exported(path, (3, 6, None), control="ner")
    with pytest.raises(CorpusError, match="inside a word"):
        label_studio.read(path, "sentences", ["upos"], further=["entities"])
    path = exported(path, (2, 6, None), control="any name")
    (sentence,) = label_studio.read(path, "sentences", ["upos"], further=["entities"])
    assert (sentence.upos, sentence.entities) == (("_", "PER", "_"), ("_",) * 3)


def test_a_cancelled_annotation_is_none_and_one_without_regions_has_no_entities(tmp_path):
    cancelled, empty = (exported(tmp_path / f"{flag}.json", was_cancelled=flag) for flag in (True, False))
    assert entities(cancelled) + entities(empty) == [("_",) * 3, ("O",) * 3]


@pytest.mark.parametrize(
    ("key", "said", "newest"),
    [
        ("annotations", [{"updated_at": "2024-05-01T00:00:00Z"}, {"updated_at": "2024-05-02T00:00:00Z"}], 1),
        ("annotations", [{"updated_at": "2024-05-01T00:00:00Z"}, {"updated_at": "2024-05-01T00:00:00.5Z"}], 1),
        ("annotations", [{"created_at": "2024-05-02T00:00:00Z"}, {"created_at": "2024-05-01T00:00:00+01:00"}], 0),
        ("completions", [{"created_at": 100}, {"created_at": 200}], 1),
        ("annotations", [{"ground_truth": True, "updated_at": "2024-05-01"}, {"updated_at": "2024-05-02"}], 0),
        ("annotations", [{}, {"updated_at": None}], 1),
    ],
)
def test_the_newest_annotation_counts(tmp_path, key, said, newest):
    choice = {"from_name": "x", "to_name": "y", "type": "choices"}
    made = [each | {"result": [choice | {"value": {"choices": [str(n)]}}]} for n, each in enumerate(said)]
    path = put(tmp_path / "x.json", {"data": {"text": "a"}, key: made})
    assert label_studio.read(path, "documents", ["label"]) == [Document("x-1", "a", str(newest))]


CHOICE = {"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": ["glad"]}}
NOTE = {"from_name": "note", "to_name": "text", "type": "textarea", "value": {"text": ["why?"]}}


def region(control, start=0, end=3, **more):
    value = {"start": start, "end": end, "text": "Ana dem"[start:end], "labels": ["PER"]}
    return {"id": f"{control}{start}", "from_name": control, "to_name": "text", "type": "labels", "value": value} | more


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([[]], ["O"]),
        ([[CHOICE]], ["_"]),
        ([[NOTE], []], ["_", "O"]),
        ([[region("ner")], [CHOICE]], ["B-PER", "O"]),
        ([[region("ner")], [region("tags")]], ["B-PER", "_"]),
    ],
)
def test_annotation_of_something_else_does_not_say_that_there_are_no_entities(tmp_path, results, expected):
    assert [tags[0] for tags in entities(put(tmp_path / "x.json", *map(task, results)))] == expected


def test_a_result_of_our_control_and_another_type_stays_and_lends_new_regions_nothing(tmp_path):
    other = region("tags", to_name=[]) | {"type": "paragraphs"}
    path = put(tmp_path / "x.json", task([region("tags")]), task([other]))
    found, _ = formats.check(path, "label-studio", "und", tasks.get("ner"))
    made = [one.annotated(entities=("B-PER", "O")) for one in found]
    formats.export(made, [tasks.get("ner")], "label-studio", path)
    kept, new = json.loads(path.read_text())[1]["annotations"][0]["result"]
    assert (kept, new["type"], new["to_name"]) == (other, "labels", "text")


@pytest.mark.parametrize("value", [None, {}, []])
def test_a_choice_without_a_value_before_another_one_gets_the_new_label(tmp_path, value):
    path = put(tmp_path / "x.json", task([CHOICE | {"value": value}, CHOICE]))
    (found,) = label_studio.read(path, "documents", ["label"])
    label_studio.write([replace(found, label="sad")], path, ["label"])
    assert label_studio.read(path, "documents", ["label"])[0].label == "sad"


@pytest.mark.parametrize("done", [None, 5, [["pos"]]])
def test_other_values_under_our_key_of_annotated_columns_do_not_hinder_an_export(tmp_path, done):
    data = {"text": "Ana dem", "words": ["Ana", "dem"], "annotated": done}
    path = put(tmp_path / "x.json", task([region("ner")]) | {"data": data})
    (found,) = label_studio.read(path, "sentences", ["entities"])
    label_studio.write([found.annotated(entities=("O", "B-PER"))], path, ["entities"])
    assert entities(path) == [("O", "B-PER")]


def test_a_task_that_is_refused_gives_the_others_no_name_of_a_control(tmp_path):
    half = region("tags") | {"from_name": "tag\ud83d"}
    path = put(tmp_path / "x.json", task([half]), task([CHOICE]))
    found, (bad,) = formats.check(path, "label-studio", "und", tasks.get("ner"))
    assert "half a character" in bad.message
    label_studio.write([one.annotated(entities=("B-PER", "O")) for one in found], tmp_path / "out.json", ["entities"])
    assert entities(tmp_path / "out.json") == [("B-PER", "O")]


def test_a_question_has_an_id_of_its_own_whatever_its_article_is(tmp_path):
    data = [{"id": "q1", "article": name, "text": f"{name} is old", "question": "Is it?"} for name in ("Oulu", "Turku")]
    path = put(tmp_path / "x.json", *({"data": each} for each in data))
    (article,), bad = formats.check(path, "label-studio", "und", tasks.get("qa"))
    assert (article.id, [row.where for row in bad]) == ("Oulu", [f"{path}: task 2"])
    assert bad[0].message == "question id 'q1' is used twice; give each question its own"


@pytest.mark.parametrize("key", ["predictions", "drafts"])
def test_a_file_that_nobody_has_annotated_gets_the_control_of_its_suggestions(tmp_path, key):
    path = put(tmp_path / "x.json", task(**{key: [{"result": [region("tags", to_name="doc")]}]}))
    (sentence,) = label_studio.read(path, "sentences", ["entities"])
    assert sentence.entities == ("_", "_")
    label_studio.write([sentence.annotated(entities=("O", "B-PER"))], path, ["entities"])
    (result,) = json.loads(path.read_text())[0]["annotations"][0]["result"]
    assert (result["from_name"], result["to_name"]) == ("tags", "doc")


def test_all_regions_of_an_annotation_that_changes_are_counted_in_characters(tmp_path):
    path = exported(tmp_path / "x.json", (3, 7, "Anna"))
    (sentence,) = label_studio.read(path, "sentences", ["entities"])
    label_studio.write([sentence.annotated(entities=("O", "B-PER", "B-PER"))], path, ["entities"])
    result = json.loads(path.read_text())[0]["annotations"][0]["result"]
    assert [(each["value"]["start"], each["value"]["text"]) for each in result] == [(2, "Anna"), (7, "Smith")]


def test_a_question_without_answer_is_told_from_one_that_nobody_answered(tmp_path):
    asked = (Question("1", "Who?", impossible=True), Question("2", "Who?"), Question("3", "Who?", (Answer("Ana", 0),)))
    article = Article("t", (Paragraph("Ana dem", asked),))
    label_studio.write([article], tmp_path / "x.json", ["answers"])
    assert [len(task["annotations"]) for task in json.loads((tmp_path / "x.json").read_text())] == [1, 0, 1]
    (read,) = label_studio.read(tmp_path / "x.json", "articles", ["answers"])
    assert read.paragraphs == article.paragraphs


def test_regions_that_no_id_tells_apart_are_refused(tmp_path):
    path = exported(tmp_path / "x.json", (2, 6, None), (7, 12, None), control="pos")
    path.write_text(path.read_text().replace('"r1"', '"r0"'))
    with pytest.raises(CorpusError, match="two regions have the id 'r0'"):
        label_studio.read(path, "sentences", ["upos"])


def test_a_task_that_is_annotated_first_or_by_a_model_gets_the_control_of_the_file(tmp_path):
    theirs = {"model_version": "another", "result": []}
    for predicted in (("entities",), ()):
        path = exported(tmp_path / "x.json", (2, 6, None))
        put(path, *json.loads(path.read_text()), {"data": {"text": "Ana"}, "predictions": [theirs]})
        first, second = label_studio.read(path, "sentences", ["entities"])
        given = second.annotated(entities=("B-PER",), predicted=predicted)
        for _ in range(2):
            label_studio.write([first, given], path, ["entities"])
            other, *own = (made := json.loads(path.read_text())[1])["predictions"]
            (result,) = (own if predicted else made["annotations"])[0]["result"]
            assert (result["from_name"], result["to_name"]) == ("tags", "doc")
            assert (other, len(own)) == (theirs, len(predicted))
    assert entities(path)[1] == ("B-PER",)


def test_an_arrow_drawn_backwards_is_turned(tmp_path):
    label_studio.write([ANNA], tmp_path / "x.json", ["heads", "deprels"])
    (made,) = json.loads((tmp_path / "x.json").read_text())
    for each in made["annotations"][0]["result"]:
        if each["type"] == "relation":
            each |= {"from_id": each["to_id"], "to_id": each["from_id"], "direction": "left"}
    found = label_studio.read(put(tmp_path / "x.json", made), "sentences", ["heads", "deprels"])
    assert found[0].heads == ANNA.heads


def test_a_split_multiword_token_is_written_with_spaces(tmp_path):
    made = Sentence("s", "al mar", ("a", "el", "mar"), ("ADP", "DET", "NOUN"))
    label_studio.write([made], tmp_path / "x.json", ["upos"])
    (read,) = label_studio.read(tmp_path / "x.json", "sentences", ["upos"])
    assert (read.text, read.words, read.upos) == ("a el mar", made.words, made.upos)


def test_a_sentence_that_was_annotated_for_another_task_only_is_not_without_entities(tmp_path):
    without = ANNA.annotated(entities=("O",) * 3)
    label_studio.write([ANNA.annotated(entities=()), without, ANNA], tmp_path / "x.json", ["upos", "entities"])
    assert entities(tmp_path / "x.json") == [("_",) * 3, ("O",) * 3, ANNA.entities]


def test_the_configuration_has_every_control_and_label_that_is_written(tmp_path):
    labels = {"heads": ["nsubj", "punct"], "entities": ["PER"], "upos": ["PROPN", "VERB", "PUNCT"]}
    root = ElementTree.fromstring(config("sentences", labels))
    offered = {each.get("name"): {label.get("value") for label in each} for each in root if each.tag != "Text"}
    label_studio.write([ANNA, ANNA.annotated(upos=())], tmp_path / "x.json", Sentence.columns)
    for made in json.loads((tmp_path / "x.json").read_text()):
        for result in made["annotations"][0]["result"]:
            assert set(result.get("labels") or result["value"]["labels"]) <= offered[result.get("from_name")]
    assert {each.get("toName") for each in root.iter("Labels")} == {"text"}
    assert {each.get("name") for each in root.iter("Text")} == {"text"}
    pair = ElementTree.fromstring(config("pairs", {"label": ["yes", "<no>"]}))
    assert [each.get("value") for each in pair.iter()] == [None, "$premise", "$hypothesis", None, "yes", "<no>"]
    article = ElementTree.fromstring(config("articles", {"answers": []}))
    assert [each.get("value") for each in article.iter()] == [None, "$question", "$text", None, "answer"]


def test_results_of_other_controls_and_other_people_stay(tmp_path):
    label_studio.write([ANNA], tmp_path / "x.json", ["upos", "heads", "deprels", "entities"])
    (task,) = json.loads((tmp_path / "x.json").read_text())
    odd = {"from_name": {}, "type": {}, "value": {"start": {}}}, {"type": "labels", "from_name": [], "value": []}
    task["annotations"][0]["result"] += [NOTE, *odd]
    task["annotations"] = [{"result": [NOTE], "was_cancelled": True}, *task["annotations"], None]
    (tmp_path / "x.json").write_text(json.dumps([task]))
    (sentence,) = label_studio.read(tmp_path / "x.json", "sentences", ["upos"])
    label_studio.write([sentence.annotated(upos=("X", "VERB", "PUNCT"))], tmp_path / "x.json", ["upos"])
    (new,) = json.loads((tmp_path / "x.json").read_text())
    assert new["annotations"][::2] == task["annotations"][::2]
    before, after = (each["annotations"][1]["result"] for each in (task, new))
    assert [each for each in after if each.get("from_name") != "pos"] == [
        each for each in before if each.get("from_name") != "pos"
    ]
    assert [each["value"]["labels"] for each in after if each.get("from_name") == "pos"] == [["X"], ["VERB"], ["PUNCT"]]


@pytest.mark.parametrize("note", [[NOTE], []])
def test_an_annotation_that_is_taken_back_leaves_what_else_the_task_has(tmp_path, note):
    """A sentence in dispute, say, is written as open."""
    path = tmp_path / "x.json"
    label_studio.write([ANNA], path, ["upos", "entities"])
    (task,) = json.loads(path.read_text())
    others = [{"result": [NOTE], "was_cancelled": True}]
    task["annotations"] = [{"id": 7, "result": [*task["annotations"][0]["result"], *note]}, *others]
    path.write_text(json.dumps([task]))
    (sentence,) = label_studio.read(path, "sentences", ["upos"], further=["entities"])
    label_studio.write([sentence.annotated(upos=())], path, ["upos"])
    (first, *rest) = json.loads(path.read_text())[0]["annotations"]
    kept = [each for each in task["annotations"][0]["result"] if each.get("from_name") != "pos"]
    assert (first, rest) == ({"id": 7, "result": kept}, others)
    label_studio.write([sentence.annotated(upos=(), entities=())], path, ["upos", "entities"])
    wanted = [{"id": 7, "result": note}, *others] if note else others
    assert json.loads(path.read_text())[0]["annotations"] == wanted


@pytest.mark.parametrize("text", ["  Ana\r\ndem", "Ana\r\ndem  "])
def test_regions_are_counted_in_the_text_as_the_file_has_it(tmp_path, text):
    path = put(tmp_path / "x.json", {"data": {"text": text}})
    (sentence,) = label_studio.read(path, "sentences", ["entities"])
    label_studio.write([sentence.annotated(entities=("O", "B-PER"))], path, ["entities"])
    (made,) = json.loads(path.read_text())
    (value,) = (each["value"] for each in made["annotations"][0]["result"])
    assert made["data"]["text"] == text
    assert text[value["start"] : value["end"]] == "dem"


def test_a_new_region_has_an_id_that_no_other_has(tmp_path):
    path = tmp_path / "x.json"
    label_studio.write([ANNA], path, ["upos"])
    (made,) = json.loads(path.read_text())
    made["annotations"][0]["result"] = [made["annotations"][0]["result"][0] | {"id": "pos-5-11"}]
    (sentence,) = label_studio.read(put(path, made), "sentences", ["upos"])
    label_studio.write([sentence.annotated(upos=ANNA.upos)], path, ["upos"])
    assert label_studio.read(path, "sentences", ["upos"])[0].upos == ANNA.upos


CHOSEN = {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["sport"]}}
OTHER = CHOSEN | {"from_name": "quality", "value": {"choices": ["good"]}}
OF_REGION = CHOSEN | {"value": {"choices": ["unsure"], "start": 0, "end": 3}}
REGION = {"id": "a", "from_name": "ner", "to_name": "text", "value": {"start": 0, "end": 3, "labels": ["PER"]}}


@pytest.mark.parametrize("results", [[CHOSEN, OTHER], [OTHER, CHOSEN], [CHOSEN, OF_REGION]])
def test_the_label_of_a_document_is_the_choice_of_our_control_about_the_whole(tmp_path, results):
    path = put(tmp_path / "a.json", task(results))
    (document,) = label_studio.read(path, "documents", ["label"])
    assert document.label == "sport"
    label_studio.write([replace(document, label="art")], path, ["label"])
    made = json.loads(path.read_text())[0]["annotations"][0]["result"]
    art = CHOSEN | {"value": {"choices": ["art"]}}
    assert sorted(made, key=repr) == sorted((art if each == CHOSEN else each for each in results), key=repr)


@pytest.mark.parametrize(
    ("kind", "column", "results", "why"),
    [
        ("documents", "label", [OTHER, OTHER | {"from_name": "tone"}],
         "annotation of several controls, quality and tone"),
        ("sentences", "entities", [region("tags"), region("tags", 4, 7, to_name="title")],
         "regions of tags in several texts, text and title"),
        ("sentences", "entities", [REGION | {"type": "hypertextlabels"}], "regions of type hypertextlabels"),
        ("sentences", "entities", [REGION | {"type": "paragraphlabels"}], "regions of type paragraphlabels"),
        ("documents", "label", [OTHER | {"type": "taxonomy"}], "results of type taxonomy"),
        ("documents", "label", [OTHER | {"type": "rating"}], "results of type rating"),
    ],
)  # fmt: skip
def test_annotation_of_which_it_is_unclear_what_is_meant_is_refused(tmp_path, kind, column, results, why):
    with pytest.raises(CorpusError, match=why):
        label_studio.read(put(tmp_path / "a.json", task(results)), kind, [column])


def test_several_choices_of_a_document_are_several_topics_those_of_a_pair_are_refused(tmp_path):
    both = CHOSEN | {"value": {"choices": ["a", "b"]}}
    (read,) = label_studio.read(put(tmp_path / "a.json", task([both])), "documents", ["label"])
    assert read.label == "a|b"
    label_studio.write([read], tmp_path / "b.json", ["label"])
    assert label_studio.read(tmp_path / "b.json", "documents", ["label"])[0].label == "a|b"
    assert json.loads((tmp_path / "b.json").read_text())[0]["annotations"][0]["result"][0]["value"] == both["value"]
    pair = task([both]) | {"data": {"premise": "a", "hypothesis": "b"}}
    with pytest.raises(CorpusError, match="2 choices; leave one"):
        label_studio.read(put(tmp_path / "c.json", pair), "pairs", ["label"])

import json

import pytest
from making import made_up

from annotate.components.editor import FOLDER
from annotate.editing.content import ContentError, annotated, annotation_of, from_json, to_json
from fewshot import tasks
from fewshot.corpora.types import Answer, Article, Document, Pair, Paragraph, Question, Sentence

ASKED = Question("q1", "What?", (Answer("\U0001f408", 5),)), Question("q2", "Why?")
PARAGRAPHS = Paragraph("猫 is \U0001f408.", ASKED), Paragraph("empty", ())
ARTICLE = Article("猫", PARAGRAPHS, lang="ja", where="file:3")
EXAMPLES = [
    *made_up(3, seed=1),
    Sentence("plain", "a b", ("a", "b")),
    Sentence("blanks", "_ _", ("_", "_"), entities=("B-PER", "_")),
    Pair("p1", "a", "b", "neutral", where="file:1"),
    Pair("p2", "a", "_"),
    Document("d1", "_", "news"),
    Document("", "", ""),
    ARTICLE,
]
OF = {Sentence: ("pos", "dep", "ner"), Pair: ("nli",), Document: ("topic",), Article: ("qa",)}


def through_text(value):
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id or "unnamed")
def test_an_example_and_its_annotation_come_back(example):
    found = from_json(through_text(to_json(example)))
    assert (type(found), found, found.where) == (type(example), example, example.where)
    for task in OF[type(example)]:
        annotation = through_text(annotation_of(task, example))
        assert annotated(task, example, annotation) == example
        assert annotation_of(task, annotated(task, example.unannotated(), annotation)) == annotation


def test_every_task_can_be_annotated():
    for name, task in tasks.registry().items():
        assert name in OF[task.example]
        assert f" {task.editor}: " in (FOLDER / "editor.js").read_text(encoding="utf-8")


def test_annotations_look_as_the_editors_send_them():
    sentence = Sentence("s", "a b", ("a", "b"), upos=("X", "_"), heads=(2, -1), deprels=("dep", "_"))
    assert annotation_of("pos", sentence) == {"upos": ["X", "_"]}
    assert annotation_of("dep+upos", sentence) == {"heads": [2, -1], "deprels": ["dep", "_"]}
    assert annotation_of("qa", ARTICLE) == {"answers": {"q1": [{"text": "\U0001f408", "start": 5}]}}
    assert annotation_of("nli", EXAMPLES[5]) == {"label": "neutral"}


def test_what_is_missing_in_an_annotation_is_unannotated():
    assert annotated("dep", made_up(1, seed=2)[0], {}).deprels[0] == "_"
    assert annotated("topic", Document("d", "a", "news"), {}).label == "_"
    assert annotated("qa", ARTICLE, {"answers": {"q9": [{"text": "x", "start": 0}]}}) == ARTICLE.unannotated()


def test_a_question_without_an_answer_differs_from_one_nobody_has_settled():
    settled = annotated("qa", ARTICLE, {"answers": {"q2": []}})
    first, second = settled.paragraphs[0].questions
    assert (first.settled, second.settled, second.impossible) == (False, True, True)
    assert annotation_of("qa", settled) == {"answers": {"q2": []}}
    assert from_json(to_json(settled)) == settled


TWO = Sentence("s7", "a b", ("a", "b"))


@pytest.mark.parametrize(
    ("task", "example", "annotation"),
    [
        ("pos", TWO, {"upos": ["X"]}),
        ("pos", TWO, {"upos": 3}),
        ("qa", Article("s7", ARTICLE.paragraphs), {"answers": {"q1": [{"start": 1}]}}),
        ("pos", Document("s7", "a"), {"upos": ["X"]}),
        ("nli", TWO, {"label": "neutral"}),
    ],
)
def test_an_annotation_that_does_not_fit_is_refused(task, example, annotation):
    with pytest.raises(ContentError, match=r"s7: the annotation for .* does not fit"):
        annotated(task, example, annotation)


def test_json_of_no_example_and_an_unknown_task_are_refused():
    for wrong in ({}, {"type": "Tree"}, {"type": "Sentence", "id": "s"}, {"type": "Pair", "x": 1}):
        with pytest.raises(ContentError, match="no example as JSON"):
            from_json(wrong)
    with pytest.raises(ContentError, match="task 'chunk' cannot be annotated here"):
        annotation_of("chunk", EXAMPLES[0])

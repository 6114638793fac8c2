from functools import partial

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from fewshot import tasks
from fewshot.corpora.types import Document, Pair, Sentence
from fewshot.errors import CorpusError
from fewshot.tasks.dep import RELATIONS
from fewshot.tasks.topic import lead


def tagged(*tags):
    words = tuple(f"w{number}" for number, _ in enumerate(tags))
    return Sentence("s", " ".join(words), words, entities=tags)


def test_types_of_entities_are_those_of_the_data_in_any_scheme():
    task = tasks.get("ner").fitted([tagged("O", "S-KIN", "B-DATE", "E-DATE", "NOSCHEME"), tagged("I-LOC", "_")])
    assert task.choices == ("LOC", "DATE", "KIN")
    assert task.labels == ("O", "B-LOC", "I-LOC", "B-DATE", "I-DATE", "B-KIN", "I-KIN")
    assert task.check(tagged("B-KIN", "I-KIN")) is None
    for tag in ("B-PER", "NOSCHEME"):
        assert f"entity tag {tag!r} of 'w0' is none of O, B-LOC" in task.check(tagged(tag))


@pytest.mark.parametrize("name", ["ner", "topic", "nli", "dep+subtypes", "ner+crf", "topic+lead"])
def test_labels_that_were_given_stay_first_and_all_make_the_same_task_again(name):
    given = ["zoo", "PER"] if "dep" not in name else ["obl:zoo", "nsubj:a"]
    task = tasks.get(name, given)
    more = task.with_labels(["obl:tmod"] if "dep" in name else ["b", "a"])
    assert more.labels[: len(task.labels)] == task.labels
    assert more.choices[-2:] == (("nsubj:a", "obl:tmod") if "dep" in name else ("a", "b"))
    assert more.name == name
    for known in (more.labels, more.choices):
        assert (tasks.get(name, known).labels, tasks.get(name, known).choices) == (more.labels, more.choices)


@pytest.mark.parametrize(
    ("name", "make"), [("nli", partial(Pair, "1", "a", "b")), ("topic", partial(Document, "1", "x"))]
)
def test_classes_of_texts_are_those_of_the_training_data(name, make):
    task = tasks.get(name).fitted([make("sports"), make("health"), make()])
    assert task.labels == ("health", "sports")
    with pytest.raises(CorpusError, match="label 'travel' is none of health, sports"):
        tasks.check_gold(task, [make("travel")])


@pytest.mark.parametrize("example", [tagged("O", "_"), Document("1", "x", "sports")], ids=lambda example: example.kind)
def test_examples_without_entities_or_of_another_kind_bring_no_labels(example):
    assert tasks.get("ner").fitted([example]).choices == ("PER", "ORG", "LOC")


def test_what_a_task_cannot_predict_is_not_scored():
    known = tasks.get("ner", ["LOC"])
    assert known.masked(tagged("B-LOC", "B-DATE", "I-DATE", "O")).entities == ("B-LOC", "_", "_", "O")
    topic = tasks.get("topic", ["sports"])
    assert [topic.is_annotated(topic.masked(Document("1", "x", label))) for label in ("sports", "kin")] == [True, False]
    tree = Sentence("s", "a b", ("a", "b"), heads=(0, 1), deprels=("root", "nsubj:own"))
    assert tasks.get("dep+subtypes").masked(tree) == tree  # of whose relation the subtype is a part
    other = tree.annotated(deprels=("root", "foo"))
    assert (tasks.get("dep").masked(other).heads, tasks.get("dep").masked(other).deprels) == ((0, -1), ("root", "_"))


def test_new_labels_are_like_those_of_their_sort():
    ner = tasks.get("ner", ["LOC", "PER"])
    for mark in "BI":
        assert [ner.labels[place] for place in ner.similar_labels(f"{mark}-DATE")] == [f"{mark}-LOC", f"{mark}-PER"]
    dep = tasks.get("dep+subtypes")
    assert [RELATIONS[place] for place in dep.similar_labels("obl:tmod")] == ["obl"]
    assert {*RELATIONS} - {RELATIONS[place] for place in dep.similar_labels("foo")} == {"root"}
    assert tasks.get("nli").similar_labels("paraphrase") == [0, 1, 2]


TOPICS = ("a", "b", "c", "d")


def test_accuracy_and_macro_f1_are_those_of_sklearn():
    rng = np.random.default_rng(0)
    task = tasks.get("topic", TOPICS)
    for _ in range(20):
        gold, guess = (rng.choice(TOPICS[:3], size=30) for _ in range(2))  # the last topic never occurs
        pairs = [(Document("", "t", a), Document("", "t", b)) for a, b in zip(gold, guess, strict=True)]
        metrics = task.metrics(sum(task.counts(a, b) for a, b in pairs))
        assert metrics["accuracy"] == pytest.approx(100 * accuracy_score(gold, guess))
        assert metrics["macro_f1"] == pytest.approx(100 * f1_score(gold, guess, average="macro"))


def test_several_topics_are_labels_of_their_own_scored_by_f1_and_agreed_on_in_any_order():
    both, one, none = (Document("", "t", label) for label in ("b|a", "a", "_"))
    task = tasks.get("topic+several").fitted([both, one, none])
    assert task.labels == ("a", "b")
    assert (task.targets(both), task.annotate(none, [[0, 1]]).label) == ([[1, 0]], "a|b")
    assert task.marks(both) == task.marks(task.annotate(none, [[0, 1]]))
    assert task.masked(both) == both and not task.is_annotated(task.masked(Document("", "t", "a|c")))
    metrics = task.metrics(task.counts(both, one) + task.counts(one, one) + task.counts(one, none))
    assert metrics == {"f1": pytest.approx(200 * 2 / (4 + 2)), "macro_f1": pytest.approx((200 * 2 / 5 + 0) / 2)}
    assert task.suggestion(none, [[0, 1]], [np.array([[0.5, 0.3]])]) == {
        "annotation": {"label": "a|b"}, "confidence": [0.8],
    }  # fmt: skip


def test_labels_are_right_for_the_number_that_a_task_allows():
    several, single = tasks.get("topic+several", ["a", "b"]), tasks.get("topic", ["a", "b", "a|b"])
    wrong = {label: several.check(Document("", "t", label)) for label in ("a|b", "a|c", "a|a", "a|")}
    assert wrong == {
        "a|b": None,
        "a|c": "label 'c' is none of a, b",
        "a|a": "label 'a|a' has the same label twice; write each once",
        "a|": "label '' is none of a, b",
    }
    said = single.check(Document("", "t", "a|b"))
    assert said == "label 'a|b' names several labels; leave one, or choose the task topic+several"
    assert single.check(Document("", "t", "a")) is None
    pair = tasks.get("nli", ["a", "b", "a|b"]).check(Pair("", "s", "t", "a|b"))
    assert pair == "label 'a|b' names several labels; leave one"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("It cost 3.5 million. Why? Nobody knows.", "It cost 3.5 million. Why?"),
        ("一つ目。二つ目！三つ目。", "一つ目。二つ目！"),
        ("यह पहला है। यह दूसरा है। यह तीसरा है।", "यह पहला है। यह दूसरा है।"),
        ("", ""),
    ],
)
def test_the_first_two_sentences(text, first):
    assert lead(text) == first
    (read,) = tasks.get("topic+lead").inputs(Document("1", text))
    assert "".join(read.segments[0]) == first.replace(" ", "")

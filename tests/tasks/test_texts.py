import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from fewshot import tasks
from fewshot.corpora.types import Document, Pair
from fewshot.errors import CorpusError
from fewshot.tasks.topic import lead

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


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("It cost 3.5 million. Why? Nobody knows.", "It cost 3.5 million. Why?"),
        ("一つ目。二つ目！三つ目。", "一つ目。二つ目！"),
        ("यह पहला है। यह दूसरा है। यह तीसरा है।", "यह पहला है। यह दूसरा है।"),
        ("Only one sentence here.", "Only one sentence here."),
        ("هل وصلت؟ نعم. شكرا.", "هل وصلت؟ نعم."),
        ("", ""),
    ],
)
def test_the_first_two_sentences(text, first):
    assert lead(text) == first
    (read,) = tasks.get("topic+lead").inputs(Document("1", text))
    assert "".join(read.segments[0]) == first.replace(" ", "")


def test_a_label_that_is_none_of_the_three_is_named():
    with pytest.raises(CorpusError, match="label 'entails' is none of entailment, neutral, contradiction"):
        tasks.check_gold(tasks.get("nli"), [Pair("1", "a", "b", "entails")])
    tasks.check_gold(tasks.get("topic"), [Document("1", "x", "travel")])  # before any training every topic is fine

import random

import numpy as np
import pytest
from seqeval.metrics import accuracy_score, f1_score, precision_score, recall_score
from seqeval.scheme import IOB2

from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.tasks.ner import from_iob1, repair

NER = tasks.get("ner")


def sentence(tags):
    return Sentence("s", "", tuple("w" * len(tags)), entities=tuple(tags))


def test_scores_equal_strict_seqeval():
    rng = random.Random(0)
    gold = [list(repair(rng.choices(NER.labels, k=rng.randint(1, 12)))) for _ in range(200)]
    guess = [[tag if rng.random() < 0.7 else rng.choice(NER.labels) for tag in tags] for tags in gold]
    counts = sum(NER.counts(sentence(a), sentence(b)) for a, b in zip(gold, guess, strict=True))
    metrics = NER.metrics(np.asarray(counts))
    strict = {"mode": "strict", "scheme": IOB2}
    assert metrics["f1"] == pytest.approx(100 * f1_score(gold, guess, **strict))
    assert metrics["precision"] == pytest.approx(100 * precision_score(gold, guess, **strict))
    assert metrics["recall"] == pytest.approx(100 * recall_score(gold, guess, **strict))
    assert metrics["token_accuracy"] == pytest.approx(100 * accuracy_score(gold, guess))


@pytest.mark.parametrize(
    ("tags", "repaired"),
    [
        (["I-PER", "O"], ["B-PER", "O"]),
        (["O", "I-LOC", "I-LOC"], ["O", "B-LOC", "I-LOC"]),
        (["B-PER", "I-LOC"], ["B-LOC", "I-LOC"]),
        (["B-PER", "I-PER", "I-ORG"], ["B-ORG", "I-ORG", "I-ORG"]),
        (["B-PER", "B-LOC", "I-LOC"], ["B-PER", "B-LOC", "I-LOC"]),
        (["B-PER", "B-LOC", "I-ORG"], ["B-PER", "B-ORG", "I-ORG"]),
        ([], []),
    ],
)
def test_repair(tags, repaired):
    assert repair(tags) == tuple(repaired)


@pytest.mark.parametrize(
    ("iob1", "iob2"),
    [
        (["I-PER", "I-ORG"], ["B-PER", "B-ORG"]),
        (["I-PER", "I-PER", "B-PER", "O", "I-LOC"], ["B-PER", "I-PER", "B-PER", "O", "B-LOC"]),
        (["B-PER", "I-PER", "I-LOC", "I-LOC"], ["B-PER", "I-PER", "B-LOC", "I-LOC"]),
        (["_", "I-LOC", "_"], ["_", "B-LOC", "_"]),
        (["B-ORG", "I-ORG", "B-ORG", "O"], ["B-ORG", "I-ORG", "B-ORG", "O"]),
        ([], []),
    ],
)
def test_gold_tags_are_read_as_iob1(iob1, iob2):
    assert from_iob1(iob1) == tuple(iob2)
    assert NER.targets(sentence(iob1)) == NER.targets(sentence(iob2))
    assert list(NER.counts(sentence(iob1), sentence(iob2)))[:3] == [sum(tag[:1] == "B" for tag in iob2)] * 3


def test_repair_always_gives_valid_tags_and_leaves_valid_ones():
    rng = random.Random(1)
    for _ in range(300):
        tags = repair(rng.choices(NER.labels, k=8))
        assert all(
            not tag.startswith("I-") or before[2:] == tag[2:] for before, tag in zip(("O", *tags), tags, strict=False)
        )
        assert repair(tags) == tags


def test_tag_outside_the_label_set_is_refused():
    assert "none of" in NER.check(sentence(["B-PRO"]))


def test_gold_that_begins_inside_counts_as_an_entity():
    lapse = sentence(["O", "I-LOC", "I-LOC"])
    assert NER.check(lapse) is None
    assert NER.targets(lapse) == NER.targets(sentence(["O", "B-LOC", "I-LOC"]))
    assert list(NER.counts(lapse, NER.annotate(lapse, NER.targets(lapse)))) == [1, 1, 1, 3, 3]

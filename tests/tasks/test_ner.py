import random
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import accuracy_score, f1_score, precision_score, recall_score
from seqeval.scheme import IOB2
from tasks.conlleval import conlleval

from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.tasks.ner import TYPES, repair, to_iob2

NER = tasks.get("ner")


def sentence(tags):
    return Sentence("s", "", tuple("w" * len(tags)), entities=tuple(tags))


def score(gold, guess):
    """Precision, recall, F1 and token accuracy of the task, of predictions as they are."""
    counts = sum(NER.counts(sentence(a), sentence(b)) for a, b in zip(gold, guess, strict=True))
    metrics = NER.metrics(np.asarray(counts))
    return [metrics[name] for name in ("precision", "recall", "f1", "token_accuracy")]


def made_up(sentences=200):
    """Valid gold tags, and predictions of which three in ten are wrong and some invalid."""
    rng = random.Random(0)
    gold = [repair(rng.choices(NER.labels, k=rng.randint(1, 12))) for _ in range(sentences)]
    return gold, [[tag if rng.random() < 0.7 else rng.choice(NER.labels) for tag in tags] for tags in gold]


def test_scores_equal_strict_seqeval():
    gold, guess = (list(map(list, tags)) for tags in made_up())
    strict = {"mode": "strict", "scheme": IOB2}
    seqeval = [100 * metric(gold, guess, **strict) for metric in (precision_score, recall_score, f1_score)]
    assert score(gold, guess) == pytest.approx([*seqeval, 100 * accuracy_score(gold, guess)])


CONLLEVAL = {
    "both entities": ("B-PER I-PER O B-LOC", "B-PER I-PER O B-LOC", 100, 100, 100),
    "one of two": ("B-PER I-PER O B-LOC", "B-PER I-PER O O", 100, 50, 200 / 3),
    "too short": ("B-PER I-PER O", "B-PER O O", 0, 0, 0),
    "too long": ("B-PER O O", "B-PER I-PER O", 0, 0, 0),
    "another type": ("B-PER I-PER B-LOC", "B-ORG I-ORG B-LOC", 50, 50, 50),
    "cut in two": ("B-PER I-PER", "B-PER B-PER", 0, 0, 0),
    "two as one": ("B-PER B-PER O B-ORG", "B-PER I-PER O B-ORG", 50, 100 / 3, 40),
    "one more": ("O O B-LOC", "B-LOC O B-LOC", 50, 100, 200 / 3),
    "nothing found": ("B-LOC", "O", 0, 0, 0),
}
"""Small cases worked out by hand: gold, prediction, precision, recall, F1."""


@pytest.mark.parametrize(("gold", "guess", "precision", "recall", "f1"), CONLLEVAL.values(), ids=CONLLEVAL)
def test_scores_equal_conlleval_by_hand(gold, guess, precision, recall, f1):
    gold, guess = [gold.split()], [guess.split()]
    assert conlleval(gold, guess) == pytest.approx((precision, recall, f1))
    assert score(gold, guess)[:3] == pytest.approx([precision, recall, f1])


def test_scores_of_predictions_equal_conlleval():
    gold, guess = made_up()
    repaired = [repair(tags) for tags in guess]
    assert score(gold, repaired)[:3] == pytest.approx(conlleval(gold, repaired))
    assert score(gold, guess)[:3] != pytest.approx(conlleval(gold, guess))  # they differ on invalid tags, see below


@pytest.mark.parametrize(
    ("gold", "guess", "of_conlleval", "strict"),
    [
        ("B-PER I-PER O", "I-PER I-PER O", 100, 0),  # conlleval begins a chunk at a lone I-, strict IOB2 does not
        ("B-PER O B-LOC", "B-PER O I-LOC", 100, 200 / 3),
        ("B-PER B-LOC", "B-PER I-LOC", 100, 200 / 3),  # and at an I- of another type
    ],
)
def test_conlleval_and_strict_differ_on_invalid_predictions_only(gold, guess, of_conlleval, strict):
    gold, guess = [gold.split()], [guess.split()]
    assert conlleval(gold, guess)[2] == pytest.approx(of_conlleval)
    assert score(gold, guess)[2] == pytest.approx(strict)
    labels = [NER.labels.index(tag) for tag in guess[0]]
    predicted = [NER.annotate(sentence(gold[0]), [labels]).entities]  # as the tool scores them
    assert score(gold, predicted)[2] == pytest.approx(conlleval(gold, predicted)[2])


def test_gold_that_is_no_iob2_is_scored_as_conlleval_reads_it():
    rng = random.Random(3)
    gold, guess = made_up()
    iob1 = [[tag.replace("B-", "I-") if rng.random() < 0.5 else tag for tag in tags] for tags in gold]
    repaired = [repair(tags) for tags in guess]
    assert score(iob1, repaired)[:3] == pytest.approx(conlleval(iob1, repaired))


def test_a_crf_predicts_valid_iob2_and_nothing_is_left_to_repair():
    torch.manual_seed(0)
    head = tasks.get("ner+crf").head(4, 0.0).eval()
    scores = 3 * torch.randn(50, 9, len(NER.labels))
    mask = torch.ones(50, 9, dtype=torch.bool)
    rows = [tuple(NER.labels[label] for label in row) for row in head.decode(scores, mask)]
    assert all(repair(row) == row for row in rows)
    assert any(tag.startswith("I-") for row in rows for tag in row)
    best = [tuple(NER.labels[label] for label in row) for row in scores.argmax(-1).tolist()]
    assert any(repair(row) != row for row in best)


@pytest.mark.parametrize(
    ("tags", "repaired"),
    [
        ("I-PER O", "B-PER O"),
        ("O I-LOC I-LOC", "O B-LOC I-LOC"),
        ("B-PER I-LOC", "B-LOC I-LOC"),
        ("B-PER I-PER I-ORG", "B-ORG I-ORG I-ORG"),
        ("B-PER B-LOC I-LOC", "B-PER B-LOC I-LOC"),
        ("B-PER B-LOC I-ORG", "B-PER B-ORG I-ORG"),
        ("", ""),
    ],
)
def test_repair(tags, repaired):
    assert repair(tags.split()) == tuple(repaired.split())


@given(st.lists(st.sampled_from(NER.labels), max_size=8))
def test_repair_always_gives_valid_tags_and_leaves_valid_ones(tags):
    repaired = repair(tags)
    assert all(before[2:] == tag[2:] for before, tag in pairwise(("O", *repaired)) if tag.startswith("I-"))
    assert repair(repaired) == repaired


@pytest.mark.parametrize(
    ("tags", "iob2"),
    [
        ("I-PER I-ORG", "B-PER B-ORG"),
        ("O I-LOC I-LOC", "O B-LOC I-LOC"),
        ("I-PER I-PER B-PER O I-LOC", "B-PER I-PER B-PER O B-LOC"),
        ("B-PER I-PER I-LOC I-LOC", "B-PER I-PER B-LOC I-LOC"),
        ("_ I-LOC _", "_ B-LOC _"),
        ("B-ORG I-ORG B-ORG O", "B-ORG I-ORG B-ORG O"),
        ("B-PER I-PER E-PER S-PER B-PER E-PER", "B-PER I-PER I-PER B-PER B-PER I-PER"),
        ("U-LOC U-LOC B-ORG I-ORG L-ORG O", "B-LOC B-LOC B-ORG I-ORG I-ORG O"),
        ("S-PER I-PER E-PER E-PER", "B-PER B-PER I-PER B-PER"),
        ("B-PER E-ORG _ L-LOC", "B-PER B-ORG _ B-LOC"),
        ("", ""),
    ],
)
def test_gold_tags_of_every_scheme_are_read_as_iob2(tags, iob2):
    tags, iob2 = tags.split(), iob2.split()
    assert NER.check(sentence(tags)) is None
    assert to_iob2(tags) == tuple(iob2)
    assert NER.targets(sentence(tags)) == NER.targets(sentence(iob2))
    assert list(NER.counts(sentence(tags), sentence(iob2)))[:3] == [sum(tag[:1] == "B" for tag in iob2)] * 3


@pytest.mark.parametrize("scheme", ["BIOES", "BILOU"])
def test_entities_written_in_another_scheme_come_back(scheme):
    """Each scheme is written from random entities by its definition."""
    inside, last, alone = scheme[1], "L" if "L" in scheme else "E", scheme[-1]
    rng = random.Random(2)
    for _ in range(100):
        tags, iob2 = [], []
        for _ in range(rng.randint(1, 4)):
            kind, length = rng.choice(TYPES), rng.randint(1, 4)
            marks = alone if length == 1 else "B" + inside * (length - 2) + last
            tags += [f"{mark}-{kind}" for mark in marks]
            iob2 += [f"B-{kind}", *[f"I-{kind}"] * (length - 1)]
            gap = ["O"] * rng.randint(0, 2)
            tags, iob2 = tags + gap, iob2 + gap
        assert to_iob2(tags) == tuple(iob2)


@pytest.mark.parametrize("tag", ["B-PRO", "S-PRO", "X-PER", "PER", "B-", "B", ""])
def test_tag_outside_the_label_set_is_refused(tag):
    assert f"entity tag {tag!r} of 'w' is none of" in NER.check(sentence(["O", tag]))

import random
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import accuracy_score, f1_score, precision_score, recall_score
from seqeval.scheme import IOB2

from fewshot import tasks
from fewshot.corpora.types import Sentence
from fewshot.tasks.ner import repair, to_iob2

NER = tasks.get("ner")
STRICT = {"mode": "strict", "scheme": IOB2}
CONLLEVAL = {}
"""The default mode of seqeval counts as conlleval.pl: a lone I- and an I- of another type begin an entity."""


def sentence(tags):
    return Sentence("s", "", tuple("w" * len(tags)), entities=tuple(tags))


def score(gold, guess):
    """Precision, recall, F1 and token accuracy of the task, of predictions as they are."""
    counts = sum(NER.counts(sentence(a), sentence(b)) for a, b in zip(gold, guess, strict=True))
    metrics = NER.metrics(np.asarray(counts))
    return [metrics[name] for name in ("precision", "recall", "f1", "token_accuracy")]


def seqeval(gold, guess, mode):
    gold, guess = (list(map(list, tags)) for tags in (gold, guess))
    scores = [metric(gold, guess, zero_division=0, **mode) for metric in (precision_score, recall_score, f1_score)]
    return [100 * value for value in (*scores, accuracy_score(gold, guess))]


def test_scores_equal_strict_seqeval_and_those_of_repaired_predictions_conlleval():
    rng = random.Random(0)
    gold = [repair(rng.choices(NER.labels, k=rng.randint(1, 12))) for _ in range(200)]
    guess = [[tag if rng.random() < 0.7 else rng.choice(NER.labels) for tag in tags] for tags in gold]
    assert score(gold, guess) == pytest.approx(seqeval(gold, guess, STRICT))
    assert score(gold, guess) != pytest.approx(seqeval(gold, guess, CONLLEVAL))  # they differ on invalid tags
    repaired = [repair(tags) for tags in guess]
    iob1 = [[tag.replace("B-", "I-") if rng.random() < 0.5 else tag for tag in tags] for tags in gold]
    for right in (gold, iob1):
        assert score(right, repaired)[:3] == pytest.approx(seqeval(right, repaired, CONLLEVAL)[:3])


def test_a_crf_predicts_valid_iob2_and_nothing_is_left_to_repair():
    torch.manual_seed(0)
    head = tasks.get("ner+crf").head(4, 0.0).eval()
    scores = 3 * torch.randn(50, 9, len(NER.labels))
    mask = torch.ones(50, 9, dtype=torch.bool)
    rows = [tuple(NER.labels[label] for label in row) for row in head.decode(scores, mask)]
    assert all(repair(row) == row for row in rows)
    best = [tuple(NER.labels[label] for label in row) for row in scores.argmax(-1).tolist()]
    assert any(repair(row) != row for row in best)


@pytest.mark.parametrize(
    ("tags", "repaired"),
    [
        ("I-PER O", "B-PER O"),
        ("O I-LOC I-LOC", "O B-LOC I-LOC"),
        ("B-PER I-PER I-ORG", "B-ORG I-ORG I-ORG"),
        ("B-PER B-LOC I-ORG", "B-PER B-ORG I-ORG"),
        ("", ""),
    ],
)
def test_predictions_are_repaired(tags, repaired):
    labels = [NER.labels.index(tag) for tag in tags.split()]
    assert NER.annotate(sentence(tags.split()), [labels]).entities == tuple(repaired.split())


@given(st.lists(st.sampled_from(NER.labels), max_size=8))
def test_repair_always_gives_valid_tags_and_leaves_valid_ones(tags):
    repaired = repair(tags)
    assert all(before[2:] == tag[2:] for before, tag in pairwise(("O", *repaired)) if tag.startswith("I-"))
    assert repair(repaired) == repaired


@pytest.mark.parametrize(
    ("tags", "iob2"),
    [
        ("O I-LOC I-LOC", "O B-LOC I-LOC"),
        ("I-PER I-PER B-PER O I-LOC", "B-PER I-PER B-PER O B-LOC"),
        ("B-PER I-PER I-LOC I-LOC", "B-PER I-PER B-LOC I-LOC"),
        ("_ I-LOC _", "_ B-LOC _"),
        ("B-PER I-PER I-PER E-PER S-PER B-PER E-PER O S-LOC", "B-PER I-PER I-PER I-PER B-PER B-PER I-PER O B-LOC"),
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


@pytest.mark.parametrize("tag", ["B-PRO", "S-PRO", "X-PER", "PER", "B-", "B", ""])
def test_tag_outside_the_label_set_is_refused(tag):
    assert f"entity tag {tag!r} of 'w' is none of" in NER.check(sentence(["O", tag]))


@pytest.mark.parametrize("tags", ["I-PER I-PER O I-LOC", "B-PER E-PER O S-LOC", "B-PER L-PER O U-LOC"])
def test_annotators_agree_whatever_the_schemes_of_their_tags(tags):
    first, second = (
        Sentence("s", "a b c d", tuple("abcd"), entities=tuple(row.split())) for row in ("B-PER I-PER O B-LOC", tags)
    )
    for pair in ((first, second), (second, first)):
        assert tasks.get("ner").agreed(*pair).tolist() == [2, 2, 2, 4, 4]

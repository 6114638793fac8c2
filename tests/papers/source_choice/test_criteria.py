"""What texts tell of sources, on vectors and pieces that are known."""

from collections import Counter

import pytest
import torch
from making import made_up

from fewshot import tasks
from fewshot.papers.source_choice import criteria
from fewshot.papers.source_choice.criteria import NEAREST, Text

CPU = torch.device("cpu")


def text(*angles, pieces=(), shift=0.0):
    """Vectors of length 1 in a plane, all of which may be moved."""
    turned = torch.deg2rad(torch.tensor(angles, dtype=torch.float32))
    return Text(torch.stack([turned.cos(), turned.sin()], dim=-1) + shift, Counter(pieces))


def test_neighbours_are_the_nearest_sentences_of_all_sources():
    near, far = text(0, 1, -1, 180), text(*range(170, 190, 2), 90, 85)  # together all around
    found = criteria.neighbours(text(0, 0), {"far": far, "near": near})
    near_share, far_share = 3 / 4, (NEAREST - 3) / 12
    assert found["near"] == pytest.approx(100 * near_share / (near_share + far_share), rel=1e-5)
    assert sum(found.values()) == pytest.approx(100)


def test_what_all_languages_have_in_common_says_nothing():
    angles = {"a": (10, 130, 250), "b": (40, 160, 280, 20), "c": (0, 90, 180, 270)}
    plain, moved = (
        criteria.neighbours(
            text(12, 44, shift=shift), {name: text(*each, shift=shift) for name, each in angles.items()}
        )
        for shift in (0.0, 30.0)
    )
    assert moved == pytest.approx(plain) and len({round(share) for share in plain.values()}) > 1


def test_a_source_of_twice_the_sentences_is_no_better():
    found = criteria.neighbours(text(0), {"a": text(10), "b": text(20, 30)})
    assert found == pytest.approx({"a": 50, "b": 50})  # all of them are neighbours, for there are fewer


def test_pieces_count_as_often_as_the_target_has_them():
    target = text(0, pieces=[1, 1, 1, 2])
    assert criteria.pieces(target, {"a": text(0, pieces=[1]), "b": text(0, pieces=[2, 3])}) == {"a": 75, "b": 25}


def test_examples_are_read_without_their_annotation(encoder):
    gold = made_up(6, seed=1)
    task = tasks.get("pos")
    known, raw = (criteria.read(encoder, task, one, CPU) for one in (gold, [s.unannotated() for s in gold]))
    assert torch.equal(known.vectors, raw.vectors) and known.pieces == raw.pieces
    assert known.vectors.shape == (6, 32)

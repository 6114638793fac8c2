import random
from collections import Counter

import pytest
import torch
from making import article, made_up

from fewshot import tasks
from fewshot.corpora.types import Pair, Sentence
from fewshot.encoders.load import load_encoder, untrained
from fewshot.source_choice import criteria
from fewshot.source_choice.criteria import NEIGHBOURS, Text

CPU = torch.device("cpu")


def text(*angles, pieces=(), shift=0.0):
    """Vectors of length 1 in a plane, all of which may be moved."""
    turned = torch.deg2rad(torch.tensor(angles, dtype=torch.float32))
    return Text(torch.stack([turned.cos(), turned.sin()], dim=-1) + shift, Counter(pieces))


def test_neighbours_are_the_nearest_sentences_of_all_sources():
    near, far = text(0, 1, -1, 180), text(*range(170, 190, 2), 90, 85)  # together all around
    found = criteria.neighbours(text(0, 0), {"far": far, "near": near})
    near_share, far_share = 3 / 4, (NEIGHBOURS - 3) / 12
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


def test_types_count_once_and_tokens_as_often_as_they_occur():
    p_type, p_token = criteria.observed({1, 2, 3}, Counter({1: 7, 3: 1, 4: 1, 5: 1}))
    assert (p_type, p_token) == (50, 80)
    assert criteria.observed(set(), Counter({1: 2})) == (0, 0)


def test_subwords_are_those_of_the_words_without_special_tokens(encoder):
    sentences = [Sentence("1", "ab a", ("ab", "a")), Sentence("2", "a", ("a",) * 100)]  # longer than the encoder takes
    found = criteria.subwords(encoder, tasks.get("pos"), sentences)
    named = {encoder.tokenizer.convert_ids_to_tokens(piece): count for piece, count in found.items()}
    assert named == {"a": 102, "##b": 1}
    pairs = criteria.subwords(encoder, tasks.get("nli"), [Pair("1", "a b", "b c")])
    assert sorted(pairs.values()) == [1, 1, 2]


def test_a_paragraph_of_many_questions_counts_once(encoder):
    one = article(made_up(1, seed=3)[0], random.Random(0))
    (paragraph,) = one.paragraphs
    assert len(paragraph.questions) == 2
    letters = Counter(paragraph.context.replace(" ", "")) + Counter("missa?" * 2)
    found = criteria.subwords(encoder, tasks.get("qa"), [one])
    assert found.total() == letters.total()


@pytest.mark.parametrize("name", ["encoder_folder", "xlmr_folder"])
def test_each_is_the_mean_over_its_pieces_in_each_layer(name, request):
    encoder = load_encoder(str(request.getfixturevalue(name)))
    sentences = [sentence.words for sentence in made_up(9, seed=2, shortest=1, longest=4)]
    found = criteria.vectors(encoder, sentences, CPU)
    layers = encoder.module.config.num_hidden_layers
    assert found.shape == (layers + 1, 9, encoder.hidden)
    for place, words in enumerate(sentences):
        inputs = encoder.tokenizer(" ".join(words), return_tensors="pt")
        with torch.inference_mode():
            hidden = encoder.module(
                **{k: inputs[k] for k in ("input_ids", "attention_mask")}, output_hidden_states=True
            )
        for layer in range(layers + 1):
            mean = hidden.hidden_states[layer][0, 1:-1].mean(0)  # without [CLS] and [SEP]
            assert torch.allclose(found[layer, place], mean, atol=1e-5)


def test_every_piece_of_a_sentence_that_is_too_long_counts_once(encoder):
    words = ["a"] * 50 + ["b"] * 150  # the encoder takes 64 pieces
    (long,) = criteria.vectors(encoder, [words], CPU)[0]
    table = encoder.module.embeddings.word_embeddings.weight
    a, b = (table[encoder.tokenizer.convert_tokens_to_ids(letter)] for letter in "ab")
    few = criteria.vectors(encoder, [["a"] * 10, ["b"] * 10], CPU)[0]
    share = ((long - few[1]) @ (few[0] - few[1]) / (few[0] - few[1]).square().sum()).item()
    assert share == pytest.approx(0.25, abs=0.05) and not torch.equal(a, b)


def test_an_untrained_encoder_is_of_the_same_shape_and_another_one_a_seed(encoder):
    before = torch.random.get_rng_state()
    first, same, other = untrained(encoder, 0), untrained(encoder, 0), untrained(encoder, 1)
    assert torch.equal(before, torch.random.get_rng_state())
    assert len({encoder.fingerprint, first.fingerprint, other.fingerprint}) == 3
    assert first.fingerprint == same.fingerprint
    words = [["iso", "talo"]]
    assert criteria.vectors(first, words, CPU).shape == criteria.vectors(encoder, words, CPU).shape

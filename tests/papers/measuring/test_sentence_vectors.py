"""Sentence vectors of every layer."""

import pytest
import torch
from making import made_up

from fewshot.encoders.load import load_encoder, untrained
from fewshot.papers.measuring.sentence_vectors import vectors

CPU = torch.device("cpu")


@pytest.mark.parametrize("name", ["encoder_folder", "xlmr_folder"])
def test_each_is_the_mean_over_its_pieces_in_each_layer(name, request):
    encoder = load_encoder(str(request.getfixturevalue(name)))
    sentences = [sentence.words for sentence in made_up(9, seed=2, shortest=1, longest=4)]
    found = vectors(encoder, sentences, CPU)
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
    (long,) = vectors(encoder, [words], CPU)[0]
    table = encoder.module.embeddings.word_embeddings.weight
    a, b = (table[encoder.tokenizer.convert_tokens_to_ids(letter)] for letter in "ab")
    few = vectors(encoder, [["a"] * 10, ["b"] * 10], CPU)[0]
    share = ((long - few[1]) @ (few[0] - few[1]) / (few[0] - few[1]).square().sum()).item()
    assert share == pytest.approx(0.25, abs=0.05) and not torch.equal(a, b)


def test_an_untrained_encoder_is_of_the_same_shape_and_another_one_a_seed(encoder):
    before = torch.random.get_rng_state()
    first, same, other = untrained(encoder, 0), untrained(encoder, 0), untrained(encoder, 1)
    assert torch.equal(before, torch.random.get_rng_state())
    assert len({encoder.fingerprint, first.fingerprint, other.fingerprint}) == 3
    assert first.fingerprint == same.fingerprint
    words = [["iso", "talo"]]
    assert vectors(first, words, CPU).shape == vectors(encoder, words, CPU).shape

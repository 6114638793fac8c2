import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from fewshot.encoders.pieces import NO_UNIT, Input, View, encode
from fewshot.encoders.vectors import collate, unit_vectors


def unigram(vocabulary):
    """A SentencePiece-like tokenizer, as XLM-R's: words start with U+2581."""
    pieces = [("<s>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((piece, -1.0) for piece in vocabulary)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>")


def units_of(pieces):
    return [unit for window in pieces.windows for unit in window.units if unit != NO_UNIT]


def test_bare_word_start_is_left_out_of_a_word():
    tokenizer = unigram(["\u2581", "東", "京", "\u2581the"])
    encoded = encode(tokenizer, Input((["東京", "the"],)), View("words"), limit=20)
    ids = tokenizer.convert_tokens_to_ids(["<s>", "東", "京", "\u2581the", "</s>"])
    assert list(encoded.windows[0].ids) == ids
    assert encoded.windows[0].units == (NO_UNIT, 0, 0, 1, NO_UNIT)


@pytest.mark.parametrize("odd", ["", "\u200b", "\u2603"])
def test_every_word_has_a_piece_even_if_the_tokenizer_drops_it(encoder, odd):
    encoded = encode(encoder.tokenizer, Input((["ab", odd, "c"],)), View("words"), limit=20)
    assert encoded.units == 3
    assert set(units_of(encoded)) == {0, 1, 2}


@pytest.mark.parametrize("limit", [8, 9, 16, 64])
@pytest.mark.parametrize("words", [1, 5, 40])
def test_long_input_is_cut_into_windows_and_every_word_belongs_to_one(encoder, limit, words):
    text = ["x" * (1 + number % 9) for number in range(words)]
    encoded = encode(encoder.tokenizer, Input((text,)), View("words"), limit)
    assert all(len(window.ids) <= limit for window in encoded.windows)
    assert set(units_of(encoded)) == set(range(words))
    homes = [{number for number, w in enumerate(encoded.windows) if unit in w.units} for unit in range(words)]
    assert all(len(home) == 1 for home in homes)


def test_word_takes_its_vector_from_the_window_with_most_context(encoder):
    encoded = encode(encoder.tokenizer, Input((list("abcdefghijkl"),)), View("words"), limit=8)  # windows of 6, every 3
    home = {unit: number for number, window in enumerate(encoded.windows) for unit in window.units if unit != NO_UNIT}
    assert [home[unit] for unit in range(12)] == [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2]


def test_pooling_is_the_mean_over_pieces(encoder):
    sentences = [["abc", "d"], ["ef"], ["g", "hij", "k"]]
    encoded = [encode(encoder.tokenizer, Input((words,)), View("words"), 64) for words in sentences]
    with torch.no_grad():
        vectors = unit_vectors(encoder.module, collate(encoded, 0))
        for row, pieces in enumerate(encoded):
            window = pieces.windows[0]
            hidden = encoder.module(torch.tensor([window.ids])).last_hidden_state[0]
            for unit in range(pieces.units):
                mine = [place for place, owner in enumerate(window.units) if owner == unit]
                torch.testing.assert_close(vectors[row, unit], hidden[mine].mean(0), atol=1e-5, rtol=1e-4)
    assert vectors.shape == (3, 3, 32)
    assert vectors[1, 1:].abs().sum() == 0


def test_pair_is_framed_by_the_tokenizer(encoder):
    pair = (["ab", "c"], ["d"])
    encoded = encode(encoder.tokenizer, Input(pair), View("sequence"), 64)
    reference = encoder.tokenizer(*pair, is_split_into_words=True, return_token_type_ids=True)
    window = encoded.windows[0]
    assert (list(window.ids), list(window.types)) == (reference["input_ids"], reference["token_type_ids"])
    assert (encoded.units, window.units[0]) == (1, 0)
    tokenizer = unigram(["\u2581a", "\u2581b"])  # with two marks between the parts, all of segment 0
    (window,) = encode(tokenizer, Input((["a"], ["b"])), View("sequence"), 20).windows
    pieces = tokenizer.convert_ids_to_tokens(list(window.ids))
    assert pieces == ["<s>", "\u2581a", "</s>", "</s>", "\u2581b", "</s>"]
    assert window.types == (0,) * 6


def test_long_pair_is_cut_at_the_longer_segment(encoder):
    encoded = encode(encoder.tokenizer, Input((["a"] * 40, ["b"] * 3)), View("sequence"), 20)
    pieces = encoder.tokenizer.convert_ids_to_tokens(list(encoded.windows[0].ids))
    assert len(pieces) == 20
    assert (pieces.count("a"), pieces.count("b")) == (14, 3)

import random

import numpy as np
import pytest
import torch
from encoders.kinds import TOKENIZERS, corpus
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from fewshot.errors import FewshotError
from fewshot.pretraining import new_vectors
from fewshot.pretraining.new_pieces import extended

WORDS = ["kameti", "verlining", "zzqx", "ልጅ", "ሰላም", "東京都"]
"""Known in pieces, of letters that are not known in the middle of a word, and of letters that are not known at all."""


def text(count=300, seed=1):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=5)) for _ in range(count)]


@pytest.fixture(scope="module", params=TOKENIZERS)
def known(request):
    return TOKENIZERS[request.param]()


@pytest.fixture(scope="module")
def wider(known):
    return extended(known, text(), 40)


def test_words_of_the_text_become_pieces(known, wider):
    for line in text(20, seed=2):
        before, after = (each(line)["input_ids"] for each in (known, wider))
        assert len(after) < len(before)
        assert len(after) <= 2 * len(line.split()) + 2
        assert wider.unk_token_id not in after


def test_old_pieces_keep_their_numbers_and_new_ones_stand_behind(known, wider):
    assert len(known) < len(wider) <= len(known) + 40
    assert wider.convert_ids_to_tokens(range(len(known))) == known.convert_ids_to_tokens(range(len(known)))
    assert sorted(wider.get_vocab().values()) == list(range(len(wider)))
    for name in ("pad", "unk", "cls", "sep", "mask"):
        assert getattr(wider, f"{name}_token_id") == getattr(known, f"{name}_token_id")
    assert wider.model_max_length == known.model_max_length


def test_other_text_is_read_as_before_but_for_the_same_parts_side_by_side(known, wider):
    others = corpus(200, seed=9)
    alike = [known(line)["input_ids"] == wider(line)["input_ids"] for line in others]
    assert sum(alike) > 0.9 * len(others)
    for line in others:
        assert known.decode(known(line)["input_ids"]) == wider.decode(wider(line)["input_ids"])


def test_no_more_pieces_than_asked_for_and_none_that_are_rare(known):
    assert len(extended(known, text(), 7)) - len(known) == 7
    assert len(extended(known, text(1), 100)) == len(known)
    assert len(extended(known, corpus(5), 100)) - len(known) < 20


def test_punctuation_marks_are_part_of_no_new_piece(known):
    wider = extended(known, [f"«{line}»." for line in text()], 40)
    new = wider.convert_ids_to_tokens(range(len(known), len(wider)))
    assert new
    for mark in ("«", "»", "."):
        assert not any(mark in piece and len(piece.removeprefix("##")) > 1 for piece in new)


def test_a_wider_tokenizer_is_the_same_after_it_was_saved_or_made_again(known, wider, tmp_path):
    assert extended(known, text(), 40).get_vocab() == wider.get_vocab()
    wider.save_pretrained(tmp_path)
    loaded = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert [loaded(line)["input_ids"] for line in text(20)] == [wider(line)["input_ids"] for line in text(20)]


def test_added_tokens_behind_the_list_of_a_unigram_model_keep_their_numbers():
    known = TOKENIZERS["Unigram"]()
    behind = Tokenizer.from_str(known.backend_tokenizer.to_str())
    behind.add_special_tokens(["<extra>"])
    wider = extended(PreTrainedTokenizerFast(tokenizer_object=behind, unk_token="<unk>"), text(), 30)
    assert wider.convert_tokens_to_ids("<extra>") == len(known)
    assert wider.tokenize("zzqx<extra>") == ["▁zzqx", "<extra>"]


def test_bytes_that_stand_for_letters_are_replaced_by_letters():
    pieces = ["<unk>", *(f"<0x{number:02X}>" for number in range(256)), "▁", *"abc"]
    model = models.Unigram([(piece, -2.0) for piece in pieces], unk_id=0, byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    known = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>")
    assert "<0xE1>" in known.tokenize("ልጅ")
    assert extended(known, text(), 40).tokenize("ልጅ") == ["▁ልጅ"]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"), "a WordLevel tokenizer cannot be extended"),
        (models.BPE({"a</w>": 0}, [], end_of_word_suffix="</w>"), "marks the inside of words cannot be extended"),
    ],
)
def test_other_tokenizers_are_refused(model, message):
    with pytest.raises(FewshotError, match=f"{message}.*leave --new-pieces out"):
        extended(PreTrainedTokenizerFast(tokenizer_object=Tokenizer(model)), text(), 5)


def test_sparsemax_is_the_nearest_point_of_the_simplex():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20, 4))
    found = new_vectors.sparsemax(rows)
    assert found.sum(1) == pytest.approx(np.ones(20))
    assert (found >= 0).all() and (found == 0).any()
    points = rng.dirichlet(np.ones(4) / 2, size=5000)
    for row, nearest in zip(rows, found, strict=True):
        assert ((row - nearest) ** 2).sum() <= ((row - points) ** 2).sum(1).min() + 1e-12


def test_new_vectors_are_means_of_those_that_stand_in_the_same_places_or_drawn():
    """Two nouns and two verbs are known; a noun and a verb are learned, and a piece that the text has not."""
    names = ["[UNK]", "cat", "dog", "runs", "sleeps", "the", ".", "now", "horse", "walks", "never"]
    model = models.WordLevel({name: number for number, name in enumerate(names)}, unk_token="[UNK]")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    rng = random.Random(0)
    nouns, verbs = ["cat", "dog", "horse"], ["runs", "sleeps", "walks"]
    lines = [f"the {rng.choice(nouns)} {rng.choice(verbs)} now ." for _ in range(300)]
    table = torch.randn(8, 16, generator=torch.Generator().manual_seed(0))
    pieces = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]")
    rows = new_vectors.begin(table, pieces, lines, 8, seed=0)
    assert rows.shape == (11, 16)
    assert torch.equal(rows[:8], table)
    torch.testing.assert_close(rows[8], table[1:3].mean(0), atol=0.2, rtol=0)
    torch.testing.assert_close(rows[9], table[3:5].mean(0), atol=0.2, rtol=0)
    distance = (rows[10] - table.mean(0)) / table.std(0)
    assert 0.5 < distance.square().mean().sqrt() < 1.6

from collections import Counter

import pytest

from fewshot.errors import FewshotError
from fewshot.pretraining import tokenizer, transforms

TEXTS = ["the old dog sleeps under a tree .", "the cat sings", "a dog , a cat and the old tree !", "water"]


def test_fake_english_shares_no_character_loses_nothing_and_survives_the_tokenizer():
    fake = transforms.fake(TEXTS)
    assert not set("".join(fake)) & set("".join(TEXTS)) - {" "}
    back = ["".join(c if c == " " else chr(ord(c) - transforms.SHIFT) for c in text) for text in fake]
    assert back == TEXTS
    pieces = tokenizer.train(fake * 20, 80)
    ids = pieces(fake[1], add_special_tokens=False)["input_ids"]
    assert pieces.unk_token_id not in ids
    assert pieces.decode(ids) == fake[1]


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_permutation_keeps_the_words_of_each_sentence(share):
    changed = transforms.permute(share)(TEXTS)
    assert [sorted(text.split()) for text in changed] == [sorted(text.split()) for text in TEXTS]
    assert (changed == TEXTS) == (share == 0)


def test_more_swaps_keep_less_of_the_order():
    sentence = " ".join(f"w{n:02}" for n in range(30))

    def kept(share):
        changed = transforms.permute(share)([sentence] * 20)
        return sum(a < b for text in changed for a, b in zip(text.split(), text.split()[1:], strict=False))

    assert kept(0.0) > kept(0.01) > kept(0.05) > 0.9 * kept(1.0)


def test_unigram_keeps_lengths_and_frequencies_only():
    corpus = TEXTS * 500
    changed = transforms.unigram(seed=1)(corpus)
    assert [len(text.split()) for text in changed] == [len(text.split()) for text in corpus]
    before, after = (Counter(word for text in texts for word in text.split()) for texts in (corpus, changed))
    assert before.keys() == after.keys()
    assert all(after[word] == pytest.approx(before[word], rel=0.15) for word in before)
    assert len(set(changed)) > len(set(corpus))


def test_transforms_are_done_in_order():
    fake = f"[en] {chr(ord('a') + 0x17000)} {chr(ord('b') + 0x17000)}"
    assert transforms.apply(["fake", "mark-en"], ["a b"]) == [fake]
    assert transforms.apply([], TEXTS) == TEXTS


@pytest.mark.parametrize("name", ["", "fakes", "permute", "permute-2", "permute-half", "mark", "fake-3"])
def test_unknown_transform(name):
    with pytest.raises(FewshotError, match="unknown transform"):
        transforms.named(name)
